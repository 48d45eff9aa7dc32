// Around the doors of sign-in: what one gains by holding half of a secret, somebody else's, or an old one.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import { users } from '#areas/users/contract.ts'
import { permissionsInUse } from '#core/contract/access.ts'
import { isPermission, permissions } from '#core/contract/permission-labels.ts'
import { browser } from '#core/testing/browser.ts'
import { caller } from '#core/testing/caller.ts'
import { audited } from '#core/testing/events.ts'
import { openTestHouse, type TestHouse, type TestTenancy } from '#core/testing/house.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { totp } from '#standards/totp/totp.ts'
import { sessions } from '../contract.ts'

let house: TestHouse
let acme: TestTenancy

beforeAll(async () => {
  house = await openTestHouse()
  acme = await house.tenancy('Acme')
})
afterAll(() => house.close())

const password = 'correct horse battery staple'
const { login, TOTPAuth, activate, checkSession, mfaEnrol, changePassword, addToken, logout } = sessions.calls
let count = 0

/** A person who has a password and a code, and the code's secret. */
async function enrolled() {
  const username = `katherine${(count += 1)}`
  const { id, activationLink } = await acme.administrator.call(users.calls.add, {
    username,
    givenName: 'Katherine',
    familyName: 'Johnson',
    emailAddress: `${username}@example.org`,
  })
  const page = browser(house.origin)
  const offer = await page.call(activate, { token: activationLink.replace(/^.*\//, ''), password })
  const secret = decodeBase32(offer.secret ?? '')
  await page.call(TOTPAuth, { passcode: totp(secret, house.clock.now()) })
  house.clock.advance(60_000)
  return { id, username, secret, page, recovery: offer.recovery_codes ?? [] }
}

const statusOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 200,
    (error: unknown) => Number(Object(error).status),
  )

describe('Who knows the password', () => {
  test('guesses six codes, although each guess begins a fresh sign-in', async () => {
    const { username, secret } = await enrolled()
    const statuses: number[] = []
    for (let guess = 0; guess < 8; guess += 1) {
      const page = browser(house.origin)
      await page.call(login, { username, password })
      statuses.push(await statusOf(page.call(TOTPAuth, { passcode: '000000' })))
    }
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 429, 429])
    const page = browser(house.origin)
    await page.call(login, { username, password })
    expect(await statusOf(page.call(TOTPAuth, { passcode: totp(secret, house.clock.now()) }))).toBe(429)
    house.clock.advance(301_000)
    await page.call(login, { username, password })
    expect(await statusOf(page.call(TOTPAuth, { passcode: totp(secret, house.clock.now()) }))).toBe(200)
  })

  test('opens nothing with the half-way cookie, under either name', async () => {
    const { id, username } = await enrolled()
    const page = browser(house.origin)
    await page.call(login, { username, password })
    const half = page.cookies.get('chancery-pending') ?? ''
    expect(half).not.toBe('')
    page.cookies.set('chancery-session', half)
    expect(await statusOf(page.call(users.calls.read, { id }))).toBe(401)
    expect(await statusOf(page.call(checkSession, {}))).toBe(401)
  })

  test('has five minutes for the code', async () => {
    const { username, secret } = await enrolled()
    const page = browser(house.origin)
    await page.call(login, { username, password })
    const cookie = page.cookies.get('chancery-pending') ?? ''
    house.clock.advance(301_000)
    page.cookies.set('chancery-pending', cookie)
    await expect(page.call(TOTPAuth, { passcode: totp(secret, house.clock.now()) })).rejects.toMatchObject({
      status: 409,
      code: 'noAttempt',
    })
  })
})

describe('One code', () => {
  test('opens one session though five ask with it at once', async () => {
    const { username, secret } = await enrolled()
    const pages = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const page = browser(house.origin)
        await page.call(login, { username, password })
        return page
      }),
    )
    const passcode = totp(secret, house.clock.now())
    const statuses = await Promise.all(pages.map((page) => statusOf(page.call(TOTPAuth, { passcode }))))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  })

  test('of recovery opens one session though five ask with it at once', async () => {
    const { username, recovery } = await enrolled()
    const statuses = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const page = browser(house.origin)
        await page.call(login, { username, password })
        return statusOf(page.call(TOTPAuth, { passcode: recovery[0] ?? '' }))
      }),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  })

  test('of another person is none', async () => {
    const [ada, eve] = [await enrolled(), await enrolled()]
    const page = browser(house.origin)
    await page.call(login, { username: eve.username, password })
    expect(await statusOf(page.call(TOTPAuth, { passcode: ada.recovery[0] ?? '' }))).toBe(403)
    expect(await statusOf(page.call(TOTPAuth, { passcode: totp(ada.secret, house.clock.now()) }))).toBe(403)
  })
})

