// Certificates whose key will not do any more, as where another certificate of it was revoked for key compromise: whoever renews them, their holder is
// asked for a new one, whatever the template's mode.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bulk } from '#areas/bulk/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { renewal } from '../contract.ts'
import { day, openRenewalFixture, type RenewalFixture } from './renewal.fixture.ts'

const { prepare, start, view } = bulk.calls

let pki: RenewalFixture
let chief: TestPerson
/** A template that takes no key of its certificates for a while. */
let weak: string

const hosts = {
  MANUAL: 'by-hand',
  AUTOMATIC_SAME_KEY: 'same-key',
  AUTOMATIC_NEW_KEY: 'new-key',
} as const
const modes = Object.keys(hosts) as (keyof typeof hosts)[]
const made = new Map<string, string>()

/** A device's certificate; its key is then found to be compromised by way of another. */
async function compromised(host: string, templateId: string): Promise<void> {
  const { certificateId, keyFile } = await pki.device(templateId, host)
  const { csr } = pki.tools.csr({ subject: '/CN=sibling.example.org', extensions: ['subjectAltName=DNS:sibling.example.org'], keyFile })
  const { certificateId: sibling = '' } = await pki.ada.call(certificates.calls.requestForDevice, {
    templateId: pki.template['Device'] ?? '',
    csr,
    values: { DNS: ['sibling.example.org'] },
  })
  await chief.call(revocation.calls.revoke, { certId: sibling, reason: 'keyCompromise' })
  made.set(host, certificateId)
}

async function allowKeys(templateId: string, keys: string[]): Promise<void> {
  const draft = await pki.ada.call(templates.calls.get, { templateId })
  await pki.ada.call(templates.calls.edit, { ...draft, templateId, rules: { ...draft.rules, keys: keys as typeof draft.rules.keys } })
}

beforeAll(async () => {
  pki = await openRenewalFixture()
  chief = await pki.tenancy.person({ permissions: 'all', username: 'chief' })
  for (const mode of modes)
    for (const how of ['many', 'job']) await compromised(`${hosts[mode]}.${how}.example.org`, await pki.template90('Device', mode))
  weak = await pki.template90('Device', 'AUTOMATIC_SAME_KEY')
  made.set('weak.example.org', (await pki.device(weak, 'weak.example.org')).certificateId)
  pki.house.clock.advance(62 * day)
})
afterAll(() => pki.close())

const certificateOf = (host: string): string => made.get(host) ?? ''
/** The letters about it, alone or among others. */
const told = async (host: string) =>
  [...(await pki.mails(`A new key is needed: ${host}`)), ...(await pki.mails(/certificates wait for you to renew them$/))].filter((text) =>
    text.includes(`certificate for ${host} `),
  )

describe('Bulk renewal asks the holder for a new key and says so', () => {
  test.each(modes)('%s', async (mode) => {
    const host = `${hosts[mode]}.many.example.org`
    const certId = certificateOf(host)
    expect(await pki.check(certId)).toMatchObject({ step: 'answer', keys: ['brought'] })
    const { runId } = await pki.ada.call(prepare, {
      action: 'renewal.renew',
      selection: { selectAll: false, inclusionList: [certId], exclusionList: [] },
      query: {},
    })
    await pki.ada.call(start, { runId, count: 1, parameters: {} })
    await pki.house.runJob(bulk.jobs.work)
    expect(await pki.ada.call(view, { runId })).toMatchObject({ failed: 0, outcomes: { invited: 1 } })
    expect(await told(host)).toHaveLength(1)
    const { verdict, step, attempts } = await pki.check(certId)
    expect([verdict.kind, verdict.says, step]).toEqual(['newKey', expect.stringContaining('told on'), 'answer'])
    expect(attempts).toMatchObject([{ state: 'awaitingKey', reason: '' }])
  })
})

describe('The job asks the holder for a new key', () => {
  beforeAll(async () => {
    await allowKeys(weak, ['RSA-4096'])
    pki.house.clock.advance(8 * day)
    await pki.house.runJob(renewal.jobs.run)
  })

  test.each(modes)('%s', async (mode) => {
    const host = `${hosts[mode]}.job.example.org`
    expect(await told(host)).toHaveLength(1)
    expect(await pki.check(certificateOf(host))).toMatchObject({
      verdict: { kind: 'newKey' },
      step: 'answer',
      attempts: [{ state: 'awaitingKey', askedBy: 'Automatic renewal' }],
    })
  })

  test('once, though it looks again each day whether the key will do by now', async () => {
    const host = `${hosts.AUTOMATIC_SAME_KEY}.job.example.org`
    const before = (await pki.check(certificateOf(host))).verdict.says
    pki.house.clock.advance(2 * day)
    await pki.house.runJob(renewal.jobs.run)
    expect(await told(host)).toHaveLength(1)
    expect((await pki.check(certificateOf(host))).verdict.says).toBe(before)
  })

  test('and renews by itself once the template takes the old key again', async () => {
    const certId = certificateOf('weak.example.org')
    expect(await pki.check(certId)).toMatchObject({ attempts: [{ state: 'awaitingKey' }] })
    await allowKeys(weak, ['P-256'])
    pki.house.clock.advance(day)
    await pki.house.runJob(renewal.jobs.run)
    expect(await pki.check(certId)).toMatchObject({ verdict: { kind: 'renewed' }, attempts: [{ state: 'renewed' }] })
  })

  test('and its answer ends the matter', async () => {
    const host = `${hosts.AUTOMATIC_SAME_KEY}.job.example.org`
    const { csr } = pki.tools.csr({ subject: `/CN=${host}`, extensions: [`subjectAltName=DNS:${host}`] })
    expect(await pki.ada.call(renewal.calls.renew, { certId: certificateOf(host), csr })).toMatchObject({
      key: 'brought',
      state: 'renewed',
    })
  })
})
