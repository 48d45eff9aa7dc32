import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { refusal } from '#core/testing/caller.ts'
import { renewal } from '../contract.ts'
import { day, openRenewalFixture, type RenewalFixture } from './renewal.fixture.ts'

const { calls } = renewal

let pki: RenewalFixture
const run = () => pki.house.runJob(renewal.jobs.run)
const made: Record<string, string> = {}

beforeAll(async () => {
  pki = await openRenewalFixture()
  const { template90, device, collected } = pki
  const sameKey = await template90('Device', 'AUTOMATIC_SAME_KEY')
  const newKey = await template90('Device', 'AUTOMATIC_NEW_KEY')
  for (const name of ['same', 'crashed', 'between']) made[name] = (await device(sameKey, `${name}.example.org`)).certificateId
  made['voted'] = (await device(await template90('Device', 'AUTOMATIC_SAME_KEY', { issueApprovers: 0 }), 'voted.example.org')).certificateId
  made['new'] = (await device(newKey, 'new.example.org')).certificateId
  made['manual'] = (await device(await template90('Device', 'MANUAL'), 'manual.example.org')).certificateId
  made['handmade'] = await collected(await template90('User', 'MANUAL'))
  made['collected'] = await collected(
    await template90('User', 'AUTOMATIC_NEW_KEY', { extensions: { keyArchival: true, recoveryApprovers: 1 } }),
  )
})
afterAll(() => pki.close())

const id = (name: string): string => made[name] ?? ''
const successorOf = async (name: string) => (await pki.check(id(name))).renewedBy?.certificateId ?? ''
const eventsAbout = async (about: string) => (await pki.tenancy.administrator.call(audit.calls.search, { about, size: 100 })).rows

describe('Long before its end a certificate', () => {
  test('says when it will be renewed, and is not renewed before', async () => {
    const { verdict, step, opensAt } = await pki.check(id('same'))
    expect(verdict).toMatchObject({
      kind: 'later',
      says: expect.stringMatching(
        /^It is renewed with the same key by itself on \d{4}-\d\d-\d\d, and can be renewed by hand from \d{4}-\d\d-\d\d on\.$/,
      ),
    })
    expect(step).toBe('early')
    await run()
    expect(await pki.named('same.example.org')).toHaveLength(1)
    expect(await refusal(pki.ada.call(calls.renew, { certId: id('manual') }))).toMatchObject({ status: 409, code: 'early' })
    pki.house.clock.advance(new Date(opensAt).getTime() - pki.house.clock.now().getTime() + 8 * day)
  })
})

describe('With the same key', () => {
  test('it is renewed by itself, once, however many try at the same moment', async () => {
    // What a crash left between the claim and the request: taken up once it is old enough.
    await pki.house
      .asOwner(`insert into renewals (tenant_id, id, certificate_id, name, template_name, not_after, mode, state, reason, tries, asked_by, begun_at, updated_at)
      select tenant_id, gen_random_uuid(), id, name, template_name, not_after, 'AUTOMATIC_SAME_KEY', 'asking', '', 1, 'Automatic renewal', now(), now() from certificates where id = '${id('crashed')}'`)
    const click = () => pki.ada.call(calls.renew, { certId: id('same') }).catch((error: unknown) => error)
    await Promise.all([run(), run(), click(), click()])
    await run()
    expect(await pki.named('same.example.org')).toHaveLength(2)
    const successor = await successorOf('same')
    expect(await pki.verify(successor)).toContain('OK')
    expect(await pki.publicKey(successor)).toBe(await pki.publicKey(id('same')))
  })

  test('both say so of each other, and the log tells it', async () => {
    const [before, after] = [await pki.check(id('same')), await pki.check(await successorOf('same'))]
    expect(before).toMatchObject({
      verdict: { kind: 'renewed', says: expect.stringContaining(after.serialNumber) },
      step: 'none',
      attempts: [{ state: 'renewed', tries: 1 }],
    })
    expect(after).toMatchObject({ renews: { certificateId: id('same'), serialNumber: before.serialNumber }, verdict: { kind: 'later' } })
    const { rows } = await pki.ada.call(certificates.calls.search, { text: 'same.example.org', sort: 'issuedAt', direction: 'asc' })
    expect(rows.map(({ certificateId, renewedBy }) => [certificateId, renewedBy])).toEqual([
      [id('same'), after.certificateId],
      [after.certificateId, undefined],
    ])
    const asked = (await pki.ada.call(certificates.calls.requests, { text: 'same.example.org' })).rows
    expect(asked.map(({ serialNumber, renews, renewed }) => [serialNumber, renews, renewed])).toEqual([
      [after.serialNumber, id('same'), false],
      [before.serialNumber, undefined, true],
    ])
    expect((await eventsAbout(id('same'))).filter(({ area, name }) => area === 'renewal' && name === 'renewed')).toHaveLength(1)
    expect((await eventsAbout(after.certificateId)).filter(({ name }) => name === 'issued')).toHaveLength(1)
    expect(await refusal(pki.ada.call(calls.renew, { certId: id('same') }))).toMatchObject({ status: 409, code: 'already' })
  })

  test('what a crash left half done is finished once', async () => {
    expect(await pki.named('crashed.example.org')).toHaveLength(2)
    expect((await pki.check(id('crashed'))).attempts).toMatchObject([{ state: 'renewed' }])
    // The request was made, and then the server died before it was written down.
    await pki.house.asOwner(
      `update renewals set state = 'asking', request_id = null, successor_id = null, updated_at = now() - interval '1 hour' where certificate_id = '${id('between')}'`,
    )
    await Promise.all([run(), run()])
    expect(await pki.named('between.example.org')).toHaveLength(2)
    expect((await pki.check(id('between'))).attempts).toMatchObject([{ state: 'renewed' }])
  })
})

