// Somebody else renews a certificate: who had it before is told.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { audited } from '#core/testing/events.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { renewal } from '../contract.ts'
import { openRenewalFixture, type RenewalFixture } from './renewal.fixture.ts'

const { renew } = renewal.calls
const hour = 3_600_000

let pki: RenewalFixture

beforeAll(async () => {
  pki = await openRenewalFixture()
})
afterAll(() => pki.close())

const csrFor = (dns: string) => pki.tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`] }).csr

test('With a key of one’s own: who asked for the certificate of a device reads who renewed it, and that the key is new', async () => {
  const templateId = await pki.template90('Device', 'AUTOMATIC_SAME_KEY')
  const [taken, kept, own] = [
    await pki.device(templateId, 'taken.example.org'),
    await pki.device(templateId, 'kept.example.org'),
    await pki.device(templateId, 'own.example.org'),
  ]
  await pki.cy.call(renew, { certId: taken.certificateId, key: 'brought', csr: csrFor('taken.example.org'), early: true })
  await pki.cy.call(renew, { certId: kept.certificateId, early: true })
  await pki.ada.call(renew, { certId: own.certificateId, key: 'brought', csr: csrFor('own.example.org'), early: true })
  const mails = (name: string) => pki.mails(`Renewed by ${pki.cy.username}: ${name}`)
  expect(await mails('taken.example.org')).toEqual([
    expect.stringContaining(`The certificate for taken.example.org (Device) was renewed by ${pki.cy.username}, with a new key.`),
  ])
  // The device has its key already, and nobody needs to know; nor who did it oneself.
  expect(await mails('kept.example.org')).toEqual([])
  expect(await pki.mails(`Renewed by ${pki.ada.username}: own.example.org`)).toEqual([])
})

test('The holder of a person’s certificate is told with whichever key', async () => {
  const certId = await pki.collected(await pki.template90('User', 'MANUAL'))
  const rita = await pki.tenancy.person({ permissions: ['certView', 'certSigningRequestUser'], username: 'rita' })
  const { name } = await pki.check(certId)
  const { requestId } = await rita.call(renew, { certId, key: 'same', early: true })
  // Somebody agrees to it, as to everything with a key that one has not got oneself.
  await pki.bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })
  pki.house.clock.advance(300_000)
  await pki.house.runJob(renewal.jobs.run)
  expect(await pki.mails(`Renewed by rita: ${name}`)).toEqual([expect.stringContaining('was renewed by rita, with the same key.')])
})

test('A device’s certificate stays with whoever asked for it first, and the log names who renewed it', async () => {
  const templateId = await pki.template90('Device', 'AUTOMATIC_SAME_KEY')
  const first = await pki.device(templateId, 'stays.example.org')
  const { certificateId } = await pki.cy.call(renew, { certId: first.certificateId, early: true })
  const own = async (person: TestPerson) =>
    (await person.call(certificates.calls.own, { text: 'stays.example.org' })).rows.map((row) => row.certificateId).sort()
  expect(await own(pki.ada)).toEqual([first.certificateId, certificateId].sort())
  expect(await own(pki.cy)).toEqual([])
  const renewed = (await audited(pki.house, pki.tenancy.id)).filter(({ about, name }) => name === 'issued' && about === certificateId)
  const requested = (await audited(pki.house, pki.tenancy.id)).filter(({ name, actor_id: by }) => name === 'requested' && by === pki.cy.id)
  expect([renewed.length, requested.length > 0]).toEqual([1, true])
})

test('The job writes one letter a person and day about all that waits for that person, and leaves out what is done meanwhile', async () => {
  const templateId = await pki.template90('Device', 'MANUAL')
  for (const name of ['one', 'two', 'three']) await pki.device(templateId, `${name}.digest.example.org`)
  const digests = () => pki.mails(/certificates wait for you to renew them$/)
  const single = () => pki.mails('Renew: later.digest.example.org')
  pki.house.clock.advance(hour)
  await pki.device(templateId, 'later.digest.example.org')
  const asked = async (name: string) => {
    const { rows } = await pki.cy.call(renewal.calls.search, { text: name })
    return rows.map(({ state }) => state)
  }
  // The hour between them passes at the end, so that the first three are due and the fourth is not.
  pki.house.clock.advance(60 * 24 * hour - hour + 1_000)
  await pki.house.runJob(renewal.jobs.run)
  const [letter = '', ...others] = await digests()
  expect(others).toEqual([])
  for (const name of ['one', 'two', 'three'])
    expect(letter).toMatch(new RegExp(`certificate for ${name}\\.digest\\.example\\.org \\(Device\\d*\\) ends on .* Open it and choose`))
  expect(letter).toContain('/self/certificates')
  // What comes in the hours after it waits for tomorrow's.
  pki.house.clock.advance(hour)
  await pki.house.runJob(renewal.jobs.run)
  expect([await asked('later.digest'), await single()]).toEqual([['awaitingHolder'], []])
  pki.house.clock.advance(23 * hour)
  await pki.house.runJob(renewal.jobs.run)
  expect([(await digests()).length, await single()]).toEqual([1, [expect.stringContaining('later.digest.example.org')]])
})
