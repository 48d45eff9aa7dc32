import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateKeyPair } from '#areas/keys/service.ts'
import { enterTenant, inTenant } from '#core/server/database.ts'
import { useHouse } from '#core/testing/house.ts'
import { packCrlEntries } from '#standards/crl/entries.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { openToolFolder, type ToolFolder } from '#standards/tool-folder.fixture.ts'
import { parseTbsCertificate } from '#standards/x509/certificate.ts'
import { nameOf } from '#standards/x509/names.ts'
import { authorities } from '../contract.ts'
import {
  createAuthority,
  findIssuer,
  listIssuers,
  markRevoked,
  releaseHold,
  reservationAbout,
  reserve,
  revisionOf,
  revokedRuns,
  signReserved,
  statusOf,
  storeSigned,
  type CertificateDraft,
  type Issuer,
} from '../service.ts'
import { newSerial } from './issuing.ts'
import { findAuthority, tables } from './store.ts'

let issuer: Issuer
let opinion: ToolFolder

const inAcme = <T>(work: Parameters<typeof inTenant<T>>[2]) => inTenant(house.house.database, acme.id, work)

const house = await useHouse()
const acme = await house.tenancy('Acme')
const ada = await acme.person({ permissions: ['manageCAs'] })
beforeAll(async () => {
  opinion = openToolFolder()
  const { caId } = await createAuthority(
    house.house,
    { tenantId: acme.id, name: 'Set-up' },
    { kind: 'root', friendlyName: 'Root', subject: { CN: 'Root' } },
  )
  const found = await inAcme((db) => findIssuer(db, acme.id, caId, house.clock.now()))
  if (found === undefined) throw new Error('The authority cannot issue')
  issuer = found
})
afterAll(async () => {
  opinion.remove()
})

async function draftFor(more: Partial<CertificateDraft> = {}): Promise<CertificateDraft> {
  const { spki } = await generateKeyPair('P-256')
  const now = house.clock.now()
  return {
    subject: nameOf(['CN', 'www.example.org']),
    notBefore: now,
    notAfter: new Date(now.getTime() + 90 * 86_400_000),
    publicKey: spki,
    extensions: [{ type: 'subjectAltName', critical: false, names: [{ type: 'dNSName', value: 'www.example.org' }] }],
    about: { kind: 'certificate', id: randomUUID() },
    ...more,
  }
}

async function issue(more: Partial<CertificateDraft> = {}): Promise<{ serialHex: string; certificate: Uint8Array }> {
  const draft = await draftFor(more)
  const reserved = await inAcme((db) => reserve(db, issuer, draft, house.clock.now()))
  const certificate = await signReserved(house.house, issuer, reserved)
  await inAcme((db) => storeSigned(db, issuer, reserved.serialHex, certificate, house.clock.now()))
  return { serialHex: reserved.serialHex, certificate }
}

