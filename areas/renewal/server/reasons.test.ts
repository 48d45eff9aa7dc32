// Why was this not renewed? Every reason, made to happen: what the page says, that nothing was issued, and that it goes on once the reason is gone.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { enrolment } from '#areas/enrolment/contract.ts'
import { imports } from '#areas/imports/contract.ts'
import { licensing } from '#areas/licensing/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { users } from '#areas/users/contract.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { renewal } from '../contract.ts'
import { day, openRenewalFixture, switchIssuing, type RenewalFixture } from './renewal.fixture.ts'

let pki: RenewalFixture
let chief: TestPerson
let licensee: TestPerson
const run = () => pki.house.runJob(renewal.jobs.run)
const made: Record<string, string> = {}
const template: Record<string, string> = {}
const id = (name: string): string => made[name] ?? ''
/** What the event of a revocation says. */
const bodyOf = (name: string) => ({
  revocationId: id(name),
  certificateId: id(name),
  caId: pki.rootId,
  serialNumber: '01',
  reason: 'superseded',
})

beforeAll(async () => {
  pki = await openRenewalFixture()
  const { template90, device, collected, ada, house, tenancy } = pki
  chief = await tenancy.person({ permissions: 'all', username: 'chief' })
  for (const name of ['disabled', 'gone', 'key', 'names']) {
    template[name] = await template90('Device', 'AUTOMATIC_SAME_KEY')
    made[name] = (await device(template[name], `${name}.example.org`)).certificateId
  }
  template['plain'] = await template90('Device', 'AUTOMATIC_SAME_KEY')
  for (const name of ['revoked', 'compromised', 'late']) made[name] = (await device(template['plain'], `${name}.example.org`)).certificateId
  const superseded = await device(template['plain'], 'superseded.example.org')
  made['superseded'] = superseded.certificateId
  made['never'] = (await device(await template90('Device', 'NONE'), 'never.example.org')).certificateId
  const manual = await template90('Device', 'MANUAL')
  for (const name of ['untouched', 'waits', 'held']) made[name] = (await device(manual, `${name}.example.org`)).certificateId
  // Of a person whose name changes, and of one whose account is disabled.
  const own = await template90('User', 'AUTOMATIC_SAME_KEY')
  made['renamed'] = await collected(own)
  const leaver = await tenancy.person({ permissions: [], username: 'leaver', givenName: 'Lee', familyName: 'Ver' })
  const { requestId } = await leaver.call(certificates.calls.request, { entity: 'user', templateId: own })
  made['leaver'] = (await leaver.call(certificates.calls.collectKey, { requestId, password: 'correct horse' })).certificateId
  // Of an authority that ends first, and of one whose issuing is switched off.
  const below = async (friendlyName: string, change: object) =>
    (
      await ada.call(authorities.calls.create, {
        kind: 'subordinate',
        friendlyName,
        subject: { CN: friendlyName },
        keyAlgorithm: 'P-256',
        issuerId: pki.rootId,
        ...change,
      })
    ).caId
  const [short, off] = [await below('Short', { validityPeriod: 90, validityPeriodUnits: 'DAYS' }), await below('Off', {})]
  template['off'] = off
  made['short'] = (await device(await template90('Device', 'AUTOMATIC_SAME_KEY', { caId: short }), 'short.example.org')).certificateId
  made['off'] = (await device(await template90('Device', 'AUTOMATIC_SAME_KEY', { caId: off }), 'off.example.org')).certificateId
  // Of a template that another tenancy lent.
  const branch = await house.tenancy('Branch')
  licensee = await branch.person({ permissions: 'all' })
  const lent = await template90('Device', 'AUTOMATIC_SAME_KEY')
  template['lent'] = lent
  await chief.call(licensing.calls.licenseAuthority, { tenantId: branch.id, caId: pki.caId, enabled: true })
  await chief.call(licensing.calls.licenseTemplate, { tenantId: branch.id, templateId: lent, enabled: true })
  const { csr } = pki.tools.csr({ subject: '/CN=lent.example.org', extensions: ['subjectAltName=DNS:lent.example.org'] })
  made['lent'] =
    (await licensee.call(certificates.calls.requestForDevice, { templateId: lent, csr, values: { DNS: ['lent.example.org'] } }))
      .certificateId ?? ''
  // One that its rule of auto-enrolment follows by the next.
  const enrolled = await template90('Device', 'AUTOMATIC_SAME_KEY', { class: 'AUTONENROLLDEVICE' })
  made['enrolled'] = (await device(enrolled, 'enrolled.example.org')).certificateId
  await chief.call(enrolment.calls.add, { name: 'Machines', entity: 'device', templateId: enrolled, deviceNames: ['enrolled.example.org'] })
  // One that others issued.
  const foreign = pki.tools.run(
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    '/dev/null',
    '-subj',
    '/CN=foreign.example.org',
    '-days',
    '90',
  )
  made['foreign'] = (await chief.call(imports.calls.upload, { text: foreign })).added[0]?.certificateId ?? ''
  // And one whose requester may not ask for devices any more.
  const clerk = await tenancy.person({ permissions: ['certSigningRequest'], username: 'clerk' })
  const asked = pki.tools.csr({ subject: '/CN=clerk.example.org', extensions: ['subjectAltName=DNS:clerk.example.org'] })
  made['clerk'] =
    (
      await clerk.call(certificates.calls.requestForDevice, {
        templateId: template['plain'],
        csr: asked.csr,
        values: { DNS: ['clerk.example.org'] },
      })
    ).certificateId ?? ''

  house.clock.advance(70 * day)

  await chief.call(users.calls.setEnabled, { id: leaver.id, enabled: false })
  await chief.call(users.calls.setEnabled, { id: clerk.id, enabled: false })
  await chief.call(users.calls.change, {
    id: pki.grace.id,
    username: 'grace',
    givenName: 'Grace',
    familyName: 'Murray',
    emailAddress: 'grace@example.org',
  })
  const edit = async (name: string, change: (draft: Awaited<ReturnType<typeof got>>) => object) => {
    const draft = await got(template[name] ?? '')
    await ada.call(templates.calls.edit, { ...draft, templateId: template[name] ?? '', ...change(draft) })
  }
  await edit('disabled', () => ({ enabled: false }))
  await edit('key', ({ rules }) => ({ rules: { ...rules, keys: ['RSA-4096'] } }))
  await edit('names', ({ rules }) => ({ rules: { ...rules, allowedDomains: ['*.example.com'] } }))
  await ada.call(templates.calls.remove, { templateId: template['gone'] ?? '' })
  await switchIssuing(ada, off, false)
  await chief.call(licensing.calls.licenseTemplate, { tenantId: branch.id, templateId: lent, enabled: false })
  await chief.call(revocation.calls.revoke, { certId: id('revoked'), reason: 'cessationOfOperation' })
  // The same key stands in another certificate, which was revoked because it was compromised.
  const { csr: sameKey } = pki.tools.csr({
    subject: '/CN=sibling.example.org',
    extensions: ['subjectAltName=DNS:sibling.example.org'],
    keyFile: (await rekeyed()).keyFile,
  })
  const { certificateId: sibling = '' } = await ada.call(certificates.calls.requestForDevice, {
    templateId: pki.template['Device'] ?? '',
    csr: sameKey,
    values: { DNS: ['sibling.example.org'] },
  })
  await chief.call(revocation.calls.revoke, { certId: sibling, reason: 'keyCompromise' })
  await device(template['plain'], 'superseded.example.org', superseded.keyFile)
  await run()
})
afterAll(() => pki.close())

