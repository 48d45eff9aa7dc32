import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { roles } from '#areas/roles/contract.ts'
import { users } from '#areas/users/contract.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { directories } from '../contract.ts'
import { defaultFilter, defaultMapping } from '../mapping.ts'
import type { WriteAction } from '../write-texts.ts'
import { base, openDirectory, person, writer, writerPassword, type LittleDirectory } from './slapd.fixture.ts'

const house = await useHouse({ settings: { CHANCERY_OUTWARD_ALLOW: '127.0.0.1', CHANCERY_OUTWARD_PORTS: '1024-65535' } })
const { add, change, plan, readPlan, approve, planWrite, runWrite, writes, listUsers } = directories.calls
let acme: TestTenancy
let ada: TestPerson
let slapd: LittleDirectory
let directoryId: string
const people = `ou=people,${base}`
const left = `ou=left,${base}`

const draft = () => ({
  name: 'Head office',
  kind: 'ldap' as const,
  host: '127.0.0.1',
  port: slapd.securePort,
  security: 'ldaps' as const,
  roots: slapd.certificate,
  bindDn: writer,
  password: writerPassword,
  baseDn: base,
  filter: defaultFilter.ldap,
  mapping: defaultMapping.ldap,
  writable: true,
  peopleBase: people,
})

beforeAll(async () => {
  slapd = await openDirectory()
  slapd.modify(`dn: ${left}
changetype: add
objectClass: organizationalUnit
ou: left

dn: cn=desk,${base}
changetype: add
objectClass: groupOfNames
cn: desk
member: ${writer}

${person('mary')}`)
  acme = await house.tenancy('Acme')
  ada = acme.administrator
  directoryId = (await ada.call(add, draft())).id
  const { planId } = await ada.call(plan, { directoryId })
  await ada.call(approve, { planId })
  await house.runJob(directories.jobs.run)
})
afterAll(() => slapd.stop())

const found = async (text: string) => (await ada.call(users.calls.search, { text })).rows[0]?.id ?? ''
const inDirectory = async (text: string) => (await ada.call(listUsers, { text })).users
const drawn = (userId: string, action: WriteAction, target = '') => ada.call(planWrite, { userId, directoryId, action, target })
async function done(userId: string, action: WriteAction, target = '') {
  return ada.call(runWrite, { id: (await drawn(userId, action, target)).id })
}
const syncs = async () => (await ada.call(readPlan, { planId: (await ada.call(plan, { directoryId })).planId })).rows

