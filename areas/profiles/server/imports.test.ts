import { beforeAll, describe, expect, test } from 'vitest'
import { mail } from '#areas/mail/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { addToken } from '#areas/sessions/service.ts'
import { users } from '#areas/users/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { caller } from '#core/testing/caller.ts'
import { refusal, useHouse, type Caller, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { profiles } from '../contract.ts'

const house = await useHouse()
let acme: TestTenancy
let ada: TestPerson
let atScreen: Caller
const { prepareImport, checkImport, readImport, startImport, undoImport, read, change } = profiles.calls

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  ada = acme.administrator
})

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')

type Options = { mode?: 'add' | 'update' | 'both'; invite?: 'yes' | 'no' }
async function checked(text: string | Buffer, options: Options = {}): Promise<string> {
  const { importId, mapping } = await ada.call(prepareImport, { fileName: 'people.csv', file: base64(text) })
  await ada.call(checkImport, { importId, mapping, options })
  await house.runJob(profiles.jobs.imports)
  return importId
}
async function ran(text: string, options?: Options): Promise<string> {
  const importId = await checked(text, options)
  atScreen = await ada.session()
  await atScreen.call(startImport, { importId, skipFaulty: true })
  await house.runJob(profiles.jobs.imports)
  return importId
}
const found = async (text: string) => (await ada.call(users.calls.search, { text })).rows

