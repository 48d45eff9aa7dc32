import { pbkdf2Sync } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { mail } from '#areas/mail/contract.ts'
import { questions } from '#areas/questions/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { users } from '#areas/users/contract.ts'
import { browser } from '#core/testing/browser.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestTenancy } from '#core/testing/house.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { totp } from '#standards/totp/totp.ts'
import { recovery } from '../contract.ts'
import { deleteRequest, listRequests, writeRequest } from './store.ts'

const house = await useHouse()
let acme: TestTenancy
let globex: TestTenancy
beforeAll(async () => {
  acme = await house.tenancy('Acme')
  globex = await house.tenancy('Globex')
})

const { request, validateLink, reset } = recovery.calls
const { activate, login, TOTPAuth, checkSession, addToken } = sessions.calls
const old = 'correct horse battery staple'
const fresh = 'four words on paper'
let count = 0

/** A person with a password and a code, in a browser. */
async function enrolled(tenancy = acme, emailAddress?: string) {
  const username = `margaret${(count += 1)}`
  const { id, activationLink } = await tenancy.administrator.call(users.calls.add, {
    username,
    givenName: 'Margaret',
    familyName: 'Hamilton',
    emailAddress: emailAddress ?? `${username}@example.org`,
  })
  const page = browser(house.origin)
  const offer = await page.call(activate, { token: activationLink.replace(/^.*\//, ''), password: old })
  const secret = decodeBase32(offer.secret ?? '')
  await page.call(TOTPAuth, { passcode: totp(secret, house.clock.now()) })
  house.clock.advance(60_000)
  return { id, username, secret, page, emailAddress: emailAddress ?? `${username}@example.org` }
}

const mailsTo = async (address: string, tenancy = acme) => (await tenancy.administrator.call(mail.calls.outbox, { text: address })).rows
const resets = async (address: string, tenancy = acme) =>
  (await mailsTo(address, tenancy)).filter(({ subject }) => subject === 'Reset your password')

async function tokenFor(emailAddress: string, tenancy = acme): Promise<string> {
  await house.signedOut.call(request, { emailAddress })
  await house.runJob(recovery.jobs.send)
  const [newest] = await resets(emailAddress, tenancy)
  const { text } = await tenancy.administrator.call(mail.calls.read, { id: newest?.id ?? '' })
  return /forgotpassword\/([\w-]+)/.exec(text)?.[1] ?? ''
}

const statusOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 200,
    (error: unknown) => Number(Object(error).status),
  )

describe('A forgotten password', () => {
  test('is reset by the mailed link; sessions and tokens end, the code is asked for as before, the owner is told', async () => {
    const { id, username, emailAddress, page, secret } = await enrolled()
    const { token: api } = await page.call(addToken, { name: 'script', scopes: [], days: 1, password: old })
    // However the address is written.
    const token = await tokenFor(emailAddress.toUpperCase()).then((found) => found || tokenFor(emailAddress))
    expect(await house.signedOut.call(validateLink, { token })).toEqual({
      isValid: true,
      username,
      tenancy: 'Acme',
      brand: expect.objectContaining({ name: 'Acme' }),
      passwordConfig: { shortest: 12 },
      secretQuestions: { clientSalt: '', questions: [], version: -1 },
    })
    expect(await house.signedOut.call(reset, { token, password: fresh })).toEqual({})
    expect(await statusOf(page.call(checkSession, {}))).toBe(401)
    const byToken = await fetch(`${house.origin}${sessions.calls.legacyLogin.path}`, { headers: { authorization: `Bearer ${api}` } })
    expect(byToken.status).toBe(401)
    const next = browser(house.origin)
    expect(await statusOf(next.call(login, { username, password: old }))).toBe(403)
    expect(await next.call(login, { username, password: fresh })).toMatchObject({ further_required_auth: 'TOTP' })
    expect(await next.call(login, { username, password: fresh })).not.toHaveProperty('qr')
    await next.call(TOTPAuth, { passcode: totp(secret, house.clock.now()) })
    expect((await mailsTo(emailAddress)).map(({ subject }) => subject)).toContain('Your password was reset')
    const events = (await audited(house, acme.id)).filter(({ about }) => about === id).map(({ area, name }) => `${area}.${name}`)
    expect(events).toEqual(expect.arrayContaining(['recovery.linkSent', 'recovery.reset']))
  })

  test('opens no session by itself', async () => {
    const { emailAddress } = await enrolled()
    const page = browser(house.origin)
    await page.call(reset, { token: await tokenFor(emailAddress), password: fresh })
    expect([...page.cookies.keys()].filter((name) => name.startsWith('chancery'))).toEqual([])
  })

  test('is as it was where the new one is weak; the link still works', async () => {
    const { emailAddress } = await enrolled()
    const token = await tokenFor(emailAddress)
    await expect(house.signedOut.call(reset, { token, password: 'short' })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'password', says: 'Use at least 12 characters' }],
    })
    expect(await house.signedOut.call(validateLink, { token })).toMatchObject({ isValid: true })
  })
})