describe('A session', () => {
  test('is new after sign-in: the value that was there before is worth nothing', async () => {
    const { username, secret } = await enrolled()
    const page = browser(house.origin)
    await page.call(login, { username, password })
    const before = page.cookies.get('chancery-pending') ?? ''
    await page.call(TOTPAuth, { passcode: totp(secret, house.clock.now()) })
    expect(page.cookies.get('chancery-session')).not.toBe(before)
    const other = browser(house.origin)
    other.cookies.set('chancery-pending', before)
    house.clock.advance(60_000)
    await expect(other.call(TOTPAuth, { passcode: totp(secret, house.clock.now()) })).rejects.toMatchObject({ code: 'noAttempt' })
  })

  test('lives twelve hours at most, however busy it is', async () => {
    const { page } = await enrolled()
    let hours = 0
    for (; hours < 14 && (await statusOf(page.call(sessions.calls.refreshSession, {}))) === 200; hours += 0.2)
      house.clock.advance(12 * 60_000)
    expect(hours).toBeGreaterThan(11.5)
    expect(hours).toBeLessThanOrEqual(12.2)
  })

  test('of everyone who knew the old password ends with it; the one that changed it stays', async () => {
    const { username, secret, page } = await enrolled()
    const other = browser(house.origin)
    await other.call(login, { username, password })
    await other.call(TOTPAuth, { passcode: totp(secret, house.clock.now()) })
    const { id } = await acme.administrator.call(users.calls.search, { text: username }).then(({ rows }) => rows[0] ?? { id: '' })
    await expect(page.call(changePassword, { oldPassword: password, newPassword: 'four other words here' })).rejects.toMatchObject({
      status: 403,
      code: 'denied',
    })
    await house.asOwner(
      `insert into role_members select tenant_id, id, '${id}' from roles where built_in = 'user' and tenant_id = '${acme.id}'`,
    )
    expect(await statusOf(page.call(changePassword, { oldPassword: 'not this one', newPassword: 'four other words here' }))).toBe(403)
    await page.call(changePassword, { oldPassword: password, newPassword: 'four other words here' })
    expect([await statusOf(page.call(checkSession, {})), await statusOf(other.call(checkSession, {}))]).toEqual([200, 401])
    expect(await statusOf(browser(house.origin).call(login, { username, password }))).toBe(403)
  })

  test('ends by sign-out once, and a stranger’s sign-out is a success that changes nothing', async () => {
    const { page, id } = await enrolled()
    const kept = new Map(page.cookies)
    await page.call(logout, {})
    expect(page.cookies.get('chancery-session')).toBeUndefined()
    for (const [name, value] of kept) page.cookies.set(name, value)
    expect(await statusOf(page.call(checkSession, {}))).toBe(401)
    expect(await statusOf(browser(house.origin).call(logout, {}))).toBe(200)
    expect((await audited(house, acme.id)).filter((event) => event.actor_id === id && event.name === 'signedOut')).toHaveLength(1)
  })
})

