// Single sign-on against a real provider: who comes in, into which account, with which roles.

import { beforeAll, describe, expect, test } from 'vitest'
import { addRole, rolesOf, setRoles } from '#areas/roles/service.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { addToken } from '#areas/sessions/service.ts'
import { users } from '#areas/users/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { audited } from '#core/testing/events.ts'
import type { TestTenancy } from '#core/testing/house.ts'
import { sso } from '../contract.ts'
import { carryOut, decide } from './account.ts'
import { useSso } from './sso.fixture.ts'
import { findProvider } from './store.ts'

const { house, idp, browser, browserOf, addProvider, signIn, draft, refusal } = await useSso()
let acme: TestTenancy
beforeAll(async () => void (acme = await house.tenancy('Acme')))

const ada = {
  sub: 'ada-1',
  claims: { email: 'ada@example.org', email_verified: true, given_name: 'Ada', family_name: 'Lovelace', preferred_username: 'ada' },
}
const role = (name: string, api: string[]) =>
  inTenant(house.house.database, acme.id, (db) =>
    addRole(db, acme.id, { name, description: '', view: [], menu: [], api }, house.clock.now()),
  )
const roleNames = (userId: string) =>
  inTenant(house.house.database, acme.id, async (db) => (await rolesOf(db, acme.id, userId)).map(({ name }) => name).toSorted())

