import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { mail } from '#areas/mail/contract.ts'
import { preferences } from '#areas/preferences/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { search } from '#areas/search/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { users } from '../contract.ts'
import { hashPassword, storeHash } from '../passwords.ts'
import { findUsername } from '../service.ts'
import { signInNameFor } from '../sign-in-names.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')
const globex = await house.tenancy('Globex')
const grace = acme.administrator

const invented = '018f0000-0000-7000-8000-000000000001'
const password = 'correct horse battery staple'
let count = 0

const draft = (username = `new${(count += 1)}`) => ({
  username,
  givenName: 'New',
  familyName: 'Comer',
  emailAddress: `${username.toLowerCase()}@example.org`,
})
const roleNamed = async (tenancy: TestTenancy, name: string) =>
  (await tenancy.administrator.call(roles.calls.search, { text: name })).rows[0]?.id ?? ''
const rolesChanged = async (roleId: string) => {
  const heard = house.rooms
    .flatMap(({ area, subscriptions }) => (area === 'users' ? subscriptions : []))
    .find(({ event }) => event === roles.events.changed)
  await heard?.hear(
    {
      tenantId: acme.id,
      id: roleId,
      at: house.clock.now(),
      area: 'roles',
      name: 'changed',
      about: roleId,
      body: {},
      actor: '',
      actorId: undefined,
      sequence: 1,
    },
    house.house,
  )
}
const countOf = async (table: string, userId: string): Promise<number> =>
  inTenant(house.house.database, acme.id, async (db) => {
    const column = table === 'users' ? 'id' : 'user_id'
    const { rows } = await sql<{ count: number }>`select count(*) from ${sql.table(table)} where ${sql.ref(column)} = ${userId}`.execute(db)
    return Number(rows[0]?.count)
  })
const withPassword = async (person: TestPerson) => {
  const hash = await hashPassword(house.house, password)
  await inTenant(house.house.database, person.tenantId, (db) => storeHash(db, person.tenantId, person.id, hash, house.clock.now()))
  return person
}
const asDraft = async (id: string) => {
  const {
    username,
    givenName,
    familyName,
    emailAddress,
    telephoneNumber,
    title,
    locality,
    organisation,
    securityIdentifier,
    roles: held,
  } = await grace.call(users.calls.read, { id })
  return {
    id,
    username,
    givenName,
    familyName,
    emailAddress,
    telephoneNumber,
    title,
    locality,
    organisation,
    securityIdentifier,
    roleIds: held.map((role) => role.id),
  }
}

test('The people of a role are found and counted however many they are, and a change of it is heard by all', async () => {
  const { id } = await grace.call(roles.calls.add, { name: 'Everybody', view: [], menu: [], api: [] })
  const { emailAddress, ...invited } = draft()
  const added = await grace.call(users.calls.add, { ...invited, emailAddress, roleIds: [id] })
  // More than a statement takes parameters; those who are gone are members, too.
  await house.asOwner(
    `alter table role_members disable trigger all; insert into role_members (tenant_id, role_id, user_id) select '${acme.id}', '${id}', gen_random_uuid() from generate_series(1, 70000)`,
  )
  expect(await grace.call(users.calls.search, { roleId: id })).toMatchObject({
    rows: [{ id: added.id }],
    total: 1,
    facets: { status: { active: 0, invited: 1, disabled: 0 } },
  })
  expect((await grace.call(users.calls.search, { roleId: id, status: 'disabled' })).total).toBe(0)
  await grace.call(roles.calls.change, { id, name: 'Everybody', view: ['userView'], menu: [], api: ['userView'] })
  await rolesChanged(id)
  const { rows: sent } = await grace.call(mail.calls.outbox, { size: 200 })
  expect(sent.filter(({ to }) => to === emailAddress)).toHaveLength(2)
})

