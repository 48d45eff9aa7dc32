// For tests: keys, certificates and requests that the openssl command makes, and openssl's word on what we make.
import { execFileSync } from 'node:child_process'
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodePem } from '../pem/pem.ts'

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
  write: (name: string, content: string | Uint8Array) => void
  writePem: (name: string, label: string, der: Uint8Array) => void
  /** makes `NAME.key` with a new key */
  key: (name: string, kind: OpensslKey) => KeyObject
  remove: () => void
}

export function opensslFolder(): OpensslFolder {
  const path = mkdtempSync(join(tmpdir(), 'openssl-'))
  const run = (...words: string[]): Buffer => execFileSync('openssl', words, { cwd: path, stdio: ['ignore', 'pipe', 'pipe'] })
  return {
    path,
    run,
    write: (name, content) => writeFileSync(join(path, name), content),
    writePem: (name, label, der) => writeFileSync(join(path, name), encodePem(label, der)),
    key: (name, kind) => {
      run('genpkey', ...OPENSSL_KEYS[kind], '-out', `${name}.key`)
      return createPrivateKey(readFileSync(join(path, `${name}.key`)))
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
