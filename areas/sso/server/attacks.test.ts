// What an attacker may send, against a real provider whose answers are falsified with its real key: each is refused, with one line in the audit log, and
// makes no account and no session.

import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { domains } from '#areas/domains/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { setRoles } from '#areas/roles/service.ts'
import { inTenant } from '#core/server/database.ts'
import { audited } from '#core/testing/events.ts'
import type { TestTenancy } from '#core/testing/house.ts'
import { sso } from '../contract.ts'
import type { RefusalReason } from '../rules.ts'
import { openProvider, type TestProvider, type Token } from './provider.fixture.ts'
import { useSso, type Browser, type Finished } from './sso.fixture.ts'

const { house, idp, browser, browserOf, addProvider, signIn, draft, refusal } = await useSso()
let acme: TestTenancy
let provider: { id: string; publicId: string }
let other: TestProvider

const thief = { accountId: 'thief', claims: { email: 'thief@example.org', email_verified: true } }

/** What is wrong with an ID token, as its claims. */
const wrongClaims: [string, (claims: Token['claims']) => Token['claims'], RefusalReason?][] = [
  ['another issuer', (claims) => ({ ...claims, iss: 'https://evil.example.org' })],
  ['another audience', (claims) => ({ ...claims, aud: 'another-client' })],
  ['a second audience without azp', (claims) => ({ ...claims, aud: ['chancery', 'another-client'] })],
  ['another azp', (claims) => ({ ...claims, azp: 'another-client' })],
  ['another azp beside two audiences', (claims) => ({ ...claims, aud: ['chancery', 'another-client'], azp: 'another-client' })],
  ['another nonce', (claims) => ({ ...claims, nonce: 'of another sign-in' })],
  ['no nonce', ({ nonce: _, ...claims }) => claims],
  ['an end in the past', (claims) => ({ ...claims, exp: Number(claims['iat']) - 120 })],
  ['no end', ({ exp: _, ...claims }) => claims],
  ['a beginning in the future', (claims) => ({ ...claims, iat: Number(claims['iat']) + 3600, exp: Number(claims['iat']) + 7200 })],
  ['a later nbf', (claims) => ({ ...claims, nbf: Number(claims['iat']) + 3600 })],
  ['no subject', ({ sub: _, ...claims }) => claims],
  ['an empty subject', (claims) => ({ ...claims, sub: '' }), 'claims'],
  ['a subject that is a list', (claims) => ({ ...claims, sub: ['thief'] })],
  ['a subject of 300 characters', (claims) => ({ ...claims, sub: 'x'.repeat(300) }), 'claims'],
]

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  provider = await addProvider(acme.administrator, { createAccounts: true, userInfo: true })
  other = await openProvider('other.example.org', idp.nameServer)
})
afterAll(() => other.close())

const refusedRows = async (id: string) =>
  (await audited(house, acme.id)).filter(
    ({ area, name, about, outcome }) => area === 'sso' && about === id && (name === 'refused' || outcome !== 'done'),
  )

/** Refused with this reason, one line more, nobody new, and no cookie of a session. */
async function expectRefused(by: Browser, attempt: () => Promise<Finished>, reason: RefusalReason, id = provider.id): Promise<void> {
  const before = (await audited(house, acme.id)).length
  const [accounts, lines] = [(await acme.administrator.call(sso.calls.provider, { id })).people, (await refusedRows(id)).length]
  expect(await attempt()).toMatchObject({ outcome: 'refused' })
  const rows = await refusedRows(id)
  expect(rows).toHaveLength(lines + 1)
  expect(await audited(house, acme.id)).toHaveLength(before + 1)
  expect(JSON.parse(rows.at(-1)?.body ?? '{}')).toMatchObject({ reason })
  expect((await acme.administrator.call(sso.calls.provider, { id })).people).toBe(accounts)
  expect(by.cookies.get('chancery-session') ?? '').toBe('')
}

async function begun(by = browser(), account = thief): Promise<{ by: Browser; back: URL }> {
  idp.account = account
  return { by, back: await idp.visit(await by.begin(provider.publicId), new Map()) }
}

const withParameter = (url: URL, name: string, value?: string): URL => {
  const changed = new URL(url)
  if (value === undefined) changed.searchParams.delete(name)
  else changed.searchParams.set(name, value)
  return changed
}