const got = (templateId: string) => pki.ada.call(templates.calls.get, { templateId })

/** One more that is due, with the key at hand. */
async function rekeyed() {
  const { certificateId, keyFile } = await pki.device(
    await pki.template90('Device', 'AUTOMATIC_SAME_KEY', { extensions: { renewalDays: 365, validityPeriod: 300 } }),
    'compromised2.example.org',
  )
  made['compromised'] = certificateId
  return { keyFile }
}

describe('A certificate that is due is not renewed, and its page says why, where', () => {
  test.each<[string, string, string | undefined, RegExp]>([
    ['its template is disabled', 'disabled', 'template', /failed: the template Device is disabled\./],
    ['its template is gone', 'gone', 'template', /failed: the template Device is gone\./],
    ['its template allows no such name any more', 'names', 'names', /failed: .*names\.example\.org.*/],
    ['the holder is called otherwise now', 'renamed', 'names', /failed: it would say "Grace Murray" where it says "Grace Hopper" now/],
    ['the account of its holder is disabled', 'leaver', 'holder', /failed: the account of Lee Ver, who holds it, is disabled\./],
    ['the account of who asked for a device is disabled', 'clerk', 'holder', /failed: the account of clerk, who asked for it, is disabled/],
    [
      'its authority ends first',
      'short',
      'end',
      /failed: a new one would end on \d{4}-\d\d-\d\d, hardly later than this one, because Short is valid until/,
    ],
    ['its authority issues nothing', 'off', 'authority', /failed: issuing by Off is switched off\./],
  ])('%s', async (_why, name, kind, says) => {
    const checked = await pki.check(id(name), chief)
    expect(checked.verdict).toMatchObject({ kind: 'failed', why: kind, says: expect.stringMatching(says) })
    expect(checked.verdict.says).toMatch(/The next is on \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/)
    expect(checked.attempts).toMatchObject([{ state: 'refused', askedBy: 'Automatic renewal' }])
    expect(checked.renewedBy).toBeUndefined()
  })

  test('the licence for its template was taken back', async () => {
    expect((await licensee.call(renewal.calls.info, { certId: id('lent') })).verdict).toMatchObject({
      kind: 'failed',
      why: 'template',
      says: expect.stringContaining('the licence for the template Device was taken back'),
    })
  })

  test('its key was compromised in another certificate', async () => {
    expect((await pki.check(id('compromised'))).verdict).toMatchObject({
      kind: 'blocked',
      why: 'key',
      says: expect.stringMatching(
        /^It takes a new key: this key cannot be certified again, because a certificate of it was revoked for key compromise\. It can be renewed from .* on\. You are told by mail on \d{4}-\d\d-\d\d\.$/,
      ),
    })
  })

  test.each<[string, string, string, RegExp]>([
    ['it was revoked', 'revoked', 'revoked', /^It was revoked on .* \(cessation of operation\)/],
    ['its template renews none', 'never', 'never', /^It is not renewed: its template says so\.$/],
    ['others issued it', 'foreign', 'external', /^It was issued elsewhere/],
    [
      'a newer one of the same key and names is there',
      'superseded',
      'superseded',
      /^It is not renewed, because the newer certificate [0-9a-f]+ of the same template has the same key and names/,
    ],
    [
      'a rule of auto-enrolment asks for the next',
      'enrolled',
      'rule',
      /^The rule "Machines" of auto-enrolment asks for the next one 30 days before the end\.$/,
    ],
  ])('%s', async (_why, name, kind, says) => {
    const checked = await pki.check(id(name), chief)
    expect(checked.verdict).toMatchObject({ kind, says: expect.stringMatching(says) })
    expect(checked.attempts).toEqual([])
    await expect(chief.call(renewal.calls.renew, { certId: id(name) })).rejects.toMatchObject({
      status: 409,
      message: expect.not.stringMatching(/renew.*It is not renewed/),
    })
  })

  test('and the list has all of them, to be mended', async () => {
    const { rows, facets } = await chief.call(renewal.calls.search, { state: ['refused'], size: 50 })
    expect(rows.map(({ name }) => name).toSorted()).toEqual([
      'Grace Hopper',
      'Lee Ver',
      'clerk.example.org',
      'disabled.example.org',
      'gone.example.org',
      'names.example.org',
      'off.example.org',
      'short.example.org',
    ])
    expect(facets.state['refused']).toBe(8)
  })
})

