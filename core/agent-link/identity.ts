// The key by which agents know the server. It follows from the installation key, so that all processes and all starts have the same one; agents pin it.

import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { InstallationKey } from '#core/server/installation-key.ts'
import { buildCertificate } from './self-signed.ts'

const ed25519Head = Buffer.from('302e020100300506032b657004220420', 'hex')

export type LinkIdentity = { key: KeyObject; certificate: Uint8Array; pin: string }

/** SHA-256 of the SubjectPublicKeyInfo, in base64url. */
export const pinOf = (spki: Uint8Array): string => createHash('sha256').update(spki).digest('base64url')

export function linkIdentity(installationKey: InstallationKey, now: Date): LinkIdentity {
  const seed = installationKey.derive('agent link')
  const key = createPrivateKey({ key: Buffer.concat([ed25519Head, seed]), format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return { key, certificate: buildCertificate(key, spki, now), pin: pinOf(spki) }
}
