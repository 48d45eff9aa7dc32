// Sign-in by certificate: over the listener of its own, and by the header of a proxy. What decides is our own record of the certificate.

import { request as ask } from 'node:https'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuingHouse } from '#areas/certificates/server/issuing.fixture.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { browser, type Browser } from '#core/testing/browser.ts'
import { audited } from '#core/testing/events.ts'
import { freePort } from '#core/testing/free-port.ts'
import { refusal, type TestPerson } from '#core/testing/house.ts'
import { opensslFolder } from '#standards/x509/openssl-keys.fixture.ts'
import { mtls } from '../contract.ts'
import type { RefusalReason } from '../rules.ts'

const header = 'x-ssl-client-cert'
const folder = opensslFolder()
folder.run(
  'req',
  '-x509',
  '-newkey',
  'ec',
  '-pkeyopt',
  'ec_paramgen_curve:P-256',
  '-nodes',
  '-keyout',
  'tls.key',
  '-out',
  'tls.pem',
  '-subj',
  '/CN=localhost',
  '-days',
  '2',
)
const port = await freePort()
const { house, pki, tools, close } = await openIssuingHouse({
  settings: {
    CHANCERY_TRUST_PROXY: '127.0.0.1,::1',
    CHANCERY_CERT_SIGN_IN_PORT: String(port),
    CHANCERY_CERT_SIGN_IN_HEADER: header,
    CHANCERY_CERT_SIGN_IN_TLS_CERT: `${folder.path}/tls.pem`,
    CHANCERY_CERT_SIGN_IN_TLS_KEY: `${folder.path}/tls.key`,
  },
})
afterAll(async () => {
  await close()
  folder.remove()
})
beforeEach(() => house.asOwner('delete from floor_counts'))

const template = await pki.addTemplate('User', { issueApprovers: 0, rules: { keys: ['P-256'] } })
const withoutPurpose = await pki.addTemplate('User', {
  issueApprovers: 0,
  rules: { keys: ['P-256'] },
  extensions: {
    certificateSubjects: [{ subjectField: 'CN', fieldValue: 'DisplayName' }],
    certificateSans: [{ sanField: 'RFC822', fieldValue: 'Email' }],
    extendedUsages: ['emailProtection'],
  },
})
const admin = await pki.tenancy.person({ permissions: 'all' })

async function issue(holder: TestPerson, templateId = template) {
  const { csr, keyFile } = tools.csr({ subject: '/CN=Anybody', extensions: [] })
  const { certificateId = '' } = await holder.call(certificates.calls.request, { entity: 'user', templateId, csr })
  const { certificate } = await admin.call(certificates.calls.info, { certId: certificateId })
  return { id: certificateId, pem: certificate.pem, keyFile }
}

async function allow(change: Partial<Omit<OutputOf<typeof mtls.calls.policy>, 'choices' | 'address' | 'version'>> = {}) {
  const { version } = await admin.call(mtls.calls.policy, {})
  const page = await admin.session()
  await page.call(mtls.calls.changePolicy, { version, enabled: true, authorities: [pki.caId], mapping: 'serial', strong: true, ...change })
}

/** Begins, shows the certificate by the proxy's header, and ends. */
async function signIn(pem: string | undefined, by: Browser = browser(house.origin)) {
  const { url = '' } = await by.call(mtls.calls.begin, { redirect: '/home' })
  const state = new URL(url).searchParams.get('state') ?? ''
  return by.call(mtls.calls.finish, { state, ticket: await showByProxy(state, pem) })
}

/** Shows the certificate by the proxy's header; answers the ticket. */
async function showByProxy(state: string, pem: string | undefined): Promise<string> {
  const headers = pem === undefined ? {} : { [header]: encodeURIComponent(pem) }
  const { headers: answered } = await house.fetch(`/certificate-sign-in?state=${state}`, { headers, redirect: 'manual' })
  return new URL(answered.get('location') ?? '', house.origin).hash.slice(1)
}

async function refusedFor(): Promise<RefusalReason> {
  const rows = (await audited(house, pki.tenancy.id)).filter(({ area, name }) => area === 'mtls' && name === 'refused')
  return JSON.parse(rows.at(-1)?.body ?? '{}').reason
}

