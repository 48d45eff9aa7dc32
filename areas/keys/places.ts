// Where a new key shall live, for rooms that make keys: in the database, or on a token of the tenancy, made there or found there. A key on a token
// exists before anything here knows of it, so whoever made one and cannot keep it discards it.

import { randomBytes } from 'node:crypto'
import { inTenant, type Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { say } from '#standards/say/say.ts'
import { parsePublicKey } from '#standards/x509/public-key.ts'
import { keyAlgorithms, type KeyAlgorithm } from './rules.ts'
import { KeyUnavailable, unavailableText, withToken } from './server/held-tokens.ts'
import { algorithmsOf, publicKeyOf, tokenKinds } from './server/pkcs11/mechanisms.ts'
import { findKey, insertKey } from './server/store.ts'
import { keyPurpose, openTenantKey } from './server/tenant-key.ts'
import { allTokens, findToken, keysOfToken, keysOnTokens } from './server/token-store.ts'
import { generateKeyPair, storeKey } from './service.ts'
import { isUnavailable, type TokenState } from './tokens.ts'

export type KeyPlace = { tokenId?: string | undefined; /** Of a key that is on the token already. Hex. */ objectId?: string | undefined }

export type NewKey = {
  spki: Uint8Array
  /** In the transaction with the record of what it is for. Returns its id. */
  keep(db: Database, now: Date): Promise<string>
  /** Where it was not kept. Never throws. */
  discard(): Promise<void>
}

export type TokenChoice = { tokenId: string; name: string; algorithms: KeyAlgorithm[]; state: TokenState }

/** The tokens of the tenancy, by name. */
export const tokenChoices = async (db: Database, tenantId: string): Promise<TokenChoice[]> =>
  (await allTokens(db, tenantId)).map(({ id, name, algorithms, state }) => ({ tokenId: id, name, algorithms, state }))

/** What is wrong with this place for such a key, by field; undefined where nothing is. Asks no token. */
export async function refusalOfPlace(
  db: Database,
  tenantId: string,
  algorithm: KeyAlgorithm,
  { tokenId, objectId }: KeyPlace,
): Promise<{ field: string; says: string } | undefined> {
  if (tokenId === undefined)
    return objectId === undefined ? undefined : { field: 'tokenKeyId', says: say`Choose the token that holds this key` }
  const token = await findToken(db, tenantId, tokenId)
  if (token === undefined) return { field: 'tokenId', says: say`Choose one of the tokens` }
  if (isUnavailable(token.state)) return { field: 'tokenId', says: say`${token.name} is out of reach. ${unavailableText(token.state)}` }
  if (objectId === undefined && !token.algorithms.includes(algorithm))
    return { field: 'keyAlgorithm', says: say`${token.name} cannot make a key ${keyAlgorithms[algorithm].label}` }
  return undefined
}

export type MakeKey = KeyPlace & { tenantId: string; algorithm: KeyAlgorithm; label: string }

/** Makes or finds the key. Throws a Fault that names the field, and KeyUnavailable. Not inside a transaction. */
export async function makeKey(house: House, { tenantId, algorithm, label, tokenId, objectId }: MakeKey): Promise<NewKey> {
  if (tokenId === undefined) {
    const { privateKey, spki } = await generateKeyPair(algorithm)
    return { spki, keep: (db, now) => storeKey(db, house, { tenantId, algorithm, privateKey, now }), discard: async () => {} }
  }
  const id = objectId === undefined ? randomBytes(16) : Buffer.from(objectId, 'hex')
  const spki =
    objectId === undefined
      ? await generateOnToken(house, tenantId, tokenId, { algorithm, label, id })
      : await findOnToken(house, tenantId, tokenId, algorithm, objectId)
  return {
    spki,
    async keep(db, now) {
      const keyId = timeOrderedId(now)
      const tenantKey = await openTenantKey(db, house, tenantId, now)
      await insertKey(db, {
        tenant_id: tenantId,
        id: keyId,
        provider: 'pkcs11',
        algorithm,
        spki: Buffer.from(spki),
        sealed: tenantKey.key.seal(id, keyPurpose(tenantId, keyId)),
        tenant_key_id: tenantKey.id,
        made_at: now,
        token_id: tokenId,
        object_id: id,
      })
      return keyId
    },
    async discard() {
      if (objectId !== undefined) return
      await withToken(house, tenantId, tokenId, (connection) => connection.ask('destroy', { objectId: id })).catch((error: unknown) =>
        house.log.warn(
          { error, token: tokenId, object: id.toString('hex') },
          'a key that was made on a token for nothing could not be taken away',
        ),
      )
    },
  }
}

/** Takes a key off its token, where it lives on one. Throws KeyUnavailable. Not inside a transaction; its record goes afterwards (destroyKey). */
export async function destroyOnToken(house: House, tenantId: string, keyId: string): Promise<void> {
  const row = await inTenant(house.database, tenantId, (db) => findKey(db, tenantId, keyId))
  const { token_id: tokenId, object_id: objectId } = row ?? {}
  if (tokenId != null && objectId != null)
    await withToken(house, tenantId, tokenId, (connection) => connection.ask('destroy', { objectId }))
}

async function generateOnToken(
  house: House,
  tenantId: string,
  tokenId: string,
  { algorithm, label, id }: { algorithm: KeyAlgorithm; label: string; id: Buffer },
): Promise<Uint8Array> {
  const kind = tokenKinds[algorithm]
  if (kind === undefined) throw invalidField('keyAlgorithm', say`A token makes no key ${keyAlgorithms[algorithm].label}`)
  const parts = await withToken(house, tenantId, tokenId, async (connection) => {
    if (!algorithmsOf((await connection.open()).mechanisms).includes(algorithm))
      throw invalidField('keyAlgorithm', say`This token cannot make a key ${keyAlgorithms[algorithm].label}`)
    return connection.ask('generate', { specification: kind.specification, label, objectId: id })
  })
  const spki = publicKeyOf(parts)
  if (spki === undefined || algorithmOf(spki) !== algorithm) throw new Error(`The token ${tokenId} made a key that is no ${algorithm}`)
  return spki
}

async function findOnToken(
  house: House,
  tenantId: string,
  tokenId: string,
  algorithm: KeyAlgorithm,
  objectId: string,
): Promise<Uint8Array> {
  const found = (await keysOnToken(house, tenantId, tokenId)).find((key) => key.objectId === objectId)
  if (found === undefined) throw invalidField('tokenKeyId', say`The token does not hold this key`)
  if (found.keyId !== undefined) throw invalidField('tokenKeyId', say`This key is in use already`)
  if (found.algorithm !== algorithm)
    throw invalidField('keyAlgorithm', say`This key is of the kind ${keyAlgorithms[found.algorithm].label}`)
  return found.spki
}

export type KeyOnToken = {
  objectId: string
  label: string
  algorithm: KeyAlgorithm
  spki: Uint8Array
  /** Where something here uses it. */ keyId: string | undefined
}

/** The keys on a token that can sign here, those of other origin among them. Throws KeyUnavailable. Not inside a transaction. */
export async function keysOnToken(house: House, tenantId: string, tokenId: string): Promise<KeyOnToken[]> {
  const seen = await withToken(house, tenantId, tokenId, (connection) => connection.ask('keys', {}))
  const used = new Map(
    (await inTenant(house.database, tenantId, (db) => keysOfToken(db, tenantId, tokenId))).map(({ id, object_id: objectId }) => [
      objectId?.toString('hex'),
      id,
    ]),
  )
  return seen.flatMap((key) => {
    const objectId = Buffer.from(key.objectId).toString('hex')
    const spki = publicKeyOf(key)
    const algorithm = spki && algorithmOf(spki)
    return spki === undefined || algorithm === undefined ? [] : [{ objectId, label: key.label, algorithm, spki, keyId: used.get(objectId) }]
  })
}

function algorithmOf(spki: Uint8Array): KeyAlgorithm | undefined {
  const { algorithm, bits, curve } = parsePublicKey(spki)
  const name = algorithm === 'RSA' ? `RSA-${bits}` : algorithm === 'EC' ? curve : algorithm
  return (Object.keys(tokenKinds) as KeyAlgorithm[]).find((each) => each === name)
}

/** Where each key of the tenancy lives that is on a token, and why it is unavailable, if it is. By the id of the key. */
export async function tokensOfKeys(
  db: Database,
  tenantId: string,
): Promise<Map<string, { tokenId: string; name: string; unavailable: { says: string; since: Date } | undefined }>> {
  const rows = await keysOnTokens(db, tenantId)
  return new Map(
    rows.map(({ id, token_id: tokenId, name, state, state_since: since }) => [
      id,
      { tokenId, name, unavailable: isUnavailable(state) ? { says: unavailableText(state), since } : undefined },
    ]),
  )
}

export { KeyUnavailable }