describe('A change in a directory', () => {
  test('is shown first and changes nothing, then is made exactly so', async () => {
    const id = await found('mary@example.org')
    const { username, givenName, familyName, emailAddress } = await ada.call(users.calls.read, { id })
    await ada.call(users.calls.change, { id, username, givenName, familyName, emailAddress, title: 'Clerk', telephoneNumber: '+61 2' })
    const planned = await drawn(id, 'update')
    expect(planned).toMatchObject({
      dn: `uid=mary,${people}`,
      state: 'planned',
      changes: [
        { name: 'telephoneNumber', before: '', after: '+61 2' },
        { name: 'title', before: '', after: 'Clerk' },
      ],
    })
    expect(await drawn(id, 'update')).toMatchObject({ changes: planned.changes })
    expect(await ada.call(runWrite, { id: planned.id })).toMatchObject({ state: 'done', says: '' })
    await expect(ada.call(runWrite, { id: planned.id })).rejects.toMatchObject({ code: 'decided' })
    await expect(drawn(id, 'update')).rejects.toMatchObject({ code: 'nothing' })
    expect((await syncs()).flatMap(({ fields }) => fields)).toEqual([])
  })

  test('is not made where something is otherwise than when it was planned', async () => {
    const id = await found('mary@example.org')
    const { username, givenName, familyName, emailAddress } = await ada.call(users.calls.read, { id })
    await ada.call(users.calls.change, { id, username, givenName, familyName, emailAddress, title: 'Chief' })
    const planned = await drawn(id, 'update')
    slapd.modify(`dn: uid=mary,${people}\nchangetype: modify\nreplace: title\ntitle: Queen\n`)
    expect(await ada.call(runWrite, { id: planned.id })).toMatchObject({ state: 'failed', says: expect.stringMatching(/Plan it again/) })
    expect((await drawn(id, 'update')).changes).toEqual([{ name: 'title', before: 'Queen', after: 'Chief' }])
  })

  test('makes an account that a sync then knows, and whose name means nothing to the directory', async () => {
    const { id } = await ada.call(users.calls.add, {
      username: 'odd',
      givenName: 'O,dd=+"\\<>;',
      familyName: '# Name ',
      emailAddress: 'odd@example.org',
    })
    await expect(drawn(id, 'update')).rejects.toMatchObject({ code: 'notLinked' })
    expect(await done(id, 'create')).toMatchObject({ state: 'done', dn: `uid=odd,${people}` })
    await expect(drawn(id, 'create')).rejects.toMatchObject({ code: 'linked' })
    expect(await ada.call(writes, { userId: id })).toMatchObject({
      directories: [{ id: directoryId, linked: true }],
      writes: [{ action: 'create', state: 'done' }],
    })
    expect((await syncs()).filter(({ kind }) => kind === 'new' || kind === 'conflict')).toEqual([])
    const { id: twin } = await ada.call(users.calls.add, {
      username: 'mary',
      givenName: 'Mary',
      familyName: 'Other',
      emailAddress: 'other@example.org',
    })
    await expect(drawn(twin, 'create')).rejects.toMatchObject({ code: 'exists' })
  })

  test('disables and enables, puts into a group and takes out, moves and deletes', async () => {
    const id = await found('mary@example.org')
    expect(await done(id, 'disable')).toMatchObject({ state: 'done', changes: [{ name: 'pwdAccountLockedTime' }] })
    expect((await syncs()).map(({ kind }) => kind)).toContain('disabled')
    expect(await done(id, 'enable')).toMatchObject({ state: 'done' })
    await expect(drawn(id, 'enable')).rejects.toMatchObject({ code: 'already' })
    expect(await done(id, 'join', `cn=desk,${base}`)).toMatchObject({ state: 'done', dn: `cn=desk,${base}` })
    expect(await done(id, 'leave', `cn=desk,${base}`)).toMatchObject({ state: 'done' })
    await expect(drawn(id, 'join', people)).rejects.toMatchObject({ code: 'noGroup' })
    await expect(drawn(id, 'join', 'cn=desk,dc=evil')).rejects.toMatchObject({ code: 'outside' })
    await expect(drawn(id, 'move')).rejects.toMatchObject({ code: 'targetNeeded' })
    expect(await done(id, 'move', left)).toMatchObject({ state: 'done' })
    expect(await drawn(id, 'disable')).toMatchObject({ dn: `uid=mary,${left}` })
    expect(await done(id, 'move', `ou=nowhere,${base}`)).toMatchObject({ state: 'failed', says: 'There is nothing under this base' })
    expect(await done(id, 'delete')).toMatchObject({ state: 'done' })
    expect((await inDirectory('')).map(({ distinguishedName }) => distinguishedName)).not.toContain(`uid=mary,${left}`)
    expect((await ada.call(users.calls.read, { id })).enabled).toBe(true)
    expect((await syncs()).map(({ kind }) => kind)).not.toContain('missing')
  })

  test('stands in the record before it is made, and after', async () => {
    const names = (await audited(house, acme.id)).filter(({ area }) => area === 'directories').map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['writing', 'wrote', 'notWritten']))
  })

  test('is refused of who holds more, in a directory that is not open for it, and to whoever did not plan it', async () => {
    const id = await found('odd@example.org')
    const officer = await acme.person({ permissions: ['ssoConfig'] })
    const clerk = await acme.person({ permissions: ['userView', 'userEdit'] })
    const { id: planned } = await drawn(id, 'disable')
    await expect(clerk.call(planWrite, { userId: id, directoryId, action: 'delete' })).rejects.toMatchObject({ status: 403 })
    await expect(clerk.call(writes, { userId: id })).rejects.toMatchObject({ status: 403 })
    await expect(officer.call(planWrite, { userId: officer.id, directoryId, action: 'create' })).rejects.toMatchObject({
      code: 'ownAccount',
    })
    await expect(officer.call(runWrite, { id: planned })).rejects.toMatchObject({ code: 'anotherPerson' })
    const { id: roleId } = await ada.call(roles.calls.add, { name: 'Keys', description: '', view: [], menu: [], api: ['manageCAs'] })
    const { username, givenName, familyName, emailAddress } = await ada.call(users.calls.read, { id })
    await ada.call(users.calls.change, { id, username, givenName, familyName, emailAddress, roleIds: [roleId] })
    await expect(officer.call(planWrite, { userId: id, directoryId, action: 'delete' })).rejects.toMatchObject({ code: 'beyondPerson' })
    const { password: _, ...rest } = draft()
    await ada.call(change, { id: directoryId, ...rest, writable: false })
    await expect(ada.call(runWrite, { id: planned })).rejects.toMatchObject({ code: 'notWritable' })
    expect((await ada.call(writes, { userId: id })).directories).toEqual([])
    const globex = (await house.tenancy('Globex')).administrator
    await expect(globex.call(writes, { userId: id })).rejects.toMatchObject({ status: 404 })
  })
})
