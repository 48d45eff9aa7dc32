import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuing, openSsl, type IssuingFixture, type OpenSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { mail } from '#areas/mail/contract.ts'
import { addToken } from '#areas/sessions/service.ts'
import { inTenant } from '#core/server/database.ts'
import { caller } from '#core/testing/caller.ts'
import { refusal, useHouse, type TestPerson } from '#core/testing/house.ts'
import { enrolment } from '../contract.ts'
import { isDue, requestKey } from '../rules.ts'

const { calls } = enrolment

let tools: OpenSsl
let pki: IssuingFixture
let rita: TestPerson
let grace: TestPerson
let roleId: string
let forUsers: string
let forDevices: string

const house = await useHouse()
beforeAll(async () => {
  tools = openSsl()
  pki = await openIssuing(house, tools, 'Acme')
  rita = await pki.tenancy.person({ permissions: ['autoEnrollTemplateRules', 'certSigningRequest'], username: 'rita' })
  grace = await pki.tenancy.person({ permissions: ['certView'], username: 'grace', givenName: 'Grace', familyName: 'Hopper' })
  forUsers = await pki.addTemplate('User', { class: 'AUTONENROLLUSER', issueApprovers: 0 })
  forDevices = await pki.addTemplate('Device', { class: 'AUTONENROLLDEVICE', issueApprovers: 1 })
  roleId = (await rita.call(calls.choices, {})).roles.find(({ name }) => name === 'Role of grace')?.id ?? ''
})
afterAll(async () => {
  tools.close()
})

const outcomes = async (id: string) => (await rita.call(calls.outcomes, { id })).rows
const mails = async () =>
  (await pki.tenancy.administrator.call(mail.calls.outbox, {})).rows.filter(({ subject }) => subject === 'A certificate is ready for you')
const requestsOf = async (person: TestPerson) => (await person.call(certificates.calls.requests, {})).rows

describe('A rule for people', () => {
  let id: string

  test('names a template for auto-enrolment, and roles of this tenancy', async () => {
    expect((await rita.call(calls.choices, {})).templates.map(({ templateId, entity }) => [templateId, entity])).toEqual(
      expect.arrayContaining([
        [forUsers, 'user'],
        [forDevices, 'device'],
      ]),
    )
    expect(
      (await refusal(rita.call(calls.add, { name: 'Wrong', entity: 'user', templateId: pki.template['User'] ?? '' }))).fields,
    ).toMatchObject([{ field: 'templateId' }])
    expect((await refusal(rita.call(calls.add, { name: 'Wrong', entity: 'user', templateId: forDevices }))).fields).toMatchObject([
      { field: 'templateId' },
    ])
    expect(
      (await refusal(rita.call(calls.add, { name: 'Wrong', entity: 'user', templateId: forUsers, roleIds: [pki.caId] }))).fields,
    ).toMatchObject([{ field: 'roleIds' }])
    id = (await rita.call(calls.add, { name: 'Everyday', entity: 'user', templateId: forUsers, roleIds: [roleId], renewDays: 30 })).id
    expect(await refusal(rita.call(calls.add, { name: 'EVERYDAY', entity: 'user', templateId: forUsers }))).toMatchObject({
      status: 409,
      code: 'nameTaken',
    })
  })

  test('asks for those who have the role, once, and tells them', async () => {
    expect(await rita.call(calls.run, { id })).toEqual({ held: 0, requested: 1, refused: 0 })
    expect(await requestsOf(grace)).toMatchObject([{ status: 'incomplete', requester: 'grace' }])
    expect(await outcomes(id)).toMatchObject([{ name: 'Grace Hopper', state: 'requested', reason: 'Ready to collect' }])
    expect(await mails()).toHaveLength(1)
    await Promise.all([house.runJob(enrolment.jobs.run), rita.call(calls.run, { id })])
    expect(await requestsOf(grace)).toHaveLength(1)
    expect(await mails()).toHaveLength(1)
  })

  test('is content once the person has collected, and asks again before the end', async () => {
    const [request] = await requestsOf(grace)
    await grace.call(certificates.calls.collectKey, { requestId: request?.requestId ?? '', password: 'correct horse battery' })
    expect(await rita.call(calls.run, { id })).toEqual({ held: 1, requested: 0, refused: 0 })
    expect((await rita.call(calls.search, {})).rows).toMatchObject([{ name: 'Everyday', counts: { held: 1, requested: 0, refused: 0 } }])
    house.clock.advance(340 * 86_400_000)
    expect(await rita.call(calls.run, { id })).toEqual({ held: 0, requested: 1, refused: 0 })
    expect(await requestsOf(grace)).toHaveLength(2)
  })

  test('says why it could not, and tries anew', async () => {
    const keyless = await pki.addTemplate('User', {
      class: 'AUTONENROLLUSER',
      extensions: {
        certificateSubjects: [
          { subjectField: 'CN', fieldValue: 'CommonName' },
          { subjectField: 'title', fieldValue: 'Title' },
        ],
        certificateSans: [],
        extendedUsages: ['clientAuth'],
      },
    })
    const { id: titled } = await rita.call(calls.add, { name: 'Titled', entity: 'user', templateId: keyless, roleIds: [roleId] })
    expect(await rita.call(calls.run, { id: titled })).toEqual({ held: 0, requested: 0, refused: 1 })
    expect((await outcomes(titled))[0]).toMatchObject({
      state: 'refused',
      reason: "The person's record has no title, which the template puts into the certificate",
    })
  })

  test('switched off does nothing', async () => {
    const { version, ...rule } = await rita.call(calls.get, { id })
    await rita.call(calls.edit, { ...rule, version, enabled: false })
    expect(await refusal(rita.call(calls.run, { id }))).toMatchObject({ status: 409, code: 'off' })
    expect(await refusal(rita.call(calls.edit, { ...rule, version }))).toMatchObject({ code: 'conflict' })
    await rita.call(calls.remove, { id })
    expect(await refusal(rita.call(calls.get, { id }))).toMatchObject({ status: 404 })
  })
})