describe('A revoked certificate', () => {
  test('is asked for no more', async () => {
    const before = await pki.check(id('waits'), chief)
    expect(before).toMatchObject({ verdict: { kind: 'manual' }, attempts: [{ state: 'awaitingHolder' }] })
    await chief.call(revocation.calls.revoke, { certId: id('waits'), reason: 'superseded' })
    const heard = rooms.flatMap(({ subscriptions }) => subscriptions).filter(({ event }) => event === revocation.events.revoked)
    const delivery = {
      tenantId: pki.tenancy.id,
      id: id('waits'),
      at: pki.house.clock.now(),
      area: 'revocation',
      name: 'revoked',
      about: id('waits'),
      body: bodyOf('waits'),
      actor: '',
      actorId: undefined,
      sequence: 1,
    }
    // At least once: twice does no more.
    for (const { hear } of [...heard, ...heard]) await hear(delivery, pki.house.house)
    expect(await pki.check(id('waits'), chief)).toMatchObject({
      verdict: { kind: 'revoked' },
      step: 'request',
      attempts: [{ state: 'lapsed', reason: 'It was revoked' }],
    })
  })
})

describe('A certificate on hold', () => {
  test('goes on where it was once it is released', async () => {
    expect(await pki.check(id('held'), chief)).toMatchObject({ verdict: { kind: 'manual' }, attempts: [{ state: 'awaitingHolder' }] })
    await chief.call(revocation.calls.revoke, { certId: id('held'), reason: 'certificateHold' })
    const delivery = {
      tenantId: pki.tenancy.id,
      id: id('held'),
      at: pki.house.clock.now(),
      area: 'revocation',
      name: 'revoked',
      about: id('held'),
      body: bodyOf('held'),
      actor: '',
      actorId: undefined,
      sequence: 2,
    }
    for (const { hear } of rooms.flatMap(({ subscriptions }) => subscriptions).filter(({ event }) => event === revocation.events.revoked))
      await hear(delivery, pki.house.house)
    await run()
    const says = expect.stringMatching(
      /^It has been on hold since \d{4}-\d\d-\d\d, and is not renewed until it is released\. Whoever may revoke certificates here can release it\.$/,
    ) as string
    expect(await pki.check(id('held'), chief)).toMatchObject({
      status: 'onHold',
      verdict: { kind: 'onHold', says },
      step: 'none',
      attempts: [{ state: 'awaitingHolder' }],
    })
    await expect(chief.call(renewal.calls.renew, { certId: id('held') })).rejects.toMatchObject({ status: 409, code: 'onHold' })
    await chief.call(revocation.calls.release, { certId: id('held') })
    expect(await pki.check(id('held'), chief)).toMatchObject({ verdict: { kind: 'manual' }, attempts: [{ state: 'awaitingHolder' }] })
  })
})

