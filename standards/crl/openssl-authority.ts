// For tests: an authority that the openssl program made, in a folder of its own, and a way to ask that program what it
// thinks of our output.
import { execFileSync, spawnSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fieldsOf, take, takeContext } from '../der/fields.ts'
import { readDer } from '../der/reader.ts'
import { signWith, type SignatureAlgorithm } from '../x509/algorithms.ts'

const RECIPES = {
  'P-256': { newkey: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], signatureAlgorithm: 'ecdsa-with-SHA256' },
  'P-384': { newkey: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'], signatureAlgorithm: 'ecdsa-with-SHA384' },
  RSA: { newkey: ['rsa:2048'], signatureAlgorithm: 'sha256WithRSAEncryption' },
  Ed25519: { newkey: ['ed25519'], signatureAlgorithm: 'Ed25519' },
} as const satisfies Record<string, { newkey: readonly string[]; signatureAlgorithm: SignatureAlgorithm }>

export type KeyKind = keyof typeof RECIPES

export interface OpenSslCertificate {
  name: string
  der: Uint8Array
  /** DER Name */
  subject: Uint8Array
  serialNumber: Uint8Array
  subjectKeyIdentifier: Uint8Array
  key: KeyObject
  signatureAlgorithm: SignatureAlgorithm
  sign(message: Uint8Array): Uint8Array
}

export interface OpenSslFolder {
  path(name: string): string
  write(name: string, bytes: Uint8Array | string): string
  read(name: string): Uint8Array
  /** standard output; throws when the program fails */
  run(program: string, ...args: string[]): string
  /** what the program said on both channels, and whether it was content */
  ask(program: string, ...args: string[]): { ok: boolean; said: string }
  authority(name: string, kind: KeyKind): OpenSslCertificate
  /** a certificate under `issuer`, with these openssl extension lines */
  issue(name: string, issuer: OpenSslCertificate, kind: KeyKind, extensions?: string): OpenSslCertificate
  remove(): void
}

export function openSslFolder(): OpenSslFolder {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-openssl-'))
  const path = (name: string) => join(folder, name)
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const read = (name: string) => readFileSync(path(name))
  const write = (name: string, bytes: Uint8Array | string) => {
    writeFileSync(path(name), bytes)
    return path(name)
  }
  const load = (name: string, kind: KeyKind): OpenSslCertificate => {
    const key = createPrivateKey(read(`${name}.key`))
    const { signatureAlgorithm } = RECIPES[kind]
    const der = new X509Certificate(read(`${name}.pem`)).raw
    return { name, der, ...identityOf(der), key, signatureAlgorithm, sign: (message) => signWith(signatureAlgorithm, key, message) }
  }
  return {
    path,
    read,
    write,
    run,
    ask(program, ...args) {
      const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
      return { ok: status === 0, said: `${stdout}${stderr}` }
    },
    authority(name, kind) {
      run('openssl', 'req', '-x509', '-newkey', ...RECIPES[kind].newkey, '-nodes', '-keyout', `${name}.key`, '-out', `${name}.pem`, '-days', '3650', '-subj', `/O=Chancery Test/CN=${name}`, '-addext', 'keyUsage=critical,keyCertSign,cRLSign,digitalSignature')
      return load(name, kind)
    },
    issue(name, issuer, kind, extensions = 'basicConstraints=CA:FALSE') {
      write(`${name}.ext`, extensions)
      run('openssl', 'req', '-new', '-newkey', ...RECIPES[kind].newkey, '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/O=Chancery Test/CN=${name}`)
      run('openssl', 'x509', '-req', '-in', `${name}.csr`, '-CA', `${issuer.name}.pem`, '-CAkey', `${issuer.name}.key`, '-CAcreateserial', '-days', '365', '-extfile', `${name}.ext`, '-out', `${name}.pem`)
      return load(name, kind)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function identityOf(der: Uint8Array): Pick<OpenSslCertificate, 'subject' | 'serialNumber' | 'subjectKeyIdentifier'> {
  const fields = fieldsOf(take(fieldsOf(readDer(der)), 'tbsCertificate'))
  takeContext(fields, 0, 'version')
  const serialNumber = take(fields, 'serialNumber').content
  take(fields, 'signature')
  take(fields, 'issuer')
  take(fields, 'validity')
  const subject = take(fields, 'subject').encoded
  const marker = Buffer.from('0603551d0e04160414', 'hex')
  const at = Buffer.from(der).indexOf(marker)
  if (at === -1) throw new Error('openssl made a certificate without a subject key identifier')
  return { subject, serialNumber, subjectKeyIdentifier: der.subarray(at + marker.length, at + marker.length + 20) }
}
