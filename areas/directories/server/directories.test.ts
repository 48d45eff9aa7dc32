import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { configuration } from '#areas/configuration/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { users } from '#areas/users/contract.ts'
import { freePort } from '#core/testing/free-port.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { directories } from '../contract.ts'
import { defaultFilter, defaultMapping } from '../mapping.ts'
import { base, openDirectory, person, reader, readerPassword, type LittleDirectory } from './slapd.fixture.ts'

const house = await useHouse({ settings: { CHANCERY_OUTWARD_ALLOW: '127.0.0.1', CHANCERY_OUTWARD_PORTS: '1024-65535' } })
const { add, change, test: tryIt, tryOut, plan, readPlan, approve, listUsers, list, read } = directories.calls
let acme: TestTenancy
let ada: TestPerson
let slapd: LittleDirectory
let directoryId: string

const draft = () => ({
  name: 'Head office',
  kind: 'ldap' as const,
  host: '127.0.0.1',
  port: slapd.securePort,
  security: 'ldaps' as const,
  roots: slapd.certificate,
  bindDn: reader,
  password: readerPassword,
  baseDn: base,
  filter: defaultFilter.ldap,
  mapping: { ...defaultMapping.ldap, csn: 'pager' },
})

beforeAll(async () => {
  slapd = await openDirectory()
  acme = await house.tenancy('Acme')
  ada = acme.administrator
  slapd.modify(Array.from({ length: 40 }, (_, at) => person(`p${at}`)).join('\n'))
  directoryId = (await ada.call(add, draft())).id
})
afterAll(() => slapd.stop())

async function ran(): Promise<string> {
  const { planId } = await ada.call(plan, { directoryId })
  await ada.call(approve, { planId })
  await house.runJob(directories.jobs.run)
  return planId
}
/** The next one: with none is begun twice. */
const night = async () => {
  house.clock.advance(7 * 3_600_000)
  await house.runJob(directories.jobs.nightly)
}
const found = async (text: string) => (await ada.call(users.calls.search, { text })).rows
const planned = async () => ada.call(readPlan, { planId: (await ada.call(plan, { directoryId })).planId })

