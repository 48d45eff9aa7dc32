// One's own certificates, for everybody: without the permission to see those of others.

import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessions } from '#areas/sessions/contract.ts'
import { users } from '#areas/users/contract.ts'
import { inTenant } from '#core/server/database.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { certificates } from '../../contract.ts'
import { setAllRevoked } from '../../service.ts'
import { openIssuing, openIssuingHouse } from '../issuing.fixture.ts'

const { calls } = certificates
const { house, tools, pki, close } = await openIssuingHouse()
afterAll(close)

let holder: TestPerson
const device = async (person: TestPerson, name: string) => {
  const { csr } = tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] })
  return (
    (await person.call(calls.requestForDevice, { templateId: pki.template['Device'] ?? '', csr, values: { DNS: [name] } })).certificateId ??
    ''
  )
}
const own = async (person: TestPerson, input: object = {}) => (await person.call(calls.own, input)).rows
const names = async (person: TestPerson, input?: object) => (await own(person, input)).map(({ name }) => name)

beforeAll(async () => {
  holder = await pki.tenancy.person({ permissions: ['certSigningRequest', 'selfServicePortal'] })
})

describe('My certificates', () => {
  test('are none at first', async () => {
    expect(await holder.call(calls.own, {})).toMatchObject({ rows: [], total: 0 })
  })

  test('are what I hold and the devices that I asked for, newest first, with the request of each', async () => {
    const first = await device(holder, 'first.example.org')
    house.clock.advance(1000)
    const held = await pki.addTemplate('User', {
      selfServiceEligible: true,
      issueApprovers: 0,
      extensions: {
        certificateSubjects: [{ subjectField: 'CN', fieldValue: 'DisplayName' }],
        certificateSans: [],
        extendedUsages: ['clientAuth'],
      },
    })
    const { csr } = tools.csr({ subject: '/CN=x', extensions: [] })
    const mine = await holder.call(calls.request, { templateId: held, csr, entity: 'user' })
    await device(pki.ada, 'others.example.org')
    const rows = await own(holder)
    expect(rows.map(({ certificateId }) => certificateId)).toEqual([mine.certificateId, first])
    expect(rows).toMatchObject([
      { entity: 'user', requestId: mine.requestId, status: 'active', renewed: false },
      { entity: 'device', name: 'first.example.org' },
    ])
    expect(await names(holder, { text: 'FIRST' })).toEqual(['first.example.org'])
    expect(await names(holder, { text: rows[1]?.serialNumber.toUpperCase().replaceAll(/(..)(?=.)/g, '$1:') })).toEqual([
      'first.example.org',
    ])
    const der = Buffer.from((await holder.call(calls.download, { certId: first, format: 'der' })).content, 'base64')
    for (const algorithm of ['sha1', 'sha256'])
      expect(await names(holder, { text: hash(algorithm, der).replaceAll(/(..)(?=.)/g, '$1:') })).toEqual(['first.example.org'])
    expect(await names(holder, { text: 'subject=CN = first.example.org' })).toEqual(['first.example.org'])
    expect(await names(holder, { text: 'CN=others.example.org' })).toEqual([])
    // No part of any name, and no digit of a number.
    expect(await names(holder, { text: ': :' })).toEqual([])
    expect(await names(holder, { sort: 'notAfter', direction: 'asc', size: 10, page: 2 })).toEqual([])
  })

  test('are found by what they are now', async () => {
    const gone = await device(holder, 'gone.example.org')
    await inTenant(house.house.database, pki.tenancy.id, (db) =>
      setAllRevoked(db, pki.tenancy.id, [gone], { reason: 'superseded', at: house.clock.now() }),
    )
    expect(await names(holder, { status: ['revoked'] })).toEqual(['gone.example.org'])
    expect(await names(holder, { status: ['active', 'expiring'] })).not.toContain('gone.example.org')
  })

  test('can be downloaded by whoever holds them or asked for them, and are not there for others', async () => {
    const certId = await device(holder, 'file.example.org')
    const { content, fileName } = await holder.call(calls.download, { certId, format: 'pem' })
    expect(fileName).toBe('file.example.org.pem')
    expect(tools.run('x509', '-noout', '-subject', '-in', tools.write(Buffer.from(content, 'base64')))).toContain('file.example.org')
    await expect(pki.eve.call(calls.download, { certId, format: 'pem' })).rejects.toMatchObject({ status: 404, code: 'noSuchCertificate' })
    expect((await pki.bob.call(calls.download, { certId, format: 'pem' })).content).toBe(content)
  })
})

test('The serial numbers of what a person holds stand in the viewer object, and keep the account from being deleted', async () => {
  const serials = async () => (await holder.call(sessions.calls.legacyLogin, {}))[0]?.certSerialNumbers
  const held = (await own(holder)).filter(({ entity, status }) => entity === 'user' && status === 'active')
  expect(held.length).toBeGreaterThan(0)
  expect(await serials()).toEqual(held.map(({ serialNumber }) => serialNumber))
  const { administrator } = pki.tenancy
  await expect(administrator.call(users.calls.remove, { id: holder.id })).rejects.toThrow(
    `dependants: Something still depends on the user and is ended first: valid certificates: ${held.length}`,
  )
})

test('What a person has asked for in a tenancy that the own one manages keeps the account from being deleted, too', async () => {
  const below = await openIssuing(house, tools, 'Below')
  const templateId = await below.addTemplate('Device', { issueApprovers: 1 })
  const visitor = await pki.tenancy.person({ permissions: ['certSigningRequest', 'tenancyConfig'] })
  const page = await visitor.session()
  await page.call(sessions.calls.switchTenancy, { tenantId: below.tenancy.id })
  const { csr } = tools.csr({ subject: '/CN=visited.example.org', extensions: ['subjectAltName=DNS:visited.example.org'] })
  await page.call(calls.requestForDevice, { templateId, csr, values: { DNS: ['visited.example.org'] } })
  await expect(pki.tenancy.administrator.call(users.calls.remove, { id: visitor.id })).rejects.toThrow('open requests in Below: 1')
})
