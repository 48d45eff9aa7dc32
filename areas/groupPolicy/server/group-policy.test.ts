import { on } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allOfTenancy } from '#areas/authorities/service.ts'
import { openIssuing, openSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { directories } from '#areas/directories/contract.ts'
import { defaultFilter, defaultMapping } from '#areas/directories/mapping.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { audited } from '#core/testing/events.ts'
import { refusal, useHouse, type TestPerson } from '#core/testing/house.ts'
import { groupPolicy } from '../contract.ts'
import { packBackup, zip } from '../pack-backup.fixture.ts'

const house = await useHouse({ settings: { CHANCERY_OUTWARD_ALLOW: '127.0.0.0/8', CHANCERY_OUTWARD_PORTS: '1024-65535' } })
const tools = openSsl()
afterAll(() => tools.close())
const pki = await openIssuing(house, tools, 'Acme')
let ada: TestPerson
let stranger: TestPerson
let root: Uint8Array

beforeAll(async () => {
  ada = await pki.tenancy.person({ permissions: ['searchGroupPolicy', 'ssoConfig'], username: 'ada.policy' })
  stranger = (await house.tenancy('Globex')).administrator
  const all = await withTenancy(house.house, pki.tenancy.id, ({ db, tenantId, now }) => allOfTenancy(db, tenantId, now))
  root = all.find(({ kind, certificate }) => kind === 'root' && certificate !== undefined)?.certificate ?? expect.fail('there is no root')
})

const { view, search, refresh, remove } = groupPolicy.calls
const guid = '31b2f340-016d-11d2-945f-00c04fb984f9'

async function upload(bytes: Uint8Array, who = ada): Promise<{ status: number; id?: string; fields?: { says: string }[] }> {
  const response = await (
    await who.session()
  ).fetch(`${groupPolicy.endpoints.upload.path}?name=b.zip`, {
    method: 'POST',
    headers: { 'x-chancery-tenancy': who.tenantId },
    body: new Uint8Array(bytes),
  })
  return { status: response.status, ...((await response.json()) as object) }
}

test('A backup says in words what it sets, whether it distributes our root, and what changed since the last reading', async () => {
  const { id = '' } = await upload(packBackup({ name: 'Default Domain Policy', guid, autoEnrolment: 1, cpassword: true }))
  const first = await ada.call(view, { id })
  expect(first).toMatchObject({ name: 'Default Domain Policy', guid, reading: { computerVersion: 3, userVersion: 1 }, changes: [] })
  expect(first.autoEnrolment).toEqual([{ side: 'computer', verdict: 'partial' }])
  expect(first.missingRoots).toHaveLength(1)
  expect(first.findings).toEqual([{ kind: 'password', file: 'Groups.xml' }])
  expect(JSON.stringify(first)).not.toContain('j1Uyj3')
  expect(first.scripts).toMatchObject([{ name: 'mount.cmd' }])
  expect(first.areas.flatMap(({ settings }) => settings)).toContainEqual({
    path: 'System Access',
    name: 'MinimumPasswordLength',
    value: '12',
    says: 'Shortest password',
  })
  house.clock.advance(1_000)
  const again = await upload(packBackup({ name: 'Default Domain Policy', guid, roots: [root], minimumPasswordLength: 14 }))
  expect(again.id).toBe(id)
  const second = await ada.call(view, { id })
  expect(second.missingRoots).toEqual([])
  expect(second.certificates).toMatchObject([{ store: 'Root', verdict: 'current', authorityId: expect.any(String) }])
  expect(second.changes).toContainEqual({ path: 'System Access', name: 'MinimumPasswordLength', before: '12', after: '14' })
  expect((await ada.call(view, { id, reading: first.reading.id })).changes).toEqual([])
  expect((await ada.call(search, { text: guid })).rows).toMatchObject([{ readings: 2 }])
  const names = (await audited(house, pki.tenancy.id)).filter(({ about }) => about === id).map(({ name }) => name)
  expect(names.filter((name) => name === 'read')).toHaveLength(2)
})

test('A file that is none, is cut, or names a place outside is refused with the reason, and nothing of it is kept', async () => {
  const whole = packBackup({ name: 'Cut', guid })
  const refused = async (bytes: Uint8Array, says: RegExp) => {
    const answer = await upload(bytes)
    expect(answer.status).toBe(400)
    expect(answer.fields?.[0]?.says).toMatch(says)
  }
  await refused(Buffer.from('hello'), /no ZIP file/)
  await refused(whole.subarray(0, whole.length - 5), /no ZIP file/)
  await refused(zip({ 'readme.txt': 'hello' }), /which group policy/)
  await refused(zip({ [`{${guid}}/readme.txt`]: 'hello' }), /no group policy/)
  await refused(zip({ [`../{${guid}}/Machine/registry.pol`]: 'PReg' }), /no Registry\.pol/)
  await refused(
    zip({ [`{${guid}}/Machine/registry.pol`]: Buffer.concat([Buffer.from('PReg\u0001\0\0\0', 'latin1'), Buffer.from([1, 0])]) }),
    /byte 8/,
  )
  expect((await ada.call(search, { text: 'Cut' })).rows).toEqual([])
})

test('Another tenancy, and who lacks the permission, see nothing of it', async () => {
  const { id = '' } = await upload(packBackup({ name: 'Ours' }))
  await expect(stranger.call(view, { id })).rejects.toMatchObject({ status: 404 })
  await expect((await stranger.session()).call(remove, { id })).rejects.toMatchObject({ status: 404 })
  const nobody = await pki.tenancy.person({ permissions: ['certView'] })
  expect((await upload(packBackup({ name: 'Theirs' }), nobody)).status).toBe(403)
  // Who only sees group policies keeps none and deletes none.
  const reader = await pki.tenancy.person({ permissions: ['searchGroupPolicy'] })
  expect((await reader.call(view, { id })).name).toBe('Ours')
  expect((await upload(packBackup({ name: 'Theirs' }), reader)).status).toBe(403)
  await expect((await reader.session()).call(remove, { id })).rejects.toMatchObject({ status: 403 })
  // A token whose scope only lets its owner see keeps nothing.
  const byToken = await ada.fetch(`${groupPolicy.endpoints.upload.path}?name=b.zip`, {
    method: 'POST',
    body: new Uint8Array(packBackup({ name: 'T' })),
  })
  expect(byToken.status).toBe(403)
  await (await ada.session()).call(remove, { id })
  await expect(ada.call(view, { id })).rejects.toMatchObject({ status: 404 })
})

test('One reading of a domain is under way at a time, and one that failed holds nobody off', async () => {
  const { server, port, meets } = await openSilence()
  const directoryId = await addDirectory(port)
  const session = await ada.session()
  const first = refusal(session.call(refresh, { directoryId }))
  const socket = await meets()
  expect(await refusal(session.call(refresh, { directoryId }))).toMatchObject({ status: 409, code: 'running' })
  socket.destroy()
  server.close()
  expect(await first).toMatchObject({ code: 'unreachable' })
  expect(await refusal(session.call(refresh, { directoryId }))).toMatchObject({ code: 'unreachable' })
})

test('A reading that took too long ends without letting a third one in beside the second', async () => {
  const { server, port, meets } = await openSilence()
  const directoryId = await addDirectory(port)
  const first = refusal((await ada.session()).call(refresh, { directoryId }))
  const socket = await meets()
  house.clock.advance(10 * 60_000)
  const session = await ada.session()
  const second = refusal(session.call(refresh, { directoryId }))
  const later = await meets()
  socket.destroy()
  expect(await first).toMatchObject({ code: 'unreachable' })
  expect(await refusal(session.call(refresh, { directoryId }))).toMatchObject({ code: 'running' })
  later.destroy()
  server.close()
  expect(await second).toMatchObject({ code: 'unreachable' })
})

async function addDirectory(port: number): Promise<string> {
  const { id } = await pki.tenancy.administrator.call(directories.calls.add, {
    name: `Corp ${port}`,
    kind: 'activeDirectory',
    host: '127.0.0.1',
    port,
    security: 'ldaps',
    bindDn: 'CN=reader,DC=corp,DC=example',
    password: 'secret',
    baseDn: 'DC=corp,DC=example',
    filter: defaultFilter.activeDirectory,
    mapping: defaultMapping.activeDirectory,
  })
  return id
}

/** A controller that takes connections and says nothing, until it ends them; `meets` answers the next one that came. */
async function openSilence() {
  const server = createServer()
  const connections = on(server, 'connection')
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const meets = async () => ((await connections.next()).value as [Socket])[0]
  return { server, port: (server.address() as AddressInfo).port, meets }
}