describe('issuing', () => {
  it('gives a certificate that OpenSSL verifies, with the addresses and key identifiers of its authority', async () => {
    const { serialHex, certificate } = await issue()
    const leaf = opinion.write('leaf.pem', encodePem('CERTIFICATE', certificate))
    const root = opinion.write('root.pem', encodePem('CERTIFICATE', issuer.certificate))
    expect(opinion.run('openssl', 'verify', '-x509_strict', '-CAfile', root, leaf)).toContain('OK')
    expect(opinion.run('openssl', 'x509', '-noout', '-serial', '-in', leaf).trim().toLowerCase()).toBe(`serial=${serialHex}`)
    const text = opinion.run('openssl', 'x509', '-noout', '-text', '-in', leaf)
    for (const address of Object.values(issuer.addresses)) expect(text).toContain(`URI:${address}`)
    expect((await inAcme((db) => statusOf(db, acme.id, issuer.caId, serialHex)))?.state).toBe('signed')
  })

  it('signs nothing before the reservation is committed', async () => {
    const draft = await draftFor()
    await house.house.database.transaction().execute(async (db) => {
      await enterTenant(db, acme.id)
      const reserved = await reserve(db, issuer, draft, house.clock.now())
      await expect(signReserved(house.house, issuer, reserved)).rejects.toThrow('no committed reservation')
    })
  })

  it('signs nothing but the bytes that were reserved', async () => {
    const reserved = await inAcme(async (db) => reserve(db, issuer, await draftFor(), house.clock.now()))
    const changed = Buffer.from(reserved.tbs)
    changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1
    await expect(signReserved(house.house, issuer, { ...reserved, tbs: changed })).rejects.toThrow('nothing was signed')
  })

  it('keeps the first of two signatures over one reservation', async () => {
    const reserved = await inAcme(async (db) => reserve(db, issuer, await draftFor(), house.clock.now()))
    const first = await signReserved(house.house, issuer, reserved)
    const second = await signReserved(house.house, issuer, reserved)
    expect(await inAcme((db) => storeSigned(db, issuer, reserved.serialHex, first, house.clock.now()))).toBe(true)
    expect(await inAcme((db) => storeSigned(db, issuer, reserved.serialHex, second, house.clock.now()))).toBe(false)
    await expect(signReserved(house.house, issuer, reserved)).rejects.toThrow('nothing was signed')
  })

  it('recovers an interrupted one with the same bytes and the same serial', async () => {
    const draft = await draftFor()
    const reserved = await inAcme((db) => reserve(db, issuer, draft, house.clock.now()))
    const left = await inAcme((db) => reservationAbout(db, acme.id, draft.about.id))
    if (left === undefined) throw new Error('The reservation is lost')
    expect(left.serialHex).toBe(reserved.serialHex)
    expect(left.about).toEqual(draft.about)
    expect(Buffer.from(left.tbs)).toEqual(Buffer.from(reserved.tbs))
    expect(parseTbsCertificate(left.tbs).serialHex).toBe(reserved.serialHex)
  })

  it.each([
    ['notAfter', { notAfter: new Date('2090-01-01T00:00:00Z') }],
    ['notAfter', { notBefore: new Date('2020-01-01T00:00:00Z') }],
    ['notAfter', { notBefore: new Date('2030-01-02T00:00:00Z'), notAfter: new Date('2030-01-01T00:00:00Z') }],
  ])('refuses a validity outside its own at %s', async (field, more) => {
    const draft = await draftFor(more)
    await expect(inAcme((db) => reserve(db, issuer, draft, house.clock.now()))).rejects.toMatchObject({
      code: 'invalid',
      detail: { fields: [{ field }] },
    })
  })

  it('stops while issuing is switched off, and goes on after', async () => {
    await ada.call(authorities.calls.setIssuing, { caId: issuer.caId, issuing: false })
    const off = await inAcme((db) => findIssuer(db, acme.id, issuer.caId, house.clock.now()))
    expect(off?.enabled).toBe(false)
    const draft = await draftFor()
    await expect(inAcme((db) => reserve(db, off ?? issuer, draft, house.clock.now()))).rejects.toMatchObject({
      detail: { fields: [{ field: 'caId' }] },
    })
    await ada.call(authorities.calls.setIssuing, { caId: issuer.caId, issuing: true })
    expect((await inAcme((db) => listIssuers(db, acme.id, house.clock.now()))).map(({ enabled }) => enabled)).toEqual([true])
  })
})

describe('a serial', () => {
  it('is 32 hexadecimal digits without a zero byte in front, and uses the top bit', () => {
    const serials = Array.from({ length: 500 }, () => newSerial())
    expect(serials.every((serial) => serial.length === 16 && serial[0] !== 0)).toBe(true)
    expect(serials.some((serial) => (serial[0] ?? 0) >= 0x80)).toBe(true)
    expect(new Set(serials.map((serial) => serial.toString('hex'))).size).toBe(500)
  })
})

