import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { inTenant } from '#core/server/database.ts'
import { useHouse } from '#core/testing/house.ts'
import { signWith } from '#standards/x509/algorithms.ts'
import { parsePublicKey } from '#standards/x509/public-key.ts'
import { exchangeKeyNames, isHolderKey, keyAlgorithmNames, keyAlgorithms, type KeyAlgorithm } from '../rules.ts'
import { findPublicKey, generateKeyPair, signatureAlgorithmFor, signWithKey, storeKey } from '../service.ts'
import { handleCache } from './cache.ts'
import { tables } from './store.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')
const other = await house.tenancy('Other')

async function keep(tenantId: string, algorithm: KeyAlgorithm): Promise<{ keyId: string; spki: Uint8Array; document: Buffer }> {
  const { privateKey, spki } = await generateKeyPair(algorithm)
  const keyId = await inTenant(house.house.database, tenantId, (db) =>
    storeKey(db, house.house, { tenantId, algorithm, privateKey, now: house.clock.now() }),
  )
  return { keyId, spki, document: privateKey.export({ format: 'der', type: 'pkcs8' }) }
}

const hashes: Partial<Record<KeyAlgorithm, string>> = {
  'RSA-2048': 'sha256',
  'RSA-3072': 'sha256',
  'RSA-4096': 'sha384',
  'P-256': 'sha256',
  'P-384': 'sha384',
  'P-521': 'sha512',
  brainpoolP256r1: 'sha256',
  brainpoolP384r1: 'sha384',
  brainpoolP512r1: 'sha512',
  secp256k1: 'sha256',
}
/** The small ones of SLH-DSA differ in size only, and sign for seconds: one of them stands for all. */
const tried = keyAlgorithmNames.filter((name) => !/^SLH-DSA-.*s$/.test(name) || name === 'SLH-DSA-SHA2-128s')

describe('a stored key', () => {
  it.each(tried)('of kind %s signs what its public key verifies', async (algorithm) => {
    const { keyId, spki } = await keep(acme.id, algorithm)
    const data = randomBytes(500)
    const signature = await signWithKey(house.house, { tenantId: acme.id, keyId, algorithm: signatureAlgorithmFor(algorithm), data })
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
    expect(verify(hashes[algorithm], data, key, signature)).toBe(true)
    expect(await inTenant(house.house.database, acme.id, (db) => findPublicKey(db, acme.id, keyId))).toEqual(Buffer.from(spki))
  })

  it('is signed with in place only where that is as quick as P-256, and in the thread pool otherwise', () => {
    expect(keyAlgorithmNames.filter((name) => keyAlgorithms[name].quick)).toEqual(['P-256', 'Ed25519'])
  })

  it('is not to be found in the database in the clear', async () => {
    const { keyId, document } = await keep(acme.id, 'P-256')
    const row = await inTenant(house.house.database, acme.id, (db) =>
      tables(db).selectFrom('keys').selectAll().where('id', '=', keyId).executeTakeFirstOrThrow(),
    )
    // The 32 secret bytes of a P-256 key stand in its PKCS#8 document after its second OCTET STRING header.
    const secret = document.subarray(document.indexOf(Buffer.of(0x04, 0x20)) + 2).subarray(0, 32)
    expect(secret).toHaveLength(32)
    expect(row.sealed.includes(secret)).toBe(false)
  })

  it('does not open in the place of another key', async () => {
    const [first, second] = [await keep(acme.id, 'P-256'), await keep(acme.id, 'P-256')]
    await house.asOwner(`update keys set sealed = (select sealed from keys where id = '${first.keyId}') where id = '${second.keyId}'`)
    await expect(
      signWithKey(house.house, { tenantId: acme.id, keyId: second.keyId, algorithm: 'ecdsa-with-SHA256', data: Buffer.of(1) }),
    ).rejects.toThrow()
  })

  it('does not exist for another tenancy', async () => {
    const { keyId } = await keep(acme.id, 'P-256')
    await signWithKey(house.house, { tenantId: acme.id, keyId, algorithm: 'ecdsa-with-SHA256', data: Buffer.of(1) })
    await expect(
      signWithKey(house.house, { tenantId: other.id, keyId, algorithm: 'ecdsa-with-SHA256', data: Buffer.of(1) }),
    ).rejects.toThrow('There is no key')
    expect(await inTenant(house.house.database, other.id, (db) => findPublicKey(db, other.id, keyId))).toBeUndefined()
  })

  it('refuses an algorithm that does not fit it', async () => {
    const { keyId } = await keep(acme.id, 'P-256')
    await expect(
      signWithKey(house.house, { tenantId: acme.id, keyId, algorithm: 'sha256WithRSAEncryption', data: Buffer.of(1) }),
    ).rejects.toThrow('does not fit')
  })
})

describe('keys for holders of certificates', () => {
  it.each([...exchangeKeyNames])('%s is made, and signs nothing', async (name) => {
    const { privateKey, spki } = await generateKeyPair(name)
    expect(parsePublicKey(spki).algorithm).toBe(name)
    expect(() => signWith('Ed25519', privateKey, Buffer.of(1))).toThrow('does not fit')
  })
  it('can be every kind that an authority can have, and those', () => {
    expect([...keyAlgorithmNames, ...exchangeKeyNames].every(isHolderKey)).toBe(true)
    expect(isHolderKey('toString')).toBe(false)
  })
})

describe('the key of a tenancy', () => {
  it('is made once, however many keys are stored first at the same time', async () => {
    const fresh = await house.tenancy('Fresh')
    await Promise.all(Array.from({ length: 6 }, () => keep(fresh.id, 'Ed25519')))
    const rows = await inTenant(house.house.database, fresh.id, (db) => tables(db).selectFrom('tenant_keys').selectAll().execute())
    expect(rows).toHaveLength(1)
  })
})

describe('the cache of opened keys', () => {
  it('keeps the most recently used ones and opens a forgotten one again', async () => {
    const cache = handleCache<string>(2)
    const opened: string[] = []
    const get = (name: string) => cache.get(cache, name, async () => (opened.push(name), name))
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await get(name)
    expect(opened).toEqual(['a', 'b', 'c', 'b'])
  })

  it('tries again after an opening that failed', async () => {
    const cache = handleCache<string>(2)
    await expect(cache.get(cache, 'a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await cache.get(cache, 'a', async () => 'open')).toBe('open')
  })
})
