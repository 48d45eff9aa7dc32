// People and groups of a real domain (Samba as its controller): read in full and by what was changed, and accounts changed there.

import { Attribute, Change, type Client } from 'ldapts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { directories } from '#areas/directories/contract.ts'
import { defaultFilter, defaultMapping } from '#areas/directories/mapping.ts'
import { readDomainGroups } from '#areas/directories/server/connection.ts'
import { writeTexts, type WriteAction } from '#areas/directories/write-texts.ts'
import { roles } from '#areas/roles/contract.ts'
import { users } from '#areas/users/contract.ts'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { administrator, host, openDomain, reader, root, type Domain } from '../support/domain-controller.ts'

const { add, change, read, plan, readPlan, approve, discard, planWrite, runWrite } = directories.calls
const base = `OU=Staff,${root}`
const left = `OU=Left,${base}`
const texts = writeTexts.activeDirectory
/** More than a controller of Windows gives of one attribute at once. */
const many = 1_620

let domain: Domain
let house: TestHouse
let ada: TestPerson
let directoryId: string

const named = (name: string, of = base) => `CN=${name},${of}`

/** Windows takes a password in quotes and in UTF-16. */
const passwordOf = (text: string) => new Attribute({ type: 'unicodePwd', values: [Buffer.from(`"${text}"`, 'utf16le')] })

const account = (client: Client, name: string, further: Record<string, string> = {}) =>
  client.add(named(name), [
    ...Object.entries({
      objectClass: 'user',
      sAMAccountName: name.toLowerCase(),
      givenName: name,
      sn: 'Staff',
      mail: `${name.toLowerCase()}@corp.example`,
      userAccountControl: '512',
      ...further,
    }).map(([type, value]) => new Attribute({ type, values: [value] })),
    passwordOf('Signs-3-in-there'),
  ])
const group = (client: Client, name: string, members: string[]) =>
  client.add(named(name, root), [
    new Attribute({ type: 'objectClass', values: ['group'] }),
    new Attribute({ type: 'sAMAccountName', values: [name] }),
    ...(members.length === 0 ? [] : [new Attribute({ type: 'member', values: members })]),
  ])
const replace = (client: Client, dn: string, type: string, value: string) =>
  client.modify(dn, new Change({ operation: 'replace', modification: new Attribute({ type, values: [value] }) }))

const draft = () => ({
  name: 'Corp',
  kind: 'activeDirectory' as const,
  host,
  port: 636,
  security: 'ldaps' as const,
  roots: domain.certificate,
  bindDn: administrator.dn,
  password: administrator.password,
  baseDn: base,
  filter: defaultFilter.activeDirectory,
  mapping: defaultMapping.activeDirectory,
  writable: true,
})

beforeAll(async () => {
  domain = await openDomain({ services: 'ldap,cldap', ports: [636] })
  await domain.administer(async (client) => {
    for (const dn of [base, left]) await client.add(dn, [new Attribute({ type: 'objectClass', values: ['organizationalUnit'] })])
    for (const name of ['Alma', 'Bert', 'Cleo', 'Dora', 'Emil', 'Finn']) await account(client, name)
    await account(client, 'Gone', { userAccountControl: '514' })
    await account(client, 'Robot', { mail: 'robot' })
  })
  house = await openTestHouse({ settings: { CHANCERY_OUTWARD_ALLOW: host } })
  ada = (await house.tenancy('Acme')).administrator
  ;({ id: directoryId } = await ada.call(add, draft()))
})

afterAll(async () => {
  await house?.close()
  domain?.stop()
})

async function planned() {
  const { planId } = await ada.call(plan, { directoryId })
  return { planId, ...(await ada.call(readPlan, { planId, size: 200 })) }
}
const kindsOf = ({ rows }: { rows: { kind: string; name: string }[] }) => rows.map(({ kind, name }) => `${kind} ${name}`).toSorted()
async function synced() {
  const { planId } = await ada.call(plan, { directoryId })
  await ada.call(approve, { planId })
  await house.runJob(directories.jobs.run)
  const done = await ada.call(readPlan, { planId, size: 200 })
  expect(done).toMatchObject({ run: { status: 'done' }, failed: 0 })
  return done
}
async function reconfigured(changes: Record<string, unknown>) {
  const { id: _id, groupRoles, version: _version, ...kept } = await ada.call(read, { id: directoryId })
  await ada.call(change, {
    id: directoryId,
    ...kept,
    groupRoles: groupRoles.map((one) => ({ group: one.group, roleId: one.roleId })),
    ...changes,
  })
}
const personOf = async (name: string) => {
  const { rows } = await ada.call(users.calls.search, { text: `${name.toLowerCase()}@corp.example` })
  return ada.call(users.calls.read, { id: rows[0]?.id ?? '' })
}
const drawn = async (name: string, action: WriteAction, target = '') =>
  ada.call(planWrite, { userId: (await personOf(name)).id, directoryId, action, target })
const made = async (name: string, action: WriteAction, target = '') => ada.call(runWrite, { id: (await drawn(name, action, target)).id })