describe('A person', () => {
  test('signs in by a provider, gets an account the first time and the same one afterwards', async () => {
    const { publicId, id } = await addProvider(acme.administrator, { createAccounts: true })
    const first = await signIn(publicId, ada)
    expect(first.answer).toMatchObject({
      outcome: 'signedIn',
      viewers: [{ names: { givenName: 'Ada', familyName: 'Lovelace' }, emailAddress: 'ada@example.org' }],
    })
    const checked = await first.browser.call(sessions.calls.checkSession, {})
    expect(checked).toMatchObject({ sessionCookies: [{ name: 'session-expiry' }] })
    const second = await signIn(publicId, { sub: 'ada-1', claims: { email: 'other@example.org', email_verified: true } })
    if (first.answer.outcome !== 'signedIn' || second.answer.outcome !== 'signedIn') throw new Error('Nobody signed in')
    expect(second.answer.viewers[0]?.id).toBe(first.answer.viewers[0]?.id)
    expect((await acme.administrator.call(sso.calls.provider, { id })).people).toBe(1)
    const names = (await audited(house, acme.id)).map(({ area, name }) => `${area}.${name}`)
    expect(names.filter((name) => name === 'sso.linked')).toHaveLength(1)
    expect(names.filter((name) => name === 'sessions.signedIn')).toHaveLength(2)
    expect(names.filter((name) => name === 'users.added')).toHaveLength(1)
  })

  test('is unknown where accounts are not made, and hears a reference alone', async () => {
    const { publicId, id } = await addProvider(acme.administrator)
    const { answer } = await signIn(publicId, { sub: 'stranger', claims: { email: 'stranger@example.org', email_verified: true } })
    expect(answer).toMatchObject({ outcome: 'refused', reference: expect.any(String) })
    const { rows } = await acme.administrator.call(sso.calls.refusals, { id })
    expect(rows).toMatchObject([{ reason: 'unknown', name: 'stranger@example.org' }])
  })

  test('whose address is not verified gets no account', async () => {
    const { publicId, id } = await addProvider(acme.administrator, { createAccounts: true })
    for (const claims of [
      {},
      { email: 'x@example.org' },
      { email: 'x@example.org', email_verified: false },
      { email: 'no address', email_verified: true },
    ])
      expect((await signIn(publicId, { sub: `unverified ${JSON.stringify(claims)}`, claims })).answer.outcome).toBe('refused')
    const { rows } = await acme.administrator.call(sso.calls.refusals, { id })
    expect(rows.map(({ reason }) => reason)).toEqual(Array(4).fill('unverified'))
  })

  test('gets an account in a domain alone that the provider names and the tenancy has proved', async () => {
    const { publicId, id } = await addProvider(acme.administrator, { createAccounts: true, domains: ['example.org', 'unproved.example'] })
    const bare = await addProvider(acme.administrator, { createAccounts: true, domains: [] })
    const comes = async (provider: string, email: string) =>
      (await signIn(provider, { sub: `new ${email}`, claims: { email, email_verified: true } })).answer.outcome
    for (const email of ['a@gmail.example', 'a@unproved.example', 'a@sub.example.org', 'a@example.org.evil.example'])
      expect([email, await comes(publicId, email)]).toEqual([email, 'refused'])
    expect(await comes(bare.publicId, 'a@example.org')).toBe('refused')
    const { rows } = await acme.administrator.call(sso.calls.refusals, { id })
    expect(rows.map(({ reason }) => reason)).toEqual(Array(4).fill('domain'))
    expect(await comes(publicId, 'newcomer@example.org')).toBe('signedIn')
  })

  test('with the address of somebody here is refused where no domain was proved', async () => {
    await acme.person({ permissions: [], emailAddress: 'grace@unproved.example' })
    const { publicId, id } = await addProvider(acme.administrator, {
      createAccounts: true,
      linkByAddress: true,
      domains: ['unproved.example'],
    })
    const { answer } = await signIn(publicId, { sub: 'thief', claims: { email: 'grace@unproved.example', email_verified: true } })
    expect(answer.outcome).toBe('refused')
    expect((await acme.administrator.call(sso.calls.refusals, { id })).rows[0]?.reason).toBe('addressTaken')
  })

  test('gives the sign-in code as well, unless the provider says that it has asked for a second factor', async () => {
    const { publicId } = await addProvider(acme.administrator, { createAccounts: true, secondFactor: 'ask', strongAmr: ['mfa'] })
    const claims = (more: object) => ({ email: 'code@example.org', email_verified: true, ...more })
    const weak = await signIn(publicId, { sub: 'code', claims: claims({ amr: ['pwd'] }) })
    expect(weak.answer).toMatchObject({ outcome: 'code', enrolment: { secret: expect.any(String) } })
    expect((await weak.browser.fetch(sessions.calls.legacyLogin.path)).status).toBe(401)
    expect((await signIn(publicId, { sub: 'code', claims: claims({ amr: ['pwd', 'mfa'] }) })).answer.outcome).toBe('signedIn')
  })

  test('who is disabled is refused', async () => {
    const { publicId, id } = await addProvider(acme.administrator, { createAccounts: true })
    const who = { sub: 'disabled', claims: { email: 'disabled@example.org', email_verified: true } }
    const { answer } = await signIn(publicId, who)
    if (answer.outcome !== 'signedIn') throw new Error('Nobody signed in')
    await house.asOwner(`update users set enabled = false where id = '${answer.viewers[0]?.id ?? ''}'`)
    expect((await signIn(publicId, who)).answer.outcome).toBe('refused')
    expect((await acme.administrator.call(sso.calls.refusals, { id })).rows[0]?.reason).toBe('disabled')
  })
})

