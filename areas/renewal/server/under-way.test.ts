// What may not happen to a renewal between its asking and its certificate.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { refusal } from '#areas/certificates/server/desk.fixture.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { addToken } from '#areas/sessions/service.ts'
import { caller } from '#core/testing/caller.ts'
import { inTenant } from '#core/server/database.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { renewal } from '../contract.ts'
import { day, openRenewalDesk, type RenewalDesk } from './renewal.fixture.ts'

let desk: RenewalDesk
let chief: TestPerson
/** Asks for devices, and holds a certificate. */
let clerk: TestPerson
const made: Record<string, string> = {}
const id = (name: string): string => made[name] ?? ''

beforeAll(async () => {
  desk = await openRenewalDesk()
  chief = await desk.tenancy.person({ permissions: 'all', username: 'chief' })
  made['collected'] = await desk.collected(await desk.template90('User', 'AUTOMATIC_NEW_KEY'))
  clerk = await desk.tenancy.person({ permissions: ['certSigningRequest', 'selfServicePortal'], username: 'clerk' })
  const { requestId: own } = await clerk.call(certificates.calls.request, { entity: 'user', templateId: await desk.template90('User', 'MANUAL') })
  made['scoped'] = (await clerk.call(certificates.calls.collectKey, { requestId: own, password: 'correct horse' })).certificateId
  const voted = await desk.template90('Device', 'AUTOMATIC_SAME_KEY', { issueApprovers: 1 })
  for (const dns of ['edited.example.org', 'revoked.example.org']) {
    const { csr } = desk.tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`] })
    const { requestId } = await desk.ada.call(certificates.calls.requestForDevice, { templateId: voted, csr, values: { DNS: [dns] } })
    made[dns] = (await desk.bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })).certificateId ?? ''
  }
  desk.house.clock.advance(70 * day)
  await desk.house.runJob('renewal.run')
}, 60_000)
afterAll(() => desk.close())

const requestOf = async (name: string) => (await desk.look(id(name), chief)).requestId ?? ''

describe('A certificate that is revoked while its renewal is under way', () => {
  test('gives its holder no new one, though nobody needs to agree to it', async () => {
    const requestId = await requestOf('collected')
    await chief.call(revocation.calls.revoke, { certId: id('collected'), reason: 'privilegeWithdrawn' })
    expect(await refusal(desk.grace.call(certificates.calls.collectKey, { requestId, password: 'correct horse' }))).toMatchObject({ status: 409, code: 'notIssued' })
    expect((await desk.look(id('collected'), chief)).renewedBy).toBeUndefined()
  })

  test('is not renewed by a vote either', async () => {
    const requestId = await requestOf('revoked.example.org')
    await chief.call(revocation.calls.revoke, { certId: id('revoked.example.org'), reason: 'cessationOfOperation' })
    expect(await desk.bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })).toMatchObject({ status: 'denied', error: 'The certificate that it renews was revoked' })
    expect(await desk.named('revoked.example.org')).toHaveLength(1)
  })
})

describe('A renewal that waits for its vote', () => {
  test('cannot be turned into one for other names', async () => {
    const requestId = await requestOf('edited.example.org')
    const { csr } = desk.tools.csr({ subject: '/CN=bank.example.org', extensions: ['subjectAltName=DNS:bank.example.org'] })
    expect(await refusal(desk.ada.call(certificates.calls.edit, { requestId, csr, values: { DNS: ['bank.example.org'] } }))).toMatchObject({ status: 400, code: 'invalid' })
    const { csr: again } = desk.tools.csr({ subject: '/CN=edited.example.org', extensions: ['subjectAltName=DNS:edited.example.org'] })
    await desk.ada.call(certificates.calls.edit, { requestId, csr: again, values: { DNS: ['edited.example.org'] }, comment: 'With a newer key' })
    await desk.bob.call(certificates.calls.decide, { requestId, round: 2, verdict: 'approve' })
    expect((await desk.look(id('edited.example.org'), chief)).renewedBy).toBeDefined()
  })
})

test("a token for the certificates of devices does not renew its person's own, and one for self-service does", async () => {
  const { house } = desk
  const renewWith = async (scope: 'certSigningRequest' | 'selfServicePortal') => {
    const expiresAt = new Date(house.clock.now().getTime() + day)
    const draft = { tenantId: clerk.tenantId, userId: clerk.id, name: scope, scopes: [scope], expiresAt }
    const { token } = await inTenant(house.house.database, clerk.tenantId, (db) => addToken(db, draft, house.clock.now()))
    return caller(house.origin, { authorization: `Bearer ${token}` }).call(renewal.calls.renew, { certId: id('scoped') })
  }
  expect(await refusal(renewWith('certSigningRequest'))).toMatchObject({ status: 409, code: 'refused' })
  expect(await renewWith('selfServicePortal')).toMatchObject({ state: 'renewed' })
})