describe('An API token', () => {
  const grant = (id: string) =>
    house.asOwner(
      `insert into role_members select tenant_id, role_id, '${id}' from role_members where user_id = '${acme.administrator.id}' on conflict do nothing`,
    )
  const withToken = async (scopes: string[] = []) => {
    const person = await enrolled()
    await grant(person.id)
    const { token, id: tokenId } = await person.page.call(sessions.calls.addToken, { name: 'mine', scopes, days: 1, password })
    return { ...person, token, tokenId, program: caller(house.origin, { authorization: `Bearer ${token}` }) }
  }

  test('ends when the password changes, and when the code is reset', async () => {
    const [ada, eve] = [await withToken(), await withToken()]
    expect(await statusOf(ada.program.call(checkSession, {}))).toBe(200)
    await ada.page.call(changePassword, { oldPassword: password, newPassword: 'four other words here' })
    expect([await statusOf(ada.program.call(checkSession, {})), await statusOf(ada.page.call(checkSession, {}))]).toEqual([401, 200])
    await (await acme.administrator.session()).call(sessions.calls.mfaReset, { userId: eve.id })
    expect([await statusOf(eve.program.call(checkSession, {})), await statusOf(eve.page.call(checkSession, {}))]).toEqual([401, 401])
  })

  test('manages no tokens, no password and no code, whatever it may do besides', async () => {
    const { program, tokenId } = await withToken()
    const attempts = [
      () => program.call(sessions.calls.searchTokens, {}),
      () => program.call(sessions.calls.addToken, { name: 'more', days: 1, password }),
      () => program.call(sessions.calls.removeToken, { id: tokenId }),
      () => program.call(changePassword, { oldPassword: password, newPassword: 'four other words here' }),
      () => program.call(mfaEnrol, { password }),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ status: 403, code: 'session_needed' })
  })

  test('with scopes acts only within them, also where signing in is all that a call needs', async () => {
    const { program, id } = await withToken(['certView'])
    const { roles: _, ...me } = await program.call(users.calls.read, { id })
    expect(await statusOf(program.call(sessions.calls.legacyLogin, {}))).toBe(200)
    const acting = rooms
      .flatMap(({ calls }) => calls.map(({ call }) => call))
      .filter(({ needs, tokens }) => needs === 'signedIn' && tokens !== 'any')
    expect(acting.length).toBeGreaterThan(10)
    for (const call of acting.filter(({ tokens }) => tokens === 'never' || tokens?.includes('certView') !== true)) {
      const response = await program.fetch(call.path, {
        method: call.method,
        headers: { 'content-type': 'application/json' },
        ...(call.method === 'GET' ? {} : { body: '{}' }),
      })
      expect([call.path, response.status]).toEqual([call.path, 403])
    }
    await expect(program.call(users.calls.change, users.calls.change.input.parse({ ...me, telephoneNumber: '1' }))).rejects.toMatchObject({
      status: 403,
      code: 'denied',
    })
  })

  test('in wrong hands uses up its own guesses and not the person’s', async () => {
    const { program, page, id } = await withToken()
    const { roles: held, ...me } = await acme.administrator.call(users.calls.read, { id: (await enrolled()).id })
    const change = users.calls.change.input.parse({
      ...me,
      roleIds: held.map((role) => role.id),
      emailAddress: `taken${count}@example.org`,
    })
    const statuses: number[] = []
    for (let guess = 0; guess < 8; guess += 1)
      statuses.push(await statusOf(program.call(users.calls.change, { ...change, ownPassword: `guess number ${guess}` })))
    expect(statuses).toEqual([...Array<number>(6).fill(403), 429, 429])
    expect(await statusOf(page.call(users.calls.change, { ...change, ownPassword: password }))).toBe(200)
    expect(await statusOf(page.call(mfaEnrol, { password }))).toBe(200)
    expect(id).toBeDefined()
  })

  test('is not told again to another session that repeats the request', async () => {
    const { page, username, secret } = await enrolled()
    const key = { 'idempotency-key': 'token-00000001' }
    const asked = { name: 'kept', scopes: [], days: 1, password }
    const made = await page.call(sessions.calls.addToken, asked, key)
    expect(await page.call(sessions.calls.addToken, asked, key)).toEqual(made)
    const other = browser(house.origin)
    await other.call(login, { username, password })
    await other.call(TOTPAuth, { passcode: totp(secret, house.clock.now()) })
    await expect(other.call(sessions.calls.addToken, asked, key)).rejects.toMatchObject({ status: 409, code: 'conflict' })
  })

  test('beside a session is refused, so that the one cannot act in the other’s place', async () => {
    const { page, id, token } = await withToken()
    for (const authorization of [`Bearer ${token}`, 'Bearer x', `bearer chy_${'A'.repeat(65)}`, 'Bearer'])
      await expect(page.call(logout, {}, { authorization, 'x-xsrf-token': '' })).rejects.toMatchObject({
        status: 400,
        code: 'malformed',
        fields: [{ field: 'Authorization' }],
      })
    expect(await statusOf(page.call(checkSession, {}))).toBe(200)
    await page.call(logout, {})
    expect((await audited(house, acme.id)).filter((event) => event.actor_id === id && event.name === 'signedOut')).toHaveLength(1)
  })
})