describe('An import of people', () => {
  test('of 500 of whom 20 are faulty says all faults before anything is done, and imports the others', async () => {
    const lines = Array.from({ length: 500 }, (_, at) =>
      at % 25 === 0 ? `Given ${at},,nobody` : `Given ${at},Family ${at},bulk${at}@example.org`,
    )
    const importId = await checked(`First name;Surname;Mail\n${lines.join('\n').replaceAll(',', ';')}\n`)
    const said = await ada.call(readImport, { importId })
    expect(said).toMatchObject({ status: 'checked', good: 480, faulty: 20, fresh: 480 })
    expect(said.faults.slice(0, 2)).toMatchObject([
      { row: 2, column: 'Family name' },
      { row: 2, column: 'E-mail address', value: 'nobody' },
    ])
    expect(await found('bulk1@example.org')).toEqual([])
    await ada.call(startImport, { importId, skipFaulty: true })
    await house.runJob(profiles.jobs.imports)
    expect(await ada.call(readImport, { importId })).toMatchObject({ status: 'done', applied: 480, failed: 0 })
    expect(await found('bulk1@example.org')).toMatchObject([{ givenName: 'Given 1', status: 'invited' }])
    const faulty = await (await ada.fetch(`${profiles.endpoints.faultyRows.path}?id=${importId}`)).text()
    expect(faulty.trim().split('\n')).toHaveLength(21)
  })

  test('refuses usernames that the form refuses, and says with the check how each will sign in', async () => {
    const importId = await checked(
      'username,given name,family name,email\nhas space,A,B,space@example.org\n+1p082,A,B,plus@example.org\nplain.name,A,B,plain@example.org\n,A,B,from.address@example.org\n',
    )
    const { faults, becomes } = await ada.call(readImport, { importId })
    const says = 'The username contains an invalid character.'
    expect(faults).toMatchObject([
      { row: 2, column: 'Username', value: 'has space', says },
      { row: 3, column: 'Username', value: '+1p082', says },
    ])
    expect(becomes.map(({ row, value }) => [row, value])).toEqual([
      [4, 'plain.name'],
      [5, ''],
    ])
    await ada.call(startImport, { importId, skipFaulty: true })
    await house.runJob(profiles.jobs.imports)
    expect((await found('plain@example.org')).map(({ username }) => username)).toEqual([becomes[0]?.becomes])
    expect((await found('from.address@example.org')).map(({ username }) => username)).toEqual([becomes[1]?.becomes])
    // The same file, mended and chosen again, means the same people by the names that it has for them.
    const again = await checked(
      'username,given name,family name,email\nplain.name,A,B,plain@example.org\nplain.name2,A,C,plain@example.org\nnew.space,A,B,space@example.org\n',
    )
    expect(await ada.call(readImport, { importId: again })).toMatchObject({
      same: 1,
      fresh: 1,
      faults: expect.arrayContaining([expect.objectContaining({ row: 3, column: 'Username', says: 'An import changes no usernames' })]),
    })
  })

  test('finds who is here by id, username or address, changes what a cell says, and is undone', async () => {
    const { id } = await ada.call(users.calls.add, {
      username: 'known.one',
      givenName: 'Known',
      familyName: 'One',
      emailAddress: 'known@example.org',
      title: 'Clerk',
    })
    await ada.call(change, { id, values: { passType: 'Visitor', vehicleRegistration: 'OLD 1' } })
    const importId = await ran(
      'username,given name,family name,email,title,pass type,vehicle registration\nKNOWN.one,Known,One,new.address@example.org,Head,Contractor,\n',
    )
    expect((await ada.call(read, { id })).values).toMatchObject({
      emailAddress: 'new.address@example.org',
      title: 'Head',
      passType: 'Contractor',
      vehicleRegistration: 'OLD 1',
    })
    await atScreen.call(undoImport, { importId })
    await house.runJob(profiles.jobs.imports)
    expect((await ada.call(read, { id })).values).toMatchObject({ emailAddress: 'known@example.org', title: 'Clerk', passType: 'Visitor' })
  })

  test('of the own export changes nothing, also where a value looks like a formula', async () => {
    const [row] = await found('known.one')
    await ada.call(change, { id: row?.id ?? '', values: { positionHeld: '=SUM(A1)', vehicleRegistration: '-1' } })
    const text = await (await ada.fetch(users.endpoints.export.path)).text()
    expect(text).toContain("'=SUM(A1)")
    expect(text).not.toMatch(/Residential|Medical/)
    expect(await ada.call(readImport, { importId: await checked(text) })).toMatchObject({ fresh: 0, changed: 0, faulty: 0 })
  })

  test('gives roles by name, never one that holds more than who imports', async () => {
    const acme = await house.tenancy('Globex')
    const clerk = await acme.person({ permissions: ['userView', 'userAdd', 'userEdit', 'selfServicePortal'] })
    await acme.administrator.call(roles.calls.add, { name: 'Desk', description: '', view: [], menu: [], api: ['selfServicePortal'] })
    const { importId, mapping } = await clerk.call(prepareImport, {
      fileName: 'a.csv',
      file: base64(
        'Given name,Family name,E-mail,Roles\nA,A,a@example.org,Desk\nB,B,b@example.org,Administrator\nC,C,c@example.org,Nobody\n',
      ),
    })
    await clerk.call(checkImport, { importId, mapping: { ...mapping, emailAddress: 2 } })
    await house.runJob(profiles.jobs.imports)
    expect((await clerk.call(readImport, { importId })).faults).toMatchObject([
      { row: 3, column: 'Roles', says: 'The role Administrator holds more than you' },
      { row: 4, column: 'Roles', says: 'There is no role Nobody' },
    ])
    await clerk.call(startImport, { importId, skipFaulty: true })
    await house.runJob(profiles.jobs.imports)
    const [made] = (await clerk.call(users.calls.search, { text: 'a@example.org' })).rows
    expect(made?.username).toMatch(/^a@/)
    expect((await clerk.call(users.calls.read, { id: made?.id ?? '' })).roles).toMatchObject([{ name: 'Desk' }])
  })

  test('adds only, or changes only, where somebody says so', async () => {
    const text = 'Given name,Family name,E-mail\nKnown,Another,known@example.org\nFresh,One,fresh@example.org\n'
    for (const [mode, row] of [
      ['add', 2],
      ['update', 3],
    ] as const)
      expect(await ada.call(readImport, { importId: await checked(text.replace('E-mail', 'Email'), { mode }) })).toMatchObject({
        good: 1,
        faults: [{ row }],
      })
  })

  test('that changes card numbers asks for a fresh proof before it runs', async () => {
    const importId = await checked('Given name,Family name,Email,Card number\nCard,Holder,card@example.org,00123\n')
    await expect(ada.call(startImport, { importId })).rejects.toMatchObject({ code: 'session_needed' })
  })

  test('keeps who has signed in since, and tells so', async () => {
    const importId = await ran('Given name,Family name,Email\nStays,Here,stays@example.org\n')
    const [row] = await found('stays@example.org')
    await house.asOwner(`update users set activated_at = now() where id = '${row?.id}'`)
    await atScreen.call(undoImport, { importId })
    await house.runJob(profiles.jobs.imports)
    expect(await found('stays@example.org')).toHaveLength(1)
    expect((await ada.call(readImport, { importId })).faults).toMatchObject([{ says: 'Somebody uses the account by now, so it stays' }])
  })

  test('takes nothing back that somebody has edited since, and names it', async () => {
    const importId = await ran(
      'Given name,Family name,Email,Title\nEdited,Since,edited@example.org,Clerk\nNot,Edited,not.edited@example.org,Clerk\n',
    )
    const second = await ran('Given name,Family name,Email,Title,Pass type\nKnown,One,known@example.org,Chief,Visitor\n')
    const idOf = async (text: string) => (await found(text))[0]?.id ?? ''
    await ada.call(change, { id: await idOf('edited@example.org'), values: { passType: 'Contractor' } })
    const { username, givenName, familyName, emailAddress } = await ada.call(users.calls.read, { id: await idOf('known@example.org') })
    await ada.call(users.calls.change, {
      id: await idOf('known@example.org'),
      username,
      givenName,
      familyName,
      emailAddress,
      title: 'Deputy',
    })
    await house.asOwner(`update users set title = 'Head' where email_key = 'edited@example.org'`)
    for (const id of [importId, second]) {
      await atScreen.call(undoImport, { importId: id })
      await house.runJob(profiles.jobs.imports)
    }
    expect(await found('not.edited@example.org')).toEqual([])
    expect((await ada.call(readImport, { importId })).faults).toMatchObject([
      { says: 'Changed since the import, so this person stays: Job title' },
    ])
    expect((await ada.call(read, { id: await idOf('known@example.org') })).values).toMatchObject({ title: 'Deputy', passType: 'Visitor' })
  })

  test('that gives somebody another address ends the link that was mailed to the one before, and mails a new one', async () => {
    const { activationLink } = await ada.call(users.calls.add, {
      username: 'moved.mail',
      givenName: 'Moved',
      familyName: 'Mail',
      emailAddress: 'first.mail@example.org',
    })
    await ran('username,given name,family name,email\nmoved.mail,Moved,Mail,second.mail@example.org\n')
    const token = activationLink.replace(/^.*\//, '')
    expect(await house.signedOut.call(sessions.calls.readActivation, { token })).toEqual({ usable: false })
    const { rows } = await ada.call(mail.calls.outbox, { text: 'second.mail@example.org' })
    expect(rows).toMatchObject([{ subject: 'Activate your account' }])
  })

  test.each([
    ['UTF-16 with its mark', Buffer.from('\u{feff}Given name,Family name,Email\nJürgen,Äpfel,utf16@example.org\n', 'utf16le')],
    ['Windows-1252 with semicolons', Buffer.from('Given name;Family name;Email\nJürgen;Äpfel;latin@example.org\n', 'latin1')],
    [
      'quoted line breaks',
      Buffer.from('Given name,Family name,Email,Business address\n"Jürgen",Äpfel,quoted@example.org,"1 Main\nTown"\n'),
    ],
  ])('reads %s', async (_name, bytes) => {
    expect(await ada.call(readImport, { importId: await checked(bytes) })).toMatchObject({ good: 1, faulty: 0 })
  })
})

describe('An import that somebody else prepared', () => {
  const both = ['userView', 'userAdd', 'userEdit'] as const
  const text = 'Given name,Family name,Email,Title,Roles\nNew,Chief,new.chief@example.org,Administrator,\n'
  const asChief = (mapping: Record<string, number>) => ({ ...mapping, roles: 3, title: 4 })

  test('acts with the rights of who checks and runs it, not of who prepared it', async () => {
    const acme = await house.tenancy('Umbrella')
    const [admin, mallory] = [await acme.administrator.session(), await acme.person({ permissions: both })]
    const { importId, mapping } = await admin.call(prepareImport, { fileName: 'a.csv', file: base64(text) })
    await admin.call(checkImport, { importId, mapping: asChief(mapping) })
    await house.runJob(profiles.jobs.imports)
    expect(await refusal(mallory.call(startImport, { importId }))).toMatchObject({ status: 400, fields: [{ field: 'importId' }] })
    await mallory.call(checkImport, { importId })
    await house.runJob(profiles.jobs.imports)
    expect(await mallory.call(readImport, { importId })).toMatchObject({
      own: true,
      faults: [{ says: 'The role Administrator holds more than you' }],
    })
    // What somebody else checked, perhaps by other columns, is not run by who prepared it either.
    expect(await refusal(admin.call(startImport, { importId, skipFaulty: true }))).toMatchObject({ status: 400 })
    expect((await admin.call(users.calls.search, { text: 'new.chief' })).rows).toEqual([])
  })

  test('is closed to who may not do all of it, each step of it', async () => {
    const importId = await ran('Given name,Family name,Email\nStays,Here,stays.here@example.org\n')
    const half = await (await house.tenancy('Half')).person({ permissions: [] })
    for (const permissions of [['userView', 'userAdd'], ['userAdd']] as const) {
      const mallory = await acme.person({ permissions })
      const denied = { status: 403, code: 'denied' }
      expect(await refusal(mallory.call(prepareImport, { fileName: 'a.csv', file: base64(text) }))).toMatchObject(denied)
      expect(await refusal(mallory.call(profiles.calls.listImports, {}))).toMatchObject(denied)
      for (const call of [readImport, startImport, checkImport, undoImport, profiles.calls.cancelImport])
        expect(await refusal(mallory.call(call, { importId }))).toMatchObject(denied)
      expect((await mallory.fetch(`${profiles.endpoints.faultyRows.path}?id=${importId}`)).status).toBe(403)
    }
    expect(await refusal(half.call(readImport, { importId }))).toMatchObject({ status: 403 })
    expect(await found('stays.here@example.org')).toHaveLength(1)
  })

  test('is undone by what who undoes it may do', async () => {
    const strong = await ada.call(roles.calls.add, { name: 'Strong', api: ['manageCAs'] })
    const importId = await ran(
      'Given name,Family name,Email,Roles\nStrong,One,strong.one@example.org,Strong\nWeak,One,weak.one@example.org,\n',
    )
    expect(strong.id).toBeDefined()
    const clerk = await (await acme.person({ permissions: both })).session()
    await clerk.call(undoImport, { importId })
    await house.runJob(profiles.jobs.imports)
    expect((await found('strong.one@example.org')).length).toBe(1)
    expect(await found('weak.one@example.org')).toEqual([])
  })

  test('stops and says so where whoever runs it loses the right, and goes on with nobody’s', async () => {
    const clerk = await acme.person({ permissions: both })
    const { importId, mapping } = await clerk.call(prepareImport, { fileName: 'a.csv', file: base64(text.replace('chief', 'stopped')) })
    await clerk.call(checkImport, { importId, mapping: { ...mapping, emailAddress: 2 } })
    await house.runJob(profiles.jobs.imports)
    await clerk.call(startImport, { importId })
    await ada.call(users.calls.setEnabled, { id: clerk.id, enabled: false })
    await house.runJob(profiles.jobs.imports)
    expect(await ada.call(readImport, { importId })).toMatchObject({
      status: 'cancelled',
      applied: 0,
      stopped: `${clerk.username} may not do this any more. Somebody else can go on`,
    })
  })

  test('does no more than the token with which it was begun', async () => {
    const expiresAt = new Date(house.clock.now().getTime() + 86_400_000)
    const { token } = await inTenant(house.house.database, acme.id, (db) =>
      addToken(db, { tenantId: acme.id, userId: ada.id, name: 'imports', scopes: [...both], expiresAt }, house.clock.now()),
    )
    const program = caller(house.origin, { authorization: `Bearer ${token}` })
    const { importId, mapping } = await program.call(prepareImport, { fileName: 'a.csv', file: base64(text.replace('chief', 'token')) })
    await program.call(checkImport, { importId, mapping: asChief(mapping) })
    await house.runJob(profiles.jobs.imports)
    expect((await program.call(readImport, { importId })).faults).toMatchObject([{ says: 'The role Administrator holds more than you' }])
  })
})

test('An export holds only fields that the viewer may read, by name or not', async () => {
  const clerk = await (await house.tenancy('Initech')).person({ permissions: ['userView'] })
  const path = users.endpoints.export.path
  expect((await clerk.fetch(`${path}?fields=medicalDeviceType`)).status).toBe(403)
  expect((await clerk.fetch(`${path}?fields=nothing`)).status).toBe(403)
  expect((await clerk.fetch(`${path}?fields=givenName,passType`)).status).toBe(200)
  expect((await ada.fetch(`${path}?fields=medicalDeviceType`)).status).toBe(400)
})
