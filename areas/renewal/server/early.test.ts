// Before its time: who may ask for others could ask for a new one just as well, and everybody else waits.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { refusal } from '#core/testing/caller.ts'
import { renewal } from '../contract.ts'
import { day, openRenewalFixture, type RenewalFixture } from './renewal.fixture.ts'

const { renew } = renewal.calls

let pki: RenewalFixture

beforeAll(async () => {
  pki = await openRenewalFixture()
})
afterAll(() => pki.close())

const device = async (dns: string) => (await pki.device(await pki.template90('Device', 'AUTOMATIC_SAME_KEY'), dns)).certificateId

test('Who may ask for others is offered to renew a certificate early, and does so only knowing that it is early', async () => {
  const certId = await device('early.example.org')
  expect(await pki.check(certId)).toMatchObject({
    verdict: {
      kind: 'later',
      says: expect.stringMatching(/ by itself on \d{4}-\d\d-\d\d, and can be renewed by hand from \d{4}-\d\d-\d\d on\.$/),
    },
    step: 'early',
    keys: ['same', 'brought'],
  })
  // Among what ends within 60 days it waits for nobody yet.
  pki.house.clock.advance(40 * day)
  const { certificates: ending } = await pki.ada.call(renewal.calls.ending, {})
  expect(ending).toMatchObject([{ certificateId: certId, step: 'none' }])
  expect(await refusal(pki.cy.call(renew, { certId }))).toMatchObject({ status: 409, code: 'early' })
  const { certificateId = '' } = await pki.cy.call(renew, { certId, early: true })
  expect(await pki.verify(certificateId)).toContain('OK')
  expect(await pki.check(certId)).toMatchObject({ verdict: { kind: 'renewed' }, step: 'none' })
})

test('Its holder waits until the template’s time for renewal has come, and reads when that is', async () => {
  const certId = await pki.collected(await pki.template90('User', 'MANUAL'))
  expect(await pki.check(certId, pki.grace)).toMatchObject({
    verdict: { says: expect.stringMatching(/^It can be renewed by hand from \d{4}-\d\d-\d\d on\./) },
    step: 'none',
  })
  expect(await refusal(pki.grace.call(renew, { certId, early: true }))).toMatchObject({ status: 409, code: 'early' })
  pki.house.clock.advance(61 * day)
  expect((await pki.check(certId, pki.grace)).step).toBe('renew')
  expect(await pki.grace.call(renew, { certId })).toMatchObject({ state: 'renewed' })
})

test('One that would end before the certificate that it renews is not made early either', async () => {
  const templateId = await pki.template90('Device', 'MANUAL')
  const { certificateId: certId } = await pki.device(templateId, 'shorter.example.org')
  const draft = await pki.ada.call(templates.calls.get, { templateId })
  await pki.ada.call(templates.calls.edit, { ...draft, templateId, extensions: { ...draft.extensions, validityPeriod: 60 } })
  expect((await pki.check(certId)).step).toBe('none')
  expect(await refusal(pki.ada.call(renew, { certId, early: true }))).toMatchObject({
    status: 409,
    code: 'refused',
    message: expect.stringContaining('before this one'),
  })
})

test('The log says from where a renewal was asked', async () => {
  const certId = await device('address.example.org')
  await pki.ada.call(renew, { certId, early: true })
  const { requestId } = await pki.check(certId)
  const addresses = async (about: string) =>
    (await pki.tenancy.administrator.call(audit.calls.search, { about, size: 100 })).rows
      .filter(({ name }) => name === 'renewed' || name === 'requested')
      .map(({ address }) => address)
  expect(await addresses(certId)).toEqual([expect.stringMatching(/127\.0\.0\.1|::1/)])
  expect(await addresses(requestId ?? '')).toEqual([expect.stringMatching(/127\.0\.0\.1|::1/)])
})

test('Only who may decide on a renewal is asked to; others who may read its request are shown it', async () => {
  const { ada, bob, cy, house } = pki
  const templateId = await pki.template90('Device', 'AUTOMATIC_SAME_KEY', { issueApprovers: 2 })
  const { csr } = pki.tools.csr({ subject: '/CN=shown.example.org', extensions: ['subjectAltName=DNS:shown.example.org'] })
  const { requestId } = await ada.call(certificates.calls.requestForDevice, { templateId, csr, values: { DNS: ['shown.example.org'] } })
  const third = await pki.tenancy.person({ permissions: ['certApprovals', 'certView'] })
  await bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })
  const { certificateId: certId = '' } = await third.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })
  house.clock.advance(70 * day)
  const asked = await cy.call(renew, { certId })
  const steps = async () => Promise.all([ada, bob, cy, third].map(async (who) => (await pki.check(certId, who)).step))
  // Cy asked for it, who decides on others.
  expect(await steps()).toEqual(['none', 'approve', 'show', 'approve'])
  expect((await pki.check(certId, cy)).requestOwn).toBe(true)
  await bob.call(certificates.calls.decide, { requestId: asked.requestId, round: 1, verdict: 'approve' })
  expect(await steps()).toEqual(['none', 'show', 'show', 'approve'])
  expect((await pki.check(certId, bob)).requestOwn).toBe(false)
})
