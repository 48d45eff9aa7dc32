import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuing, openSsl, type IssuingFixture, type OpenSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { licensing } from '#areas/licensing/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import type { Call, DraftOf, ExactDraft, OutputOf } from '#core/contract/contract.ts'
import { CallRefused } from '#core/testing/caller.ts'
import { refusal, useHouse } from '#core/testing/house.ts'
import { portal } from '../contract.ts'
import { mostWaiting } from '../rules.ts'

const { calls } = portal

let tools: OpenSsl
let acme: IssuingFixture
let globex: IssuingFixture
let opened: string
let count = 0

const house = await useHouse()
beforeAll(async () => {
  tools = openSsl()
  acme = await openIssuing(house, tools, 'Acme')
  globex = await openIssuing(house, tools, 'Globex')
  opened = await openTemplate(acme, 'TLSServer')
  await openTemplate(globex, 'TLSServer')
})
afterAll(async () => {
  tools.close()
})

/** Adds a template that is open to anonymous requests and asks so many people with an account. */
async function openTemplate(pki: IssuingFixture, preset: string, issueApprovers = 0): Promise<string> {
  const templateId = await pki.addTemplate(preset, { issueApprovers, displayName: `Open ${(count += 1)} of ${pki.tenancy.id.slice(-4)}` })
  await pki.tenancy.administrator.call(licensing.calls.setFlags, {
    licensedTemplateId: templateId,
    enabled: true,
    anonymousEnabled: true,
    selfServiceEligible: false,
  })
  return templateId
}
const setOpen = (licensedTemplateId: string, anonymousEnabled: boolean) =>
  acme.tenancy.administrator.call(licensing.calls.setFlags, {
    licensedTemplateId,
    enabled: true,
    anonymousEnabled,
    selfServiceEligible: false,
  })
const codeOf = (address: string) => new URL(address).searchParams.get('code') ?? ''
const newCode = async (pki: IssuingFixture) => codeOf((await pki.tenancy.administrator.call(calls.renew, {})).address)