describe('An ID token with', () => {
  test.each(wrongClaims)('%s', async (_what, change, reason = 'token') => {
    const { by, back } = await begun()
    idp.tamper.idToken = ({ header, claims }) => ({ header, claims: change(claims) })
    await expectRefused(by, () => by.finish(back), reason)
  })

  test('no algorithm', async () => {
    const { by, back } = await begun()
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    idp.tamper.idToken = ({ claims }) => `${part({ alg: 'none' })}.${part(claims)}.`
    await expectRefused(by, () => by.finish(back), 'token')
  })

  test('HS256 over the public key', async () => {
    const { by, back } = await begun()
    idp.tamper.idToken = ({ header, claims }) => idp.signShared({ header: { ...header, alg: 'HS256' }, claims })
    await expectRefused(by, () => by.finish(back), 'token')
  })

  test('the signature of another key under the same kid', async () => {
    const { by, back } = await begun()
    const own = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
    idp.tamper.idToken = (token) => idp.sign(token, own)
    await expectRefused(by, () => by.finish(back), 'token')
  })

  test('the key and the kid of another provider', async () => {
    const { by, back } = await begun()
    idp.tamper.idToken = ({ header, claims }) => other.sign({ header: { ...header, kid: other.key['kid'] }, claims })
    await expectRefused(by, () => by.finish(back), 'token')
  })

  test('a changed claim and the old signature', async () => {
    const { by, back } = await begun()
    idp.tamper.idToken = (token) => {
      const [header = '', claims = '', signature = ''] = idp.sign(token).split('.')
      const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), sub: 'administrator' }
      return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.')
    }
    await expectRefused(by, () => by.finish(back), 'token')
  })

  test('nothing that is one', async () => {
    const { by, back } = await begun()
    idp.tamper.idToken = () => 'no.token.at all'
    await expectRefused(by, () => by.finish(back), 'token')
  })
})