describe('A directory', () => {
  test('is tried before anything is taken over, encrypted from the beginning or before anything is said', async () => {
    expect((await ada.call(tryIt, { id: directoryId })).people[0]).toMatchObject({
      name: 'Given p0 Family p0',
      emailAddress: 'p0@example.org',
    })
    const { id } = await ada.call(add, { ...draft(), name: 'By StartTLS', port: slapd.port, security: 'startTls' })
    expect((await ada.call(tryIt, { id })).people).not.toEqual([])
    await ada.call(directories.calls.remove, { id })
  })

  test('whose certificate is not trusted, whose password is wrong, or that is not there, is told and changes nothing', async () => {
    for (const [wrong, says] of [
      [{ roots: '' }, /certificate/],
      [{ password: 'wrong' }, /refused the account or its password/],
      [{ port: await freePort() }, /./],
    ] as const) {
      const { id } = await ada.call(add, { ...draft(), name: 'Wrong', ...wrong })
      await expect(ada.call(plan, { directoryId: id })).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringMatching(/Failed to sync LDAP users: /),
      })
      await expect(ada.call(tryIt, { id })).rejects.toMatchObject({ message: expect.stringMatching(says) })
      await ada.call(directories.calls.remove, { id })
    }
    expect(await found('p0@example.org')).toEqual([])
    await expect(ada.call(add, { ...draft(), name: 'Wrong', filter: '(uid=nobody' })).rejects.toMatchObject({ code: 'filterFault' })
  })

  test('is tried before it is saved, and the step is told that fails', async () => {
    const steps = ['connect', 'encrypt', 'signIn', 'base', 'filter']
    const { steps: done, people } = await ada.call(tryOut, draft())
    expect(done).toEqual(steps.map((step) => ({ step, fault: '' })))
    expect(people[0]).toMatchObject({ name: 'Given p0 Family p0' })
    for (const [wrong, failing] of [
      [{ port: await freePort() }, 'connect'],
      [{ roots: '' }, 'encrypt'],
      [{ security: 'startTls' as const, port: slapd.port, roots: '' }, 'encrypt'],
      [{ password: 'wrong' }, 'signIn'],
      [{ baseDn: `ou=nowhere,${base}` }, 'base'],
    ] as const) {
      const told = (await ada.call(tryOut, { ...draft(), ...wrong })).steps
      expect(told.map(({ step }) => step)).toEqual(steps.slice(0, steps.indexOf(failing) + 1))
      expect(told.map(({ fault }) => fault === '')).toEqual(told.map(({ step }) => step !== failing))
    }
    const { rows } = await ada.call(list, {})
    expect(rows.map(({ name }) => name)).toEqual(['Head office'])
    // The kept password goes where it went before, and nowhere else.
    const { password: _, ...unsaved } = draft()
    expect((await ada.call(tryOut, { id: directoryId, ...unsaved, filter: '(uid=p1)' })).people).toHaveLength(1)
    await expect(ada.call(tryOut, { id: directoryId, ...unsaved, host: 'localhost' })).rejects.toMatchObject({ status: 400 })
    await expect(ada.call(tryOut, unsaved)).rejects.toMatchObject({ code: 'passwordNeeded' })
  })

  test('has names that are written as names are, each told with its field', async () => {
    const wrong = { ...draft(), name: 'Wrong', bindDn: 'reader', baseDn: 'example.org', groupRoles: [], peopleBase: 'ou=people;' }
    const told = { status: 400, code: 'invalid', fields: [{ field: 'baseDn' }, { field: 'peopleBase' }, { field: 'bindDn' }] }
    await expect(ada.call(add, wrong)).rejects.toMatchObject(told)
    await expect(ada.call(tryOut, wrong)).rejects.toMatchObject(told)
  })

  test('that says nothing, or does not agree to StartTLS, is given up', async () => {
    const stubborn = createServer(
      (socket) => void socket.once('data', () => socket.end(Buffer.from('300c02010178070a010204000400', 'hex'))),
    )
    await new Promise<void>((resolve) => stubborn.listen(0, '127.0.0.1', resolve))
    const address = stubborn.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { id } = await ada.call(add, { ...draft(), name: 'Stubborn', port, security: 'startTls' })
    await expect(ada.call(tryIt, { id })).rejects.toMatchObject({ code: 'unreachable' })
    await ada.call(directories.calls.remove, { id })
    stubborn.close()
  })

  test('has a password that is never empty, never read back, and asked for again where the server is another', async () => {
    await expect(ada.call(add, { ...draft(), name: 'Empty', password: '' })).rejects.toMatchObject({ fields: [{ field: 'password' }] })
    expect(JSON.stringify(await ada.call(read, { id: directoryId }))).not.toContain(readerPassword)
    const { password: _, ...rest } = draft()
    await expect(ada.call(change, { id: directoryId, ...rest, host: '127.0.0.2' })).rejects.toMatchObject({ status: 400 })
    await expect(ada.call(change, { id: directoryId, ...rest, port: slapd.port })).rejects.toMatchObject({ code: 'passwordNeeded' })
    await ada.call(change, { id: directoryId, ...rest })
  })

  test('stands among what the server connects to for the tenancy', async () => {
    const { outgoing } = await ada.call(configuration.calls.infrastructure, {})
    expect(outgoing).toContainEqual({ purpose: 'directory', name: 'Head office', address: `127.0.0.1:${slapd.securePort}` })
  })

  test('of another tenancy is missing', async () => {
    const globex = (await house.tenancy('Globex')).administrator
    for (const asked of [() => globex.call(read, { id: directoryId }), () => globex.call(plan, { directoryId })])
      await expect(asked()).rejects.toMatchObject({ status: 404 })
  })
})

