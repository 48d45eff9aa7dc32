import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { domains } from '#areas/domains/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { users } from '#areas/users/contract.ts'
import { networkOf } from '#core/server/limits.ts'
import { openNameServer } from '#core/server/outward/dns.fixture.ts'
import { browser } from '#core/testing/browser.ts'
import { refusal } from '#core/testing/caller.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestTenancy } from '#core/testing/house.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { totp } from '#standards/totp/totp.ts'
import { registration } from '../contract.ts'
import { mostSent, mostWaiting, type Mode } from '../rules.ts'
import { deleteRequest, listRequests } from './store.ts'

const dns = await openNameServer({})
const house = await useHouse({ settings: { CHANCERY_NAME_SERVERS: dns.address, CHANCERY_OUTWARD_ALLOW: '127.0.0.1' } })
afterAll(() => dns.close())

const { register, verify, finish, settings, changeSettings, renewAddress, search, decide } = registration.calls
let acme: TestTenancy
let globex: TestTenancy
let userRole: string
let count = 0

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  globex = await house.tenancy('Globex')
  const found = await globex.administrator.call(roles.calls.search, { text: 'User' })
  userRole = found.rows.find(({ name }) => name === 'User')?.id ?? ''
  await prove('globex.example')
})

async function prove(name: string): Promise<string> {
  const { administrator } = globex
  const { id } = await administrator.call(domains.calls.add, { name })
  const { recordName, proofText } = await administrator.call(domains.calls.read, { id })
  dns.names.set(recordName, [{ type: 'TXT', value: proofText }])
  await administrator.call(domains.calls.check, { id })
  return id
}

const open = (mode: Mode, tenancy = globex) =>
  tenancy.administrator.call(changeSettings, { mode, roleIds: tenancy === globex ? [userRole] : [] })
const newAddress = (at = 'globex.example') => `Person${(count += 1)}@${at}`
const asked = (emailAddress: string, code = '') =>
  house.signedOut.call(register, { givenName: 'Ada', familyName: 'Byron', emailAddress, code })
const mailsTo = async (address: string) => (await globex.administrator.call(mail.calls.outbox, { text: address })).rows
const codeOf = async () => new URL((await globex.administrator.call(settings, {})).address ?? '').searchParams.get('code') ?? ''

/** The link of the newest mail to the address; undefined where there is none. */
async function linkFor(emailAddress: string, code = ''): Promise<{ tenantId: string; token: string; text: string } | undefined> {
  await asked(emailAddress, code)
  await house.runJob(registration.jobs.send)
  const [newest] = (await mailsTo(emailAddress)).filter(({ subject }) => subject === 'Finish your registration')
  if (newest === undefined) return undefined
  const { text } = await globex.administrator.call(mail.calls.read, { id: newest.id })
  const query = new URL(/https?:\S+/.exec(text)?.[0] ?? '').searchParams
  return { tenantId: query.get('tenantId') ?? '', token: query.get('token') ?? '', text }
}
const whole = async (emailAddress: string, code = '') => {
  const { tenantId, token } = (await linkFor(emailAddress, code)) ?? { tenantId: '', token: '' }
  return { tenantId, token }
}

