// A licence with an end, past which nothing is issued at any door, while all that was issued lives on.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openSsl, type OpenSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { health } from '#areas/health/contract.ts'
import { renewal } from '#areas/renewal/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { audited } from '#core/testing/events.ts'
import { noonOfYesterday, refusal, useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { licensing } from '../contract.ts'

const { calls } = licensing
const day = 86_400_000

let tools: OpenSsl
let branch: TestTenancy
let owner: TestPerson
let asker: TestPerson
let approver: TestPerson
let headId: string
let caId: string
let atOnce: string
let approved: string

const house = await useHouse({ now: noonOfYesterday() })
beforeAll(async () => {
  tools = openSsl()
  const head = await house.tenancy('Head office')
  headId = head.id
  branch = await house.tenancy('Branch')
  owner = await head.person({ permissions: 'all' })
  asker = await branch.person({ permissions: 'all', username: 'asker' })
  approver = await branch.person({ permissions: 'all', username: 'approver' })
  caId = (
    await owner.call(authorities.calls.create, {
      kind: 'root',
      friendlyName: 'Group Root',
      subject: { CN: 'Group Root' },
      keyAlgorithm: 'P-256',
    })
  ).caId
  const add = async (templateName: string, issueApprovers: number) =>
    (
      await owner.call(templates.calls.add, {
        templateName,
        caId,
        class: 'DEVICE',
        issueApprovers,
        extensions: { certificateSans: [{ sanField: 'DNS', fieldValue: 'DNS' }], extendedUsages: ['serverAuth'], ignoreCsrDetails: false },
        rules: { keys: ['P-256'], allowedDomains: ['*.example.org'] },
      })
    ).templateId
  atOnce = await add('AtOnce', 0)
  approved = await add('Approved', 1)
  await owner.call(calls.licenseAuthority, { tenantId: branch.id, caId, enabled: true })
  for (const templateId of [atOnce, approved]) await owner.call(calls.licenseTemplate, { tenantId: branch.id, templateId, enabled: true })
})
afterAll(async () => {
  tools.close()
})

const dayIn = (days: number): string => new Date(house.clock.now().getTime() + days * day).toISOString().slice(0, 10)
const wish = (templateId: string, dns: string) => ({
  templateId,
  csr: tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`] }).csr,
})
const ask = (templateId: string, dns: string) => asker.call(certificates.calls.requestForDevice, wish(templateId, dns))
const licensed = () =>
  asker
    .call(calls.templates, { origin: 'licensed' })
    .then(({ rows }) => rows.map(({ templateName, granted, enabled, licence }) => [templateName, granted, enabled, licence?.state]))

describe('A licence with an end', () => {
  let certId = ''
  let waiting = ''

  test('takes days that make sense, and keeps those that a later change leaves out', async () => {
    const set = (more: object) => owner.call(calls.licenseTemplate, { tenantId: branch.id, templateId: atOnce, enabled: true, ...more })
    expect(await refusal(set({ from: dayIn(5), until: dayIn(2) }))).toMatchObject({ status: 400, fields: [{ field: 'until' }] })
    expect(await refusal(set({ until: dayIn(-1) }))).toMatchObject({ status: 400, fields: [{ field: 'until' }] })
    expect(await refusal(set({ until: 'tomorrow' }))).toMatchObject({ status: 400, fields: [{ field: 'until' }] })
    await set({ until: dayIn(60) })
    await set({})
    const shown = async () =>
      (await owner.call(calls.licences, { tenantId: branch.id })).authorities[0]?.templates.find(({ templateId }) => templateId === atOnce)
        ?.licence
    expect(await shown()).toEqual({ enabled: true, until: dayIn(60), state: 'active' })
    await set({ until: '' })
    expect(await shown()).toEqual({ enabled: true, state: 'active' })
  })

  test('is known beforehand on both sides, and what it was and is stands in both records', async () => {
    const until = dayIn(10)
    await owner.call(calls.licenseAuthority, { tenantId: branch.id, caId, enabled: true, until })
    expect((await owner.call(calls.tenants, {})).rows).toMatchObject([
      { name: 'Branch', authorities: 1, templates: 2, endsNext: until, soon: true },
    ])
    expect(await licensed()).toEqual([
      ['Approved', true, true, 'endsSoon'],
      ['AtOnce', true, true, 'endsSoon'],
    ])
    expect((await asker.call(calls.registered, { origin: 'licensed' })).rows).toMatchObject([
      { enabled: true, licence: { state: 'endsSoon', until } },
    ])
    expect((await owner.call(health.calls.authority, { caId })).licences).toEqual([{ tenancy: 'Branch', until, state: 'endsSoon' }])
    const last = async (tenantId: string, name: string) =>
      JSON.parse((await audited(house, tenantId)).findLast((event) => event.name === name)?.body ?? '{}')
    const change = { before: { enabled: true }, after: { enabled: true, until } }
    expect(await last(headId, 'authorityLicensed')).toEqual({ caId, tenantId: branch.id, ...change })
    expect(await last(branch.id, 'licenceReceived')).toEqual({ caId, ownerId: headId, ...change })
  })

  test('issues on its last day, and nothing after, whoever agreed before', async () => {
    certId = (await ask(atOnce, 'www.example.org')).certificateId ?? ''
    waiting = (await ask(approved, 'late.example.org')).requestId
    house.clock.advance(10 * day)
    expect((await ask(atOnce, 'last.example.org')).status).toBe('issued')
    house.clock.advance(day)
    expect((await asker.call(templates.calls.offered, { entity: 'device' })).templates).toEqual([])
    expect(await licensed()).toEqual([
      ['Approved', false, true, 'ended'],
      ['AtOnce', false, true, 'ended'],
    ])
    const says = expect.stringContaining(`The licence for the authority Group Root ended on ${dayIn(-1)}`)
    expect(await refusal(ask(atOnce, 'after.example.org'))).toMatchObject({ status: 400, fields: [{ field: 'templateId', says }] })
    expect(await approver.call(certificates.calls.decide, { requestId: waiting, round: 1, verdict: 'approve', comment: '' })).toMatchObject(
      { status: 'error', error: says },
    )
    expect((await asker.call(renewal.calls.info, { certId })).verdict).toMatchObject({ why: 'authority' })
  })

  test('leaves what was issued as it was: to see, to download and to revoke', async () => {
    expect((await asker.call(certificates.calls.info, { certId })).chain.map(({ name }) => name)).toEqual(['Group Root'])
    await asker.call(revocation.calls.revoke, { certId, reason: 'superseded' })
    expect((await asker.call(certificates.calls.search, { status: ['revoked'] })).rows.map(({ certificateId }) => certificateId)).toEqual([
      certId,
    ])
  })

  test('holds again once it is given a later end, and a template’s own end stands beside its authority’s', async () => {
    await owner.call(calls.licenseAuthority, { tenantId: branch.id, caId, enabled: true, until: dayIn(90) })
    await owner.call(calls.licenseTemplate, { tenantId: branch.id, templateId: atOnce, enabled: true, from: dayIn(3), until: dayIn(120) })
    expect(await licensed()).toEqual([
      ['Approved', true, true, 'active'],
      ['AtOnce', false, false, 'notYet'],
    ])
    expect(await refusal(ask(atOnce, 'early.example.org'))).toMatchObject({
      fields: [{ field: 'templateId', says: `The licence for the template AtOnce begins on ${dayIn(3)}` }],
    })
    house.clock.advance(3 * day)
    expect((await ask(atOnce, 'early.example.org')).status).toBe('issued')
    const row = (await asker.call(calls.templates, { origin: 'licensed' })).rows.find(({ templateId }) => templateId === atOnce)
    expect(row?.licence).toEqual({ enabled: true, from: dayIn(0), until: dayIn(87), state: 'active' })
  })
})
