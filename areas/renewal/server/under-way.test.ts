// What may not happen to a renewal between its asking and its certificate.

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { bulk } from '#areas/bulk/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { latchOf } from '#areas/keys/server/latch.fixture.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { addToken } from '#areas/sessions/service.ts'
import type { Permission } from '#core/contract/permission-labels.ts'
import { inTenant } from '#core/server/database.ts'
import { caller, type Caller } from '#core/testing/caller.ts'
import { refusal, type TestPerson } from '#core/testing/house.ts'
import { renewal } from '../contract.ts'
import { day, openRenewalFixture, type RenewalFixture } from './renewal.fixture.ts'

let pki: RenewalFixture
let chief: TestPerson
/** Asks for devices, and holds a certificate. */
let clerk: TestPerson
const made: Record<string, string> = {}
const id = (name: string): string => made[name] ?? ''

beforeAll(async () => {
  pki = await openRenewalFixture()
  chief = await pki.tenancy.person({ permissions: 'all', username: 'chief' })
  made['collected'] = await pki.collected(await pki.template90('User', 'AUTOMATIC_NEW_KEY'))
  clerk = await pki.tenancy.person({ permissions: ['certView', 'certSigningRequest', 'selfServicePortal'], username: 'clerk' })
  const { requestId: own } = await clerk.call(certificates.calls.request, {
    entity: 'user',
    templateId: await pki.template90('User', 'MANUAL'),
  })
  made['scoped'] = (await clerk.call(certificates.calls.collectKey, { requestId: own, password: 'correct horse' })).certificateId
  const voted = await pki.template90('Device', 'AUTOMATIC_SAME_KEY', { issueApprovers: 1 })
  for (const dns of ['edited.example.org', 'revoked.example.org']) {
    const { csr } = pki.tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`] })
    const { requestId } = await pki.ada.call(certificates.calls.requestForDevice, { templateId: voted, csr, values: { DNS: [dns] } })
    made[dns] = (await pki.bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })).certificateId ?? ''
  }
  pki.house.clock.advance(70 * day)
  await pki.house.runJob(renewal.jobs.run)
})
afterAll(() => pki.close())

const requestOf = async (name: string) => (await pki.check(id(name), chief)).requestId ?? ''

/** What the clerk lets a program do. */
async function tokenOf(...scopes: Permission[]): Promise<Caller> {
  const { house } = pki
  const expiresAt = new Date(house.clock.now().getTime() + 200 * day)
  const draft = { tenantId: clerk.tenantId, userId: clerk.id, name: 'a program', scopes, expiresAt }
  const { token } = await inTenant(house.house.database, clerk.tenantId, (db) => addToken(db, draft, house.clock.now()))
  return caller(house.origin, { authorization: `Bearer ${token}` })
}

describe('A certificate that is revoked while its renewal is under way', () => {
  test('gives its holder no new one, though nobody needs to agree to it', async () => {
    const requestId = await requestOf('collected')
    await chief.call(revocation.calls.revoke, { certId: id('collected'), reason: 'privilegeWithdrawn' })
    expect(await refusal(pki.grace.call(certificates.calls.collectKey, { requestId, password: 'correct horse' }))).toMatchObject({
      status: 409,
      code: 'notIssued',
    })
    expect((await pki.check(id('collected'), chief)).renewedBy).toBeUndefined()
  })

  test('is not renewed by a vote either', async () => {
    const requestId = await requestOf('revoked.example.org')
    await chief.call(revocation.calls.revoke, { certId: id('revoked.example.org'), reason: 'cessationOfOperation' })
    expect(await pki.bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })).toMatchObject({
      status: 'denied',
      error: 'The certificate that it renews was revoked',
    })
    expect(await pki.named('revoked.example.org')).toHaveLength(1)
  })
})

describe('A renewal that waits for its vote', () => {
  test('cannot be turned into one for other names', async () => {
    const requestId = await requestOf('edited.example.org')
    const { csr } = pki.tools.csr({ subject: '/CN=bank.example.org', extensions: ['subjectAltName=DNS:bank.example.org'] })
    expect(await refusal(pki.ada.call(certificates.calls.edit, { requestId, csr, values: { DNS: ['bank.example.org'] } }))).toMatchObject({
      status: 400,
      code: 'invalid',
    })
    const { csr: again } = pki.tools.csr({ subject: '/CN=edited.example.org', extensions: ['subjectAltName=DNS:edited.example.org'] })
    await pki.ada.call(certificates.calls.edit, {
      requestId,
      csr: again,
      values: { DNS: ['edited.example.org'] },
      comment: 'With a newer key',
    })
    await pki.bob.call(certificates.calls.decide, { requestId, round: 2, verdict: 'approve' })
    expect((await pki.check(id('edited.example.org'), chief)).renewedBy).toBeDefined()
  })
})

test("a token for the certificates of devices does not renew its person's own, and one for self-service does", async () => {
  const renewWith = async (scope: Permission) => (await tokenOf(scope)).call(renewal.calls.renew, { certId: id('scoped') })
  expect(await refusal(renewWith('certSigningRequest'))).toMatchObject({ status: 409, code: 'refused' })
  expect(await renewWith('selfServicePortal')).toMatchObject({ state: 'renewed' })
})

describe('Bulk work', () => {
  const action = 'renewal.renew'
  const chosen = (certificateId: string) => ({ selectAll: false, inclusionList: [certificateId], exclusionList: [] })
  const failure = async (who: Caller, runId: string) =>
    (await who.call(bulk.calls.rows, { runId, state: 'failed' })).rows.map(({ failureCode }) => failureCode)
  const renewMany = async (who: Caller, certificateId: string) => {
    const { runId } = await who.call(bulk.calls.prepare, { action, selection: chosen(certificateId) })
    await who.call(bulk.calls.start, { runId, count: 1 })
    await pki.house.runJob(bulk.jobs.work)
    return failure(who, runId)
  }

  test('takes up nothing that others have begun, for who may not renew it', async () => {
    const looker = await pki.tenancy.person({ permissions: ['certView'], username: 'looker' })
    const templateId = await pki.template90('Device', 'AUTOMATIC_SAME_KEY', {
      selfServiceEligible: true,
      extensions: { renewalDays: 365 },
    })
    const { certificateId } = await pki.device(templateId, 'begun.example.org')
    pki.house.clock.advance(70 * day)
    await pki.house
      .asOwner(`insert into renewals (tenant_id, id, certificate_id, name, template_name, not_after, mode, state, reason, tries, asked_by, begun_at, updated_at)
      select tenant_id, gen_random_uuid(), id, name, template_name, not_after, 'AUTOMATIC_SAME_KEY', 'asking', '', 1, 'Automatic renewal', now() + interval '1 year', now() from certificates where id = '${certificateId}'`)
    expect(await renewMany(looker, certificateId)).toEqual(['notYours'])
    expect(await pki.named('begun.example.org')).toHaveLength(1)
    expect(
      await refusal(looker.call(bulk.calls.prepare, { action, selection: { selectAll: true, inclusionList: [], exclusionList: [] } })),
    ).toMatchObject({ code: 'nothing' })
  })

  test('of a narrowed token does no more than its scopes say', async () => {
    const templateId = await pki.template90('User', 'AUTOMATIC_SAME_KEY')
    const { requestId } = await clerk.call(certificates.calls.request, { entity: 'user', templateId })
    const { certificateId } = await clerk.call(certificates.calls.collectKey, { requestId, password: 'correct horse' })
    pki.house.clock.advance(75 * day)
    expect(await refusal(renewMany(await tokenOf('certView'), certificateId))).toMatchObject({ status: 403, code: 'denied' })
    expect(await renewMany(await tokenOf('certView', 'certSigningRequest'), certificateId)).toEqual(['refused'])
    expect(await renewMany(await tokenOf('certView', 'selfServicePortal'), certificateId)).toEqual([])
  })
})

test('A certificate that is revoked, or put on hold, while a slow key signs its renewal is not renewed: the serial is void', async () => {
  const CN = 'Slow Root'
  const { caId } = await pki.ada.call(authorities.calls.create, {
    kind: 'root',
    friendlyName: CN,
    subject: { CN },
    keyAlgorithm: 'P-256',
  })
  const key = await latchOf(pki.house, caId)
  const templateId = await pki.template90('Device', 'MANUAL', { caId })
  const slow = {
    keyCompromise: await pki.device(templateId, 'gone.example.org'),
    certificateHold: await pki.device(templateId, 'held.example.org'),
  }
  pki.house.clock.advance(75 * day)
  const looker = new pg.Client(pki.house.connection)
  await looker.connect()
  const stageOf = async (renews: string) =>
    (await looker.query<{ stage: string }>('select stage from certificate_requests where renews = $1', [renews])).rows[0]?.stage
  try {
    for (const [reason, { certificateId: certId }] of Object.entries(slow)) {
      key.hold()
      const answer = chief.call(renewal.calls.renew, { certId, key: 'same' })
      await expect.poll(() => stageOf(certId), { interval: 5 }).toBe('reserved')
      await chief.call(revocation.calls.revoke, { certId, reason: reason as keyof typeof slow })
      key.release()
      expect(await answer).toMatchObject({
        state: 'denied',
        reason: `The certificate that it renews ${reason === 'certificateHold' ? 'is on hold' : 'was revoked'}`,
      })
      const { requestId } = await pki.check(certId, chief)
      expect((await looker.query('select state from serials where ca_id = $1 and about_id = $2', [caId, requestId])).rows).toEqual([
        { state: 'void' },
      ])
    }
  } finally {
    await looker.end()
  }
})