/** A browser of somebody without an account: nothing but what its cookies say. */
function newVisitor() {
  const cookies = new Map<string, string>()
  const send = async <C extends Call, D extends DraftOf<C> = DraftOf<C>>(
    call: C,
    input: ExactDraft<C, D>,
    more: Record<string, string> = {},
  ): Promise<OutputOf<C>> => {
    const get = call.method === 'GET'
    const response = await fetch(house.origin + call.path, {
      method: call.method,
      headers: {
        ...(get ? {} : { 'content-type': 'application/json' }),
        cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
        ...more,
      },
      ...(get ? {} : { body: JSON.stringify(input) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const answer: unknown = await response.json()
    if (!response.ok) throw new CallRefused(response.status, Object(answer))
    return call.output.parse(answer) as OutputOf<C>
  }
  return { cookies, send }
}

async function visitorOf(pki: IssuingFixture) {
  const visitor = newVisitor()
  await visitor.send(calls.openSession, { code: await newCode(pki) })
  return visitor
}
const csrOf = (name: string) => tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] }).csr
const newName = () => `stranger${(count += 1)}.example.org`

describe('the way of a stranger', () => {
  test('begins on a page with the name and colour of its tenancy', async () => {
    expect(await newVisitor().send(calls.openSession, { code: await newCode(acme) })).toMatchObject({
      tenancyName: 'Acme',
      bannerColour: expect.stringMatching(/^#[0-9a-f]{6}$/i),
    })
  })

  test('leads from the address to a request that waits, and with its receipt to the certificate', async () => {
    const name = newName()
    const visitor = await visitorOf(acme)
    const offered = await visitor.send(calls.templates, {})
    expect([offered.tenancyName, offered.templates.map(({ templateId, priority }) => [templateId, priority])]).toEqual([
      'Acme',
      [[opened, -1]],
    ])
    const { requestId, secret, status } = await visitor.send(calls.request, {
      templateId: opened,
      csr: csrOf(name),
      contactEmail: 'someone@elsewhere.example',
      comment: 'For the lift',
    })
    expect(status).toBe('under_submission')
    expect(await newVisitor().send(calls.collect, { requestId, secret })).toMatchObject({
      status: 'under_submission',
      subject: `CN=${name}`,
      certificate: '',
      chain: '',
    })

    const { request, round } = await acme.bob.call(certificates.calls.approval, { requestId })
    expect(request).toMatchObject({
      requester: 'Anonymous (public request page)',
      comment: 'For the lift',
      contactEmail: 'someone@elsewhere.example',
      needed: 1,
    })
    await acme.bob.call(certificates.calls.decide, { requestId, round, verdict: 'approve' })
    const collected = await newVisitor().send(calls.collect, { requestId, secret })
    expect(collected.status).toBe('issued')
    expect(
      tools.run(
        'verify',
        '-x509_strict',
        '-CAfile',
        acme.rootFile,
        '-untrusted',
        tools.write(collected.chain),
        tools.write(collected.certificate),
      ),
    ).toContain('OK')
    expect(tools.run('x509', '-in', tools.write(collected.certificate), '-noout', '-ext', 'subjectAltName')).toContain(`DNS:${name}`)
  })

  test('is on record, and sends no mail to the address that the stranger wrote', async () => {
    const visitor = await visitorOf(acme)
    const { requestId } = await visitor.send(calls.request, {
      templateId: opened,
      csr: csrOf(newName()),
      contactEmail: 'victim@elsewhere.example',
    })
    const { rows } = await acme.tenancy.administrator.call(audit.calls.search, { area: 'portal', size: 20 })
    expect(rows.map(({ name, actor }) => [name, actor])).toContainEqual(['requested', 'Anonymous (public request page)'])
    const { round } = await acme.bob.call(certificates.calls.approval, { requestId })
    await acme.bob.call(certificates.calls.decide, { requestId, round, verdict: 'deny', comment: 'Who are you?' })
    const outbox = await acme.tenancy.administrator.call(mail.calls.outbox, { size: 200 })
    expect(outbox.rows.filter(({ to }) => to.includes('victim'))).toEqual([])
  })

  test('asks one more to agree than the template does, for the stranger may be one of those who agree', async () => {
    const templateId = await openTemplate(acme, 'TLSServer', 1)
    const visitor = await visitorOf(acme)
    const placed = await visitor.send(calls.request, { templateId, csr: csrOf(newName()), values: {} })
    const { request, round } = await acme.bob.call(certificates.calls.approval, { requestId: placed.requestId })
    expect(request.needed).toBe(2)
    expect(await acme.bob.call(certificates.calls.decide, { requestId: placed.requestId, round, verdict: 'approve' })).toMatchObject({
      status: 'under_submission',
    })
    expect(await acme.cy.call(certificates.calls.decide, { requestId: placed.requestId, round, verdict: 'approve' })).toMatchObject({
      status: 'issued',
    })
    await setOpen(templateId, false)
  })

  test('ends where the template was closed to strangers before it was issued', async () => {
    const templateId = await openTemplate(acme, 'TLSServer')
    const visitor = await visitorOf(acme)
    const placed = await visitor.send(calls.request, { templateId, csr: csrOf(newName()), values: {} })
    await setOpen(templateId, false)
    const { round } = await acme.bob.call(certificates.calls.approval, { requestId: placed.requestId })
    expect(await acme.bob.call(certificates.calls.decide, { requestId: placed.requestId, round, verdict: 'approve' })).toMatchObject({
      status: 'denied',
    })
    expect(await visitor.send(calls.collect, { requestId: placed.requestId, secret: placed.secret })).toMatchObject({
      status: 'denied',
      reason: expect.stringContaining('cannot be asked for anonymously any more'),
      certificate: '',
    })
  })
})

describe('an attacker', () => {
  const wrong = 'a'.repeat(65)

  test.each(['', 'x', wrong, `${'A'.repeat(22)}${'b'.repeat(43)}`, '../../etc/passwd'])(
    'without the code gets nothing: %j',
    async (code) => {
      const visitor = newVisitor()
      expect(await refusal(visitor.send(calls.openSession, { code }))).toMatchObject({ status: 404, code: 'invalidCode' })
      expect(visitor.cookies.size).toBe(0)
      expect(await refusal(visitor.send(calls.templates, {}))).toMatchObject({ status: 403, code: 'noSession' })
      expect(await refusal(visitor.send(calls.request, { templateId: opened, csr: csrOf('a.example.org') }))).toMatchObject({
        status: 403,
        code: 'noSession',
      })
    },
  )

  test('with a code of before, or whose time is up, gets nothing; a closed page opens to nobody', async () => {
    const old = await newCode(acme)
    const visitor = newVisitor()
    await visitor.send(calls.openSession, { code: old })
    const present = await newCode(acme)
    expect(await refusal(visitor.send(calls.templates, {}))).toMatchObject({ code: 'noSession' })
    expect(await refusal(newVisitor().send(calls.openSession, { code: old }))).toMatchObject({ code: 'invalidCode' })
    await visitor.send(calls.openSession, { code: present })
    house.clock.advance(31 * 60_000)
    expect(await refusal(visitor.send(calls.templates, {}))).toMatchObject({ code: 'noSession' })
    await visitor.send(calls.openSession, { code: present })
    await acme.tenancy.administrator.call(calls.close, {})
    expect(await refusal(visitor.send(calls.templates, {}))).toMatchObject({ code: 'noSession' })
    expect(await refusal(visitor.send(calls.openSession, { code: present }))).toMatchObject({ code: 'invalidCode' })
    expect(await refusal(acme.tenancy.administrator.call(calls.close, {}))).toMatchObject({ status: 404 })
  })

  test('with a session sees and asks for no template that is not open, nor one of another tenancy', async () => {
    const visitor = await visitorOf(acme)
    const [theirs] = (await (await visitorOf(globex)).send(calls.templates, {})).templates
    const offered = (await visitor.send(calls.templates, {})).templates.map(({ templateId }) => templateId)
    expect(offered).not.toContain(theirs?.templateId)
    expect(offered).not.toContain(acme.template['Device'])
    for (const templateId of [theirs?.templateId ?? '', acme.template['Device'] ?? '', acme.template['User'] ?? '', randomUUID()])
      expect(await refusal(visitor.send(calls.request, { templateId, csr: csrOf(newName()) }))).toMatchObject({
        status: 403,
        code: 'notOffered',
      })
    house.clock.advance(10 * 60_000)
  })

  test('with a session hears what is wrong with a request before it is sent, and nothing comes of it', async () => {
    const visitor = await visitorOf(acme)
    const check = (csr: string) => visitor.send(calls.check, { templateId: opened, csr, values: {} })
    expect((await check('no request at all')).faults.map(({ field }) => field)).toEqual(['csr'])
    expect((await check(csrOf(newName()))).faults).toEqual([])
    expect(await refusal(visitor.send(calls.check, { templateId: randomUUID(), csr: 'x', values: {} }))).toMatchObject({
      code: 'notOffered',
    })
    house.clock.advance(10 * 60_000)
  })

  test('with a session may nothing else: it is no sign-in', async () => {
    const visitor = await visitorOf(acme)
    for (const path of ['/api2/PKI-v1/CertificateTemplates?entity=device', '/api2/PKI-v1/MyCertificateRequests', '/api2/IDM-v1/User?id=x'])
      expect(
        (await fetch(house.origin + path, { headers: { cookie: [...visitor.cookies].map((pair) => pair.join('=')).join('; ') } })).status,
      ).toBeGreaterThanOrEqual(401)
    const asSession = { cookie: `chancery-session=${visitor.cookies.get('chancery-anonymous') ?? ''}` }
    expect((await fetch(`${house.origin}/api2/PKI-v1/CertificateTemplates?entity=device`, { headers: asSession })).status).toBe(401)
    expect(
      (
        await fetch(`${house.origin}/api2/PKI-v1/AnonymousTemplates`, {
          headers: { cookie: `chancery-anonymous=${codeOf((await acme.tenancy.administrator.call(calls.renew, {})).address)}` },
        })
      ).status,
    ).toBe(403)
  })

  test('learns nothing of a request without its own secret', async () => {
    const [one, two] = [await visitorOf(acme), await visitorOf(globex)]
    const template = (await two.send(calls.templates, {})).templates[0]?.templateId ?? ''
    const theirs = await two.send(calls.request, { templateId: template, csr: csrOf(newName()) })
    const mine = await one.send(calls.request, { templateId: opened, csr: csrOf(newName()) })
    const inside = await acme.ada.call(certificates.calls.requestForDevice, {
      templateId: acme.template['TLSServer'] ?? '',
      csr: csrOf(newName()),
      values: {},
    })
    for (const asked of [
      { requestId: theirs.requestId, secret: mine.secret },
      { requestId: mine.requestId, secret: theirs.secret },
      { requestId: inside.requestId, secret: mine.secret },
      { requestId: randomUUID(), secret: mine.secret },
      { requestId: mine.requestId, secret: wrong },
    ])
      expect(await refusal(newVisitor().send(calls.collect, asked))).toMatchObject({ status: 404, code: 'noSuchRequest', fields: [] })
    house.clock.advance(10 * 60_000)
  })

  test('who tries a wrong secret on a request leaves a trace, and not one for each of very many tries', async () => {
    const one = await visitorOf(acme)
    const [{ requestId }, { secret }] = [
      await one.send(calls.request, { templateId: opened, csr: csrOf(newName()) }),
      await one.send(calls.request, { templateId: opened, csr: csrOf(newName()) }),
    ]
    for (let tries = 0; tries < 8; tries += 1) await refusal(newVisitor().send(calls.collect, { requestId, secret }))
    const { rows } = await acme.tenancy.administrator.call(audit.calls.search, { area: 'portal', name: 'collect', size: 20 })
    const ofIt = rows.filter(({ body }) => JSON.parse(body).requestId === requestId)
    expect(ofIt[0]).toMatchObject({ actor: 'Anonymous (public request page)', outcome: 'refused', address: expect.stringMatching(/./) })
    expect(ofIt.length).toBe(5)
    house.clock.advance(10 * 60_000)
  })

  test('cannot have a key made, name a person, ask for an authority, or use the key of one', async () => {
    const visitor = await visitorOf(acme)
    const ask = (csr: string, more: object = {}) => refusal(visitor.send(calls.request, { templateId: opened, csr, ...more }))
    expect(await ask('')).toMatchObject({ status: 400, fields: [{ field: 'csr' }] })
    expect(
      await ask(
        tools.csr({ subject: '/CN=a.example.org', extensions: ['subjectAltName=DNS:a.example.org', 'basicConstraints=critical,CA:TRUE'] })
          .csr,
      ),
    ).toMatchObject({ status: 400, fields: [{ field: 'csr', says: expect.stringContaining('CA:TRUE') }] })
    expect(await ask(csrOf('a.example.org'), { values: { UPN: ['administrator@acme.example'] } })).toMatchObject({
      status: 400,
      fields: [{ field: 'values.UPN' }],
    })
    const { requestId } = await visitor.send(calls.request, { templateId: opened, csr: csrOf(newName()), values: {} })
    // What a visitor adds beside the draft is refused, and not passed by.
    const sent = await fetch(house.origin + calls.request.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: [...visitor.cookies].map((pair) => pair.join('=')).join('; ') },
      body: JSON.stringify({ templateId: opened, csr: csrOf(newName()), userId: acme.bob.id, entity: 'user', issueApprovers: 0 }),
    })
    expect(sent.status).toBe(400)
    expect(await sent.json()).toMatchObject({ fields: [{ field: 'userId' }, { field: 'entity' }, { field: 'issueApprovers' }] })
    expect((await acme.bob.call(certificates.calls.approval, { requestId })).request.holder).toBe('')
    house.clock.advance(10 * 60_000)
  })

  test('who repeats a key of requests does not find what another asked for', async () => {
    const [one, two] = [await visitorOf(acme), newVisitor()]
    const { address = '' } = await acme.tenancy.administrator.call(calls.settings, {})
    await two.send(calls.openSession, { code: codeOf(address) })
    const key = { 'idempotency-key': 'the-same-key-twice' }
    const first = await one.send(calls.request, { templateId: opened, csr: csrOf(newName()) }, key)
    const second = await two.send(calls.request, { templateId: opened, csr: csrOf(newName()) }, key)
    expect(second.requestId).not.toBe(first.requestId)
    house.clock.advance(10 * 60_000)
  })

  test('from a page of somebody else is refused', async () => {
    const visitor = await visitorOf(acme)
    expect(
      await refusal(visitor.send(calls.request, { templateId: opened, csr: csrOf(newName()) }, { origin: 'https://evil.example' })),
    ).toMatchObject({ status: 403, code: 'foreign_origin' })
  })

  test('meets a floor, also where every request is a good one', async () => {
    const visitor = await visitorOf(acme)
    house.clock.advance(10 * 60_000)
    const csr = csrOf(newName())
    const answers: string[] = []
    for (let asked = 0; asked < 25 && answers.at(-1) !== 'too_many_requests'; asked += 1)
      answers.push(
        await visitor.send(calls.request, { templateId: opened, csr }).then(
          ({ status }) => status,
          (error: unknown) => (error instanceof CallRefused ? error.code : 'unknown'),
        ),
      )
    expect([answers.length, answers.at(-1)]).toEqual([21, 'too_many_requests'])
    house.clock.advance(10 * 60_000)
  })

  test('cannot bury approvers under mail: of an hour’s requests the first is told, and all of them are listed', async () => {
    const minute = 60_000
    house.clock.advance(60 * minute - (house.clock.now().getTime() % (60 * minute)) + minute)
    const visitor = await visitorOf(acme)
    const names = [newName(), newName(), newName()]
    for (const name of names) await visitor.send(calls.request, { templateId: opened, csr: csrOf(name) })
    house.clock.advance(60 * minute)
    const later = newName()
    await (await visitorOf(acme)).send(calls.request, { templateId: opened, csr: csrOf(later) })
    const { rows } = await acme.tenancy.administrator.call(mail.calls.outbox, { size: 200 })
    const toBob = (name: string) =>
      rows.filter(({ to, subject }) => to.startsWith(acme.bob.username) && subject === `Approval needed: CN=${name}`).length
    expect([...names, later].map(toBob)).toEqual([1, 0, 0, 1])
    const waiting = (await acme.bob.call(certificates.calls.searchApprovals, { waitingForMe: true, size: 200 })).rows.map(
      ({ subject }) => subject,
    )
    expect(waiting).toEqual(expect.arrayContaining(names.map((name) => `CN=${name}`)))
  })

  test('cannot bury the people here under requests', async () => {
    const visitor = await visitorOf(acme)
    await house.asOwner(
      `insert into certificate_requests select (json_populate_record(one, json_build_object('id', gen_random_uuid(), 'idempotency_key', gen_random_uuid()))).* from certificate_requests one, generate_series(1, ${mostWaiting}) where one.id = (select id from certificate_requests where tenant_id = '${acme.tenancy.id}' and requester_id = '00000000-0000-4000-8000-000000000000' and stage = 'waiting' limit 1)`,
    )
    expect(await refusal(visitor.send(calls.request, { templateId: opened, csr: csrOf(newName()) }))).toMatchObject({
      status: 429,
      code: 'tooMany',
    })
    expect(await acme.tenancy.administrator.call(calls.settings, {})).toMatchObject({
      templates: [expect.stringContaining('Open')],
      address: expect.stringMatching(/\/anonymousportal\?code=[\w-]{65}$/),
    })
  })
})