describe('A certificate', () => {
  test('of an authority that the tenancy chose signs its holder in, over the own listener', async () => {
    await allow()
    const mine = await issue(pki.eve)
    const page = browser(house.origin)
    const { url = '' } = await page.call(mtls.calls.begin, { redirect: '/home' })
    expect(new URL(url).port).toBe(String(port))
    const location = await shown(url.replace(/^https:\/\/[^/]+/, `https://localhost:${port}`), {
      cert: mine.pem,
      key: tools.run('pkey', '-in', mine.keyFile),
    })
    expect(location.pathname).toBe('/login/certificate')
    const back = { state: location.searchParams.get('state') ?? '', ticket: location.hash.slice(1) }
    const answer = await page.call(mtls.calls.finish, back)
    expect(answer).toMatchObject({ outcome: 'signedIn', redirect: '/home', viewers: [{ id: pki.eve.id }] })
    expect(await page.call(sessions.calls.legacyLogin, {})).toMatchObject([{ id: pki.eve.id }])
    // Each attempt ends once.
    expect((await page.call(mtls.calls.finish, back)).outcome).toBe('refused')
  })

  test('shown by a trusted proxy signs in; the code is asked for where it stands for one factor', async () => {
    const mine = await issue(pki.eve)
    await allow()
    expect(await signIn(mine.pem)).toMatchObject({ outcome: 'signedIn', viewers: [{ id: pki.eve.id }] })
    await allow({ strong: false })
    expect((await signIn(mine.pem)).outcome).toBe('code')
  })

  test('that is revoked signs nobody in, and ends what it opened', async () => {
    await allow()
    const mine = await issue(pki.eve)
    const page = browser(house.origin)
    expect((await signIn(mine.pem, page)).outcome).toBe('signedIn')
    await admin.call(revocation.calls.revoke, { certId: mine.id, reason: 'superseded' })
    expect((await signIn(mine.pem)).outcome).toBe('refused')
    expect(await refusedFor()).toBe('revoked')
  })

  test('of another issuer, of an authority that was not chosen, for another purpose or outside of its time is refused', async () => {
    await allow()
    folder.run(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      'own.key',
      '-out',
      'own.pem',
      '-subj',
      '/CN=Eve',
      '-days',
      '2',
    )
    expect((await signIn(folder.run('x509', '-in', 'own.pem').toString())).outcome).toBe('refused')
    expect((await signIn(undefined)).outcome).toBe('refused')
    expect((await signIn('no certificate')).outcome).toBe('refused')

    const mail = await issue(pki.eve, withoutPurpose)
    expect((await signIn(mail.pem)).outcome).toBe('refused')
    expect(await refusedFor()).toBe('purpose')

    const mine = await issue(pki.eve)
    await house.asOwner(`update certificates set not_after = now() - interval '1 minute' where id = '${mine.id}'`)
    expect((await signIn(mine.pem)).outcome).toBe('refused')
    expect(await refusedFor()).toBe('validity')

    const other = await issue(pki.eve)
    await allow({ mapping: 'upn' })
    expect((await signIn(other.pem)).outcome).toBe('refused')
    expect(await refusedFor()).toBe('mapping')
    await allow({ mapping: 'sid' })
    expect((await signIn(other.pem)).outcome).toBe('refused')
    await allow({ enabled: false })
    expect(await browser(house.origin).call(mtls.calls.begin, { redirect: '' })).toEqual({})
  })

  test('is taken from the browser that began, and for an own path', async () => {
    await allow()
    const mine = await issue(pki.eve)
    const { url = '' } = await browser(house.origin).call(mtls.calls.begin, { redirect: '' })
    const state = new URL(url).searchParams.get('state') ?? ''
    const ticket = await showByProxy(state, mine.pem)
    expect((await browser(house.origin).call(mtls.calls.finish, { state, ticket })).outcome).toBe('refused')
    for (const redirect of ['//evil.example.org', '/\\evil', 'https://evil.example.org', '/%2f%2fevil'])
      expect(await refusal(browser(house.origin).call(mtls.calls.begin, { redirect }))).toMatchObject({ status: 400 })
  })

  test('that another browser was led to show signs nobody in: the ticket goes to that browser alone, and once', async () => {
    await allow()
    const victim = await issue(pki.eve)
    const attacker = browser(house.origin)
    const { url = '' } = await attacker.call(mtls.calls.begin, { redirect: '' })
    const state = new URL(url).searchParams.get('state') ?? ''
    const listener = url.replace(/^https:\/\/[^/]+/, `https://localhost:${port}`)
    const identity = { cert: victim.pem, key: tools.run('pkey', '-in', victim.keyFile) }
    // Embedded in a page, nothing is shown.
    expect((await shown(listener, identity, { 'sec-fetch-mode': 'no-cors' })).host).toBe('none.invalid')
    expect((await shown(listener, identity, { 'sec-fetch-mode': 'navigate' })).hash).toMatch(/^#[\w-]{43}$/)
    const again = await shown(listener, identity)
    expect([again.hash, again.searchParams.get('state')]).toEqual(['', state])
    expect((await attacker.call(mtls.calls.finish, { state, ticket: '' })).outcome).toBe('refused')
  })

  test('that stands for one factor sets up no code where the person has a passkey', async () => {
    const holder = await pki.tenancy.person({ permissions: [] })
    const mine = await issue(holder)
    await allow({ strong: false })
    await house.asOwner(
      `insert into passkeys values ('${pki.tenancy.id}', gen_random_uuid(), '${holder.id}', 'key', '', -7, 0, 'Key', '', 'none', false, false, '{}', 'localhost', now())`,
    )
    expect(await refusal(signIn(mine.pem))).toMatchObject({ status: 403, code: 'passkeyNeeded' })
  })

  test('stands on the pages of the person with whether it signs in', async () => {
    await allow()
    const holder = await pki.tenancy.person({ permissions: [] })
    const mine = await issue(holder)
    const [row] = (await admin.call(mtls.calls.certificates, { userId: holder.id })).rows
    expect(row?.id).toBe(mine.id)
    expect(row?.refusal).toBe(undefined)
    await house.asOwner(`update users set enabled = false where id = '${holder.id}'`)
    expect((await admin.call(mtls.calls.certificates, { userId: holder.id })).rows[0]?.refusal).toBe('disabled')
    expect((await signIn(mine.pem)).outcome).toBe('refused')
  })
})

test('A header from anybody but a trusted proxy is not believed', async () => {
  await allow()
  const mine = await issue(pki.eve)
  const stranger = house.house.settings.trustedProxies
  const before = [...stranger]
  Object.assign(house.house.settings, { trustedProxies: ['192.0.2.1'] })
  try {
    expect((await signIn(mine.pem)).outcome).toBe('refused')
  } finally {
    Object.assign(house.house.settings, { trustedProxies: before })
  }
})

/** What the listener answers a browser that shows this certificate. */
function shown(url: string, { cert, key }: { cert: string; key: string }, headers: Record<string, string> = {}): Promise<URL> {
  return new Promise((resolve, reject) => {
    ask(url, { cert, key, headers, rejectUnauthorized: false }, (incoming) => {
      incoming.resume()
      resolve(new URL(incoming.headers.location ?? 'http://none.invalid'))
    })
      .once('error', reject)
      .end()
  })
}
