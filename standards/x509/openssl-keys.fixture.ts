// For tests: keys, certificates and requests that the openssl command makes, and openssl's word on what we make.
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { encodePem } from '../pem/pem.ts'
import { openToolFolder } from '../tool-folder.fixture.ts'

/** Each key that an authority can have, with the words that make openssl generate it. */
export const OPENSSL_KEYS = {
  'RSA 2048': ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  'RSA 3072': ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:3072'],
  'RSA 4096': ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:4096'],
  'EC P-256': ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'EC P-384': ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  'EC P-521': ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-521'],
  Ed25519: ['-algorithm', 'ED25519'],
} as const
export type OpensslKey = keyof typeof OPENSSL_KEYS
export const OPENSSL_KEY_NAMES = Object.keys(OPENSSL_KEYS) as OpensslKey[]

export interface OpensslFolder {
  path: string
  /** runs openssl in the folder and gives what it printed; throws with its complaint when it fails */
  run: (...words: string[]) => Buffer
  write: (name: string, content: string | Uint8Array) => string
  writePem: (name: string, label: string, der: Uint8Array) => string
  /** makes `NAME.key` with a new key */
  key: (name: string, kind: OpensslKey) => KeyObject
  remove: () => void
}

export function opensslFolder(): OpensslFolder {
  const { folder, write, read, runForBytes, remove } = openToolFolder()
  const run = (...words: string[]): Buffer => runForBytes('openssl', ...words)
  return {
    path: folder,
    run,
    write,
    writePem: (name, label, der) => write(name, encodePem(label, der)),
    key: (name, kind) => {
      run('genpkey', ...OPENSSL_KEYS[kind], '-out', `${name}.key`)
      return createPrivateKey(read(`${name}.key`))
    },
    remove,
  }
}
