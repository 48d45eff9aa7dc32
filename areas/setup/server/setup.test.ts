// The first start: from the printed link to the first session, once. Each test has a house of its own, in which nothing stands.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { home } from '#areas/home/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { findViewer } from '#areas/sessions/service.ts'
import { listTenancies } from '#areas/tenancy/service.ts'
import { users } from '#areas/users/contract.ts'
import { openHouse } from '#core/server/open.ts'
import { browser } from '#core/testing/browser.ts'
import { audited } from '#core/testing/events.ts'
import { openTestHouse, type TestHouse } from '#core/testing/house.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { totp } from '#standards/totp/totp.ts'
import { setup } from '../contract.ts'
import { setupLink } from '../service.ts'

async function emptyHouse(): Promise<{ house: TestHouse; link(): Promise<string> }> {
  const house = await openTestHouse()
  onTestFinished(() => house.close())
  return { house, link: async () => new URL((await setupLink(house.house)) ?? 'http://none').searchParams.get('token') ?? '' }
}

const password = 'correct horse battery staple'
const draft = (token: string) => ({
  token,
  tenancyName: 'Head office',
  administrator: { username: 'ada', givenName: 'Ada', familyName: 'Lovelace', emailAddress: 'ada@example.org', password },
})
const linkUsed = { status: 404, code: 'linkUsed' }

