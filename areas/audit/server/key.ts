// The key that signs checkpoints: Ed25519, made at the first start, its private half sealed by the installation key.

import { createPrivateKey, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto'
import type { House } from '#core/server/house.ts'
import { verifierKey } from '#standards/audit-log/checkpoint.ts'
import { addKey, readKey } from './store.ts'

export type CheckpointSigner = { origin: string; verifierKey: string; privateKey: KeyObject }

const purpose = 'audit_key'

export async function openCheckpointKey(house: House): Promise<CheckpointSigner> {
  const { database } = house.auditor
  const row = (await readKey(database)) ?? (await makeKey(house))
  const privateKey = createPrivateKey({ key: unseal(house, row.sealed_private_key), format: 'der', type: 'pkcs8' })
  return { origin: row.origin, verifierKey: row.verifier_key, privateKey }
}

async function makeKey(house: House) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const origin = `chancery-audit/${randomUUID()}`
  return addKey(house.auditor.database, {
    origin,
    verifier_key: verifierKey(origin, publicKey),
    sealed_private_key: house.installationKey.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), purpose),
    made_at: house.now(),
  })
}

function unseal(house: House, sealed: Buffer): Buffer {
  try {
    return house.installationKey.unseal(sealed, purpose)
  } catch (error) {
    throw new Error(
      'The key of the audit log cannot be opened: this database was made with another installation key. Set CHANCERY_KEY_FILE to the one it was made with.',
      { cause: error },
    )
  }
}