describe('A rule for devices', () => {
  let id: string

  test('asks in the name of its maker, and others approve', async () => {
    expect(
      (await refusal(rita.call(calls.add, { name: 'Racks', entity: 'device', templateId: forDevices, deviceNames: ['bad_name'] }))).fields,
    ).toMatchObject([{ field: 'deviceNames.0' }])
    id = (
      await rita.call(calls.add, {
        name: 'Racks',
        entity: 'device',
        templateId: forDevices,
        deviceNames: ['Rack1.example.org', 'rack2.example.org'],
      })
    ).id
    expect(await rita.call(calls.run, { id })).toEqual({ held: 0, requested: 2, refused: 0 })
    const rows = await requestsOf(rita)
    expect(rows.map(({ subject, status }) => [subject, status]).sort()).toEqual([
      ['CN=rack1.example.org', 'under_submission'],
      ['CN=rack2.example.org', 'under_submission'],
    ])
    const denied = rows.find(({ subject }) => subject === 'CN=rack2.example.org')
    await pki.bob.call(certificates.calls.decide, { requestId: denied?.requestId ?? '', round: 1, verdict: 'deny', comment: 'Scrapped' })
    expect(await rita.call(calls.run, { id })).toEqual({ held: 0, requested: 1, refused: 1 })
    expect((await outcomes(id))[1]).toMatchObject({
      name: 'rack2.example.org',
      state: 'refused',
      reason: expect.stringContaining('Scrapped'),
    })
    expect(await requestsOf(rita)).toHaveLength(2)
  })

  test('stops where its maker may not ask any more', async () => {
    const quit = await pki.tenancy.person({ permissions: ['autoEnrollTemplateRules'] })
    const { id: orphan } = await quit.call(calls.add, {
      name: 'Orphan',
      entity: 'device',
      templateId: forDevices,
      deviceNames: ['rack9.example.org'],
    })
    expect(await quit.call(calls.run, { id: orphan })).toEqual({ held: 0, requested: 0, refused: 1 })
    expect((await outcomes(orphan))[0]?.reason).toContain('may not ask for certificates of devices')
  })

  test('is nobody else’s', async () => {
    const other = await (await house.tenancy('Other')).person({ permissions: 'all' })
    expect((await other.call(calls.search, {})).rows).toEqual([])
    for (const call of [calls.get, calls.run, calls.outcomes, calls.remove])
      expect(await refusal(other.call(call, { id }))).toMatchObject({ status: 404 })
  })
})

test('a certificate is due without one, and within so many days of its end', () => {
  const now = new Date('2026-01-31T00:00:00Z')
  expect(isDue(undefined, 0, now)).toBe(true)
  expect(isDue({ notAfter: new Date('2026-03-02T00:00:00Z') }, 30, now)).toBe(true)
  expect(isDue({ notAfter: new Date('2026-03-02T00:00:01Z') }, 30, now)).toBe(false)
  expect(requestKey({ id: 'r', version: 2 }, 's', undefined)).not.toBe(requestKey({ id: 'r', version: 3 }, 's', undefined))
})

test('A token sets up no rule with the scope of rules alone, because a rule asks with all that its maker may do', async () => {
  const expiresAt = new Date(house.clock.now().getTime() + 86_400_000)
  const by = async (...scopes: string[]) => {
    const { token } = await inTenant(house.house.database, rita.tenantId, (db) =>
      addToken(db, { tenantId: rita.tenantId, userId: rita.id, name: '', scopes, expiresAt }, house.clock.now()),
    )
    return caller(house.origin, { authorization: `Bearer ${token}` })
  }
  const draft = { name: 'By token', entity: 'device' as const, templateId: forDevices, deviceNames: ['rack9.example.org'] }
  const alone = await by('autoEnrollTemplateRules')
  expect(await refusal(alone.call(calls.add, draft))).toMatchObject({ status: 403, code: 'denied' })
  expect((await alone.call(calls.search, {})).total).toBeGreaterThan(0)
  expect(await (await by('autoEnrollTemplateRules', 'certSigningRequest')).call(calls.add, draft)).toHaveProperty('id')
})