describe('Set-up', () => {
  test('leads from the link to a session with every permission', async () => {
    const { house, link } = await emptyHouse()
    const page = browser(house.origin)
    expect(await page.call(sessions.calls.bootstrap, {})).toMatchObject({ setupNeeded: true, signedIn: false })
    const token = await link()
    expect(await page.call(setup.calls.check, { token })).toMatchObject({ usable: true, pkiUrl: house.house.settings.pkiUrl })
    const made = await page.call(setup.calls.run, draft(token))
    expect(made).toMatchObject({ problem: '', authorities: [] })
    const [viewer] = await page.call(sessions.calls.TOTPAuth, { passcode: totp(decodeBase32(made.secret), house.clock.now()) })
    expect(viewer).toMatchObject({ username: 'ada', tenantId: made.tenancyId, roles: ['Administrator'] })
    expect((await page.call(roles.calls.grantable, {})).blacklist).toEqual([])
    expect(await page.call(sessions.calls.bootstrap, {})).toMatchObject({ setupNeeded: false, signedIn: true })
    expect(await setupLink(house.house)).toBeUndefined()
    expect((await audited(house, made.tenancyId)).map(({ area, name, actor }) => [area, name, actor])).toContainEqual([
      'setup',
      'done',
      'ada',
    ])
  })

  test('makes a root and an issuing authority of the keys and lives that were asked for', async () => {
    const { house, link } = await emptyHouse()
    const page = browser(house.origin)
    const authority = { organisation: 'Acme', rootName: 'Acme Root', issuingName: 'Acme Issuing', rootYears: 15, issuingYears: 5 }
    const made = await page.call(setup.calls.run, {
      ...draft(await link()),
      authority: { ...authority, algorithm: 'P-256', rootAlgorithm: 'P-384' },
    })
    expect(made).toMatchObject({ problem: '', authorities: [{ name: 'Acme Root' }, { name: 'Acme Issuing' }] })
    await page.call(sessions.calls.TOTPAuth, { passcode: totp(decodeBase32(made.secret), house.clock.now()) })
    const lives = await Promise.all(
      made.authorities.map(async ({ caId }) => {
        const { keyAlgorithm, notBefore = '', notAfter = '' } = await page.call(authorities.calls.view, { caId })
        return [keyAlgorithm, new Date(notAfter).getUTCFullYear() - new Date(notBefore).getUTCFullYear()]
      }),
    )
    expect(lives).toEqual([
      ['P-384', 15],
      ['P-256', 5],
    ])
  })

  test('leaves a root that stays offline where it is: the issuing authority waits for its certificate, and home leads there', async () => {
    const { house, link } = await emptyHouse()
    const page = browser(house.origin)
    const made = await page.call(setup.calls.run, {
      ...draft(await link()),
      authority: { root: 'offline', organisation: 'Acme', issuingName: 'Acme Issuing' },
    })
    expect(made).toMatchObject({ problem: '', authorities: [{ name: 'Acme Issuing' }] })
    await page.call(sessions.calls.TOTPAuth, { passcode: totp(decodeBase32(made.secret), house.clock.now()) })
    const caId = made.authorities[0]?.caId ?? ''
    expect(await page.call(authorities.calls.view, { caId })).toMatchObject({ kind: 'outside', certified: false })
    expect((await page.call(home.calls.firstRun, {})).steps).toContainEqual({
      step: 'authority',
      done: false,
      path: `/pki/manage/certificate-authorities/${caId}`,
    })
  })

  test('happens once', async () => {
    const { house, link } = await emptyHouse()
    const token = await link()
    await expect(browser(house.origin).call(setup.calls.run, { ...draft(token), tenancyName: 'Head \u202eeciffo' })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'tenancyName' }],
    })
    await browser(house.origin).call(setup.calls.run, draft(token))
    await expect(browser(house.origin).call(setup.calls.run, { ...draft(token), tenancyName: 'Second office' })).rejects.toMatchObject(
      linkUsed,
    )
    await expect(browser(house.origin).call(setup.calls.check, { token })).resolves.toEqual({ usable: false })
    expect(await listTenancies(house.house.database)).toHaveLength(1)
  })

  test('happens once though five people do it at the same moment', async () => {
    const { house, link } = await emptyHouse()
    const token = await link()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (_, at) =>
        browser(house.origin).call(setup.calls.run, {
          ...draft(token),
          tenancyName: `Office ${at}`,
          administrator: { ...draft('').administrator, username: `ada${at}` },
        }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) expect(outcome.status === 'rejected' ? outcome.reason : linkUsed).toMatchObject(linkUsed)
    expect(await listTenancies(house.house.database)).toHaveLength(1)
  })

  test('of two servers on one database takes the link of either, and then none', async () => {
    const { house, link } = await emptyHouse()
    const first = await link()
    const { settings } = house.house
    const second = await openHouse({
      settings,
      connection: house.connection,
      rooms: house.rooms,
      identify: findViewer,
      port: 0,
      migrated: true,
      background: false,
      warn: () => {},
    })
    onTestFinished(() => second.close())
    const other = new URL((await setupLink(second.house)) ?? 'http://none').searchParams.get('token') ?? ''
    for (const token of [first, other])
      await expect(house.signedOut.call(setup.calls.check, { token })).resolves.toHaveProperty('expiresAt')
    const at = (origin: string, token: string, name: string) =>
      browser(origin).call(setup.calls.run, {
        ...draft(token),
        tenancyName: name,
        administrator: { ...draft('').administrator, username: name },
      })
    const outcomes = await Promise.allSettled([at(house.origin, first, 'one'), at(`http://localhost:${second.doors.port}`, other, 'two')])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    for (const token of [first, other]) await expect(house.signedOut.call(setup.calls.check, { token })).resolves.toEqual({ usable: false })
    expect(await listTenancies(house.house.database)).toHaveLength(1)
  })

  test('is not followed by a start with a fresh key, which could open nothing', async () => {
    const { house, link } = await emptyHouse()
    await browser(house.origin).call(setup.calls.run, draft(await link()))
    const settings = { ...house.house.settings, keyFile: join(house.house.settings.dataDirectory, 'elsewhere.key') }
    await expect(
      openHouse({
        settings,
        connection: house.connection,
        rooms: house.rooms,
        identify: findViewer,
        port: 0,
        migrated: true,
        background: false,
        warn: () => {},
      }),
    ).rejects.toThrow(/There is no installation key at .*elsewhere\.key.*CHANCERY_KEY_FILE/)
    expect(existsSync(settings.keyFile)).toBe(false)
  })

  test('needs a link, within a day', async () => {
    const { house, link } = await emptyHouse()
    const second = await link()
    for (const token of ['', 'x', 'A'.repeat(32), `${second} `])
      await expect(browser(house.origin).call(setup.calls.run, draft(token))).rejects.toMatchObject(linkUsed)
    house.clock.advance(24 * 3_600_000 + 1000)
    await expect(browser(house.origin).call(setup.calls.run, draft(second))).rejects.toMatchObject(linkUsed)
    expect(await listTenancies(house.house.database)).toEqual([])
  })

  test('names the field of a password that is too easy, and the link still works', async () => {
    const { house, link } = await emptyHouse()
    const token = await link()
    for (const poor of ['', 'short', 'password12345', 'Lovelace1815']) {
      const attempt = browser(house.origin).call(setup.calls.run, {
        ...draft(token),
        administrator: { ...draft(token).administrator, password: poor },
      })
      await expect(attempt).rejects.toMatchObject({ status: 400, code: 'invalid', fields: [{ field: 'administrator.password' }] })
    }
    await expect(browser(house.origin).call(setup.calls.run, { ...draft(token), supportEmail: 'nobody' })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'supportEmail', says: 'Enter an e-mail address' }],
    })
    await expect(browser(house.origin).call(setup.calls.run, draft(token))).resolves.toHaveProperty('tenancyId')
  })

  test('cannot be had by guessing its link', async () => {
    const { house, link } = await emptyHouse()
    const token = await link()
    const statuses: unknown[] = []
    for (let guess = 0; guess < 65; guess += 1)
      statuses.push(
        await house.signedOut.call(setup.calls.check, { token: `guess ${guess}` }).then(
          ({ usable }) => usable,
          (error: unknown) => Object(error).status,
        ),
      )
    expect([statuses[0], statuses.at(-1)]).toEqual([false, 429])
    house.clock.advance(301_000)
    await expect(house.signedOut.call(setup.calls.check, { token })).resolves.toHaveProperty('expiresAt')
  })

  test('makes a root and an issuing authority where one is asked for', async () => {
    const { house, link } = await emptyHouse()
    const page = browser(house.origin)
    const made = await page.call(setup.calls.run, {
      ...draft(await link()),
      authority: { organisation: 'Head office', country: 'GB', rootName: 'Root', issuingName: 'Issuing' },
    })
    expect([made.problem, made.authorities.map(({ name }) => name)]).toEqual(['', ['Root', 'Issuing']])
  })

  test('opens nothing before the code is given', async () => {
    const { house, link } = await emptyHouse()
    const page = browser(house.origin)
    const made = await page.call(setup.calls.run, draft(await link()))
    await expect(page.call(users.calls.read, { id: made.userId })).rejects.toMatchObject({ status: 401 })
    page.cookies.set('chancery-session', page.cookies.get('chancery-pending') ?? '')
    await expect(page.call(users.calls.read, { id: made.userId })).rejects.toMatchObject({ status: 401 })
  })
})