describe('a revoked serial', () => {
  const order = (serialHex: string) => ({ tenantId: acme.id, caId: issuer.caId, serialHex, at: house.clock.now() })

  it('stays revoked', async () => {
    const { serialHex } = await issue()
    expect(
      await inAcme((db) =>
        markRevoked(db, { ...order(serialHex), reason: 'keyCompromise', invalidityDate: new Date('2026-01-01T00:00:00Z') }),
      ),
    ).toBe('revoked')
    expect(await inAcme((db) => markRevoked(db, { ...order(serialHex), reason: 'superseded' }))).toBe('already')
    expect(await inAcme((db) => releaseHold(db, order(serialHex)))).toBe('notOnHold')
    const status = await inAcme((db) => statusOf(db, acme.id, issuer.caId, serialHex))
    expect(status?.revocation).toMatchObject({ reason: 'keyCompromise', invalidityDate: new Date('2026-01-01T00:00:00Z') })
  })

  it('is revoked once by two at the same time', async () => {
    const { serialHex } = await issue()
    const both = await Promise.all([1, 2].map(() => inAcme((db) => markRevoked(db, { ...order(serialHex), reason: 'superseded' }))))
    expect(both.toSorted()).toEqual(['already', 'revoked'])
  })

  it('comes back from a hold, or is revoked for good from the time of the hold', async () => {
    const [first, second] = [await issue(), await issue()]
    for (const { serialHex } of [first, second]) await inAcme((db) => markRevoked(db, { ...order(serialHex), reason: 'certificateHold' }))
    const held = await inAcme((db) => statusOf(db, acme.id, issuer.caId, second.serialHex))
    expect(await inAcme((db) => releaseHold(db, order(first.serialHex)))).toBe('released')
    expect((await inAcme((db) => statusOf(db, acme.id, issuer.caId, first.serialHex)))?.revocation).toBeUndefined()
    house.clock.advance(1_000)
    expect(await inAcme((db) => markRevoked(db, { ...order(second.serialHex), reason: 'keyCompromise' }))).toBe('revoked')
    expect((await inAcme((db) => statusOf(db, acme.id, issuer.caId, second.serialHex)))?.revocation).toMatchObject({
      reason: 'keyCompromise',
      at: held?.revocation?.at,
    })
  })

  it('that was never issued is unknown', async () => {
    const serialHex = newSerial().toString('hex')
    expect(await inAcme((db) => markRevoked(db, { ...order(serialHex), reason: 'superseded' }))).toBe('unknown')
    expect(await inAcme((db) => statusOf(db, acme.id, issuer.caId, serialHex))).toBeUndefined()
  })

  it('is listed until it expires', async () => {
    const notAfter = new Date(house.clock.now().getTime() + 3_600_000)
    const { serialHex } = await issue({ notAfter })
    const revokedAt = house.clock.now()
    await inAcme((db) => markRevoked(db, { ...order(serialHex), at: revokedAt, reason: 'superseded' }))
    const listed = (at: Date) =>
      inAcme(async (db) => {
        const runs = revokedRuns({
          tenantId: acme.id,
          caId: issuer.caId,
          unexpiredAt: at,
          revision: await revisionOf(db, acme.id, issuer.caId),
        })
        const { rows } = await sql<{ bytes: Buffer }>`select bytes from (${runs}) as runs`.execute(db)
        return Buffer.concat(rows.map(({ bytes }) => bytes))
      })
    const its = Buffer.from(
      packCrlEntries([{ serialNumber: Buffer.from(serialHex, 'hex'), revocationDate: revokedAt, reason: 'superseded' }]),
    )
    const before = await listed(house.clock.now())
    expect(before.includes(its)).toBe(true)
    expect((await listed(new Date(notAfter.getTime() + 1_000))).includes(its)).toBe(false)
  })
})