describe('With a new key', () => {
  test('the holder of the key is told once, and answers with a request of it', async () => {
    await run()
    const letters = await pki.mails(/^(A new key is needed: new\.example\.org|\d+ certificates wait for you to renew them)$/)
    expect(letters.filter((text) => text.includes('certificate for new.example.org '))).toHaveLength(1)
    expect(await pki.check(id('new'))).toMatchObject({ verdict: { kind: 'newKey' }, step: 'answer' })
    expect(await refusal(pki.ada.call(calls.renew, { certId: id('new') }))).toMatchObject({
      status: 409,
      code: 'needsKey',
      fields: [{ field: 'csr' }],
    })
    expect(await refusal(pki.ada.call(calls.renew, { certId: id('new'), csr: 'nonsense' }))).toMatchObject({
      status: 409,
      code: 'refused',
      fields: [{ field: 'csr' }],
    })
    const { csr } = pki.tools.csr({ subject: '/CN=new.example.org', extensions: ['subjectAltName=DNS:new.example.org'] })
    const answers = await Promise.all(
      [1, 2].map(() => pki.ada.call(calls.renew, { certId: id('new'), csr }).catch((error: unknown) => error)),
    )
    expect(answers.filter((answer) => !(answer instanceof Error))).toMatchObject([{ state: 'renewed' }])
    expect(await pki.named('new.example.org')).toHaveLength(2)
    expect(await pki.verify(await successorOf('new'))).toContain('OK')
    expect(await pki.publicKey(await successorOf('new'))).not.toBe(await pki.publicKey(id('new')))
  })
})

describe('With a new key that is made here', () => {
  test('it is requested once, and renewed when the holder collects it', async () => {
    const { grace } = pki
    const before = await pki.check(id('collected'), grace)
    expect(before).toMatchObject({
      verdict: { kind: 'collect', says: expect.stringMatching(/You have yet to collect the new key\.$/) },
      step: 'collect',
    })
    expect(await pki.mails('Renewed, ready to collect: Grace Hopper')).toHaveLength(1)
    expect(await pki.check(id('collected'))).toMatchObject({
      verdict: { says: expect.stringMatching(/Grace Hopper has yet to collect the new key\.$/) },
      step: 'none',
    })
    const { certificateId, archived } = await grace.call(certificates.calls.collectKey, {
      requestId: before.requestId ?? '',
      password: 'correct horse',
    })
    expect(archived).toBe(true)
    expect((await pki.check(id('collected'))).renewedBy).toMatchObject({ certificateId })
    await run()
    expect((await pki.check(id('collected'))).attempts).toMatchObject([{ state: 'renewed' }])
    expect(await pki.publicKey(certificateId)).not.toBe(await pki.publicKey(id('collected')))
    expect(await pki.verify(certificateId)).toContain('OK')
  })
})

