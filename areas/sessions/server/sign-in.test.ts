import { expect, test } from 'vitest'
import { tenancy } from '#areas/tenancy/contract.ts'
import { users } from '#areas/users/contract.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse } from '#core/testing/house.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { totp } from '#standards/totp/totp.ts'
import { sessions } from '../contract.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')

type Body = {
  code: string
  message: string
  token: string
  secret: string
  further_required_auth: string
  otpauth: string
  recovery_codes: string[]
  fields?: { field: string }[]
  0?: object
}

/** What a browser keeps between calls. */
function browser() {
  const cookies = new Map<string, string>()
  return {
    cookies,
    async post(path: string, body: object, headers: Record<string, string> = {}) {
      const response = await house.fetch(path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          'x-xsrf-token': cookies.get('XSRF-TOKEN') ?? '',
          ...headers,
        },
        body: JSON.stringify(body),
      })
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (/Max-Age=0/.test(line)) cookies.delete(name)
        else cookies.set(name, value)
      }
      return { status: response.status, body: (await response.json()) as Body, headers: response.headers }
    },
  }
}

const password = 'correct horse battery staple'
const login = sessions.calls.login.path
const code = sessions.calls.TOTPAuth.path
let invited = 0

async function activated() {
  const username = `margaret${(invited += 1)}`
  const { id, activationLink } = await acme.administrator.call(users.calls.add, {
    username,
    givenName: 'Margaret',
    familyName: 'Hamilton',
    emailAddress: `${username}@example.org`,
  })
  const token = activationLink.replace(/^.*\//, '')
  const visitor = browser()
  const enrolment = await visitor.post(sessions.calls.activate.path, { token, password })
  const secret = decodeBase32(enrolment.body.secret)
  return { id, username, token, visitor, secret, enrolment }
}

test('a new person follows the link, chooses a password, scans the code and is signed in', async () => {
  const { visitor, secret, enrolment, username } = await activated()
  expect(enrolment.body.further_required_auth).toBe('TOTP')
  // On a phone nobody scans its own screen: the address opens the app.
  expect(enrolment.body.otpauth).toMatch(new RegExp(`^otpauth://totp/.*secret=${enrolment.body.secret}`))
  expect(enrolment.body.recovery_codes).toHaveLength(10)
  const answer = await visitor.post(code, { passcode: totp(secret, house.clock.now()) })
  expect(answer.status).toBe(200)
  expect(answer.body[0]).toMatchObject({ username, tenantName: 'Acme', permission: { View: [], isManager: false } })
  const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('chancery-session='))
  expect(cookie).toMatch(/HttpOnly/)
  expect(cookie).toMatch(/SameSite=Lax/)
})

test('an activation link works once', async () => {
  const { token } = await activated()
  const again = await browser().post(sessions.calls.activate.path, { token, password })
  expect([again.status, again.body.code]).toEqual([404, 'linkUsed'])
  const read = await browser().post(sessions.calls.readActivation.path, { token })
  expect([read.status, read.body]).toEqual([200, { usable: false }])
})