describe('Over https', () => {
  test('the session’s cookies are bound to this host, and count no more without it', async () => {
    const secure = await openTestHouse({ settings: { CHANCERY_ORIGIN: 'https://pki.example.org' } })
    try {
      const there = await secure.tenancy('Acme')
      const { activationLink } = await there.administrator.call(users.calls.add, {
        username: 'hedy',
        givenName: 'Hedy',
        familyName: 'Lamarr',
        emailAddress: 'hedy@example.org',
      })
      const page = browser(secure.origin)
      const offer = await page.call(activate, { token: activationLink.replace(/^.*\//, ''), password })
      await page.call(TOTPAuth, { passcode: totp(decodeBase32(offer.secret ?? ''), secure.clock.now()) })
      expect([...page.cookies.keys()].filter((name) => name.includes('chancery')).sort()).toEqual([
        '__Host-chancery-device',
        '__Host-chancery-session',
      ])
      expect(await statusOf(page.call(checkSession, {}))).toBe(200)
      const session = page.cookies.get('__Host-chancery-session') ?? ''
      page.cookies.delete('__Host-chancery-session')
      page.cookies.set('chancery-session', session)
      expect(await statusOf(page.call(checkSession, {}))).toBe(401)
    } finally {
      await secure.close()
    }
  })
})

describe('A new code', () => {
  test('needs the password, leaves a record, and does not replace the old one before it is given', async () => {
    const { page, id, username, secret } = await enrolled()
    expect(await statusOf(page.call(mfaEnrol, { password: 'not this one' }))).toBe(403)
    const offer = await page.call(mfaEnrol, { password })
    expect((await audited(house, acme.id)).filter((event) => event.about === id).map(({ name }) => name)).toContain('codeOffered')
    const other = browser(house.origin)
    await other.call(login, { username, password })
    expect(await statusOf(other.call(TOTPAuth, { passcode: totp(secret, house.clock.now()) }))).toBe(200)
    await page.call(TOTPAuth, { passcode: totp(decodeBase32(offer.secret), house.clock.now()) })
    house.clock.advance(60_000)
    const third = browser(house.origin)
    await third.call(login, { username, password })
    expect(await statusOf(third.call(TOTPAuth, { passcode: totp(secret, house.clock.now()) }))).toBe(403)
    expect(await statusOf(third.call(TOTPAuth, { passcode: totp(decodeBase32(offer.secret), house.clock.now()) }))).toBe(200)
  })
})

describe('A code that is offered', () => {
  const next = 'four other words here'
  const mayChange = (id: string) =>
    house.asOwner(`insert into role_members select tenant_id, id, '${id}' from roles where built_in = 'user' and tenant_id = '${acme.id}'`)

  test('is void when the password changes, with its recovery codes, and the one before it stays', async () => {
    const { page, id, username, secret } = await enrolled()
    await mayChange(id)
    const offer = await page.call(mfaEnrol, { password })
    await page.call(changePassword, { oldPassword: password, newPassword: next })
    const other = browser(house.origin)
    await other.call(login, { username, password: next })
    for (const passcode of [totp(decodeBase32(offer.secret), house.clock.now()), offer.recovery_codes[0] ?? ''])
      expect(await statusOf(other.call(TOTPAuth, { passcode }))).toBe(403)
    expect(await statusOf(other.call(TOTPAuth, { passcode: totp(secret, house.clock.now()) }))).toBe(200)
  })

  test('ends after a quarter of an hour', async () => {
    const taken = async (minutes: number) => {
      const { page, username } = await enrolled()
      const offer = await page.call(mfaEnrol, { password })
      house.clock.advance(minutes * 60_000)
      const other = browser(house.origin)
      await other.call(login, { username, password })
      return statusOf(other.call(TOTPAuth, { passcode: totp(decodeBase32(offer.secret), house.clock.now()) }))
    }
    expect([await taken(14), await taken(16)]).toEqual([200, 403])
  })
})

describe('The old password, at the moment when it changes', () => {
  const next = 'four other words here'

  const code = (secret: Uint8Array) => ({ passcode: totp(secret, house.clock.now()) })
  type Thing = {
    grab(thief: ReturnType<typeof browser>, username: string, at: number): Promise<string>
    use(got: string, owner: ReturnType<typeof browser>, secret: Uint8Array): Promise<unknown>
  }
  const things: Record<string, Thing> = {
    'an API token': {
      grab: async (thief, _username, at) => (await thief.call(addToken, { name: `t${at}`, scopes: [], days: 30, password })).token,
      use: (token) => caller(house.origin, { authorization: `Bearer ${token}` }).call(checkSession, {}),
    },
    'a code that is offered': {
      grab: async (thief) => (await thief.call(mfaEnrol, { password })).secret,
      use: (offered, owner) => owner.call(TOTPAuth, code(decodeBase32(offered))),
    },
    'a sign-in that is begun': {
      async grab(_thief, username) {
        const page = browser(house.origin)
        await page.call(login, { username, password })
        return page.cookies.get('chancery-pending') ?? ''
      },
      use(pending, _owner, secret) {
        const page = browser(house.origin)
        page.cookies.set('chancery-pending', pending)
        return page.call(TOTPAuth, code(secret))
      },
    },
  }

  test.each(Object.entries(things))('leaves nothing behind that works on: %s', async (_what, { grab, use }) => {
    const statuses: number[] = []
    for (let round = 0; round < 4; round += 1) {
      const { page, id, username, secret } = await enrolled()
      await house.asOwner(
        `insert into role_members select tenant_id, id, '${id}' from roles where built_in = 'user' and tenant_id = '${acme.id}'`,
      )
      const thief = browser(house.origin)
      await thief.call(login, { username, password })
      await thief.call(TOTPAuth, code(secret))
      house.clock.advance(60_000)
      const changed = page.call(changePassword, { oldPassword: password, newPassword: next })
      const got = (await Promise.all([0, 1, 2, 3, 4].map((at) => grab(thief, username, at).catch(() => '')))).filter((one) => one !== '')
      await changed
      const owner = browser(house.origin)
      await owner.call(login, { username, password: next })
      for (const one of got) statuses.push(await statusOf(use(one, owner, secret)))
    }
    expect(statuses).not.toContain(200)
  })
})

describe('The recovery codes on paper', () => {
  test('stand until a code of the new secret is given, and only then give way to the new ones', async () => {
    const { page, username, recovery } = await enrolled()
    const offer = await page.call(mfaEnrol, { password })
    const attempt = async (passcode: string | undefined) => {
      const other = browser(house.origin)
      await other.call(login, { username, password })
      return statusOf(other.call(TOTPAuth, { passcode: passcode ?? '' }))
    }
    expect(await attempt(offer.recovery_codes[0])).toBe(403)
    expect(await attempt(recovery[0])).toBe(200)
    await page.call(TOTPAuth, { passcode: totp(decodeBase32(offer.secret), house.clock.now()) })
    expect(await attempt(recovery[1])).toBe(403)
    expect(await attempt(offer.recovery_codes[0])).toBe(200)
    expect(await attempt(offer.recovery_codes[0])).toBe(403)
  })
})

describe('A browser that one signed in with before', () => {
  test('lets one in while a stranger at the same place guesses, and only into that account', async () => {
    const [ada, eve] = [await enrolled(), await enrolled()]
    const signIn = async (device: string | undefined, { username, secret }: { username: string; secret: Uint8Array }) => {
      const page = browser(house.origin)
      if (device !== undefined) page.cookies.set('chancery-device', device)
      const first = await statusOf(page.call(login, { username, password }))
      return first === 200 ? statusOf(page.call(TOTPAuth, { passcode: totp(secret, house.clock.now()) })) : first
    }
    const device = ada.page.cookies.get('chancery-device')
    for (let guess = 0; guess < 12; guess += 1)
      await statusOf(browser(house.origin).call(login, { username: ada.username, password: `guess number ${guess}` }))
    expect(await signIn(undefined, ada)).toBe(429)
    expect(await signIn(eve.page.cookies.get('chancery-device'), ada)).toBe(429)
    expect(await signIn(`${device?.startsWith('A') === true ? 'B' : 'A'}${device?.slice(1)}`, ada)).toBe(429)
    expect(await signIn(device, ada)).toBe(200)
    const page = browser(house.origin)
    page.cookies.set('chancery-device', device ?? '')
    const statuses: number[] = []
    for (let guess = 0; guess < 12; guess += 1)
      statuses.push(await statusOf(page.call(login, { username: ada.username, password: `guess number ${guess}` })))
    expect(statuses).toEqual([...Array<number>(10).fill(403), 429, 429])
  })
})

describe('Guessing a password', () => {
  test('is counted by the name that is guessed at, whoever is signed in and however the name is written', async () => {
    const victim = await enrolled()
    const mallory = await enrolled()
    const statuses: number[] = []
    for (let guess = 0; guess < 12; guess += 1) {
      // A sign-in of one's own in between does not wipe the slate.
      if (guess % 4 === 3) await mallory.page.call(login, { username: mallory.username, password })
      statuses.push(
        await statusOf(
          mallory.page.call(login, {
            username: guess % 2 === 0 ? victim.username : ` ${victim.username.toUpperCase()} `,
            password: `guess number ${guess}`,
          }),
        ),
      )
    }
    expect(statuses).toEqual([...Array<number>(10).fill(403), 429, 429])
  })
})

test('The scopes of a token that are offered are those of the asker that open a call today', async () => {
  const inUse = permissionsInUse(house.house.contracts)
  const unused = Object.keys(permissions)
    .filter(isPermission)
    .filter((name) => !inUse.has(name))
  const person = await acme.person({ permissions: ['certView', 'userView', ...unused] })
  const { scopes } = await (await person.session()).call(sessions.calls.tokenScopes, {})
  expect(scopes).toEqual([
    { name: 'certView', label: permissions.certView },
    { name: 'userView', label: permissions.userView },
  ])
})