describe('A new person', () => {
  test('is found by any word of the name, the address or the username, in the own tenancy only', async () => {
    const { id } = await grace.call(users.calls.add, {
      username: 'hopper',
      givenName: 'Brewster',
      familyName: 'Murray-Vance',
      emailAddress: 'bmv@navy.example',
    })
    for (const text of ['hop', 'HOPPER', 'brew', 'murray', 'vance', 'bmv@navy', 'brewster vance', 'Brewster Murray-Vance'])
      expect([text, (await grace.call(users.calls.search, { text })).rows.map((row) => row.id)]).toEqual([text, [id]])
    for (const text of ['opper', 'brewster smith', '%', '_'])
      expect([text, (await grace.call(users.calls.search, { text })).rows]).toEqual([text, []])
    expect((await globex.administrator.call(users.calls.search, { text: 'hopper' })).rows).toEqual([])
  })

  test.each([
    ['', 'No Username entered.'],
    ['a/b', "The character '/' is not allowed in usernames."],
    ['a\\b', "The character '\\' is not allowed in usernames."],
    ['a#b', "The character '#' is not allowed in usernames."],
    ['a%b', "The character '%' is not allowed in usernames."],
    ['a?b', "The character '?' is not allowed in usernames."],
    ['adé', 'The username contains an invalid character.'],
    ['a b c', 'The username contains an invalid character.'],
    ['al', 'Use at least 3 characters'],
    ['a'.repeat(65), 'Use at most 64 characters'],
    ['a\tb', 'The username contains an invalid character.'],
  ])('called "%s" is refused on that field', async (username, says) => {
    await expect(grace.call(users.calls.add, { ...draft(), username })).rejects.toMatchObject({
      status: 400,
      code: 'invalid',
      fields: [{ field: 'username', says }],
    })
  })

  test('takes a name that nobody in any tenancy has, however it is written, though ten ask at once', async () => {
    const attempts = Array.from({ length: 10 }, (_, at) =>
      (at % 2 === 0 ? grace : globex.administrator).call(users.calls.add, { ...draft(), username: at % 3 === 0 ? 'Radia' : 'rAdIa' }),
    )
    const outcomes = await Promise.allSettled(attempts)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes)
      expect(outcome.status === 'rejected' ? outcome.reason : { status: 409, code: 'usernameTaken' }).toMatchObject({
        status: 409,
        code: 'usernameTaken',
      })
    const found = await Promise.all([grace, globex.administrator].map((admin) => admin.call(users.calls.search, { text: 'radia' })))
    expect(found.reduce((sum, { total }) => sum + total, 0)).toBe(1)
  })

  test('that a program brings gets a name that collides with nobody elsewhere, and that nobody elsewhere can take', async () => {
    const nameIn = (tenancy: TestTenancy, foreign: string) =>
      inTenant(house.house.database, tenancy.id, (db) => signInNameFor(db, tenancy.id, foreign))
    const [ours, theirs] = [await nameIn(acme, 'Hedy Lamarr@example.org'), await nameIn(globex, 'Hedy Lamarr@example.org')]
    expect([ours, theirs]).toEqual([
      expect.stringMatching(/^HedyLamarr@example\.org@acme-[0-9a-f]{6}$/),
      expect.stringMatching(/^HedyLamarr@example\.org@globex-[0-9a-f]{6}$/),
    ])
    const taken = { status: 409, code: 'usernameTaken' }
    await expect(globex.administrator.call(users.calls.add, { ...draft(), username: ours })).rejects.toMatchObject(taken)
    await grace.call(users.calls.add, { ...draft(), username: ours })
    expect(await nameIn(acme, 'Hedy Lamarr@example.org')).toBe(ours.replace('.org@', '.org.2@'))
    expect((await nameIn(acme, 'é'.repeat(200))).length).toBe(64)
    // By hand a plain name can be taken elsewhere; the answer is the same for a name of one's own tenancy, and offers one that is free.
    const suffix = ours.slice(ours.lastIndexOf('@'))
    for (const username of [globex.administrator.username, acme.administrator.username])
      await expect(grace.call(users.calls.add, { ...draft(), username })).rejects.toMatchObject({
        ...taken,
        fields: [{ field: 'username', says: `This username is taken. ${username}${suffix} is free` }],
      })
  })

  test('has a security identifier that is well formed, nobody else has, and nobody changes of oneself', async () => {
    const sid = 'S-1-5-21-1004336348-1177238915-682003330-1104'
    await expect(grace.call(users.calls.add, { ...draft(), securityIdentifier: 'S-1-5-18' })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'securityIdentifier' }],
    })
    const { id } = await grace.call(users.calls.add, { ...draft(), securityIdentifier: sid })
    expect((await grace.call(users.calls.read, { id })).securityIdentifier).toBe(sid)
    await expect(grace.call(users.calls.add, { ...draft(), securityIdentifier: sid })).rejects.toMatchObject({
      status: 409,
      code: 'identifierTaken',
      fields: [{ field: 'securityIdentifier' }],
    })
    await expect(globex.administrator.call(users.calls.add, { ...draft(), securityIdentifier: sid })).resolves.toBeDefined()
    const self = await acme.person({ permissions: ['userEdit', 'userView', 'selfServicePortal'] })
    await expect(
      self.call(users.calls.change, { ...(await asDraft(self.id)), securityIdentifier: 'S-1-5-21-1-2-3-500' }),
    ).rejects.toMatchObject({ status: 403, code: 'identity', fields: [{ field: 'securityIdentifier' }] })
  })

  test('may have a name whose parts differ only where they are cut for the search', async () => {
    const part = (last: string) => `${'\ufb03'.repeat(26)}f${last}`
    const { id } = await grace.call(users.calls.add, draft())
    await expect(
      grace.call(users.calls.change, { ...(await asDraft(id)), givenName: `${part('\u{20000}')}.${part('\u{2A700}')}` }),
    ).resolves.toBeDefined()
  })

  test('gets a link that a later one makes void', async () => {
    const { id, activationLink } = await grace.call(users.calls.add, draft())
    const next = await grace.call(users.calls.invite, { id })
    const read = (link: string) => house.signedOut.call(sessions.calls.readActivation, { token: link.replace(/^.*\//, '') })
    await expect(read(activationLink)).resolves.toEqual({ usable: false })
    await expect(read(next.activationLink)).resolves.toMatchObject({ usable: true, tenancyName: 'Acme' })
    house.clock.advance(7 * 86_400_000 + 1000)
    await expect(read(next.activationLink)).resolves.toEqual({ usable: false })
  })

  test('gets another link when the roles or the address change: who knew the old one knew another account', async () => {
    const editor = await withPassword(await acme.person({ permissions: 'all' }))
    const read = (link: string) => house.signedOut.call(sessions.calls.readActivation, { token: link.replace(/^.*\//, '') })
    const { id, activationLink } = await grace.call(users.calls.add, draft())
    expect(await editor.call(users.calls.change, { ...(await asDraft(id)), telephoneNumber: '1' })).toEqual({})
    await expect(read(activationLink)).resolves.toMatchObject({ usable: true })
    const raised = await editor.call(users.calls.change, { ...(await asDraft(id)), roleIds: [await roleNamed(acme, 'Administrator')] })
    await expect(read(activationLink)).resolves.toEqual({ usable: false })
    await expect(
      house.signedOut.call(sessions.calls.activate, { token: activationLink.replace(/^.*\//, ''), password }),
    ).rejects.toMatchObject({ status: 404, code: 'linkUsed' })
    await expect(read(raised.activationLink ?? '')).resolves.toMatchObject({ usable: true })
    const moved = await editor.call(users.calls.change, {
      ...(await asDraft(id)),
      emailAddress: `moved${count}@example.org`,
      ownPassword: password,
    })
    await expect(read(raised.activationLink ?? '')).resolves.toEqual({ usable: false })
    await expect(read(moved.activationLink ?? '')).resolves.toMatchObject({ usable: true })
    const { rows } = await grace.call(mail.calls.outbox, { size: 200 })
    expect(rows.filter(({ to }) => to === `moved${count}@example.org`)).toHaveLength(1)
  })

  test('whose role is made to hold more is mailed another link, and the one before opens nothing', async () => {
    const role = { name: `Grows ${(count += 1)}`, description: '', view: [], menu: [], api: ['certView'] }
    const { id: roleId } = await grace.call(roles.calls.add, role)
    const invited = draft()
    const { id, activationLink } = await grace.call(users.calls.add, { ...invited, roleIds: [roleId] })
    const read = () => house.signedOut.call(sessions.calls.readActivation, { token: activationLink.replace(/^.*\//, '') })
    await grace.call(roles.calls.change, { ...role, id: roleId, api: [] })
    await expect(read()).resolves.toMatchObject({ usable: true })
    await grace.call(roles.calls.change, { ...role, id: roleId, api: ['manageCAs'] })
    await expect(read()).resolves.toEqual({ usable: false })
    for (const _ of [1, 2]) await rolesChanged(roleId)
    const { rows } = await grace.call(mail.calls.outbox, { size: 200 })
    const letters = rows.filter(({ to }) => to === invited.emailAddress)
    const texts = await Promise.all(letters.map(async (letter) => (await grace.call(mail.calls.read, { id: letter.id })).text))
    // Who has asked for it stands in the first; the second comes by itself.
    expect(texts).toEqual([
      expect.stringContaining('an account was made for you at Acme.'),
      expect.stringContaining(`${grace.username} has made an account for you at Acme.`),
    ])
    expect((await grace.call(users.calls.read, { id })).status).toBe('invited')
  })

  test('who is active gets no further link, and an old one leads nowhere', async () => {
    const { id, activationLink } = await grace.call(users.calls.add, draft())
    const token = activationLink.replace(/^.*\//, '')
    await house.asOwner(`update users set activated_at = now() where id = '${id}'`)
    await expect(grace.call(users.calls.invite, { id })).rejects.toMatchObject({ status: 409, code: 'active' })
    await expect(house.signedOut.call(sessions.calls.activate, { token, password })).rejects.toMatchObject({
      status: 404,
      code: 'linkUsed',
    })
  })
})

describe('Nobody gives or takes more than they hold', () => {
  const clerk = () => acme.person({ permissions: ['userAdd', 'userEdit', 'userView', 'roleView', 'certView'] })

  test('by adding a person with a role that holds more', async () => {
    const mallory = await clerk()
    const roleIds = [await roleNamed(acme, 'Administrator')]
    const wanted = draft()
    await expect(mallory.call(users.calls.add, { ...wanted, roleIds })).rejects.toMatchObject({ status: 403, code: 'beyond' })
    expect(await findUsername(house.house.database, wanted.username)).toBeUndefined()
    await expect(mallory.call(users.calls.add, wanted)).resolves.toHaveProperty('activationLink')
  })

  test('by giving themselves or a friend a role that holds more', async () => {
    const mallory = await clerk()
    const friend = await acme.person({ permissions: [] })
    const administrator = await roleNamed(acme, 'Administrator')
    for (const id of [mallory.id, friend.id]) {
      const before = await asDraft(id)
      await expect(mallory.call(users.calls.change, { ...before, roleIds: [...before.roleIds, administrator] })).rejects.toMatchObject({
        status: 403,
        code: 'beyond',
      })
      expect((await asDraft(id)).roleIds).toEqual(before.roleIds)
    }
  })

  test('by editing, disabling, inviting or resetting one who holds more', async () => {
    const mallory = await clerk()
    const { id } = await grace.call(users.calls.add, { ...draft(), roleIds: [await roleNamed(acme, 'Administrator')] })
    for (const target of [grace.id, id]) {
      const before = await asDraft(target)
      await expect(mallory.call(users.calls.change, { ...before, title: 'Fool' })).rejects.toMatchObject({ status: 403, code: 'beyond' })
      await expect(mallory.call(users.calls.change, { ...before, roleIds: [] })).rejects.toMatchObject({ status: 403, code: 'beyond' })
      await expect(mallory.call(users.calls.setEnabled, { id: target, enabled: false })).rejects.toMatchObject({
        status: 403,
        code: 'beyond',
      })
      const page = await mallory.session()
      await expect(page.call(sessions.calls.mfaReset, { userId: target })).rejects.toMatchObject({ status: 403, code: 'beyond' })
      expect((await mallory.call(users.calls.read, { id: target })).mayEdit).toBe(false)
      expect(await asDraft(target)).toEqual(before)
    }
    await expect(mallory.call(users.calls.invite, { id })).rejects.toMatchObject({ status: 403, code: 'beyond' })
  })

  test('by self-service, which changes oneself and no role', async () => {
    const ada = await acme.person({ permissions: ['selfServicePortal'] })
    const before = await asDraft(ada.id)
    await ada.call(users.calls.change, {
      ...before,
      telephoneNumber: '+44 20 7946 0000',
      roleIds: [await roleNamed(acme, 'Administrator')],
    })
    expect(await asDraft(ada.id)).toEqual({ ...before, telephoneNumber: '+44 20 7946 0000' })
    await expect(ada.call(users.calls.change, { ...(await asDraft(grace.id)), title: 'Fool' })).rejects.toMatchObject({
      status: 403,
      code: 'denied',
    })
    await expect(ada.call(users.calls.read, { id: grace.id })).rejects.toMatchObject({ status: 403, code: 'denied' })
    expect((await ada.call(users.calls.read, { id: ada.id })).username).toBe(ada.username)
  })

  test('by renaming themselves to whom a certificate would then name', async () => {
    const ada = await acme.person({ permissions: ['selfServicePortal'] })
    const clerk = await withPassword(await acme.person({ permissions: ['selfServicePortal', 'userEdit', 'userView'] }))
    const admin = await asDraft(grace.id)
    for (const person of [ada, clerk]) {
      const before = await asDraft(person.id)
      expect(await person.call(users.calls.read, { id: person.id })).toMatchObject({ mayEdit: true, mayIdentify: false })
      const stolen = {
        username: 'grace.too',
        givenName: admin.givenName,
        familyName: admin.familyName,
        emailAddress: 'grace@acme.example',
        title: 'Admiral',
        locality: 'Arlington',
        organisation: 'Navy',
      }
      const fields: unknown[] = Object.keys(stolen).map((field) => ({ field, says: expect.stringContaining('Ask somebody else') }))
      await expect(person.call(users.calls.change, { ...before, ...stolen, ownPassword: password })).rejects.toMatchObject({
        status: 403,
        code: 'identity',
        fields,
      })
      await expect(person.call(users.calls.change, { ...before, title: 'Admiral' })).rejects.toMatchObject({
        status: 403,
        code: 'identity',
        fields: [{ field: 'title' }],
      })
      expect(await asDraft(person.id)).toEqual(before)
    }
    const other = await asDraft(ada.id)
    await clerk.call(users.calls.change, { ...other, givenName: 'Augusta', roleIds: other.roleIds })
    expect((await asDraft(ada.id)).givenName).toBe('Augusta')
  })

  test('but the only administrator who can sign in puts the own name right', async () => {
    const initrode = await house.tenancy('Initrode')
    const boss = initrode.administrator
    const { roles: held, ...me } = await boss.call(users.calls.read, { id: boss.id })
    expect(me.mayIdentify).toBe(true)
    const mine = users.calls.change.input.parse({ ...me, roleIds: held.map((role) => role.id) })
    await boss.call(users.calls.change, { ...mine, familyName: 'Hopper' })
    const { id, activationLink } = await boss.call(users.calls.add, { ...draft(), roleIds: mine.roleIds })
    expect((await boss.call(users.calls.read, { id: boss.id })).mayIdentify).toBe(true)
    await house.signedOut.call(sessions.calls.activate, { token: activationLink.replace(/^.*\//, ''), password })
    await expect(boss.call(users.calls.change, { ...mine, familyName: 'Murray' })).rejects.toMatchObject({ status: 403, code: 'identity' })
    expect((await boss.call(users.calls.read, { id })).status).toBe('active')
  })

  test('with a role of another tenancy, or one that does not exist', async () => {
    const foreign = await roleNamed(globex, 'User')
    for (const roleIds of [[foreign], [invented], [await roleNamed(acme, 'User'), foreign]])
      await expect(grace.call(users.calls.add, { ...draft(), roleIds })).rejects.toMatchObject({ status: 400, code: 'unknownRole' })
    const ada = await acme.person({ permissions: [] })
    await expect(grace.call(users.calls.change, { ...(await asDraft(ada.id)), roleIds: [foreign] })).rejects.toMatchObject({
      status: 400,
      code: 'unknownRole',
    })
  })

  test('and nobody disables themselves, however the id is spelt', async () => {
    for (const id of [grace.id, grace.id.toUpperCase()])
      await expect(grace.call(users.calls.setEnabled, { id, enabled: false })).rejects.toMatchObject({ status: 409, code: 'notYourself' })
    expect((await grace.call(users.calls.read, { id: grace.id })).enabled).toBe(true)
  })
})

describe('A name or an address', () => {
  test('changes only with the editor’s own password', async () => {
    const editor = await withPassword(await acme.person({ permissions: 'all' }))
    const ada = await acme.person({ permissions: [] })
    const before = await asDraft(ada.id)
    for (const change of [{ username: 'other.name' }, { emailAddress: 'other@example.org' }]) {
      await expect(editor.call(users.calls.change, { ...before, ...change })).rejects.toMatchObject({
        status: 403,
        code: 'passwordNeeded',
        fields: [{ field: 'ownPassword', says: 'Enter your own password' }],
      })
      await expect(editor.call(users.calls.change, { ...before, ...change, ownPassword: 'wrong' })).rejects.toMatchObject({
        status: 403,
        code: 'passwordNeeded',
        fields: [{ field: 'ownPassword', says: 'This is not your password' }],
      })
    }
    await editor.call(users.calls.change, { ...before, title: 'Countess' })
    await editor.call(users.calls.change, { ...before, username: 'other.name', ownPassword: password })
    expect(await asDraft(ada.id)).toMatchObject({ username: 'other.name', title: '' })
    expect(await findUsername(house.house.database, before.username)).toBeUndefined()
    expect(await findUsername(house.house.database, 'OTHER.NAME')).toEqual({ tenantId: acme.id, userId: ada.id })
  })

  test('cannot be had by guessing that password, whatever is changed in each guess', async () => {
    const editor = await withPassword(await acme.person({ permissions: 'all' }))
    const before = await asDraft((await acme.person({ permissions: [] })).id)
    const statuses: unknown[] = []
    for (let guess = 0; guess < 8; guess += 1)
      statuses.push(
        await editor
          .call(users.calls.change, { ...before, username: `guess${guess}`, ownPassword: `wrong ${guess}` })
          .catch((error: unknown) => Object(error).status),
      )
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 429, 429])
    await expect(editor.call(users.calls.change, { ...before, username: 'guessed', ownPassword: password })).rejects.toMatchObject({
      status: 429,
    })
    // A change that needs no password is not held up, and gives no guess back.
    await editor.call(users.calls.change, { ...before, telephoneNumber: '1' })
    await expect(editor.call(users.calls.change, { ...before, username: 'guessed', ownPassword: password })).rejects.toMatchObject({
      status: 429,
    })
  })

  test('that two change at once becomes one of the two, and no other name stays behind', async () => {
    const editor = await withPassword(await acme.person({ permissions: 'all' }))
    const ada = await acme.person({ permissions: [] })
    const before = await asDraft(ada.id)
    const outcomes = await Promise.allSettled(
      ['twin.one', 'twin.two'].map((username) => editor.call(users.calls.change, { ...before, username, ownPassword: password })),
    )
    const now = (await asDraft(ada.id)).username
    const led = await Promise.all(
      [before.username, 'twin.one', 'twin.two'].map(async (name) => [name, (await findUsername(house.house.database, name))?.userId]),
    )
    expect(led.filter(([, userId]) => userId === ada.id)).toEqual([[now, ada.id]])
    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'changed')).sort()).toEqual([
      'changed',
      'conflict',
    ])
  })

  test('that another has is refused and nothing of the change stays', async () => {
    const editor = await withPassword(await acme.person({ permissions: 'all' }))
    const before = await asDraft((await acme.person({ permissions: [] })).id)
    await expect(
      editor.call(users.calls.change, {
        ...before,
        title: 'Fool',
        username: globex.administrator.username.toUpperCase(),
        ownPassword: password,
      }),
    ).rejects.toMatchObject({ status: 409, code: 'usernameTaken', fields: [{ field: 'username' }] })
    expect(await asDraft(before.id)).toEqual(before)
  })
})

describe('An e-mail address', () => {
  test('belongs to one person of a tenancy, however it is written, though two take it at once', async () => {
    const editor = await withPassword(await acme.person({ permissions: 'all' }))
    const ada = await acme.person({ permissions: [] })
    const taken = { status: 409, code: 'emailTaken', fields: [{ field: 'emailAddress' }] }
    await expect(
      grace.call(users.calls.add, { ...draft(), emailAddress: `${ada.username.toUpperCase()}@Example.ORG` }),
    ).rejects.toMatchObject(taken)
    const other = await asDraft((await acme.person({ permissions: [] })).id)
    await expect(
      editor.call(users.calls.change, { ...other, emailAddress: `${ada.username}@example.org`, ownPassword: password }),
    ).rejects.toMatchObject(taken)
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map(() => grace.call(users.calls.add, { ...draft(), emailAddress: 'one@acme.example' })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(globex.administrator.call(users.calls.add, { ...draft(), emailAddress: 'one@acme.example' })).resolves.toBeDefined()
  })

  test('that several had before stays theirs until somebody changes it', async () => {
    const twin = await acme.person({ permissions: ['selfServicePortal'] })
    await house.asOwner(`update users set email_address = 'one@acme.example', email_key = null where id = '${twin.id}'`)
    await twin.call(users.calls.change, { ...(await asDraft(twin.id)), telephoneNumber: '1' })
    expect(await asDraft(twin.id)).toMatchObject({ emailAddress: 'one@acme.example', telephoneNumber: '1' })
  })
})

test('Asking which names exist elsewhere meets a floor, and good names in between do not lift it', async () => {
  const nosy = await acme.person({ permissions: ['userAdd'] })
  const statuses: number[] = []
  for (let at = 0; at < 64; at += 1) {
    if (at % 20 === 19) await nosy.call(users.calls.add, draft())
    statuses.push(
      await nosy.call(users.calls.add, { ...draft(), username: globex.administrator.username }).then(
        () => 200,
        (error: unknown) => Number(Object(error).status),
      ),
    )
  }
  expect(statuses).toEqual([...Array<number>(60).fill(409), ...Array<number>(4).fill(429)])
})

describe('Another tenancy’s id', () => {
  test('answers exactly as one that does not exist', async () => {
    const theirs = await globex.person({ permissions: [] })
    const themAsDraft = { ...draft(), id: theirs.id }
    const outcome = (attempt: Promise<unknown>) =>
      attempt.then(
        (answer) => ({ answer }),
        (error: unknown) => ({ status: Object(error).status, code: Object(error).code, message: String(Object(error).message) }),
      )
    const gracesPage = await grace.session()
    const attempts = (id: string): Promise<unknown>[] => [
      grace.call(users.calls.read, { id }),
      grace.call(users.calls.change, { ...themAsDraft, id }),
      grace.call(users.calls.setEnabled, { id, enabled: false }),
      grace.call(users.calls.invite, { id }),
      grace.call(sessions.calls.history, { userId: id }),
      grace.call(sessions.calls.mfaStatus, { userId: id }),
      gracesPage.call(sessions.calls.mfaReset, { userId: id }),
      grace.call(sessions.calls.removeToken, { id }),
      grace.call(users.calls.search, { roleId: id }),
    ]
    const [foreign, missing] = [await Promise.all(attempts(theirs.id).map(outcome)), await Promise.all(attempts(invented).map(outcome))]
    expect(foreign).toEqual(missing)
    expect(foreign.slice(0, 4)).toEqual(Array(4).fill(expect.objectContaining({ status: 404, code: 'missing' })))
    expect((await globex.administrator.call(users.calls.read, { id: theirs.id })).enabled).toBe(true)
  })
})

test('the list counts by status, sorts by what it shows, and pages without loss', async () => {
  const initech = await house.tenancy('Initech')
  const admin = initech.administrator
  for (const name of ['c', 'a', 'b', 'd'])
    await admin.call(users.calls.add, {
      username: `list.${name}`,
      givenName: 'L',
      familyName: `List ${name}`,
      emailAddress: `${name}@list.example`,
    })
  const { id } = (await admin.call(users.calls.search, { text: 'list.d' })).rows[0] ?? { id: '' }
  await admin.call(users.calls.setEnabled, { id, enabled: false })
  const list = await admin.call(users.calls.search, { text: 'list', sort: 'username', direction: 'desc' })
  expect(list.rows.map((row) => row.username)).toEqual(['list.d', 'list.c', 'list.b', 'list.a'])
  expect(list).toMatchObject({ total: 4, facets: { status: { active: 0, invited: 3, disabled: 1 } } })
  expect((await admin.call(users.calls.search, { text: 'list', status: 'disabled' })).rows.map((row) => row.username)).toEqual(['list.d'])
  const pages = await Promise.all(
    [1, 2, 3].map((page) => admin.call(users.calls.search, { text: 'list', sort: 'username', size: 2, page })),
  )
  expect(pages.map(({ rows }) => rows.map((row) => row.username))).toEqual([['list.a', 'list.b'], ['list.c', 'list.d'], []])
})

describe('A user who is deleted', () => {
  test('is gone with what was the person’s, and the name is free', async () => {
    const ada = await acme.person({ permissions: ['selfServicePortal'], username: 'deleted.ada', givenName: 'Ada', familyName: 'Deleted' })
    await ada.call(mail.calls.chooseNotices, { unwanted: ['requestDecided'] })
    await ada.call(preferences.calls.setFavourites, { query: [{ path: '/home', label: 'Home' }], userID: ada.id })
    await ada.call(search.calls.keepView, { list: 'users.all', name: 'Mine', path: '/search/user', query: '' })
    expect(await grace.call(users.calls.remove, { id: ada.id })).toEqual({})
    await expect(grace.call(users.calls.read, { id: ada.id })).rejects.toMatchObject({ status: 404 })
    await expect(ada.call(users.calls.read, { id: ada.id })).rejects.toMatchObject({ status: 401 })
    for (const table of [
      'users',
      'user_words',
      'passwords',
      'role_members',
      'api_tokens',
      'user_preferences',
      'search_views',
      'notice_choices',
      'readers',
    ])
      expect([table, await countOf(table, ada.id)]).toEqual([table, 0])
    const [event] = (await audited(house, acme.id)).filter(({ name, about }) => name === 'deleted' && about === ada.id)
    expect(JSON.parse(event?.body ?? '')).toEqual({ userId: ada.id, username: 'deleted.ada', name: 'Ada Deleted' })
    await expect(globex.administrator.call(users.calls.add, draft('deleted.ada'))).resolves.toMatchObject({ id: expect.any(String) })
  })

  test('is neither oneself, nor the last administrator, nor somebody who holds more, nor of another tenancy', async () => {
    const editor = await acme.person({ permissions: ['userEdit'] })
    for (const [person, id, code] of [
      [grace, grace.id, 'notYourself'],
      [editor, grace.id, 'beyond'],
      [grace, globex.administrator.id, 'missing'],
    ] as const)
      await expect(person.call(users.calls.remove, { id })).rejects.toMatchObject({ code })
  })

  test('was activated again before, by the specified words', async () => {
    const ada = await acme.person({ permissions: [] })
    await grace.call(users.calls.setEnabled, { id: ada.id, enabled: false })
    expect(await grace.call(users.calls.activate, { id: ada.id })).toEqual({})
    expect((await grace.call(users.calls.read, { id: ada.id })).status).toBe('active')
    expect([users.calls.activate.done, users.calls.remove.done]).toEqual([
      'The user was successfully activated',
      'The user was successfully deleted',
    ])
  })
})

test('The file of a list holds exactly those whom the list shows, and says what it cannot be narrowed by', async () => {
  const one = await acme.person({ permissions: [], familyName: 'Exportable', givenName: 'Only' })
  const other = await acme.person({ permissions: [], familyName: 'Exportable', givenName: 'Other' })
  await grace.call(users.calls.setEnabled, { id: other.id, enabled: false })
  const linesOf = async (query: string) =>
    (await (await grace.fetch(`${users.endpoints.export.path}${query}`)).text()).trim().split('\r\n').slice(1)
  const all = await linesOf('')
  expect(all.length).toBe((await grace.call(users.calls.search, {})).total)
  expect((await linesOf('?text=exportable')).length).toBe(2)
  const disabled = await linesOf('?text=exportable&status=disabled&fields=familyName')
  expect(disabled).toEqual([expect.stringContaining(other.id)])
  expect((await linesOf('?text=exportable&status=active')).map((line) => line.includes(one.id))).toEqual([true])
  expect((await grace.fetch(`${users.endpoints.export.path}?nonsense=1`)).status).toBe(400)
})