test('a common or short password is refused on its field', async () => {
  const { activationLink } = await acme.administrator.call(users.calls.add, {
    username: 'weak',
    givenName: 'We',
    familyName: 'Ak',
    emailAddress: 'weak@example.org',
  })
  const token = activationLink.replace(/^.*\//, '')
  for (const poor of ['short', 'password12345', 'aaaaaaaaaaaaaa', 'passwordpassword']) {
    const answer = await browser().post(sessions.calls.activate.path, { token, password: poor })
    expect([poor, answer.status, answer.body.fields?.[0]?.field]).toEqual([poor, 400, 'password'])
  }
})

test('sign-in asks for password and code, trims the name, and never takes a code twice', async () => {
  const { username, secret, visitor } = await activated()
  await visitor.post(code, { passcode: totp(secret, house.clock.now()) })
  house.clock.advance(60_000)
  const passcode = totp(secret, house.clock.now())
  const first = browser()
  const asked = await first.post(login, { username: `  ${username.toUpperCase()} `, password })
  // Whoever knows the password knows whose sign-in it is.
  expect(asked.body).toEqual({
    further_required_auth: 'TOTP',
    brand: { name: 'Acme', bannerColour: expect.stringMatching(/^#/), supportEmail: expect.any(String), look: {} },
  })
  expect((await first.post(code, { passcode })).status).toBe(200)
  const second = browser()
  await second.post(login, { username, password })
  const replay = await second.post(code, { passcode })
  expect([replay.status, replay.body.message]).toEqual([403, 'Failed to validate MFA token'])
})

test('a recovery code stands for a code, once', async () => {
  const { username, enrolment, secret, visitor } = await activated()
  await visitor.post(code, { passcode: totp(secret, house.clock.now()) })
  const passcode = enrolment.body.recovery_codes[3] ?? ''
  const first = browser()
  await first.post(login, { username, password })
  expect((await first.post(code, { passcode })).status).toBe(200)
  const second = browser()
  await second.post(login, { username, password })
  expect((await second.post(code, { passcode })).status).toBe(403)
})

test('a wrong name, a wrong password and an account that is not active yet are refused alike', async () => {
  const { username } = await activated()
  await acme.administrator.call(users.calls.add, {
    username: 'notyet',
    givenName: 'Not',
    familyName: 'Yet',
    emailAddress: 'notyet@example.org',
  })
  for (const attempt of [
    { username: 'nobody', password },
    { username, password: 'wrong password here' },
    { username: 'notyet', password },
  ]) {
    const answer = await browser().post(login, attempt)
    expect([answer.status, answer.body.code, answer.body.message]).toEqual([403, 'refused', 'Check Username and Password'])
  }
})

test('guessing a password meets a floor that only time lifts', async () => {
  const { username } = await activated()
  const statuses: number[] = []
  for (let attempt = 0; attempt < 12; attempt += 1)
    statuses.push((await browser().post(login, { username, password: 'wrong password here' })).status)
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(403))
  expect(statuses.slice(10)).toEqual([429, 429])
  expect((await browser().post(login, { username, password })).status).toBe(429)
  house.clock.advance(6 * 60_000)
  expect((await browser().post(login, { username, password })).status).toBe(200)
})

test('failed sign-ins stand in the log of the person’s tenancy', async () => {
  const { username, id } = await activated()
  await browser().post(login, { username, password: 'wrong password here' })
  const events = await audited(house, acme.id)
  expect(events.filter((event) => event.about === id && event.name === 'signInFailed')).toHaveLength(1)
})

test('a session ends with sign-out, with time, and when the person is disabled', async () => {
  const signedIn = async () => {
    const person = await activated()
    await person.visitor.post(code, { passcode: totp(person.secret, house.clock.now()) })
    return person
  }
  const check = sessions.calls.checkSession.path

  const leaver = await signedIn()
  const kept = new Map(leaver.visitor.cookies)
  expect((await leaver.visitor.post(check, {})).status).toBe(200)
  await leaver.visitor.post(sessions.calls.logout.path, {})
  kept.forEach((value, name) => leaver.visitor.cookies.set(name, value))
  const after = await leaver.visitor.post(check, {})
  expect([after.status, after.body.code]).toEqual([401, 'not_logged_in'])

  const idler = await signedIn()
  house.clock.advance(14 * 60_000)
  expect((await idler.visitor.post(sessions.calls.refreshSession.path, {})).status).toBe(200)
  house.clock.advance(14 * 60_000)
  expect((await idler.visitor.post(check, {})).status).toBe(200)
  house.clock.advance(2 * 60_000)
  expect((await idler.visitor.post(check, {})).status).toBe(401)

  const disabled = await signedIn()
  await acme.administrator.call(users.calls.setEnabled, { id: disabled.id, enabled: false })
  expect((await disabled.visitor.post(check, {})).status).toBe(401)
})

test('a change with a session needs the session’s own anti-forgery token', async () => {
  const { visitor, secret } = await activated()
  await visitor.post(code, { passcode: totp(secret, house.clock.now()) })
  const refused = await visitor.post(sessions.calls.checkSession.path, {}, { 'x-xsrf-token': 'guess' })
  expect([refused.status, refused.body.code]).toEqual([403, 'forged'])
  const foreign = await visitor.post(sessions.calls.checkSession.path, {}, { origin: 'https://evil.example' })
  expect(foreign.status).toBe(403)
  for (const origin of [`http://localhost:${house.doors.port}`, `http://127.0.0.1:${house.doors.port}`, house.house.settings.origin])
    expect([origin, (await visitor.post(sessions.calls.checkSession.path, {}, { origin })).status]).toEqual([origin, 200])
  for (const [origin, host] of [
    ['http://evil.example', 'evil.example'],
    [`http://rebound.example:${house.doors.port}`, `rebound.example:${house.doors.port}`],
    ['http://localhost:1', 'localhost:1'],
    [`https://localhost:${house.doors.port}`, 'localhost'],
    ['null', 'null'],
  ])
    expect([
      origin,
      (await visitor.post(sessions.calls.checkSession.path, {}, { origin: origin ?? '', host: host ?? '' })).body.code,
    ]).toEqual([origin, 'foreign_origin'])
})

test('a token does what its scopes name, no more, and ends when it is revoked', async () => {
  const { visitor, secret, id } = await activated()
  await visitor.post(code, { passcode: totp(secret, house.clock.now()) })
  const beyond = await visitor.post(sessions.calls.addToken.path, { name: 'too much', scopes: ['userView'], days: 1, password })
  expect([beyond.status, beyond.body.code]).toEqual([403, 'beyond'])
  const unsure = await visitor.post(sessions.calls.addToken.path, { name: 'mine', days: 1, password: 'wrong password here' })
  expect([unsure.status, unsure.body.code]).toEqual([403, 'wrongPassword'])
  const made = await visitor.post(sessions.calls.addToken.path, { name: 'mine', days: 1, password })
  const read = () => house.fetch(`${users.calls.read.path}?id=${id}`, { headers: { authorization: `Bearer ${made.body.token}` } })
  expect((await read()).status).toBe(200)
  house.clock.advance(25 * 3_600_000)
  expect((await read()).status).toBe(401)
})

test('a code is switched off with fresh proof by somebody who may, and comes back with its reset', async () => {
  const { mfaDisable, mfaReset, mfaStatus } = sessions.calls
  const margaret = await activated()
  await margaret.visitor.post(code, { passcode: totp(margaret.secret, house.clock.now()) })
  const editor = await acme.person({ permissions: ['userEdit', 'userView'] })
  const stranger = await acme.person({ permissions: ['userView'] })
  await expect((await stranger.session()).call(mfaDisable, { userId: margaret.id })).rejects.toMatchObject({ code: 'denied' })
  await expect(editor.call(mfaDisable, { userId: margaret.id })).rejects.toMatchObject({ code: 'session_needed' })
  const page = await editor.session()
  await expect(page.call(mfaDisable, { userId: editor.id })).rejects.toMatchObject({ code: 'notYourself' })
  await expect(page.call(mfaDisable, { userId: acme.administrator.id })).rejects.toMatchObject({ code: 'beyond' })
  house.clock.advance(5 * 60_000 + 1000)
  await expect(page.call(mfaDisable, { userId: margaret.id })).rejects.toMatchObject({ code: 'proof_needed' })
  const fresh = await editor.session()
  await fresh.call(mfaDisable, { userId: margaret.id })
  expect(await fresh.call(mfaStatus, { userId: margaret.id })).toEqual({ isEnabled: false, isSecretSet: false, isRequired: false })
  const events = (await audited(house, acme.id)).filter(({ about }) => about === margaret.id)
  expect(events.map(({ name }) => name)).toContain('codeDisabled')

  const visitor = browser()
  const entered = await visitor.post(login, { username: margaret.username, password })
  expect(entered.body[0]).toMatchObject({ username: margaret.username })
  expect(visitor.cookies.has('chancery-session')).toBe(true)

  await fresh.call(mfaReset, { userId: margaret.id })
  expect((await browser().post(login, { username: margaret.username, password })).body).toMatchObject({
    further_required_auth: 'TOTP',
    qr: expect.stringContaining('data:image'),
  })
})

test('the terms of a tenancy are shown before its people are signed in, and to nobody who has not given a password of theirs', async () => {
  const branch = await house.tenancy('Branch with terms')
  const settings = { name: 'Branch with terms', bannerColour: '#1f6feb', cmsRequireSelfServiceSecretQuestionsSet: true }
  await branch.administrator.call(tenancy.calls.change, { ...settings, disclaimer: 'Authorised use only.' })
  expect(await branch.administrator.call(tenancy.calls.read, {})).toMatchObject({ cmsRequireSelfServiceSecretQuestionsSet: true })
  const { activationLink } = await branch.administrator.call(users.calls.add, {
    username: 'grete',
    givenName: 'Grete',
    familyName: 'Hermann',
    emailAddress: 'grete@example.org',
  })
  const token = activationLink.replace(/^.*\//, '')
  expect(await house.signedOut.call(sessions.calls.readActivation, { token })).toMatchObject({ disclaimer: 'Authorised use only.' })
  await browser().post(sessions.calls.activate.path, { token, password })
  const visitor = browser()
  expect(await house.signedOut.call(sessions.calls.disclaimer, {})).toEqual({ disclaimer: '' })
  expect((await visitor.post(login, { username: 'grete', password })).body).toMatchObject({ disclaimer: 'Authorised use only.' })
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const half = await house.fetch(sessions.calls.disclaimer.path, { headers: { cookie } })
  expect(await half.json()).toEqual({ disclaimer: 'Authorised use only.' })
})