describe('By hand', () => {
  test('the holder is told once, and a double click makes one certificate with the same key', async () => {
    const { grace } = pki
    await run()
    expect(await pki.mails('Renew: Grace Hopper')).toHaveLength(1)
    expect(await pki.check(id('handmade'), grace)).toMatchObject({
      verdict: { kind: 'manual' },
      step: 'renew',
      attempts: [{ state: 'awaitingHolder' }],
    })
    const clicks = await Promise.all(
      [1, 2, 3].map(() => grace.call(calls.renew, { certId: id('handmade') }).catch((error: unknown) => error)),
    )
    expect(clicks.filter((answer) => !(answer instanceof Error))).toMatchObject([{ state: 'renewed' }])
    const successor = await successorOf('handmade')
    expect(await pki.publicKey(successor)).toBe(await pki.publicKey(id('handmade')))
    expect(await pki.verify(successor)).toContain('OK')
    expect((await pki.check(successor)).verdict.kind).toBe('later')
  })

  test('whoever asked for a device renews it, and nobody else but those who may ask for others', async () => {
    const { eve, cy, house } = pki
    expect(await refusal(eve.call(calls.renew, { certId: id('manual') }))).toMatchObject({ status: 404, code: 'noSuchCertificate' })
    expect(await refusal(eve.call(calls.info, { certId: id('manual') }))).toMatchObject({ status: 404, code: 'noSuchCertificate' })
    const viewer = await pki.tenancy.person({ permissions: ['certView'] })
    expect(await pki.check(id('manual'), viewer)).toMatchObject({ step: 'none', verdict: { kind: 'manual' } })
    expect(await refusal(viewer.call(calls.renew, { certId: id('manual') }))).toMatchObject({ status: 403, code: 'notYours' })
    const other = await (await house.tenancy('Globex')).person({ permissions: 'all' })
    expect(await refusal(other.call(calls.info, { certId: id('manual') }))).toMatchObject({ status: 404, code: 'noSuchCertificate' })
    expect(await refusal(other.call(calls.renew, { certId: id('manual') }))).toMatchObject({ status: 404, code: 'noSuchCertificate' })
    expect(await cy.call(calls.renew, { certId: id('manual') })).toMatchObject({ state: 'renewed' })
    expect(await pki.named('manual.example.org')).toHaveLength(2)
  })
})

describe('With approval', () => {
  test('it waits for the vote, is issued by it, and a denied one is not asked for again', async () => {
    const { bob, ada, house } = pki
    const templateId = await pki.template90('Device', 'AUTOMATIC_SAME_KEY', { issueApprovers: 1 })
    const issued = async (dns: string) => {
      const { csr } = pki.tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`] })
      const { requestId } = await ada.call(certificates.calls.requestForDevice, { templateId, csr, values: { DNS: [dns] } })
      return (await bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })).certificateId ?? ''
    }
    const [granted, denied] = [await issued('granted.example.org'), await issued('denied.example.org')]
    house.clock.advance(70 * day)
    await run()
    const waiting = await pki.check(granted, bob)
    expect(waiting).toMatchObject({ verdict: { kind: 'approval' }, step: 'approve', attempts: [{ state: 'waiting' }] })
    expect(await pki.named('granted.example.org')).toHaveLength(1)
    expect(
      await refusal(ada.call(certificates.calls.decide, { requestId: waiting.requestId ?? '', round: 1, verdict: 'approve' })),
    ).toMatchObject({ status: 403 })
    await bob.call(certificates.calls.decide, { requestId: waiting.requestId ?? '', round: 1, verdict: 'approve' })
    expect((await pki.check(granted)).verdict.kind).toBe('renewed')
    await bob.call(certificates.calls.decide, {
      requestId: (await pki.check(denied)).requestId ?? '',
      round: 1,
      verdict: 'deny',
      comment: 'That machine is gone',
    })
    expect((await pki.check(denied)).verdict.kind).toBe('denied')
    await run()
    house.clock.advance(2 * day)
    await run()
    expect(await pki.check(denied)).toMatchObject({
      verdict: { kind: 'denied', says: expect.stringContaining('(That machine is gone)') },
      step: 'renew',
      attempts: [{ state: 'denied' }],
    })
    expect((await pki.check(granted)).attempts).toMatchObject([{ state: 'renewed' }])
    expect(await pki.named('granted.example.org')).toHaveLength(2)
  })
})

test('A new key is not the old one again', async () => {
  const { certificateId, keyFile } = await pki.device(
    await pki.template90('Device', 'AUTOMATIC_NEW_KEY', { extensions: { renewalDays: 365 } }),
    'again.example.org',
  )
  pki.house.clock.advance(31 * day)
  const { csr } = pki.tools.csr({ subject: '/CN=again.example.org', extensions: ['subjectAltName=DNS:again.example.org'], keyFile })
  expect((await refusal(pki.ada.call(calls.renew, { certId: certificateId, csr }))).fields[0]?.says).toContain('Make a new one')
})

test('The list names them all, by what became of them', async () => {
  const { rows, facets } = await pki.ada.call(calls.search, { state: ['denied'] })
  expect(rows).toMatchObject([{ name: 'denied.example.org', state: 'denied', reason: 'That machine is gone' }])
  expect(facets.state['denied']).toBe(1)
  expect((await pki.ada.call(calls.search, { text: 'GRANTED', sort: 'name' })).rows).toMatchObject([
    { name: 'granted.example.org', state: 'renewed', mode: 'AUTOMATIC_SAME_KEY' },
  ])
  expect((await pki.ada.call(calls.search, { text: 'nobody' })).total).toBe(0)
})
