// What a page or a letter offers is there when it is tried, also where the template, the key or the people have changed since.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { users } from '#areas/users/contract.ts'
import { refusal } from '#core/testing/caller.ts'
import { renewal } from '../contract.ts'
import { day, openRenewalFixture, type RenewalFixture } from './renewal.fixture.ts'

const { renew } = renewal.calls

let pki: RenewalFixture
const run = () => pki.house.runJob(renewal.jobs.run)
const made: Record<string, string> = {}
const template: Record<string, string> = {}
const id = (name: string): string => made[name] ?? ''
type Draft = Awaited<ReturnType<typeof got>>
const got = (templateId: string) => pki.ada.call(templates.calls.get, { templateId })

async function edit(name: string, change: (draft: Draft) => object): Promise<void> {
  const templateId = template[name] ?? ''
  const draft = await got(templateId)
  await pki.ada.call(templates.calls.edit, { ...draft, templateId, ...change(draft) })
}
const mode = (name: string, renewalMode: Draft['extensions']['renewalMode']) =>
  edit(name, ({ extensions }) => ({ extensions: { ...extensions, renewalMode } }))
const archive = (name: string) =>
  edit(name, ({ extensions }) => ({ extensions: { ...extensions, keyArchival: true, recoveryApprovers: 1 } }))

beforeAll(async () => {
  pki = await openRenewalFixture()
  const { template90, device, collected, tenancy, ada } = pki
  for (const name of ['never', 'itself', 'disabled', 'weak', 'gone']) {
    template[name] = await template90('Device', 'MANUAL')
    made[name] = (await device(template[name], `${name}.example.org`)).certificateId
  }
  template['ended'] = await template90('Device', 'AUTOMATIC_SAME_KEY')
  made['ended'] = (await device(template['ended'], 'ended.example.org')).certificateId
  for (const name of ['archived', 'chosen']) made[name] = await collected((template[name] = await template90('User', 'MANUAL')))
  template['own'] = await template90('User', 'AUTOMATIC_NEW_KEY')
  const { csr } = pki.tools.csr({ subject: '/CN=Grace Hopper' })
  made['own'] = (await pki.grace.call(certificates.calls.request, { entity: 'user', templateId: template['own'], csr })).certificateId ?? ''
  template['made'] = await template90('Device', 'MANUAL')
  const { requestId } = await ada.call(certificates.calls.requestForDevice, {
    templateId: template['made'],
    values: { DNS: ['made.example.org'] },
  })
  made['made'] = (await ada.call(certificates.calls.collectKey, { requestId, password: 'correct horse' })).certificateId
  const clerk = await tenancy.person({ permissions: ['certSigningRequest'], username: 'clerk' })
  template['left'] = await template90('Device', 'MANUAL')
  const asked = pki.tools.csr({ subject: '/CN=left.example.org', extensions: ['subjectAltName=DNS:left.example.org'] })
  made['left'] =
    (
      await clerk.call(certificates.calls.requestForDevice, {
        templateId: template['left'],
        csr: asked.csr,
        values: { DNS: ['left.example.org'] },
      })
    ).certificateId ?? ''
  await edit('ended', () => ({ enabled: false }))
  await edit('chosen', () => ({ accessLevel: 'ADMINISTRATOR' }))
  await archive('own')
  await (await tenancy.person({ permissions: 'all' })).call(users.calls.setEnabled, { id: clerk.id, enabled: false })
  pki.house.clock.advance(70 * day)
  await run()
})
afterAll(() => pki.close())

test('Who was told to renew by hand is not sent after it where the template renews none any more', async () => {
  expect(await pki.check(id('never'))).toMatchObject({ verdict: { kind: 'manual' }, step: 'renew', keys: ['same', 'brought'] })
  await mode('never', 'NONE')
  expect(await pki.check(id('never'))).toMatchObject({
    verdict: { kind: 'never' },
    step: 'request',
    keys: [],
    attempts: [{ state: 'awaitingHolder' }],
  })
})

