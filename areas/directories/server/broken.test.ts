import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessions } from '#areas/sessions/contract.ts'
import { users } from '#areas/users/contract.ts'
import { refusal } from '#core/testing/caller.ts'
import { freePort } from '#core/testing/free-port.ts'
import { useHouse, type TestTenancy } from '#core/testing/house.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { totp } from '#standards/totp/totp.ts'
import { directories } from '../contract.ts'
import { defaultFilter, defaultMapping } from '../mapping.ts'
import { base, openDirectory, person, reader, readerPassword, type LittleDirectory } from './slapd.fixture.ts'

const house = await useHouse({ settings: { CHANCERY_OUTWARD_ALLOW: '127.0.0.1', CHANCERY_OUTWARD_PORTS: '1024-65535' } })
const { add, change, plan, approve, list } = directories.calls
const password = 'correct horse battery staple'

let acme: TestTenancy
let slapd: LittleDirectory
const held: Socket[] = []
/** Takes every connection and says nothing. */
const silent = createServer((socket) => void held.push(socket.on('error', () => {})))
let silentPort: number
let heard: () => void
const asked = new Promise<void>((resolve) => (heard = resolve))

beforeAll(async () => {
  slapd = await openDirectory()
  slapd.modify(person('dana'))
  silent.on('connection', () => heard())
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  silentPort = typeof address === 'object' && address !== null ? address.port : 0
  acme = await house.tenancy('Acme')
})
afterAll(async () => {
  for (const socket of held) socket.destroy()
  silent.close()
  await slapd.stop()
})

const draft = (name: string) => ({
  name,
  kind: 'ldap' as const,
  host: '127.0.0.1',
  port: slapd.securePort,
  security: 'ldaps' as const,
  roots: slapd.certificate,
  bindDn: reader,
  password: readerPassword,
  baseDn: base,
  filter: defaultFilter.ldap,
  mapping: defaultMapping.ldap,
  invite: true,
})

/** What a browser keeps between calls. */
function browser() {
  const cookies = new Map<string, string>()
  return async (path: string, body: object) => {
    const response = await house.fetch(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'x-xsrf-token': cookies.get('XSRF-TOKEN') ?? '',
      },
      body: JSON.stringify(body),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return { status: response.status, body: (await response.json()) as { secret?: string } }
  }
}

/** Activates an account by its link; answers a sign-in with its password and code, from a new browser. */
async function activated(username: string, activationLink: string) {
  const visitor = browser()
  const { body } = await visitor(sessions.calls.activate.path, { token: activationLink.replace(/^.*\//, ''), password })
  const secret = decodeBase32(body.secret ?? '')
  await visitor(sessions.calls.TOTPAuth.path, { passcode: totp(secret, house.clock.now()) })
  return async () => {
    // A code is good once.
    house.clock.advance(60_000)
    const post = browser()
    const first = await post(sessions.calls.login.path, { username, password })
    const second = await post(sessions.calls.TOTPAuth.path, { passcode: totp(secret, house.clock.now()) })
    return [first.status, second.status]
  }
}

test('Administrators of the tenancy, and people who came from a directory, sign in while the directory is silent, closed or not trusted', async () => {
  const { administrator: ada } = acme
  const name = { username: 'local.admin', givenName: 'Lo', familyName: 'Cal', emailAddress: 'local@example.org' }
  const administrators = (await ada.call(users.calls.read, { id: ada.id })).roles.map(({ id }) => id)
  const { activationLink } = await ada.call(users.calls.add, { ...name, roleIds: administrators })
  const local = await activated(name.username, activationLink)

  const { id } = await ada.call(add, draft('Head office'))
  await ada.call(approve, { planId: (await ada.call(plan, { directoryId: id })).planId })
  await house.runJob(directories.jobs.run)
  const dana = (await ada.call(users.calls.search, { text: 'dana@example.org' })).rows[0]
  const link = await ada.call(users.calls.invite, { id: dana?.id ?? '' })
  const fromDirectory = await activated(dana?.username ?? '', link.activationLink)
  expect(await local()).toEqual([200, 200])
  expect(await fromDirectory()).toEqual([200, 200])

  const { password: _, ...kept } = draft('Head office')
  const broken = {
    closed: { port: await freePort() },
    notTrusted: { roots: '' },
    silent: { port: silentPort },
  }
  for (const wrong of [broken.closed, broken.notTrusted]) {
    await ada.call(change, { id, ...kept, ...wrong, password: readerPassword })
    expect(await refusal(ada.call(plan, { directoryId: id }))).toMatchObject({ status: 502, code: 'unreachable' })
    await house.runJob(directories.jobs.nightly)
    expect([await local(), await fromDirectory()]).toEqual([
      [200, 200],
      [200, 200],
    ])
  }

  await ada.call(change, { id, ...kept, ...broken.silent, password: readerPassword })
  const planning = refusal(ada.call(plan, { directoryId: id }))
  await asked
  // The plan still waits for a directory that says nothing.
  expect([await local(), await fromDirectory()]).toEqual([
    [200, 200],
    [200, 200],
  ])
  for (const socket of held) socket.destroy()
  expect(await planning).toMatchObject({ status: 502, code: 'unreachable' })
  expect((await ada.call(users.calls.read, { id: dana?.id ?? '' })).enabled).toBe(true)
  expect((await ada.call(list, {})).rows[0]?.lastRun).toMatchObject({ status: 'failed' })
})
