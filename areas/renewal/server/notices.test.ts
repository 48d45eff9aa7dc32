// Somebody else renews a certificate: who had it before is told.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { audited } from '#core/testing/events.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { renewal } from '../contract.ts'
import { openRenewalDesk, type RenewalDesk } from './renewal.fixture.ts'

const { renew } = renewal.calls

let desk: RenewalDesk

beforeAll(async () => {
  desk = await openRenewalDesk()
}, 60_000)
afterAll(() => desk.close())

const csrFor = (dns: string) => desk.tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`] }).csr

test('With a key of one’s own: who asked for the certificate of a device reads who renewed it, and that the key is new', async () => {
  const templateId = await desk.template90('Device', 'AUTOMATIC_SAME_KEY')
  const [taken, kept, own] = [
    await desk.device(templateId, 'taken.example.org'),
    await desk.device(templateId, 'kept.example.org'),
    await desk.device(templateId, 'own.example.org'),
  ]
  await desk.cy.call(renew, { certId: taken.certificateId, key: 'brought', csr: csrFor('taken.example.org'), early: true })
  await desk.cy.call(renew, { certId: kept.certificateId, early: true })
  await desk.ada.call(renew, { certId: own.certificateId, key: 'brought', csr: csrFor('own.example.org'), early: true })
  const mails = (name: string) => desk.mails(`Renewed by ${desk.cy.username}: ${name}`)
  expect(await mails('taken.example.org')).toEqual([
    expect.stringContaining(`The certificate for taken.example.org (Device) was renewed by ${desk.cy.username}, with a new key.`),
  ])
  // The device has its key already, and nobody needs to know; nor who did it oneself.
  expect(await mails('kept.example.org')).toEqual([])
  expect(await desk.mails(`Renewed by ${desk.ada.username}: own.example.org`)).toEqual([])
})

test('The holder of a person’s certificate is told with whichever key', async () => {
  const certId = await desk.collected(await desk.template90('User', 'MANUAL'))
  const rita = await desk.tenancy.person({ permissions: ['certView', 'certSigningRequestUser'], username: 'rita' })
  const { name } = await desk.check(certId)
  const { requestId } = await rita.call(renew, { certId, key: 'same', early: true })
  // Somebody agrees to it, as to everything with a key that one has not got oneself.
  await desk.bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })
  desk.house.clock.advance(300_000)
  await desk.house.runJob(renewal.jobs.run)
  expect(await desk.mails(`Renewed by rita: ${name}`)).toEqual([expect.stringContaining('was renewed by rita, with the same key.')])
})

test('A device’s certificate stays with whoever asked for it first, and the log names who renewed it', async () => {
  const templateId = await desk.template90('Device', 'AUTOMATIC_SAME_KEY')
  const first = await desk.device(templateId, 'stays.example.org')
  const { certificateId } = await desk.cy.call(renew, { certId: first.certificateId, early: true })
  const own = async (person: TestPerson) =>
    (await person.call(certificates.calls.own, { text: 'stays.example.org' })).rows.map((row) => row.certificateId).sort()
  expect(await own(desk.ada)).toEqual([first.certificateId, certificateId].sort())
  expect(await own(desk.cy)).toEqual([])
  const renewed = (await audited(desk.house, desk.tenancy.id)).filter(({ about, name }) => name === 'issued' && about === certificateId)
  const requested = (await audited(desk.house, desk.tenancy.id)).filter(
    ({ name, actor_id: by }) => name === 'requested' && by === desk.cy.id,
  )
  expect([renewed.length, requested.length > 0]).toEqual([1, true])
})