describe('Who asks', () => {
  test('learns nothing of who has an account: same body, same rows, and no mail but for the known', async () => {
    const { emailAddress } = await enrolled()
    const disabled = await enrolled()
    await acme.administrator.call(users.calls.setEnabled, { id: disabled.id, enabled: false })
    const invited = `invited${(count += 1)}@example.org`
    await acme.administrator.call(users.calls.add, {
      username: `invited${count}`,
      givenName: 'Ida',
      familyName: 'Rhodes',
      emailAddress: invited,
    })
    const answers = []
    for (const address of [emailAddress, disabled.emailAddress, invited, 'nobody@example.org']) {
      const response = await house.fetch(request.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ emailAddress: address }),
      })
      answers.push([response.status, await response.text()])
    }
    expect(answers).toEqual(Array.from({ length: 4 }, () => [200, '{}']))
    await house.runJob(recovery.jobs.send)
    expect(await resets(emailAddress)).toHaveLength(1)
    for (const address of [disabled.emailAddress, invited, 'nobody@example.org']) expect(await resets(address)).toEqual([])
  })

  test('writes to the owner once in five minutes, and is stopped after sixty tries from one address', async () => {
    const { emailAddress } = await enrolled()
    await tokenFor(emailAddress)
    await tokenFor(emailAddress)
    expect(await resets(emailAddress)).toHaveLength(1)
    house.clock.advance(300_000)
    await Promise.all([tokenFor(emailAddress), tokenFor(emailAddress)])
    expect(await resets(emailAddress)).toHaveLength(2)
    const statuses = []
    for (let attempt = 0; attempt < 62; attempt += 1)
      statuses.push(await statusOf(house.signedOut.call(request, { emailAddress: 'nobody@example.org' })))
    expect(statuses.at(-1)).toBe(429)
    house.clock.advance(301_000)
  })

  test('with an address of two tenancies gets a mail of each, and each link resets its own account alone', async () => {
    const here = await enrolled(acme, 'both@example.org')
    const there = await enrolled(globex, 'both@example.org')
    const token = await tokenFor('both@example.org')
    expect(await resets('both@example.org', globex)).toHaveLength(1)
    await house.signedOut.call(reset, { token, password: fresh })
    expect(await statusOf(browser(house.origin).call(login, { username: here.username, password: fresh }))).toBe(200)
    expect(await statusOf(browser(house.origin).call(login, { username: there.username, password: fresh }))).toBe(403)
  })

  test('without an e-mail address is told which field is wrong', async () => {
    await expect(house.signedOut.call(request, { emailAddress: 'ada' })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'emailAddress', says: 'Enter an e-mail address' }],
    })
  })
})