describe('The answer of a provider', () => {
  test('is taken once, however many come at the same time', async () => {
    const { by, back } = await begun(browser(), { accountId: 'twice', claims: { email: 'twice@example.org', email_verified: true } })
    const answers = await Promise.all(Array.from({ length: 5 }, () => by.finish(back)))
    expect(answers.map(({ outcome }) => outcome).toSorted()).toEqual(['refused', 'refused', 'refused', 'refused', 'signedIn'])
    const stranger = browser()
    await expectRefused(stranger, () => stranger.finish(back), 'state')
  })

  test('without its state, with that of another sign-in or with one that we never made', async () => {
    for (const state of [undefined, '', 'x'.repeat(65), 'A'.repeat(65)]) {
      const { by, back } = await begun()
      await expectRefused(by, () => by.finish(withParameter(back, 'state', state)), 'state')
    }
    const [one, two] = [await begun(), await begun()]
    await expectRefused(one.by, () => one.by.finish(withParameter(one.back, 'state', two.back.searchParams.get('state') ?? '')), 'binding')
  })

  test('with the code of another sign-in of the same browser: the proof key does not fit', async () => {
    const by = browser()
    const [one, two] = [await begun(by), await begun(by)]
    await expectRefused(by, () => by.finish(withParameter(one.back, 'code', two.back.searchParams.get('code') ?? '')), 'token')
  })

  test('after ten minutes', async () => {
    const { by, back } = await begun()
    // As if the time had passed here alone: the provider's clock is the machine's.
    await house.asOwner(`update sso_attempts set expires_at = expires_at - interval '601 seconds'`)
    await expectRefused(by, () => by.finish(back), 'state')
  })

  test('in another browser than the one that began', async () => {
    const { back } = await begun()
    const victim = browser()
    await expectRefused(victim, () => victim.finish(back), 'binding')
    const other_ = await begun()
    other_.by.cookies.set('chancery-sso', 'x'.repeat(43))
    await expectRefused(other_.by, () => other_.by.finish(other_.back), 'binding')
  })

  test('at the address of another provider: nobody is asked for a token', async () => {
    const second = await addProvider(acme.administrator, { createAccounts: true }, other)
    const { by, back } = await begun()
    const asked = idp.tokenRequests + other.tokenRequests
    const elsewhere = new URL(back)
    elsewhere.pathname = `/oidc/portal/${second.publicId}`
    await expectRefused(by, () => by.finish(elsewhere), 'mixUp', second.id)
    expect(idp.tokenRequests + other.tokenRequests).toBe(asked)
  })

  test('that names another issuer, or none where the provider names itself: nobody is asked for a token', async () => {
    const asked = idp.tokenRequests
    const [one, two] = [await begun(), await begun()]
    await expectRefused(one.by, () => one.by.finish(withParameter(one.back, 'iss', other.issuer)), 'mixUp')
    await expectRefused(two.by, () => two.by.finish(withParameter(two.back, 'iss')), 'token')
    expect(idp.tokenRequests).toBe(asked)
  })

  test('for a provider of another tenancy', async () => {
    const beta = await house.tenancy('Beta')
    const theirs = await addProvider(beta.administrator, { createAccounts: true })
    const { by, back } = await begun()
    const elsewhere = new URL(back)
    elsewhere.pathname = `/oidc/portal/${theirs.publicId}`
    expect((await by.finish(elsewhere)).outcome).toBe('refused')
    expect((await beta.administrator.call(sso.calls.refusals, { id: theirs.id })).rows).toMatchObject([{ reason: 'state' }])
    expect((await by.finish(back)).outcome).toBe('signedIn')
    for (const call of [sso.calls.provider, sso.calls.refusals])
      expect(await refusal(beta.administrator.call(call, { id: provider.id }))).toMatchObject({ status: 404 })
  })

  test('of somebody who declined there', async () => {
    const by = browser()
    const url = await by.begin(provider.publicId)
    idp.account = undefined
    const back = await idp.visit(url, new Map())
    await expectRefused(by, () => by.finish(back), 'declined')
  })

  test('whose userinfo is about somebody else', async () => {
    const { by, back } = await begun()
    idp.tamper.userInfo = (claims) => ({ ...claims, sub: 'administrator' })
    await expectRefused(by, () => by.finish(back), 'userInfo')
  })

  test('while the provider is switched off, or changed, during the exchange', async () => {
    for (const [reason, change] of [
      ['off', (id: string) => house.asOwner(`update sso_providers set enabled = false where id = '${id}'`)],
      ['changed', (id: string) => house.asOwner(`update sso_providers set version = version + 1 where id = '${id}'`)],
    ] as const) {
      const own = await addProvider(acme.administrator, { createAccounts: true })
      const by = browser()
      idp.account = thief
      const back = await idp.visit(await by.begin(own.publicId), new Map())
      idp.tamper.atToken = async (path) => {
        if (path !== '/token') return
        delete idp.tamper.atToken
        await change(own.id)
      }
      await expectRefused(by, () => by.finish(back), reason, own.id)
    }
  })
})

describe('Where the sign-in leads', () => {
  test.each([
    '//evil.example.org',
    '/\\evil.example.org',
    '\\evil',
    '/%2f%2fevil.example.org',
    '/%5cevil',
    'https://evil.example.org',
    '/\tevil',
    'javascript:alert(1)',
  ])('is never %j', async (redirect) => {
    await expect(browser().begin(provider.publicId, redirect)).rejects.toMatchObject({ status: 400 })
  })

  test('is a path of our own', async () => {
    const by = browser()
    idp.account = { accountId: 'path', claims: { email: 'path@example.org', email_verified: true } }
    const back = await idp.visit(await by.begin(provider.publicId, '/certs/view/1?tab=x#y'), new Map())
    expect(await by.finish(back)).toMatchObject({ outcome: 'signedIn', redirect: '/certs/view/1?tab=x#y' })
  })
})