describe('Once the reason is gone', () => {
  test('a licence given back renews by the authority of another tenancy', async () => {
    await chief.call(licensing.calls.licenseTemplate, { tenantId: licensee.tenantId, templateId: template['lent'] ?? '', enabled: true })
    const { certificateId = '' } = await licensee.call(renewal.calls.renew, { certId: id('lent') })
    const { pem } = (await licensee.call(certificates.calls.info, { certId: certificateId })).certificate
    expect(pki.tools.run('verify', '-no_check_time', '-CAfile', pki.rootFile, '-untrusted', pki.chainFile, pki.tools.write(pem))).toContain(
      'OK',
    )
    expect((await licensee.call(renewal.calls.info, { certId: id('lent') })).renewedBy).toMatchObject({ certificateId })
  })

  test('it is renewed at the next attempt, and a person need not wait for that', async () => {
    const draft = await got(template['disabled'] ?? '')
    await pki.ada.call(templates.calls.edit, { ...draft, templateId: template['disabled'] ?? '', enabled: true })
    await switchIssuing(pki.ada, template['off'] ?? '', true)
    await run()
    expect(await pki.named('off.example.org')).toHaveLength(1)
    expect(await pki.ada.call(renewal.calls.renew, { certId: id('disabled') })).toMatchObject({ state: 'renewed' })
    pki.house.clock.advance(2 * 3_600_000)
    await run()
    expect((await pki.check(id('off'))).attempts).toMatchObject([{ state: 'renewed', tries: 2 }])
    expect(await pki.named('off.example.org')).toHaveLength(2)
    expect(await pki.named('disabled.example.org')).toHaveLength(2)
  })
})

describe('Why was this not renewed? An expired certificate answers', () => {
  beforeAll(async () => {
    pki.house.clock.advance(30 * day)
    await run()
  })

  test.each([
    ['key', 'missed', /^It ended on .* and was not renewed: the key is EC P-256/],
    ['untouched', 'missed', /^It ended on .* and was not renewed: Ada Lovelace was told to renew it by hand and did not\.$/],
    ['never', 'never', /^It ended on .* and was not renewed: its template says so\.$/],
    ['off', 'renewed', /^It was renewed on /],
  ])('%s', async (name, kind, says) => {
    expect(await pki.check(id(name), chief)).toMatchObject({
      verdict: { kind, says: expect.stringMatching(says) },
      step: kind === 'renewed' ? 'none' : 'request',
    })
  })

  test('and cannot be renewed any more', async () => {
    await expect(chief.call(renewal.calls.renew, { certId: id('untouched') })).rejects.toMatchObject({ status: 409, code: 'over' })
    expect((await chief.call(renewal.calls.search, { state: ['lapsed'], size: 50 })).rows.map(({ name }) => name)).toContain(
      'untouched.example.org',
    )
  })
})