describe('A reset link', () => {
  const isValid = async (token: string) => (await house.signedOut.call(validateLink, { token })).isValid

  test('works once, though five use it at once', async () => {
    const { emailAddress } = await enrolled()
    const token = await tokenFor(emailAddress)
    const statuses = await Promise.all(
      Array.from({ length: 5 }, (_, index) => statusOf(house.signedOut.call(reset, { token, password: `${fresh} ${index}` }))),
    )
    expect(statuses.toSorted()).toEqual([200, 404, 404, 404, 404])
    expect(await isValid(token)).toBe(false)
  })

  test('is void after 30 minutes, after another password, for a disabled person, and when another link was used', async () => {
    const late = await enrolled()
    const first = await tokenFor(late.emailAddress)
    house.clock.advance(300_000)
    const second = await tokenFor(late.emailAddress)
    expect([await isValid(first), await isValid(second)]).toEqual([true, true])
    await house.signedOut.call(reset, { token: second, password: fresh })
    expect(await isValid(first)).toBe(false)

    const changed = await enrolled()
    const before = await tokenFor(changed.emailAddress)
    await acme.administrator.call(users.calls.setEnabled, { id: changed.id, enabled: false })
    expect(await isValid(before)).toBe(false)
    await expect(house.signedOut.call(reset, { token: before, password: fresh })).rejects.toMatchObject({ status: 404, code: 'linkUsed' })

    const slow = await enrolled()
    const old30 = await tokenFor(slow.emailAddress)
    house.clock.advance(30 * 60_000)
    expect(await isValid(old30)).toBe(false)
    await expect(house.signedOut.call(reset, { token: old30, password: fresh })).rejects.toMatchObject({ code: 'linkUsed' })
  })

  test('that was invented answers as a used one', async () => {
    for (const token of ['', 'x', 'A'.repeat(65), '../../etc']) {
      expect(await isValid(token)).toBe(false)
      await expect(house.signedOut.call(reset, { token, password: fresh })).rejects.toMatchObject({ status: 404, code: 'linkUsed' })
    }
  })

  test('does not stand in for a passkey where that is the only strong factor: the mail says so and carries no link', async () => {
    const { id, emailAddress } = await enrolled()
    await house.asOwner(`delete from code_secrets where user_id = '${id}'`)
    await house.asOwner(
      `insert into passkeys (tenant_id, id, user_id, credential_id, public_key, algorithm, counter, custom_name, aaguid, attestation, backup_eligible, backed_up, transports, rp_id, created_at)
       values ('${acme.id}', gen_random_uuid(), '${id}', 'abc', '\\x00', -7, 0, 'Key', '00000000-0000-0000-0000-000000000000', 'none', true, true, '{}', 'localhost', now())`,
    )
    await house.signedOut.call(request, { emailAddress })
    await house.runJob(recovery.jobs.send)
    const [sent] = await mailsTo(emailAddress)
    expect(sent?.subject).toBe('Sign in with your passkey')
    const { text } = await acme.administrator.call(mail.calls.read, { id: sent?.id ?? '' })
    expect(text).not.toContain('forgotpassword')
  })
})

describe('Where secret questions are set', () => {
  const salt = Buffer.alloc(32, 7).toString('base64')
  const hash = (answer: string) => pbkdf2Sync(answer.toLowerCase(), Buffer.from(salt, 'base64'), 100, 16, 'sha256').toString('base64')
  const answers = (words: string[]) =>
    ['firstStreet', 'firstHoliday', 'firstPet'].map((question, index) => ({ question, answer_hash: hash(words[index] ?? '') }))
  const right = answers(['Elm Row', 'Brighton', 'Fern'])

  test('their answers are needed besides the mail, five tries a day', async () => {
    const { emailAddress, page } = await enrolled()
    await page.call(questions.calls.set, { client_salt: salt, questions: right })
    const token = await tokenFor(emailAddress)
    expect(await house.signedOut.call(validateLink, { token })).toMatchObject({
      secretQuestions: {
        clientSalt: salt,
        version: 2,
        questions: [{ question: 'firstStreet' }, { question: 'firstHoliday' }, { question: 'firstPet' }],
      },
    })
    const wrong = { client_salt: salt, answers: answers(['Oak Lane', 'Brighton', 'Fern']) }
    await expect(house.signedOut.call(reset, { token, password: fresh })).rejects.toMatchObject({ status: 403, code: 'wrongAnswers' })
    for (let attempt = 0; attempt < 5; attempt += 1)
      await expect(house.signedOut.call(reset, { token, password: fresh, secret_answers: wrong })).rejects.toMatchObject({ status: 403 })
    const good = { client_salt: salt, answers: right }
    await expect(house.signedOut.call(reset, { token, password: fresh, secret_answers: good })).rejects.toMatchObject({
      status: 429,
      code: 'answersPaused',
    })
    house.clock.advance(86_400_000)
    const later = await tokenFor(emailAddress)
    expect(await house.signedOut.call(reset, { token: later, password: fresh, secret_answers: good })).toEqual({})
  })
})

test('A reset that is asked for while the job answers the one before is not lost', async () => {
  const address = `meanwhile-${crypto.randomUUID()}@example.org`
  const { database } = house.house
  await writeRequest(database, address, new Date(house.clock.now().getTime() - 1_000))
  // Asked for again after the requests were read, before they are deleted.
  const read = await listRequests(database, 200)
  await writeRequest(database, address, house.clock.now())
  for (const request of read) await deleteRequest(database, request)
  expect((await listRequests(database, 200)).map(({ email_key }) => email_key)).toContain(address)
  await house.runJob(recovery.jobs.send)
  expect((await listRequests(database, 200)).map(({ email_key }) => email_key)).not.toContain(address)
})