describe('Linking by the address', () => {
  const zone = (token: string) => [{ type: 'TXT' as const, value: token }]

  test('needs a proved domain that the provider names, a verified address, and an account that holds no more than its maker', async () => {
    const grace = await acme.person({ permissions: ['certView'], emailAddress: 'grace@linked.example' })
    const chief = await acme.person({ permissions: ['manageCAs'], emailAddress: 'chief@linked.example' })
    const maker = await acme.person({ permissions: ['ssoConfig', 'certView'] })
    const linking = await addProvider(maker, { linkByAddress: true, domains: ['LINKED.example'] })
    const reasons = async () => (await acme.administrator.call(sso.calls.refusals, { id: linking.id })).rows[0]?.reason
    const tryAs = async (sub: string, email: string, email_verified = true) =>
      (await signIn(linking.publicId, { sub, claims: { email, email_verified } })).answer

    expect((await tryAs('grace', 'grace@linked.example')).outcome).toBe('refused')
    expect(await reasons()).toBe('addressTaken')

    const admin = await browserOf(acme.administrator)
    const { id } = await admin.call(domains.calls.add, { name: 'linked.example' })
    const { recordName, proofText } = await admin.call(domains.calls.read, { id })
    idp.nameServer.names.set(recordName, zone(proofText))
    expect(await admin.call(domains.calls.check, { id })).toMatchObject({ proved: true })

    expect((await tryAs('grace', 'grace@linked.example', false)).outcome).toBe('refused')
    expect(await reasons()).toBe('unverified')
    expect((await tryAs('evil', 'grace@evil-linked.example')).outcome).toBe('refused')
    expect(await reasons()).toBe('unknown')
    expect((await tryAs('idn', 'grace@lınked.example')).outcome).toBe('refused')
    expect((await tryAs('chief', 'chief@linked.example')).outcome).toBe('refused')
    expect(await reasons()).toBe('beyond')

    expect(await tryAs('grace', 'Grace@linked.example')).toMatchObject({ outcome: 'signedIn', viewers: [{ id: grace.id }] })
    expect((await tryAs('second grace', 'grace@linked.example')).outcome).toBe('refused')
    expect(await reasons()).toBe('otherIdentity')
    // From now on the subject decides, whatever the address says.
    expect(await tryAs('grace', 'chief@linked.example')).toMatchObject({ outcome: 'signedIn', viewers: [{ id: grace.id }] })
    expect(chief.id).not.toBe(grace.id)

    expect(await house.signedOut.call(sso.calls.homeRealm, { emailAddress: 'nobody@linked.example' })).toMatchObject({
      provider: { id: linking.publicId },
    })
    expect(await house.signedOut.call(sso.calls.homeRealm, { emailAddress: 'nobody@evil-linked.example' })).toEqual({})
  })

  test('opens no account that came to hold more than whoever saved the provider, until somebody who holds as much saves it', async () => {
    const maker = await acme.person({ permissions: ['ssoConfig', 'certView'] })
    const { id, publicId } = await addProvider(maker, { createAccounts: true })
    const claims = { email: 'promoted@example.org', email_verified: true }
    const { answer } = await signIn(publicId, { sub: 'promoted', claims })
    const userId = answer.outcome === 'signedIn' ? (answer.viewers[0]?.id ?? '') : ''
    const give = async (name: string) => {
      const { id: roleId } = await acme.administrator.call(roles.calls.add, {
        name: `Promoted ${name}`,
        description: '',
        view: [],
        menu: [],
        api: [name],
      })
      await inTenant(house.house.database, acme.id, (db) => setRoles(db, acme.id, userId, [roleId]))
    }
    await give('certView')
    expect((await signIn(publicId, { sub: 'promoted', claims })).answer.outcome).toBe('signedIn')
    await give('manageCAs')
    expect((await signIn(publicId, { sub: 'promoted', claims })).answer.outcome).toBe('refused')
    expect((await acme.administrator.call(sso.calls.refusals, { id })).rows[0]?.reason).toBe('beyond')
    const { version, name, issuer, clientId } = await acme.administrator.call(sso.calls.provider, { id })
    const page = await acme.administrator.session()
    await page.call(sso.calls.change, { ...draft({ issuer, clientId, clientSecret: '' }), createAccounts: true, name, id, version })
    expect((await signIn(publicId, { sub: 'promoted', claims })).answer.outcome).toBe('signedIn')
  })

  test('never leads to an administrator', async () => {
    await house.asOwner(
      `update users set email_address = 'root@linked.example', email_key = 'root@linked.example' where id = '${acme.administrator.id}'`,
    )
    const linking = await addProvider(acme.administrator, { linkByAddress: true, createAccounts: true, domains: ['linked.example'] })
    const { answer } = await signIn(linking.publicId, { sub: 'root', claims: { email: 'root@linked.example', email_verified: true } })
    expect(answer.outcome).toBe('refused')
    expect((await acme.administrator.call(sso.calls.refusals, { id: linking.id })).rows[0]?.reason).toBe('administrator')
  })
})