describe('Rules', () => {
  test('give roles by claims and take them away again; what somebody gave by hand stays', async () => {
    const [officers, byHand] = [await role('Officers', ['certView']), await role('By hand', ['userView'])]
    const { publicId } = await addProvider(acme.administrator, {
      createAccounts: true,
      rules: [{ claim: 'groups', operator: 'is', value: 'pki-officers', roleIds: [officers] }],
    })
    const claims = (groups: unknown) => ({ email: 'rules@example.org', email_verified: true, groups })
    const { answer, browser: page } = await signIn(publicId, { sub: 'rules', claims: claims(['staff', 'pki-officers']) })
    if (answer.outcome !== 'signedIn') throw new Error('Nobody signed in')
    const userId = answer.viewers[0]?.id ?? ''
    expect(await roleNames(userId)).toEqual(['Officers'])
    await inTenant(house.house.database, acme.id, (db) => setRoles(db, acme.id, userId, [officers, byHand]))
    await signIn(publicId, { sub: 'rules', claims: claims('pki-officers-not') })
    expect(await roleNames(userId)).toEqual(['By hand'])
    // The session that began with the role has it no more.
    const search = () =>
      page.fetch(users.calls.search.path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    expect((await search()).status).toBe(200)
    await inTenant(house.house.database, acme.id, (db) => setRoles(db, acme.id, userId, []))
    expect((await search()).status).toBe(403)
  })

  test('give back no role that was taken away between the decision and the sign-in', async () => {
    const byHand = await role('Taken away', ['userView'])
    const { id, publicId } = await addProvider(acme.administrator, { createAccounts: true })
    const claims = { email: 'meanwhile@example.org', email_verified: true }
    const { answer } = await signIn(publicId, { sub: 'meanwhile', claims })
    if (answer.outcome !== 'signedIn') throw new Error('Nobody signed in')
    const userId = answer.viewers[0]?.id ?? ''
    await inTenant(house.house.database, acme.id, (db) => setRoles(db, acme.id, userId, [byHand]))
    await house.house.work(acme.id, { name: 'Sign-in' }, async ({ tenancy, emitFor }) => {
      const provider = await findProvider(tenancy, id)
      if (provider === undefined) throw new Error('No provider')
      const known = { issuer: idp.issuer, subject: 'meanwhile', claims }
      const decision = await decide(house.house, tenancy, provider, known)
      await setRoles(tenancy.db, acme.id, userId, [])
      await carryOut(tenancy, { emit: emitFor(sso), emitFor }, provider, known, decision)
    })
    expect(await roleNames(userId)).toEqual([])
  })

  test('can be what lets somebody in at all', async () => {
    const officers = await role('Let in', ['certView'])
    const { publicId, id } = await addProvider(acme.administrator, {
      createAccounts: true,
      requireRule: true,
      rules: [{ claim: 'realm_access.roles', operator: 'begins', value: 'pki-', roleIds: [officers] }],
    })
    const claims = (roles: string[]) => ({ email: 'letin@example.org', email_verified: true, groups: roles })
    expect((await signIn(publicId, { sub: 'letin', claims: claims(['pki-users']) })).answer.outcome).toBe('refused')
    expect((await acme.administrator.call(sso.calls.refusals, { id })).rows[0]?.reason).toBe('noRule')
  })

  test('that match no more take what they gave, and end what is open, with the refusal', async () => {
    const [officers, byHand] = [await role('Lost', ['certView']), await role('Kept', ['search'])]
    const { publicId } = await addProvider(acme.administrator, {
      createAccounts: true,
      requireRule: true,
      rules: [{ claim: 'groups', operator: 'is', value: 'pki', roleIds: [officers] }],
    })
    const claims = (groups: string[]) => ({ email: 'lost@example.org', email_verified: true, groups })
    const { answer, browser: page } = await signIn(publicId, { sub: 'lost', claims: claims(['pki']) })
    if (answer.outcome !== 'signedIn') throw new Error('Nobody signed in')
    const userId = answer.viewers[0]?.id ?? ''
    const { token } = await inTenant(house.house.database, acme.id, async (db) => {
      await setRoles(db, acme.id, userId, [officers, byHand])
      const expiresAt = new Date(house.clock.now().getTime() + 86_400_000)
      return addToken(db, { tenantId: acme.id, userId, name: 'own', scopes: [], expiresAt }, house.clock.now())
    })
    expect((await signIn(publicId, { sub: 'lost', claims: claims([]) })).answer.outcome).toBe('refused')
    expect(await roleNames(userId)).toEqual(['Kept'])
    expect((await page.fetch(sessions.calls.legacyLogin.path)).status).toBe(401)
    expect((await house.fetch(users.calls.read.path, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
    // Of who came to hold more than whoever saved the provider, a refusal takes nothing.
    const maker = await acme.person({ permissions: ['ssoConfig', 'certView'] })
    const weak = await addProvider(maker, {
      createAccounts: true,
      requireRule: true,
      rules: [{ claim: 'groups', operator: 'is', value: 'pki', roleIds: [officers] }],
    })
    const who = (groups: string[]) => ({ sub: 'grown', claims: { email: 'grown@example.org', email_verified: true, groups } })
    const grown = await signIn(weak.publicId, who(['pki']))
    const grownId = grown.answer.outcome === 'signedIn' ? (grown.answer.viewers[0]?.id ?? '') : ''
    const strong = await role('Grown', ['manageCAs'])
    await inTenant(house.house.database, acme.id, (db) => setRoles(db, acme.id, grownId, [officers, strong]))
    expect((await signIn(weak.publicId, who([]))).answer.outcome).toBe('refused')
    expect(await roleNames(grownId)).toEqual(['Grown', 'Lost'])
  })

  test('give no role that holds more than who saves them, and never the administrator’s', async () => {
    const strong = await role('Strong', ['manageCAs'])
    const weak = await acme.person({ permissions: ['ssoConfig', 'roleView'] })
    const page = await weak.session()
    const rules = (roleId: string) => [{ claim: 'groups', operator: 'is' as const, value: 'x', roleIds: [roleId] }]
    expect(await refusal(page.call(sso.calls.add, draft({ rules: rules(strong) })))).toMatchObject({ status: 403, code: 'beyond' })
    const administrator = await inTenant(
      house.house.database,
      acme.id,
      async (db) => (await rolesOf(db, acme.id, acme.administrator.id))[0]?.id ?? '',
    )
    const admin = await acme.administrator.session()
    expect(await refusal(admin.call(sso.calls.add, draft({ rules: rules(administrator) })))).toMatchObject({ code: 'administrators' })
    expect((await weak.call(sso.calls.choices, {})).roles.map(({ name }) => name)).not.toContain('Strong')
  })
})

describe('A provider', () => {
  test('that is switched off refuses the next click of whoever came by it, and begins nothing', async () => {
    const { publicId, id, page } = await addProvider(acme.administrator, { createAccounts: true })
    const { browser: signedIn } = await signIn(publicId, { sub: 'off', claims: { email: 'off@example.org', email_verified: true } })
    const begun = browser()
    const url = await begun.begin(publicId)
    await page.call(sso.calls.setEnabled, { id, enabled: false })
    expect((await signedIn.fetch(sessions.calls.legacyLogin.path)).status).toBe(401)
    await expect(browser().begin(publicId)).rejects.toThrow('Nothing began')
    // Who is on the way is refused too, by what holds at that moment.
    idp.account = { accountId: 'off', claims: {} }
    expect((await begun.finish(await idp.visit(url, new Map()))).outcome).toBe('refused')
  })

  test('never gives its secret away, and keeps it where none is sent', async () => {
    const { id, page } = await addProvider(acme.administrator)
    const read = await acme.administrator.call(sso.calls.provider, { id })
    expect(JSON.stringify(read)).not.toContain(idp.client.secret)
    expect(read.secretSetAt).toBeDefined()
    const same = { ...draft({ name: read.name, createAccounts: true, domains: ['example.org'] }), clientSecret: '' }
    await page.call(sso.calls.change, { id, version: read.version, ...same })
    expect((await signIn(read.publicId, { sub: 'kept', claims: { email: 'kept@example.org', email_verified: true } })).answer.outcome).toBe(
      'signedIn',
    )
    // What was meant for one address is not sent to another.
    const moved = { ...same, issuer: 'https://8.8.8.8', id, version: read.version + 1 }
    expect(await refusal(page.call(sso.calls.change, moved))).toMatchObject({ code: 'secretNeeded' })
  })

  test('inside the network is refused when it is saved', async () => {
    const page = await acme.administrator.session()
    for (const issuer of ['https://10.0.0.1', 'http://idp.example.org', 'https://169.254.169.254', 'not an address', `${idp.issuer}?x=1`])
      expect(await refusal(page.call(sso.calls.add, draft({ issuer })))).toMatchObject({ code: 'issuer', fields: [{ field: 'issuer' }] })
  })

  test('says of itself what sign-in needs', async () => {
    const page = await acme.administrator.session()
    const said = await page.call(sso.calls.discover, { issuer: idp.issuer })
    expect(said).toMatchObject({ issuer: idp.issuer, keys: 1, namesIssuer: true, pkce: true })
    expect(await refusal(page.call(sso.calls.discover, { issuer: `${idp.issuer}/elsewhere` }))).toMatchObject({ code: 'issuer' })
  })

  test('is begun so often from one address, whether anything comes of it or not', async () => {
    const { publicId } = await addProvider(acme.administrator)
    await browser().begin(publicId)
    await house.asOwner(`update floor_counts set attempts = 600 where key like 'begin:address:%'`)
    await expect(browser().begin(publicId)).rejects.toMatchObject({ status: 429 })
    await house.asOwner(`delete from floor_counts where key like 'begin:%'`)
  })

  test('on the sign-in page is one of the first tenancy that is switched on and listed', async () => {
    const { publicId } = await addProvider(acme.administrator, { listed: true, name: 'Listed' })
    await addProvider(acme.administrator, { name: 'Not listed' })
    expect((await house.signedOut.call(sso.calls.offered, {})).providers).toEqual([{ id: publicId, name: 'Listed' }])
    expect(await house.signedOut.call(sso.calls.homeRealm, { emailAddress: 'ada@unproved.example' })).toEqual({})
  })
})

describe('Trying a provider', () => {
  test('shows claims, rules and the refusal, opens no session and changes nothing', async () => {
    const officers = await role('Tried', ['certView'])
    const { id } = await addProvider(acme.administrator, {
      rules: [{ claim: 'groups', operator: 'contains', value: 'pki', roleIds: [officers] }],
    })
    const page = await browserOf(acme.administrator)
    const { url, tryId } = await page.call(sso.calls.try, { id })
    expect(await page.call(sso.calls.readTry, { id: tryId })).toMatchObject({ tried: { claims: [] } })
    idp.account = { accountId: 'tried', claims: { email: 'tried@example.org', email_verified: true, groups: ['pki-users'] } }
    expect(await page.finish(await idp.visit(url, new Map()))).toEqual({ outcome: 'tried', providerId: id, tryId })
    const { claims, judgement } = (await page.call(sso.calls.readTry, { id: tryId })).tried ?? {}
    expect(claims).toContainEqual({ name: 'groups', value: '["pki-users"]' })
    expect(judgement).toMatchObject({ refusal: 'unknown', rules: [{ matched: true }], roles: ['Tried'] })
    expect((await acme.administrator.call(sso.calls.provider, { id })).people).toBe(0)
    const colleague = await browserOf(await acme.person({ permissions: 'all' }))
    expect(await colleague.call(sso.calls.readTry, { id: tryId })).toEqual({})
  })

  test('is finished by the browser and the person who began alone', async () => {
    const { id } = await addProvider(acme.administrator)
    const page = await browserOf(acme.administrator)
    const stranger = browser()
    idp.account = { accountId: 'tried', claims: {} }
    for (const [other, reason] of [
      [stranger, 'binding'],
      [await browserOf(await acme.person({ permissions: ['ssoConfig'] })), 'binding'],
    ] as const) {
      const { url } = await page.call(sso.calls.try, { id })
      if (other !== stranger) other.cookies.set('chancery-sso', page.cookies.get('chancery-sso') ?? '')
      expect((await other.finish(await idp.visit(url, new Map()))).outcome).toBe('refused')
      expect((await acme.administrator.call(sso.calls.refusals, { id })).rows[0]?.reason).toBe(reason)
    }
  })
})