describe('Registration', () => {
  test('is closed until somebody opens it: nothing is mailed, and the answer is the same', async () => {
    expect(await globex.administrator.call(settings, {})).toMatchObject({ mode: 'off', domains: ['globex.example'] })
    const address = newAddress()
    expect(await asked(address)).toEqual({})
    await house.runJob(registration.jobs.send)
    expect(await mailsTo(address)).toEqual([])
  })

  test('by domain gives an account at once: by mail, password, code, with the roles of the settings', async () => {
    await open('domain')
    const address = newAddress()
    const link = await whole(address)
    expect(await house.signedOut.call(verify, link)).toMatchObject({ outcome: 'atOnce', emailAddress: address, tenancyName: 'Globex' })
    const made = await house.signedOut.call(finish, link)
    if (made.outcome !== 'active') throw new Error('no account')
    expect(made.username).toBe(address.toLowerCase())
    const page = browser(house.origin)
    const offer = await page.call(sessions.calls.activate, { token: made.activationToken, password: 'four words on paper' })
    const [viewer] = await page.call(sessions.calls.TOTPAuth, { passcode: totp(decodeBase32(offer.secret ?? ''), house.clock.now()) })
    expect(viewer).toMatchObject({ username: address.toLowerCase(), tenantName: 'Globex', roles: ['User'] })
    const names = (await audited(house, globex.id)).filter(({ area }) => area === 'registration').map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['settingsChanged', 'linkSent', 'verified', 'registered']))
  })

  test('is open to no domain besides: a suffix, a look-alike, another tenancy’s code and nobody’s code find nothing', async () => {
    await open('domain')
    await open('approval', acme)
    const foreign = new URL((await acme.administrator.call(settings, {})).address ?? '').searchParams.get('code') ?? ''
    for (const [at, code] of [
      ['evil-globex.example', ''],
      ['globex.example.evil.example', ''],
      ['xn--glbex-6bd.example', ''],
      ['sub.globex.example', ''],
      ['elsewhere.example', 'x'.repeat(65)],
      ['globex.example', 'x'.repeat(65)],
    ] as const)
      expect(await linkFor(newAddress(at), code)).toBeUndefined()
    // Asked with another tenancy's address, it is that tenancy's alone.
    const address = newAddress()
    expect(await linkFor(address, foreign)).toBeUndefined()
    expect((await acme.administrator.call(mail.calls.outbox, { text: address })).rows).toHaveLength(1)
    await open('off', acme)
  })

  test('tells nobody who has an account: known, disabled and unknown get the same answer and the same mail', async () => {
    await open('domain')
    const [known, disabled, unknown] = [newAddress(), newAddress(), newAddress()]
    await globex.person({ permissions: [], emailAddress: known })
    const gone = await globex.person({ permissions: [], emailAddress: disabled })
    await globex.administrator.call(users.calls.setEnabled, { id: gone.id, enabled: false })
    const texts = new Set<string>()
    const ends: string[] = []
    for (const address of [known, disabled, unknown]) {
      const { text, ...link } = (await linkFor(address)) ?? { tenantId: '', token: '', text: '' }
      texts.add(text.replace(/https?:\S+/, 'LINK'))
      const { outcome } = await house.signedOut.call(verify, link)
      const finished = await house.signedOut.call(finish, link).then(
        (answer) => answer.outcome,
        (error: unknown) => String(Object(error).code),
      )
      ends.push(`${outcome} ${finished}`)
    }
    expect(ends).toEqual(['known known', 'known known', 'atOnce active'])
    expect(texts.size).toBe(1)
    // Nor does the mail say what a stranger typed.
    expect([...texts][0]).not.toMatch(/Ada|Byron/)
  })

  test('gives each link once, also to five who use it at once, and not after a day, nor in another tenancy', async () => {
    await open('domain')
    const link = await whole(newAddress())
    const other = { tenantId: acme.id, token: link.token }
    expect((await refusal(house.signedOut.call(verify, other))).code).toBe('linkUsed')
    expect((await refusal(house.signedOut.call(verify, { tenantId: link.tenantId }))).message).toMatch(/Failed to verify email: /)
    const uses = await Promise.allSettled(Array.from({ length: 5 }, () => house.signedOut.call(finish, link)))
    expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const late = await whole(newAddress())
    house.clock.advance(24 * 3_600_000 + 1_000)
    expect((await refusal(house.signedOut.call(finish, late))).code).toBe('linkUsed')
  })

  test('writes one mail in five minutes, and a newer link takes the place of the one before', async () => {
    await open('domain')
    const address = newAddress()
    const first = await whole(address)
    await whole(address)
    expect(await mailsTo(address)).toHaveLength(1)
    house.clock.advance(5 * 60_000 + 1_000)
    const second = await whole(address)
    expect(second.token).not.toBe(first.token)
    expect((await refusal(house.signedOut.call(verify, first))).code).toBe('linkUsed')
    expect((await house.signedOut.call(verify, second)).outcome).toBe('atOnce')
  })

  test('that is closed meanwhile ends the links that are on their way', async () => {
    await open('domain')
    const link = await whole(newAddress())
    await open('off')
    expect((await refusal(house.signedOut.call(verify, link))).code).toBe('closed')
    expect((await refusal(house.signedOut.call(finish, link))).code).toBe('closed')
  })

  test('by approval waits for somebody, who gives an account by mail or denies it, once', async () => {
    await open('approval')
    const code = await codeOf()
    const [wanted, unwanted] = [newAddress('elsewhere.example'), newAddress('elsewhere.example')]
    for (const address of [wanted, unwanted])
      expect(await house.signedOut.call(finish, await whole(address, code))).toEqual({ outcome: 'waiting' })
    const { administrator } = globex
    const idOf = async (text: string) => (await administrator.call(search, { text, state: 'waiting' })).rows[0]?.id ?? ''
    const [good, bad] = [await idOf(wanted), await idOf(unwanted)]
    // Neither who may add users and holds less than the settings give, nor another tenancy.
    const clerk = await globex.person({ permissions: ['userAdd'] })
    expect((await refusal(clerk.call(decide, { id: good, approve: true }))).code).toBe('beyond')
    expect((await refusal(acme.administrator.call(decide, { id: good, approve: true }))).status).toBe(404)
    const { userId = '' } = await administrator.call(decide, { id: good, approve: true })
    await administrator.call(decide, { id: bad, approve: false })
    expect((await refusal(administrator.call(decide, { id: bad, approve: true }))).code).toBe('decided')
    const person = await administrator.call(users.calls.read, { id: userId })
    // No plain name: one that is taken elsewhere would tell of it.
    expect(person.username).toMatch(/^person\d+@globex-[0-9a-f]{6}$/)
    expect((await mailsTo(wanted)).map(({ subject }) => subject)).toContain('Activate your account')
    expect((await mailsTo(unwanted)).map(({ subject }) => subject)).toContain('Your registration was not accepted')
    expect((await administrator.call(users.calls.search, { text: unwanted })).total).toBe(0)
  })

  test('has a new address at will, and the one before opens nothing', async () => {
    await open('approval')
    const before = await codeOf()
    const { address } = await globex.administrator.call(renewAddress, {})
    expect(await linkFor(newAddress('elsewhere.example'), before)).toBeUndefined()
    const now = new URL(address).searchParams.get('code') ?? ''
    expect(await linkFor(newAddress('elsewhere.example'), now)).toBeDefined()
  })

  test('gives no role beyond those of who opens it', async () => {
    const few = await globex.person({ permissions: ['tenancyConfig'] })
    expect((await refusal(few.call(changeSettings, { mode: 'domain', roleIds: [userRole] }))).code).toBe('beyond')
    const strange = '018f0000-0000-7000-8000-00000000000a'
    expect((await refusal(globex.administrator.call(changeSettings, { mode: 'domain', roleIds: [strange] }))).code).toBe('unknownRole')
  })

  test('is not flooded: beyond two hundred that wait nothing is mailed', async () => {
    await open('approval')
    const code = await codeOf()
    const open_ = (await globex.administrator.call(search, { size: 1 })).total
    await house.asOwner(`insert into registrations
      (tenant_id, id, email_key, email_address, given_name, family_name, state, by_link, asked_at, expires_at)
      select '${globex.id}', gen_random_uuid(), 'flood' || n, 'flood' || n, 'F', 'L', 'waiting', true, now(), now()
      from generate_series(1, ${mostWaiting}) n`)
    expect(open_).toBeGreaterThan(0)
    expect(await linkFor(newAddress('elsewhere.example'), code)).toBeUndefined()
    await house.asOwner(`delete from registrations where email_key like 'flood%'`)
  })

  test('goes on for others where one network asks for more links than it may have on their way', async () => {
    await open('domain')
    const flood = (network: string, many: number) =>
      house.asOwner(`insert into registrations
        (tenant_id, id, email_key, email_address, given_name, family_name, state, by_link, asked_at, expires_at, network)
        select '${globex.id}', gen_random_uuid(), 'flood' || n || '${network}', 'flood', 'F', 'L', 'sent', false, now(), now(), '${network}'
        from generate_series(1, ${many}) n`)
    await flood('192.0.2.1', 300)
    expect(await linkFor(newAddress())).toBeDefined()
    for (const address of ['127.0.0.1', '::1']) await flood(networkOf(address), mostSent.ofNetwork)
    expect(await linkFor(newAddress())).toBeUndefined()
    await house.asOwner(`delete from registrations where email_key like 'flood%'`)
  })

  test('is not taken back by whoever asks for the same address with nobody’s code, before the mail was written', async () => {
    await open('approval')
    const address = newAddress('elsewhere.example')
    await asked(address, await codeOf())
    await asked(address, 'nobody’s')
    await house.runJob(registration.jobs.send)
    expect(await mailsTo(address)).toMatchObject([{ subject: 'Finish your registration' }])
  })

  test('leaves nothing behind: links that nobody opened go after a day, decisions after a month', async () => {
    await open('domain')
    const address = newAddress()
    await whole(address)
    const has = async () => (await globex.administrator.call(search, { text: address })).total
    expect(await has()).toBe(1)
    house.clock.advance(25 * 3_600_000)
    await house.runJob(registration.jobs.clean)
    expect(await has()).toBe(0)
    house.clock.advance(31 * 24 * 3_600_000)
    await house.runJob(registration.jobs.clean)
    expect((await globex.administrator.call(search, { state: 'denied' })).total).toBe(0)
  })
})

test('A registration that is asked for while the job answers the one before is not lost, and the names of the first stand', async () => {
  const { database } = house.house
  const emailAddress = newAddress()
  const own = async () => (await listRequests(database, 200)).filter(({ email_address }) => email_address === emailAddress)
  await asked(emailAddress)
  const read = await own()
  house.clock.advance(1_000)
  await house.signedOut.call(register, { givenName: 'Other', familyName: 'Name', emailAddress, code: '' })
  for (const request of read) await deleteRequest(database, request)
  expect(await own()).toMatchObject([{ given_name: 'Ada' }])
  await house.runJob(registration.jobs.send)
  expect(await own()).toEqual([])
})
