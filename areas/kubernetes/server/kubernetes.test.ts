import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { applications } from '#areas/applications/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { users } from '#areas/users/contract.ts'
import { caller, type Caller } from '#core/testing/caller.ts'
import { useHouse, type TestTenancy } from '#core/testing/house.ts'
import { kubernetes } from '../contract.ts'

const house = await useHouse({ background: true })
const issuer = 'https://kubernetes.default.svc'
const subject = 'system:serviceaccount:pki:issuer'
let acme: TestTenancy
let browser: Caller
let key: CryptoKey
let audience: string
let clusterId: string
let applicationId: string
const { search, add, remove } = kubernetes.calls
const tryToken = kubernetes.calls.try

async function keySet(kid = 'one') {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  return { privateKey, text: JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'ES256' }] }) }
}

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  browser = await acme.administrator.session()
  ;({ id: applicationId } = await browser.call(applications.calls.add, {
    name: 'Cluster',
    owner: { kind: 'person', id: acme.administrator.id },
    scopes: ['userView'],
  }))
  const { privateKey, text } = await keySet()
  key = privateKey
  ;({ id: clusterId } = await browser.call(add, { name: 'Production', issuer, keySet: text, subjects: [subject], applicationId }))
  audience = (await browser.call(search, {})).audience
})

type Said = { kid?: string; iss?: string; aud?: string[]; sub?: string; seconds?: number; by?: CryptoKey }
const token = ({ kid = 'one', iss = issuer, aud = [audience], sub = subject, seconds = 600, by = key }: Said = {}) =>
  new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuer(iss)
    .setAudience(aud)
    .setSubject(sub)
    .setExpirationTime(Math.floor(house.clock.now().getTime() / 1_000) + seconds)
    .sign(by)
const statusOf = (text: string, call: typeof users.calls.search | typeof roles.calls.search = users.calls.search) =>
  caller(house.origin, { authorization: `Bearer ${text}` })
    .call(call, {})
    .then(
      () => 200,
      ({ status }: { status: number }) => status,
    )

test('A service account comes as its application, does what its scopes say, and ends with the cluster', async () => {
  const good = await token()
  expect([await statusOf(good), await statusOf(good, roles.calls.search)]).toEqual([200, 403])
  expect(await browser.call(tryToken, { token: good })).toMatchObject({ accepted: true, application: 'Cluster', subject })
  const { text } = await keySet()
  const { id } = await browser.call(add, { name: 'Other', issuer: 'https://other', keySet: text, subjects: [subject], applicationId })
  await browser.call(remove, { id })
  expect(await statusOf(good)).toBe(200)
})

test('A token of another audience, cluster, key or account, or past its end, is refused, and the reason stands in the panel alone', async () => {
  const { privateKey } = await keySet()
  const refused: [string, RegExp][] = [
    [await token({ aud: ['https://kubernetes.default.svc'] }), /audience/],
    [await token({ aud: [`chancery:${crypto.randomUUID()}`] }), /audience/],
    [await token({ iss: 'https://elsewhere' }), /issuer/],
    [await token({ sub: 'system:serviceaccount:default:default' }), /not among/],
    [await token({ seconds: -1 }), /expired/],
    [await token({ kid: 'two' }), /no such key/],
    [await token({ by: privateKey }), /signature/],
    [`${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await token()).split('.')[1] ?? ''}.AA`, /could not be verified|signature/],
    ['junk', /no token/],
  ]
  for (const [text, reason] of refused) {
    expect(await statusOf(text)).toBe(401)
    expect((await browser.call(tryToken, { token: text })).reason).toMatch(reason)
  }
})

test('Private keys, shared secrets and an application with more than one holds are refused', async () => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const draft = { name: 'Bad', issuer: 'https://bad', subjects: [subject], applicationId }
  for (const keys of [[await exportJWK(privateKey)], [{ kty: 'oct', k: 'AAAA' }], []])
    await expect(browser.call(add, { ...draft, keySet: JSON.stringify({ keys }) })).rejects.toMatchObject({ code: 'noKeys' })
  const { text } = await keySet()
  const officer = await acme.person({ permissions: ['configureK8s'] })
  await expect((await officer.session()).call(add, { ...draft, keySet: text })).rejects.toMatchObject({ code: 'beyond' })
})

test('The token is worth nothing once the cluster or the application is gone', async () => {
  const good = await token()
  expect(await statusOf(good)).toBe(200)
  await browser.call(applications.calls.remove, { id: applicationId })
  expect(await statusOf(good)).toBe(401)
  await expect.poll(async () => (await browser.call(search, {})).rows.map(({ id }) => id)).not.toContain(clusterId)
})
