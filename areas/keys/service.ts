// What other rooms may ask of the keys: make a pair, keep it, sign with it. There is no way to read a stored private key back.

import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import { defaultSignatureAlgorithm, type SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { keyAlgorithms, type HolderKey, type KeyAlgorithm } from './rules.ts'
import { handleOf } from './server/handles.ts'
import { makeSoftwareKey, type SignInPlace } from './server/providers.ts'
import { allPublicKeys, deleteKey, findKey, insertKey } from './server/store.ts'
import { keyPurpose, openTenantKey } from './server/tenant-key.ts'

export { KeyUnavailable } from './server/held-tokens.ts'
export type { SignInPlace } from './server/providers.ts'

/** Made in libuv's thread pool; RSA 4096 takes about a second. Not inside a transaction. */
export async function generateKeyPair(algorithm: HolderKey): Promise<{ privateKey: KeyObject; spki: Uint8Array }> {
  const { privateKey, publicKey } = await makeSoftwareKey(algorithm)
  return { privateKey, spki: publicKey.export({ format: 'der', type: 'spki' }) }
}

/** What a key of this kind signs by, unless somebody chose: the hash as strong as the key. */
export function signatureAlgorithmFor(algorithm: KeyAlgorithm): SignatureAlgorithm {
  const { family, bits } = keyAlgorithms[algorithm]
  return defaultSignatureAlgorithm({ algorithm: family, bits })
}

export type NewKey = { tenantId: string; algorithm: KeyAlgorithm; privateKey: KeyObject; now: Date }

/** Seals and stores the key in the open transaction, beside the record of what it is for. Returns its id. */
export async function storeKey(
  db: Database,
  house: Pick<House, 'installationKey'>,
  { tenantId, algorithm, privateKey, now }: NewKey,
): Promise<string> {
  const tenantKey = await openTenantKey(db, house, tenantId, now)
  const keyId = timeOrderedId(now)
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  const document = privateKey.export({ format: 'der', type: 'pkcs8' })
  const sealed = tenantKey.key.seal(document, keyPurpose(tenantId, keyId))
  document.fill(0)
  await insertKey(db, {
    tenant_id: tenantId,
    id: keyId,
    provider: 'software',
    algorithm,
    spki,
    sealed,
    tenant_key_id: tenantKey.id,
    made_at: now,
    token_id: null,
    object_id: null,
  })
  return keyId
}

/** The SubjectPublicKeyInfo of a stored key. */
export const findPublicKey = async (db: Database, tenantId: string, keyId: string): Promise<Uint8Array | undefined> =>
  (await findKey(db, tenantId, keyId))?.spki

/** The SubjectPublicKeyInfo of every key kept in the tenancy: as many as it has authorities and signers. */
export const retainedKeys = async (db: Database, tenantId: string): Promise<Uint8Array[]> =>
  (await allPublicKeys(db, tenantId)).map(({ spki }) => spki)

/** Takes the private key away for good, with the record that says so. Of a token's, `destroyOnToken` (places.ts) comes before. */
export const destroyKey = (db: Database, tenantId: string, keyId: string): Promise<void> => deleteKey(db, tenantId, keyId)

export type SignRequest = { tenantId: string; keyId: string; algorithm: SignatureAlgorithm; data: Uint8Array }

/**
 * Signs; quick keys in place, slow ones off the event loop, those on tokens by their token. Throws KeyUnavailable where the token is out of
 * reach: the same may be asked again later. Not inside a transaction.
 */
export async function signWithKey(house: House, { tenantId, keyId, algorithm, data }: SignRequest): Promise<Uint8Array> {
  return (await handleOf(house, tenantId, keyId)).sign(algorithm, data)
}

/** Signs with one key, in place; undefined for a key that is slow or lives on a token. For whoever signs thousands of times a second. Not inside a transaction. */
export const signerInPlace = async (house: House, tenantId: string, keyId: string): Promise<SignInPlace | undefined> =>
  (await handleOf(house, tenantId, keyId)).signInPlace

/** Takes what is to be signed piece by piece, and signs it when it is all there; once. */
export type SigningOfPieces = { update(piece: Uint8Array): void; sign(): Promise<Uint8Array> }

/**
 * For what is large: gives a way to sign so many bytes. With a quick key whose algorithm begins with a hash nothing of them is kept; else they are put together
 * as they come. Throws as signWithKey does. Not inside a transaction; what it gives may be fed in one.
 */
export async function signerOfPieces(
  house: House,
  tenantId: string,
  keyId: string,
  algorithm: SignatureAlgorithm,
): Promise<(length: number) => SigningOfPieces> {
  const handle = await handleOf(house, tenantId, keyId)
  return (length) => {
    const hashing = handle.signInPieces?.(algorithm)
    if (hashing !== undefined) return { update: hashing.update, sign: async () => hashing.sign() }
    const whole = Buffer.allocUnsafeSlow(length)
    let filled = 0
    return {
      update(piece) {
        whole.set(piece, filled)
        filled += piece.length
      },
      sign: () => handle.sign(algorithm, whole.subarray(0, filled)),
    }
  }
}