describe('A plan', () => {
  test('shows whom it would make, changes nothing, and then does exactly that', async () => {
    const before = await ada.call(plan, { directoryId })
    expect(await ada.call(readPlan, { planId: before.planId })).toMatchObject({
      total: 40,
      facets: { kind: { new: 40 } },
      run: { status: 'planned' },
    })
    expect(await found('p7@example.org')).toEqual([])
    await ada.call(approve, { planId: before.planId })
    await house.runJob(directories.jobs.run)
    expect(await ada.call(readPlan, { planId: before.planId })).toMatchObject({ run: { status: 'done' }, done: 40, failed: 0 })
    const [row] = await found('p7@example.org')
    expect(row).toMatchObject({ givenName: 'Given p7', status: 'invited' })
    expect(row?.username).toMatch(/^p7@/)
    expect((await ada.call(list, {})).rows[0]).toMatchObject({ people: 40, lastRun: { status: 'done' } })
  })

  test('of an unchanged directory holds nothing', async () => {
    expect(await planned()).toMatchObject({ total: 0, run: { seen: 40 } })
  })

  test('tells field by field what changes, and disables whom the directory has no more', async () => {
    slapd.modify(
      `dn: uid=p1,ou=people,${base}\nchangetype: modify\nreplace: sn\nsn: Married\n\ndn: uid=p2,ou=people,${base}\nchangetype: delete\n`,
    )
    const { rows } = await planned()
    expect(rows).toMatchObject([
      { kind: 'changed', fields: [{ name: 'familyName', here: 'Family p1', there: 'Married' }] },
      { kind: 'missing', name: 'Given p2 Family p2' },
    ])
    await ran()
    expect(await found('p2@example.org')).toMatchObject([{ status: 'disabled' }])
    slapd.modify(person('p2'))
    await ran()
  })

  test('that gives somebody another address ends the link that was mailed to the one before', async () => {
    const [{ id } = { id: '' }] = await found('p7@example.org')
    const { activationLink } = await ada.call(users.calls.invite, { id })
    slapd.modify(`dn: uid=p7,ou=people,${base}\nchangetype: modify\nreplace: mail\nmail: p7.new@example.org\n`)
    await ran()
    const token = activationLink.replace(/^.*\//, '')
    expect(await house.signedOut.call(sessions.calls.readActivation, { token })).toEqual({ usable: false })
    expect((await ada.call(mail.calls.outbox, { text: 'p7.new@example.org' })).rows).toMatchObject([{ subject: 'Activate your account' }])
  })

  test('leaves out what was changed here since it was made', async () => {
    slapd.modify(`dn: uid=p3,ou=people,${base}\nchangetype: modify\nreplace: title\ntitle: Boss\n`)
    const { planId } = await ada.call(plan, { directoryId })
    const [{ id } = { id: '' }] = await found('p3@example.org')
    const { roles: _, ...user } = await ada.call(users.calls.read, { id })
    const { username, givenName, familyName, emailAddress } = user
    await ada.call(users.calls.change, { id, username, givenName, familyName, emailAddress, title: 'Clerk', roleIds: [] })
    await ada.call(approve, { planId })
    await house.runJob(directories.jobs.run)
    const { failed, rows } = await ada.call(readPlan, { planId, kind: 'changed' })
    expect({ failed, rows }).toMatchObject({ failed: 1, rows: [{ state: 'failed', says: expect.stringMatching(/changed here/) }] })
    expect(await ada.call(users.calls.read, { id })).toMatchObject({ title: 'Clerk' })
  })

  test('is held where half of the people are gone, and nobody is disabled until somebody says so', async () => {
    slapd.modify(Array.from({ length: 20 }, (_, at) => `dn: uid=p${at + 20},ou=people,${base}\nchangetype: delete\n`).join('\n'))
    const { run } = await planned()
    expect(run).toMatchObject({ status: 'held', reason: expect.stringMatching(/^20 of 40 people were seen/) })
    await night()
    expect((await ada.call(list, {})).rows[0]?.lastRun).toMatchObject({ status: 'held' })
    expect(await found('p25@example.org')).toMatchObject([{ status: 'invited' }])
    slapd.modify(Array.from({ length: 20 }, (_, at) => person(`p${at + 20}`)).join('\n'))
  })

  test('takes over no value that a form would refuse', async () => {
    slapd.modify(
      `dn: uid=p11,ou=people,${base}\nchangetype: modify\nreplace: title\ntitle: ${'x'.repeat(81)}\n-\nreplace: mobile\nmobile: 0400\n`,
    )
    const { rows } = await planned()
    expect(rows.find(({ name }) => name === 'Given p11 Family p11')?.fields).toEqual([{ name: 'mobile', here: '', there: '0400' }])
  })

  test('takes no account over by its address', async () => {
    const { id } = await ada.call(users.calls.add, {
      username: 'local',
      givenName: 'Local',
      familyName: 'One',
      emailAddress: 'taken@example.org',
    })
    slapd.modify(person('thief').replace('mail: thief@example.org', 'mail: taken@example.org'))
    const { rows } = await planned()
    expect(rows.find(({ kind }) => kind === 'conflict')).toMatchObject({ says: expect.stringMatching(/never taken over/) })
    expect((await ada.call(users.calls.read, { id })).givenName).toBe('Local')
    slapd.modify(`dn: uid=thief,ou=people,${base}\nchangetype: delete\n`)
  })

  test('waits for a second person where the directory says so', async () => {
    const { password: _, ...rest } = draft()
    await ada.call(change, { id: directoryId, ...rest, approval: 'second' })
    const { planId } = await ada.call(plan, { directoryId })
    await expect(ada.call(approve, { planId })).rejects.toMatchObject({ code: 'anotherPerson' })
    const onlooker = await acme.person({ permissions: ['workflow'] })
    await expect(onlooker.call(approve, { planId })).rejects.toMatchObject({ status: 403 })
    const second = await acme.person({ permissions: ['workflow', 'userAdd', 'userEdit'] })
    await second.call(approve, { planId })
    await house.runJob(directories.jobs.run)
    await ada.call(change, { id: directoryId, ...rest })
  })

  test('gives roles by groups within groups that hold each other, and only such as its maker holds', async () => {
    const { id: roleId } = await ada.call(roles.calls.add, {
      name: 'Desk',
      description: '',
      view: [],
      menu: [],
      api: ['selfServicePortal'],
    })
    const group = (name: string, members: string[]) =>
      `dn: cn=${name},${base}\nchangetype: add\nobjectClass: groupOfNames\ncn: ${name}\n${members.map((one) => `member: ${one}`).join('\n')}\n`
    slapd.modify([group('all', [`cn=desk,${base}`]), group('desk', [`cn=all,${base}`, `uid=p5,ou=people,${base}`])].join('\n'))
    const { password: _, ...rest } = draft()
    const groupRoles = [{ group: `CN=all, ${base}`, roleId }]
    const clerk = await acme.person({ permissions: ['ssoConfig'] })
    await expect(clerk.call(change, { id: directoryId, ...rest, groupRoles })).rejects.toMatchObject({ code: 'beyond' })
    await ada.call(change, { id: directoryId, ...rest, groupRoles })
    // Whoever approves the plan sees which roles it gives, and with which name somebody new signs in.
    slapd.modify(
      [person('fresh'), `dn: cn=desk,${base}\nchangetype: modify\nadd: member\nmember: uid=fresh,ou=people,${base}\n`].join('\n'),
    )
    const { rows } = await planned()
    const [{ id } = { id: '' }] = await found('p5@example.org')
    expect(rows.find((row) => row.userId === id)).toMatchObject({ given: ['Desk'], taken: [] })
    expect(rows.find((row) => row.kind === 'new')).toMatchObject({ given: ['Desk'], signInName: expect.stringMatching(/^fresh@acme/) })
    await ran()
    expect((await found('fresh@example.org')).map(({ username }) => username)).toEqual([rows.find((row) => row.kind === 'new')?.signInName])
    expect((await ada.call(users.calls.read, { id })).roles).toMatchObject([{ name: 'Desk' }])
    slapd.modify(`dn: cn=desk,${base}\nchangetype: modify\ndelete: member\nmember: uid=p5,ou=people,${base}\n`)
    expect((await planned()).rows.find((row) => row.userId === id)).toMatchObject({ given: [], taken: ['Desk'] })
    await ran()
    // Who is gone from the directory does not keep what its groups gave, for the day on which the account is enabled again.
    slapd.modify(`dn: uid=fresh,ou=people,${base}\nchangetype: delete\n`)
    const [{ id: goneId } = { id: '' }] = await found('fresh@example.org')
    expect((await planned()).rows.find((row) => row.userId === goneId)).toMatchObject({ kind: 'missing', taken: ['Desk'] })
    await ran()
    expect(await ada.call(users.calls.read, { id: goneId })).toMatchObject({ enabled: false, roles: [] })
    await ada.call(change, { id: directoryId, ...rest })
  })

  test('is held for somebody else where whoever approved it may edit people no longer', async () => {
    const clerk = await acme.person({ permissions: ['workflow', 'userAdd', 'userEdit'] })
    slapd.modify(`dn: uid=p14,ou=people,${base}\nchangetype: modify\nreplace: title\ntitle: Held\n`)
    const { planId } = await ada.call(plan, { directoryId })
    await clerk.call(approve, { planId })
    await ada.call(users.calls.setEnabled, { id: clerk.id, enabled: false })
    await house.runJob(directories.jobs.run)
    expect(await ada.call(readPlan, { planId })).toMatchObject({ done: 0, failed: 0, mayApprove: true, run: { status: 'held' } })
    await ada.call(approve, { planId })
    await house.runJob(directories.jobs.run)
    expect(await ada.call(readPlan, { planId })).toMatchObject({ failed: 0, run: { status: 'done' } })
  })

  test('changes nobody who holds more than whoever approves it', async () => {
    const { id: roleId } = await ada.call(roles.calls.add, { name: 'Keys', description: '', view: [], menu: [], api: ['manageCAs'] })
    const [{ id, username } = { id: '', username: '' }] = await found('p12@example.org')
    const { givenName, familyName, emailAddress } = await ada.call(users.calls.read, { id })
    await ada.call(users.calls.change, { id, username, givenName, familyName, emailAddress, roleIds: [roleId] })
    slapd.modify(`dn: uid=p12,ou=people,${base}\nchangetype: modify\nreplace: mail\nmail: mine@example.org\n`)
    const clerk = await acme.person({ permissions: ['workflow', 'userAdd', 'userEdit'] })
    const { planId } = await ada.call(plan, { directoryId })
    await clerk.call(approve, { planId })
    await house.runJob(directories.jobs.run)
    const { rows } = await ada.call(readPlan, { planId, kind: 'changed' })
    expect(rows.find((row) => row.userId === id)).toMatchObject({ state: 'failed', says: expect.stringMatching(/person holds more/) })
    expect(await ada.call(users.calls.read, { id })).toMatchObject({ emailAddress: 'p12@example.org' })
    await ran()
    expect(await found('mine@example.org')).toMatchObject([{ id }])
  })

  test('runs by itself at night only where the directory says so', async () => {
    const { password: _, ...rest } = draft()
    slapd.modify(`dn: uid=p9,ou=people,${base}\nchangetype: modify\nreplace: title\ntitle: Night clerk\n`)
    await night()
    const lastRun = async () => (await ada.call(list, {})).rows[0]?.lastRun
    const first = await lastRun()
    expect(first).toMatchObject({ status: 'planned' })
    // Where the others take long the job runs several times in a night.
    house.clock.advance(3_600_000)
    await house.runJob(directories.jobs.nightly)
    expect(await lastRun()).toEqual(first)
    await ada.call(change, { id: directoryId, ...rest, approval: 'none' })
    await house.runJob(directories.jobs.nightly)
    await house.runJob(directories.jobs.run)
    expect((await ada.call(list, {})).rows[0]?.lastRun).toMatchObject({ status: 'done' })
  })
})

describe('The people of a directory', () => {
  test('are listed as it has them now; what is typed is a value and never a filter', async () => {
    slapd.modify(person('card', 'displayName: Card Holder\nmobile: +61 400 000 000\npager: 0011AA\n'))
    expect((await ada.call(listUsers, { text: 'Card' })).users).toEqual([
      {
        distinguishedName: `uid=card,ou=people,${base}`,
        displayName: 'Card Holder',
        uid: 'card',
        mobile: '+61 400 000 000',
        pager: '0011AA',
        csn: '0011AA',
        tempCsn: '',
        tempCsnExpiry: '',
      },
    ])
    const approver = await acme.person({ permissions: ['workflow'] })
    expect((await approver.call(listUsers, { text: 'Card' })).users).toMatchObject([
      { displayName: 'Card Holder', uid: '', mobile: '', pager: '', csn: '', tempCsn: '', tempCsnExpiry: '' },
    ])
    for (const text of ['*)(uid=*', 'a,+"\\<>;', ')(objectClass=*', '*']) expect((await ada.call(listUsers, { text })).users).toEqual([])
  })
})

test('What a sync did stands in the audit log by the names of fields', async () => {
  const { rows } = await ada.call(audit.calls.search, { size: 200, area: 'directories' })
  expect(rows.filter(({ area }) => area === 'directories').map(({ name }) => name)).toEqual(
    expect.arrayContaining(['added', 'planned', 'approved', 'ran', 'linked']),
  )
})