describe('an authority whose certificate is revoked', () => {
  it('stops issuing, says so, and cannot be switched on again', async () => {
    const { caId } = await createAuthority(
      house.house,
      { tenantId: acme.id, name: 'Set-up' },
      { kind: 'subordinate', issuerId: issuer.caId, friendlyName: 'Revoked', subject: { CN: 'Revoked' } },
    )
    const serialHex = (await ada.call(authorities.calls.view, { caId })).certificate?.serialHex ?? ''
    expect(
      await inAcme((db) =>
        markRevoked(db, { tenantId: acme.id, caId: issuer.caId, serialHex, reason: 'cACompromise', at: house.clock.now() }),
      ),
    ).toBe('revoked')
    const found = await ada.call(authorities.calls.view, { caId })
    expect(found).toMatchObject({ issuing: false, revocation: { reason: 'cACompromise' } })
    await expect(ada.call(authorities.calls.setIssuing, { caId, issuing: true })).rejects.toMatchObject({ status: 409, code: 'revoked' })
    expect((await ada.call(authorities.calls.list, { text: 'Revoked' })).rows[0]?.revocation?.reason).toBe('cACompromise')
  })
})

describe('an authority that a crash interrupted', () => {
  it('gets its request from recovery where an outside authority signs', async () => {
    const { caId } = await createAuthority(
      house.house,
      { tenantId: acme.id, name: 'Set-up' },
      { kind: 'outside', friendlyName: 'Interrupted request', subject: { CN: 'Interrupted request' } },
    )
    await house.asOwner(`update authorities set request = null where id = '${caId}'`)
    house.clock.advance(120_000)
    await house.runJob(authorities.jobs.finish)
    const { request } = await ada.call(authorities.calls.view, { caId })
    expect(opinion.ask('openssl', 'req', '-verify', '-noout', '-in', opinion.write('again.csr', request ?? '')).text).toMatch(/verify OK/i)
  })

  it('is signed by recovery, with the serial that was reserved', async () => {
    const { caId } = await createAuthority(
      house.house,
      { tenantId: acme.id, name: 'Set-up' },
      { kind: 'subordinate', issuerId: issuer.caId, friendlyName: 'Interrupted', subject: { CN: 'Interrupted' } },
      'interrupted',
    )
    const whole = await inAcme((db) => tables(db).selectFrom('serials').selectAll().where('about_id', '=', caId).executeTakeFirstOrThrow())
    const row = await inAcme((db) => findAuthority(db, acme.id, caId))
    // As the crash leaves it: the bytes are reserved, the signature was never stored.
    const tbs = row?.certificate?.subarray(4, 8 + (row.certificate.readUInt16BE(6) ?? 0)) ?? Buffer.alloc(0)
    await house.asOwner(
      `update serials set state = 'reserved', certificate_hash = null, signed_at = null, tbs = '\\x${tbs.toString('hex')}' where about_id = '${caId}'`,
    )
    await house.asOwner(`update authorities set certificate = null, certified_at = null where id = '${caId}'`)
    expect((await ada.call(authorities.calls.view, { caId })).status).toBe('PendingCert')

    house.clock.advance(120_000)
    await house.runJob(authorities.jobs.finish)
    const found = await ada.call(authorities.calls.view, { caId })
    expect(found.status).toBe('ActiveCert')
    expect(found.certificate?.serialHex).toBe(whole.serial.toString('hex'))
    const root = opinion.write('root.pem', encodePem('CERTIFICATE', issuer.certificate))
    const now = String(Math.floor(house.clock.now().getTime() / 1000))
    expect(
      opinion.run('openssl', 'verify', '-attime', now, '-CAfile', root, opinion.write('sub.pem', found.certificate?.pem ?? '')),
    ).toContain('OK')
  })
})

describe('with the event table unwritable', () => {
  it('no authority is made, reserved or signed, and the answer says that audit failed', async () => {
    const count = () => inAcme(async (db) => (await tables(db).selectFrom('serials').select('serial').execute()).length)
    const before = await count()
    await house.asOwner('revoke insert on events from chancery_app')
    try {
      await expect(
        ada.call(authorities.calls.create, { kind: 'root', friendlyName: 'Unheard', subject: { CN: 'Unheard' } }),
      ).rejects.toMatchObject({ status: 503, message: expect.stringContaining('Audit failed') })
    } finally {
      await house.asOwner('grant insert on events to chancery_app')
    }
    expect(await count()).toBe(before)
    expect((await ada.call(authorities.calls.list, { text: 'Unheard' })).total).toBe(0)
  })
})