test('What failed is not tried again where the template renews none any more', async () => {
  expect(await pki.check(id('ended'))).toMatchObject({ verdict: { kind: 'failed', why: 'template' }, step: 'none' })
  await edit('ended', ({ extensions }) => ({ enabled: true, extensions: { ...extensions, renewalMode: 'NONE' } }))
  pki.house.clock.advance(day)
  await run()
  const { requestId, verdict, attempts } = await pki.check(id('ended'))
  expect([requestId, verdict.kind, attempts[0]?.tries]).toEqual([undefined, 'never', 1])
  await mode('ended', 'AUTOMATIC_SAME_KEY')
  pki.house.clock.advance(day)
  await run()
  expect((await pki.check(id('ended'))).renewedBy).toBeDefined()
})

test('What was left to its holder goes by itself where the template says so by now', async () => {
  await mode('itself', 'AUTOMATIC_SAME_KEY')
  await run()
  expect((await pki.check(id('itself'))).verdict.kind).toBe('renewed')
})

test('Who was told is not offered what would be refused, and reads what is in the way', async () => {
  await edit('disabled', () => ({ enabled: false }))
  const { verdict, step } = await pki.check(id('disabled'))
  expect(verdict).toMatchObject({
    kind: 'blocked',
    why: 'template',
    says: expect.stringMatching(
      /^You were told on .* to renew it by hand\. But it cannot be renewed as things are: the template Device is disabled\.$/,
    ),
  })
  expect(step).toBe('none')
})

test('Where the key will not do any more, another is asked for', async () => {
  await edit('weak', ({ rules }) => ({ rules: { ...rules, keys: ['RSA-4096'] } }))
  expect(await pki.check(id('weak'))).toMatchObject({
    verdict: { kind: 'manual', why: 'key', says: expect.stringContaining('It takes a new key: the key is EC P-256') },
    step: 'answer',
    keys: ['brought'],
  })
})

test('A template that archives its keys by now offers those that are made here, and takes one where nobody says', async () => {
  await archive('archived')
  expect(await pki.check(id('archived'), pki.grace)).toMatchObject({ step: 'renew', keys: ['made'] })
  expect(await pki.grace.call(renew, { certId: id('archived') })).toMatchObject({ key: 'made', state: 'waiting' })
  expect((await pki.check(id('archived'), pki.grace)).step).toBe('collect')
})

test('Nobody is told to send a request that the template would not take', async () => {
  expect(await pki.mails('A new key is needed: Grace Hopper')).toEqual([])
  expect(await pki.check(id('own'), pki.grace)).toMatchObject({
    verdict: { kind: 'failed', why: 'key', says: expect.stringContaining('keys of this template are archived') },
    step: 'request',
    keys: [],
  })
})

test('Where whoever asked has left, who may ask for others renews it', async () => {
  expect(await pki.check(id('left'))).toMatchObject({ verdict: { kind: 'failed', why: 'holder' }, step: 'renew' })
  expect(await pki.ada.call(renew, { certId: id('left') })).toMatchObject({ state: 'renewed' })
})

test('Where the template is one for administrators by now, the holder is neither told to renew nor offered it', async () => {
  // Grace asked for it herself, and so there is nobody who may.
  expect(await pki.check(id('chosen'), pki.grace)).toMatchObject({ step: 'none' })
  expect(await refusal(pki.grace.call(renew, { certId: id('chosen') }))).toMatchObject({ status: 409, code: 'refused' })
  expect(await pki.mails('Renew: Grace Hopper')).toEqual([expect.stringContaining(id('archived'))])
  expect(await pki.check(id('chosen'))).toMatchObject({ step: 'renew' })
})

test('The new key of a device is collected by whoever asked for it to be made, and the page says so', async () => {
  expect(await pki.cy.call(renew, { certId: id('made'), key: 'made' })).toMatchObject({ state: 'waiting' })
  const { step, requestId = '', verdict } = await pki.check(id('made'), pki.cy)
  expect([step, verdict.says]).toEqual(['collect', expect.stringMatching(/You have yet to collect the new key\.$/)])
  expect((await pki.check(id('made'))).step).toBe('none')
  expect((await pki.mails('Renewed, ready to collect: made.example.org')).length).toBe(1)
  expect(await pki.cy.call(certificates.calls.collectKey, { requestId, password: 'correct horse' })).toMatchObject({
    fileName: 'made.example.org.p12',
  })
  expect((await pki.check(id('made'))).verdict.kind).toBe('renewed')
})
