// What will be in the way is said as soon as it can be known, and not only when the time for the renewal has come.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { licensing } from '#areas/licensing/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { renewal } from '../contract.ts'
import { day, openRenewalFixture, type RenewalFixture } from './renewal.fixture.ts'

let pki: RenewalFixture
let chief: TestPerson

beforeAll(async () => {
  pki = await openRenewalFixture()
  chief = await pki.tenancy.person({ permissions: 'all', username: 'chief' })
})
afterAll(() => pki.close())

test('An authority that will be about to end when the time comes is told of on the first day', async () => {
  const { caId } = await pki.ada.call(authorities.calls.create, {
    kind: 'subordinate',
    friendlyName: 'Short',
    subject: { CN: 'Short' },
    keyAlgorithm: 'P-256',
    issuerId: pki.rootId,
    validityPeriod: 92,
    validityPeriodUnits: 'DAYS',
  })
  const { certificateId } = await pki.device(await pki.template90('Device', 'AUTOMATIC_SAME_KEY', { caId }), 'short.example.org')
  expect((await pki.check(certificateId)).verdict).toMatchObject({
    kind: 'blocked',
    why: 'end',
    says: expect.stringMatching(
      /^It could not be renewed as things are: a new one would end on \d{4}-\d\d-\d\d, hardly later than this one, because Short is valid until .* There is time until \d{4}-\d\d-\d\d\.$/,
    ),
  })
})

test('So is a licence that will have ended by then', async () => {
  const branch = await pki.house.tenancy('Branch')
  const licensee = await branch.person({ permissions: 'all' })
  const templateId = await pki.template90('Device', 'AUTOMATIC_SAME_KEY')
  const until = new Date(pki.house.clock.now().getTime() + 40 * day).toISOString().slice(0, 10)
  await chief.call(licensing.calls.licenseAuthority, { tenantId: branch.id, caId: pki.caId, enabled: true })
  await chief.call(licensing.calls.licenseTemplate, { tenantId: branch.id, templateId, enabled: true, until })
  const { csr } = pki.tools.csr({ subject: '/CN=lent.example.org', extensions: ['subjectAltName=DNS:lent.example.org'] })
  const { certificateId = '' } = await licensee.call(certificates.calls.requestForDevice, {
    templateId,
    csr,
    values: { DNS: ['lent.example.org'] },
  })
  expect((await licensee.call(renewal.calls.info, { certId: certificateId })).verdict).toMatchObject({
    kind: 'blocked',
    why: 'template',
    says: expect.stringContaining(`the licence for the template Device ends on ${until}.`),
  })
})

test('A template that gives less by then is no reason while it gives enough', async () => {
  const templateId = await pki.template90('Device', 'AUTOMATIC_SAME_KEY')
  const { certificateId } = await pki.device(templateId, 'less.example.org')
  const gives = async (validityPeriod: number) => {
    const draft = await pki.ada.call(templates.calls.get, { templateId })
    await pki.ada.call(templates.calls.edit, { ...draft, templateId, extensions: { ...draft.extensions, validityPeriod } })
    return (await pki.check(certificateId)).verdict
  }
  expect(await gives(60)).toMatchObject({ kind: 'later' })
  expect(await gives(20)).toMatchObject({
    kind: 'blocked',
    why: 'soon',
    says: expect.stringContaining('because the template gives so little now'),
  })
})

test('By hand, and with a key of the holder, it says from when on', async () => {
  const manual = (await pki.device(await pki.template90('Device', 'MANUAL'), 'manual.example.org')).certificateId
  expect((await pki.check(manual)).verdict).toMatchObject({
    kind: 'later',
    says: expect.stringMatching(/^It can be renewed by hand from .* on\. You are told by mail then\.$/),
  })
  const own = (await pki.device(await pki.template90('Device', 'AUTOMATIC_NEW_KEY'), 'own.example.org')).certificateId
  expect((await pki.check(own)).verdict).toMatchObject({
    kind: 'later',
    says: expect.stringMatching(/^It can be renewed from .* on, with a new key of your own\./),
  })
})