test('A domain is planned first and then taken over exactly so, with the identifier of each account', async () => {
  const first = await planned()
  expect(kindsOf(first)).toEqual(
    [...['Alma', 'Bert', 'Cleo', 'Dora', 'Emil', 'Finn'].map((name) => `new ${name} Staff`), 'conflict Robot Staff'].toSorted(),
  )
  expect((await ada.call(users.calls.search, { text: 'corp.example' })).total).toBe(0)
  expect((await synced()).done).toBe(6)
  expect((await personOf('Alma')).securityIdentifier).toMatch(/^S-1-5-21-\d+-\d+-\d+-\d+$/)
  expect((await ada.call(users.calls.search, { origin: 'directory' })).total).toBe(6)
})

test('A second run finds nothing to do, and the one after it is told by the domain what was changed', async () => {
  expect(kindsOf(await planned())).toEqual(['conflict Robot Staff'])
  // What nobody can be made of is read again, because it might have come in without being changed.
  const again = await planned()
  expect(again).toMatchObject({ run: { seen: 8 } })
  expect(kindsOf(again)).toEqual(['conflict Robot Staff'])
  await domain.administer(async (client) => {
    await replace(client, named('Bert'), 'title', 'Clerk')
    await replace(client, named('Cleo'), 'userAccountControl', '514')
    // It keeps its id under another name and in another place.
    await client.modifyDN(named('Dora'), named('Dora Moved', left))
    await account(client, 'Hugo')
  })
  const delta = await planned()
  expect(kindsOf(delta)).toEqual([
    'changed Bert Staff',
    'changed Dora Staff',
    'conflict Robot Staff',
    'disabled Cleo Staff',
    'new Hugo Staff',
  ])
  await ada.call(discard, { planId: delta.planId })
  await synced()
  expect(await personOf('Bert')).toMatchObject({ title: 'Clerk' })
  expect(await personOf('Cleo')).toMatchObject({ enabled: false, status: 'disabled' })
})

test('Whoever was deleted there, or moved out of the base, is disabled here also where only changes are read', async () => {
  expect(kindsOf(await planned())).toEqual(['conflict Robot Staff'])
  await domain.administer(async (client) => {
    await client.del(named('Emil'))
    await client.modifyDN(named('Finn'), named('Finn', `CN=Users,${root}`))
  })
  const { run, rows, planId } = await planned()
  expect(kindsOf({ rows })).toEqual(['conflict Robot Staff', 'missing Emil Staff', 'missing Finn Staff'])
  expect(run).toMatchObject({ status: 'held', reason: '7 of 9 people were seen' })
  expect(await personOf('Emil')).toMatchObject({ enabled: true })
  await ada.call(discard, { planId })
  await domain.administer((client) => client.modifyDN(named('Finn', `CN=Users,${root}`), named('Finn')))
  await synced()
  expect(await personOf('Emil')).toMatchObject({ enabled: false })
  expect(await personOf('Finn')).toMatchObject({ enabled: true })
})

test('Who comes in by a group that the filter names, or with a unit that is moved, comes without being changed', async () => {
  const project = `OU=Project,${root}`
  await domain.administer(async (client) => {
    await client.add(project, [new Attribute({ type: 'objectClass', values: ['organizationalUnit'] })])
    await account(client, 'Kaja')
    await client.modifyDN(named('Kaja'), named('Kaja', project))
    await account(client, 'Lars')
    await group(
      client,
      'club',
      ['Alma', 'Bert', 'Dora Moved', 'Finn', 'Hugo'].map((name) => named(name, name === 'Dora Moved' ? left : base)),
    )
  })
  await reconfigured({ filter: `(&${defaultFilter.activeDirectory}(memberOf=${named('club', root)}))` })
  await synced()
  expect(kindsOf(await planned())).toEqual([])
  await domain.administer((client) =>
    client.modify(
      named('club', root),
      new Change({ operation: 'add', modification: new Attribute({ type: 'member', values: [named('Lars')] }) }),
    ),
  )
  expect(kindsOf(await planned())).toEqual(['new Lars Staff'])
  await reconfigured({ filter: defaultFilter.activeDirectory })
  await synced()
  expect(kindsOf(await planned())).toEqual(['conflict Robot Staff'])
  await domain.administer((client) => client.modifyDN(project, `OU=Project,${base}`))
  expect(kindsOf(await planned())).toEqual(['conflict Robot Staff', 'new Kaja Staff'])
  await synced()
  expect(kindsOf(await planned())).toEqual(['conflict Robot Staff'])
})

test('A count that went back, as of a restored controller, has everybody read', async () => {
  await domain.administer((client) => replace(client, named('Bert'), 'title', 'Keeper'))
  await house.asOwner(`update directories set delta = split_part(delta, ' ', 1) || ' 4000000000'`)
  const { planId, ...restored } = await planned()
  expect(kindsOf(restored)).toEqual(['changed Bert Staff', 'conflict Robot Staff'])
  await ada.call(discard, { planId })
  await synced()
})

