// The group policies of a real domain (Samba as its controller): versions and links by LDAP, settings by SMB.

import { Attribute, Change } from 'ldapts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { directories } from '#areas/directories/contract.ts'
import { defaultFilter, defaultMapping } from '#areas/directories/mapping.ts'
import { groupPolicy } from '#areas/groupPolicy/contract.ts'
import { refusal } from '#core/testing/caller.ts'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { writeRegistryPol } from '#standards/group-policy/registry-pol.fixture.ts'
import { host, openDomain, policiesIn, reader, root, type Domain } from '../support/domain-controller.ts'

const guid = '31b2f340-016d-11d2-945f-00c04fb984f9'
const { domains, refresh, search, view } = groupPolicy.calls

let domain: Domain
let house: TestHouse
let ada: TestPerson
let directoryId: string
let files: string

beforeAll(async () => {
  domain = await openDomain({
    services: 's3fs,ldap,winbindd,rpc,cldap',
    ports: [636, 445],
    prepare(place) {
      files = `${policiesIn(place)}/{${guid.toUpperCase()}}`
      writePolicy(1)
    },
  })
  house = await openTestHouse({ settings: { CHANCERY_OUTWARD_ALLOW: host, CHANCERY_SMBCLIENT: '/usr/bin/smbclient' } })
  const acme = await house.tenancy('Acme')
  ada = acme.administrator
  ;({ id: directoryId } = await ada.call(directories.calls.add, {
    name: 'Corp',
    kind: 'activeDirectory',
    host,
    port: 636,
    security: 'ldaps',
    roots: domain.certificate,
    bindDn: reader.dn,
    password: reader.password,
    baseDn: root,
    filter: defaultFilter.activeDirectory,
    mapping: defaultMapping.activeDirectory,
  }))
})

afterAll(async () => {
  await house?.close()
  domain?.stop()
})

function writePolicy(autoEnrolment: number): void {
  const key = 'Software\\Policies\\Microsoft\\Cryptography\\AutoEnrollment'
  mkdirSync(`${files}/MACHINE`, { recursive: true })
  writeFileSync(`${files}/MACHINE/Registry.pol`, writeRegistryPol([{ key, name: 'AEPolicy', number: autoEnrolment }]))
}

test('Every policy of the domain is read with its links, and what says the same is not kept twice', async () => {
  expect(await ada.call(domains, {})).toEqual({ domains: [{ id: directoryId, name: 'Corp' }] })
  const session = await ada.session()
  expect(await session.call(refresh, { directoryId })).toEqual({ read: 2, unchanged: 0, skipped: [] })
  const [row] = (await ada.call(search, { text: guid })).rows
  const first = await ada.call(view, { id: row?.id ?? '' })
  expect(first).toMatchObject({
    name: 'Default Domain Policy',
    autoEnrolment: [{ side: 'computer', verdict: 'partial' }],
    domain: { name: 'corp.example', state: 'enabled', links: [{ path: root, order: 1, enabled: true, enforced: false }] },
  })
  expect(await session.call(refresh, { directoryId })).toEqual({ read: 0, unchanged: 2, skipped: [] })
  writePolicy(7)
  house.clock.advance(1_000)
  expect(await session.call(refresh, { directoryId })).toMatchObject({ read: 1, unchanged: 1 })
  const second = await ada.call(view, { id: first.id })
  expect(second.autoEnrolment).toEqual([{ side: 'computer', verdict: 'full' }])
  expect(second.changes).toMatchObject([{ name: 'AEPolicy', before: '1', after: '7' }])
})

test('Files that stand on another server are not fetched, and a file that is cut keeps no other policy from being read', async () => {
  writeFileSync(`${files}/MACHINE/Registry.pol`, Buffer.from('PReg\u0001\0\0\0[', 'latin1'))
  const other = '6ac1786c-016f-11d2-945f-00c04fb984f9'
  const name = `CN={${other.toUpperCase()}},CN=Policies,CN=System,${root}`
  const values = [`\\\\evil.example\\sysvol\\corp.example\\Policies\\{${other}}`]
  await domain.administer((client) =>
    client.modify(name, new Change({ operation: 'replace', modification: new Attribute({ type: 'gPCFileSysPath', values }) })),
  )
  const { skipped, read } = await (await ada.session()).call(refresh, { directoryId })
  expect(read).toBe(0)
  expect(skipped).toContainEqual({
    name: 'Default Domain Controllers Policy',
    reason: 'Its files stand on another server than those of the domain',
  })
  expect(skipped.find((one) => one.name === 'Default Domain Policy')?.reason).toMatch(/byte/)
})

test('Somebody of another tenancy reads nothing by it', async () => {
  const globex = await house.tenancy('Globex')
  const session = await globex.administrator.session()
  expect(await refusal(session.call(refresh, { directoryId }))).toMatchObject({ status: 404 })
  expect(await globex.administrator.call(domains, {})).toEqual({ domains: [] })
})
