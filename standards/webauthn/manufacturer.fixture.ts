// A manufacturer of security keys, made by OpenSSL: a root, and keys of models that it vouches for.

import { execFileSync } from 'node:child_process'
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Signer = { key: KeyObject; chain: Buffer[] }

export type Manufacturer = {
  root: Buffer
  /** Signs statements of one model. */
  model(aaguid: Buffer): Signer
  /** Signs lists, as who is named. */
  lister(host: string): Signer
  close(): void
}

export function openManufacturer(): Manufacturer {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-manufacturer-'))
  const file = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const derOf = (name: string): Buffer => {
    openssl('x509', '-in', name, '-outform', 'DER', '-out', `${name}.der`)
    return readFileSync(file(`${name}.der`))
  }
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const rootExtensions = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign']
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'root.key',
    '-out',
    'root.pem',
    '-days',
    '30',
    '-subj',
    '/C=AU/O=Keys/CN=Keys root',
    ...rootExtensions,
  )
  const root = derOf('root.pem')
  let count = 0
  const issue = (subject: string, extensions: string): Signer => {
    const name = `leaf${(count += 1)}`
    writeFileSync(file(`${name}.cnf`), extensions)
    openssl('req', '-new', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject)
    const by = ['-CA', 'root.pem', '-CAkey', 'root.key', '-set_serial', String(1000 + count), '-days', '20']
    openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-extfile', `${name}.cnf`, '-out', `${name}.pem`)
    return { key: createPrivateKey(readFileSync(file(`${name}.key`))), chain: [derOf(`${name}.pem`)] }
  }
  const leaf = 'basicConstraints=critical,CA:FALSE\nauthorityKeyIdentifier=keyid\n'
  return {
    root,
    model: (aaguid) =>
      issue(
        '/C=AU/O=Keys/OU=Authenticator Attestation/CN=Keys model',
        `${leaf}1.3.6.1.4.1.45724.1.1.4=DER:0410${aaguid.toString('hex')}\n`,
      ),
    lister: (host) => issue(`/C=AU/O=Keys/CN=${host}`, `${leaf}subjectAltName=DNS:${host}\n`),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