test('An account is made there from the console, enabled, disabled, moved, put into groups and deleted, each in the specified words', async () => {
  await ada.call(users.calls.add, { username: 'ines', givenName: 'Ines', familyName: 'O,dd+', emailAddress: 'ines@corp.example' })
  expect(texts.create).toEqual({
    done: 'The Active Directory user was successfully created',
    failed: 'Unable to create Active Directory user',
  })
  expect(await made('Ines', 'create')).toMatchObject({ state: 'done', says: '' })
  const entryOf = (filter: string, attributes: string[]) =>
    domain.administer(async (client) => (await client.search(base, { scope: 'sub', filter, attributes })).searchEntries[0])
  const there = await entryOf('(mail=ines@corp.example)', ['sAMAccountName', 'userAccountControl', 'objectCategory'])
  expect(there).toMatchObject({ sAMAccountName: 'ines', userAccountControl: '514' })
  expect(await made('Ines', 'enable')).toMatchObject({
    state: 'done',
    changes: [{ name: 'userAccountControl', before: '514', after: '512' }],
  })
  expect(await made('Ines', 'disable')).toMatchObject({ state: 'done' })
  expect(await made('Ines', 'move', left)).toMatchObject({ state: 'done' })
  await domain.administer((client) =>
    client.add(named('Desk'), [
      new Attribute({ type: 'objectClass', values: ['group'] }),
      new Attribute({ type: 'sAMAccountName', values: ['Desk'] }),
    ]),
  )
  expect(await made('Ines', 'join', named('Desk'))).toMatchObject({ state: 'done' })
  await expect(drawn('Ines', 'join', named('Desk'))).rejects.toMatchObject({ code: 'already' })
  expect(await entryOf('(sAMAccountName=Desk)', ['member'])).toMatchObject({ member: expect.stringMatching(/OU=Left/) })
  expect(await made('Ines', 'leave', named('Desk'))).toMatchObject({ state: 'done' })
  const { id, username, givenName, familyName, emailAddress } = await personOf('Ines')
  await ada.call(users.calls.change, { id, username, givenName, familyName, emailAddress, title: 'Porter' })
  expect(await made('Ines', 'update')).toMatchObject({ state: 'done' })
  expect(await entryOf('(mail=ines@corp.example)', ['title'])).toMatchObject({ title: 'Porter' })
  expect(await made('Ines', 'delete')).toMatchObject({ state: 'done' })
  expect(await entryOf('(mail=ines@corp.example)', ['title'])).toBeUndefined()
  expect((await personOf('Ines')).status).toBe('invited')
})

test('What the domain refuses is told with its reason, and nothing is half made', async () => {
  await ada.call(users.calls.add, { username: 'jana', givenName: 'Jana', familyName: 'Late', emailAddress: 'jana@corp.example' })
  await reconfigured({ peopleBase: `OU=Nowhere,${base}` })
  expect(await made('Jana', 'create')).toMatchObject({ state: 'failed', says: 'There is nothing under this base' })
  await reconfigured({ peopleBase: '' })
  await reconfigured({ bindDn: reader.dn, password: reader.password })
  expect(await made('Jana', 'create')).toMatchObject({ state: 'failed', says: 'The account may not do this there' })
  expect(await made('Alma', 'disable')).toMatchObject({ state: 'failed', says: 'The account may not do this there' })
  await reconfigured({ bindDn: administrator.dn, password: administrator.password })
})

test('Groups give roles through groups that hold each other, by the primary group, and beyond what is given at once', async () => {
  await domain.administer(async (client) => {
    await group(client, 'inner', [named('Alma')])
    await group(client, 'outer', [named('inner', root)])
    await client.modify(
      named('inner', root),
      new Change({ operation: 'add', modification: new Attribute({ type: 'member', values: [named('outer', root)] }) }),
    )
    const crowd = Array.from({ length: many }, (_, at) => named(`c${at}`, `OU=Crowd,${root}`))
    await client.add(`OU=Crowd,${root}`, [new Attribute({ type: 'objectClass', values: ['organizationalUnit'] })])
    for (const dn of crowd) await client.add(dn, [new Attribute({ type: 'objectClass', values: ['contact'] })])
    await group(client, 'crowd', [named('Bert'), named('Hugo'), ...crowd])
  })
  // Which of them come first is the domain's to say.
  const { groups } = await domain.administer((client) => readDomainGroups(client, root))
  expect(new Set(groups.get(named('crowd', root).toLowerCase())).size).toBe(many + 2)
  const role = async (name: string) => (await ada.call(roles.calls.add, { name, view: [], menu: [], api: [] })).id
  const [nested, primary, large] = [await role('Nested'), await role('Primary'), await role('Large')]
  await reconfigured({
    groupRoles: [
      { group: named('outer', root), roleId: nested },
      { group: `CN=Domain Users,CN=Users,${root}`, roleId: primary },
      { group: named('crowd', root), roleId: large },
    ],
  })
  await synced()
  const rolesOf = async (name: string) => (await personOf(name)).roles.map((one) => one.name).toSorted()
  expect(await rolesOf('Alma')).toEqual(['Nested', 'Primary'])
  expect(await rolesOf('Bert')).toEqual(['Large', 'Primary'])
  expect(await rolesOf('Hugo')).toEqual(['Large', 'Primary'])
})
