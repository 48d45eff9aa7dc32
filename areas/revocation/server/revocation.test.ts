import { afterAll, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { commonKeyAlgorithms } from '#areas/keys/rules.ts'
import { inTenant } from '#core/server/database.ts'
import { audited } from '#core/testing/events.ts'
import { parseCrl } from '#standards/crl/parse.ts'
import { encodeOcspGetPath } from '#standards/ocsp/request.ts'
import { revocation } from '../contract.ts'
import { latestCrl } from './crl-store.ts'
import { openRevocations, statusIn, type Authority, type Leaf } from './revocation.fixture.ts'

const { revoke, options, search, view, lists, makeList, setPublication, status, retry } = revocation.calls

const { house, acme, ada, grace, run, file, read, authority, issue, ask, fetchCrl, listShows, close } = await openRevocations()
afterAll(close)

describe('a revoked certificate, for each key type of the authority', () => {
  test.each(commonKeyAlgorithms)('%s: openssl, GnuTLS and the OCSP client of OpenSSL agree', async (keyAlgorithm) => {
    const ca = await authority(keyAlgorithm)
    const [good, bad] = [await issue(ca), await issue(ca)]
    const [caFile, goodFile, badFile] = [ca.file, good.file, bad.file]
    const ocspUrl = `${house.origin}/pki/ocsp/${ca.publicId}`
    const openssl = (leaf: string, ...more: string[]) =>
      run('openssl', 'ocsp', '-issuer', caFile, '-cert', leaf, '-url', ocspUrl, '-CAfile', caFile, '-timeout', '5', ...more)
    expect(await openssl(badFile)).toMatch(/Response verify OK[\s\S]*: good/)

    expect(await ada.call(revoke, { certId: bad.id, reason: 'keyCompromise' })).toMatchObject({ ok: true, status: 'revoked', online: true })

    expect(await openssl(badFile)).toMatch(/Response verify OK[\s\S]*: revoked[\s\S]*Reason: keyCompromise/)
    expect(await openssl(badFile, '-no_nonce')).toMatch(/Response verify OK[\s\S]*: revoked/)
    expect(await openssl(goodFile)).toMatch(/Response verify OK[\s\S]*: good/)

    await run('openssl', 'ocsp', '-issuer', caFile, '-cert', badFile, '-no_nonce', '-reqout', 'request.der')
    const path = encodeOcspGetPath(read('request.der'))
    await run('curl', '-sS', '-o', 'answer.der', `${ocspUrl}${path}`)
    expect(
      await run('openssl', 'ocsp', '-respin', 'answer.der', '-issuer', caFile, '-cert', badFile, '-CAfile', caFile, '-no_nonce'),
    ).toMatch(/Response verify OK[\s\S]*: revoked/)
    expect(await run('ocsptool', '--verify-response', '--load-response', 'answer.der', '--load-signer', caFile)).toMatch(
      /Verifying OCSP Response: Success/,
    )

    await listShows(ca, bad.serial, 'keyCompromise')
    file('list.crl', await fetchCrl(ca))
    expect(await run('openssl', 'crl', '-inform', 'DER', '-in', 'list.crl', '-CAfile', caFile, '-noout')).toContain('verify OK')
    await run('openssl', 'crl', '-inform', 'DER', '-in', 'list.crl', '-out', 'list.pem')
    expect(await run('openssl', 'verify', '-CAfile', caFile, '-CRLfile', 'list.pem', '-crl_check', badFile)).toContain(
      'certificate revoked',
    )
    expect(await run('openssl', 'verify', '-CAfile', caFile, '-CRLfile', 'list.pem', '-crl_check', goodFile)).toContain(': OK')
    expect(
      await run('certtool', '--verify-crl', '--load-ca-certificate', caFile, '--load-crl', 'list.pem', '--infile', 'list.pem'),
    ).toMatch(/Verification output: Verified/i)
    expect(await run('certtool', '--verify', '--load-ca-certificate', caFile, '--load-crl', 'list.pem', '--infile', badFile)).toMatch(
      /revoked/i,
    )
  })
})

describe('revocation lists', () => {
  test('exist from the first question on, and say how long they may be kept', async () => {
    const ca = await authority()
    const response = await house.fetch(`/pki/crl/${ca.publicId}.crl`)
    expect(response.headers.get('content-type')).toBe('application/pkix-crl')
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
    const etag = response.headers.get('etag') ?? ''
    expect(etag).not.toBe('')
    expect((await house.fetch(`/pki/crl/${ca.publicId}.crl`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect(parseCrl(new Uint8Array(await response.arrayBuffer()))).toMatchObject({ entryCount: 0 })
    expect((await house.fetch('/pki/crl/nobody.crl')).status).toBe(404)
  })

  test('are numbered upwards, by schedule and by revocations alike', async () => {
    const ca = await authority()
    const number = async () => parseCrl(await fetchCrl(ca)).crlNumber ?? 0n
    const first = await number()
    await house.runJob(revocation.jobs.lists)
    expect(await number()).toBe(first)
    house.clock.advance(25 * 3_600_000)
    await house.runJob(revocation.jobs.lists)
    expect(await number()).toBeGreaterThan(first)
    const leaf = await issue(ca)
    await ada.call(revoke, { certId: leaf.id, reason: 'superseded' })
    await listShows(ca, leaf.serial, 'superseded')
    await Promise.all(Array.from({ length: 5 }, () => ada.call(makeList, { caId: ca.caId })))
    const { rows } = await house.house.auditor.pool.query<{ body: string }>(
      `select body from events where name = 'listRecorded' and about = $1 order by at, id`,
      [ca.caId],
    )
    const numbers = rows.map(({ body }) => (JSON.parse(body) as { number: number }).number)
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  })

  test('are numbered past those that a restored backup has forgotten', async () => {
    const ca = await authority()
    await fetchCrl(ca)
    for (let times = 0; times < 20; times += 1) await ada.call(makeList, { caId: ca.caId })
    const forgotten = parseCrl(await fetchCrl(ca)).crlNumber ?? 0n
    await house.asOwner(
      `set row_security = off; delete from crl_pieces where ca_id = '${ca.caId}'; delete from crls where ca_id = '${ca.caId}'`,
    )
    expect(parseCrl(await fetchCrl(ca)).crlNumber).toBeGreaterThan(forgotten)
  })

  const leaveUnsigned = (ca: Authority) =>
    house.asOwner(
      `set row_security = off; update crls set head = null, tail = null, etag = null where ca_id = '${ca.caId}' and number = (select max(number) from crls where ca_id = '${ca.caId}' and part = 0)`,
    )

  test('a list whose signing a crash interrupted is signed as it was recorded, and its number is not used again', async () => {
    const ca = await authority()
    const before = parseCrl(await fetchCrl(ca))
    const recorded = await ada.call(makeList, { caId: ca.caId })
    const kept = Buffer.from(parseCrl(await fetchCrl(ca)).tbsCertList).toString('hex')
    await leaveUnsigned(ca)
    expect(parseCrl(await fetchCrl(ca)).crlNumber).toBe(before.crlNumber)
    await ada.call(makeList, { caId: ca.caId })
    const after = parseCrl(await fetchCrl(ca))
    expect([after.crlNumber, Buffer.from(after.tbsCertList).toString('hex')]).toEqual([BigInt(recorded.number), kept])
  })

  test('a list that was left unsigned does not keep a later revocation waiting', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    await fetchCrl(ca)
    await leaveUnsigned(ca)
    await ada.call(revoke, { certId: leaf.id, reason: 'superseded' })
    await expect.poll(async () => parseCrl(await fetchCrl(ca)).find(Buffer.from(leaf.serial, 'hex'))?.reason).toBe('superseded')
  })

  test('a list that is asked for says all that is revoked, also where one was left unsigned and revocations may wait for the delta', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    await ada.call(setPublication, { caId: ca.caId, shards: 0, delta: true, deltaMinutes: 60, responderId: 'byKey' })
    await ada.call(makeList, { caId: ca.caId })
    await leaveUnsigned(ca)
    await ada.call(revoke, { certId: leaf.id, reason: 'superseded' })
    await ada.call(makeList, { caId: ca.caId })
    expect(parseCrl(await fetchCrl(ca)).find(Buffer.from(leaf.serial, 'hex'))?.reason).toBe('superseded')
  })

  test('without a record there is no signature', async () => {
    const ca = await authority()
    const { crlNumber } = parseCrl(await fetchCrl(ca))
    await house.asOwner('revoke insert on events from chancery_app')
    try {
      await expect(ada.call(makeList, { caId: ca.caId })).rejects.toMatchObject({ status: 503, code: 'audit_failed' })
    } finally {
      await house.asOwner('grant insert on events to chancery_app')
    }
    const latest = await inTenant(house.house.database, acme.id, (db) => latestCrl(db, { tenantId: acme.id, caId: ca.caId, part: 0 }))
    expect(BigInt(latest?.number ?? 0)).toBe(crlNumber)
  })

  test('show on the screen with their age', async () => {
    const ca = await authority()
    expect((await ada.call(lists, {})).lists.find(({ caId }) => caId === ca.caId)).toMatchObject({ due: true })
    await fetchCrl(ca)
    expect((await ada.call(lists, {})).lists.find(({ caId }) => caId === ca.caId)).toMatchObject({ due: false, state: 'fresh', entries: 0 })
  })
})

describe('asking for a revocation', () => {
  test('says what can be chosen', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    expect(await ada.call(options, { certId: leaf.id })).toMatchObject({
      serialNumber: leaf.serial,
      approvals: 0,
      reasons: expect.arrayContaining(['keyCompromise', 'superseded']),
    })
    expect((await ada.call(options, { certId: `${leaf.caId}:${leaf.serial}` })).certificateId).toBe(leaf.id)
    expect((await ada.call(options, { caId: leaf.caId, certId: leaf.serial })).certificateId).toBe(leaf.id)
    expect((await ada.call(options, { certId: leaf.id })).reasons).not.toContain('removeFromCRL')
  })

  test('records reason, date and who it was', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    const invalidityDate = house.clock.now().toISOString()
    await ada.call(revoke, { certId: leaf.id, reason: 'privilegeWithdrawn', invalidityDate, note: 'Left the team' })
    expect((await ada.call(status, { certId: leaf.id })).revocation).toMatchObject({
      state: 'revoked',
      reason: 'privilegeWithdrawn',
      note: 'Left the team',
      requester: 'ada',
      invalidityDate,
    })
    const { certificate } = await ada.call(certificates.calls.info, { certId: leaf.id })
    expect(certificate).toMatchObject({ status: 'revoked', revocationReason: 'privilegeWithdrawn' })
    await listShows(ca, leaf.serial, 'privilegeWithdrawn')
    expect(parseCrl(await fetchCrl(ca)).find(Buffer.from(leaf.serial, 'hex'))?.invalidityDate).toEqual(
      new Date(Math.floor(Date.parse(invalidityDate) / 1000) * 1000),
    )
    expect(
      (await audited(house, acme.id)).some(
        (event) => event.area === 'revocation' && event.name === 'revoked' && event.about === leaf.id && event.actor === 'ada',
      ),
    ).toBe(true)
  })

  test.each<[string, (leaf: Leaf) => Parameters<typeof ada.call<typeof revoke>>[1], object]>([
    [
      'a reason that nobody may choose',
      (leaf) => ({ certId: leaf.id, reason: 'removeFromCRL' }),
      { status: 400, fields: [{ field: 'reason' }] },
    ],
    [
      'a date in the future',
      (leaf) => ({ certId: leaf.id, reason: 'superseded', invalidityDate: '2999-01-01T00:00:00Z' }),
      { status: 400, fields: [{ field: 'invalidityDate', says: 'This lies in the future' }] },
    ],
    [
      'a date before the certificate',
      (leaf) => ({ certId: leaf.id, reason: 'superseded', invalidityDate: '1999-01-01T00:00:00Z' }),
      { status: 400, fields: [{ field: 'invalidityDate' }] },
    ],
    [
      'a certificate that is not there',
      () => ({ certId: '00000000-0000-7000-8000-000000000000', reason: 'superseded' }),
      { status: 404, code: 'notFound' },
    ],
  ])('refuses %s', async (_what, draft, fault) => {
    const leaf = await issue(await authority())
    await expect(ada.call(revoke, draft(leaf))).rejects.toMatchObject(fault)
    expect((await ada.call(certificates.calls.info, { certId: leaf.id })).certificate.status).not.toBe('revoked')
  })

  test('of another tenancy looks like one that is not there', async () => {
    const leaf = await issue(await authority())
    const eve = await (await house.tenancy('Other')).person({ permissions: 'all' })
    for (const call of [options, status, view]) await expect(eve.call(call, { certId: leaf.id })).rejects.toMatchObject({ status: 404 })
    await expect(eve.call(revoke, { certId: leaf.id, reason: 'superseded' })).rejects.toMatchObject({ status: 404, code: 'notFound' })
    await expect(eve.call(makeList, { caId: leaf.caId })).rejects.toMatchObject({ status: 404 })
    expect((await eve.call(search, {})).rows).toEqual([])
  })

  test('of two at once revokes one time, and says so to the other', async () => {
    const leaf = await issue(await authority())
    const outcomes = await Promise.allSettled([ada, grace].map((person) => person.call(revoke, { certId: leaf.id, reason: 'superseded' })))
    expect(outcomes.filter(({ status: one }) => one === 'fulfilled')).toHaveLength(1)
    expect(outcomes.find(({ status: one }) => one === 'rejected')).toMatchObject({ reason: { status: 409, code: 'alreadyRevoked' } })
  })

  test('when no event can be written, 503 and the certificate stays valid', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    await house.asOwner('revoke insert on events from chancery_app')
    try {
      await expect(ada.call(revoke, { certId: leaf.id, reason: 'superseded' })).rejects.toMatchObject({ status: 503, code: 'audit_failed' })
    } finally {
      await house.asOwner('grant insert on events to chancery_app')
    }
    expect(statusIn(await ask(ca, leaf.serial))).toBe('good')
  })

  test('that the authority cannot do is recorded as failed with a code, and can be tried again', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    await house.asOwner(
      `set row_security = off; create table kept_serials as select * from serials where serial = '\\x${leaf.serial}'; delete from serials where serial = '\\x${leaf.serial}'`,
    )
    const failed = await ada.call(revoke, { certId: leaf.id, reason: 'superseded' })
    expect(failed).toMatchObject({ ok: false, status: 'failed', failureCode: 'unknownSerial' })
    expect(await ada.call(view, { certId: leaf.id })).toMatchObject({ state: 'failed', failureCode: 'unknownSerial' })
    expect((await ada.call(search, { states: ['failed'] })).rows).toMatchObject([{ certificateId: leaf.id }])
    await house.asOwner('set row_security = off; insert into serials select * from kept_serials; drop table kept_serials')
    expect(await ada.call(retry, { revocationId: failed.revocationId })).toMatchObject({ ok: true, status: 'revoked' })
    await expect(ada.call(retry, { revocationId: failed.revocationId })).rejects.toMatchObject({ status: 409, code: 'notFailed' })
  })
})
