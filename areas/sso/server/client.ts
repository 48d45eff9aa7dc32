// What is asked of a provider, by openid-client over the one way out. ID tokens are verified by their signature too, although they come over TLS, so that
// a key of another provider or an algorithm without a key is refused.

import { createHmac } from 'node:crypto'
import * as openid from 'openid-client'
import type { House } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import { countValues, readJsonOrNothing } from '#standards/json/read.ts'
import { say } from '#standards/say/say.ts'
import { storableValue } from '#standards/storable/storable.ts'
import type { Claims, RefusalReason } from '../rules.ts'
import { claimAt } from '../rules.ts'

export type Target = {
  tenantId: string
  /** Names the provider in this version: what was read of it is kept for a while. */
  key: string
  issuer: string
  clientId: string
  clientSecret: string | undefined
  redirectUri: string
  userInfo: boolean
}

/** Algorithms with a public key. `none` and those with a shared secret (HS256) prove nothing here. */
const algorithms = ['RS256', 'PS256', 'ES256', 'RS384', 'PS384', 'ES384', 'RS512', 'PS512', 'ES512', 'EdDSA', 'Ed25519']
const toleranceSeconds = 60
const keepMilliseconds = 10 * 60_000
const mostKept = 500

/** Why a sign-in cannot go on, for whoever configures the provider. */
export class ProviderError extends Error {
  override name = 'ProviderError'
  readonly reason: RefusalReason
  constructor(reason: RefusalReason, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.reason = reason
  }
}

const fetchFor =
  (house: House, tenantId: string): openid.CustomFetch =>
  async (url, { method, headers, body }) => {
    const text = body === null || body === undefined ? undefined : body instanceof URLSearchParams ? body.toString() : body
    if (text !== undefined && typeof text !== 'string' && !(text instanceof Uint8Array))
      throw new TypeError('This kind of body is not sent')
    const answer = await house.outward.request({
      use: 'signIn',
      url,
      tenantId,
      method: method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      ...(text === undefined ? {} : { body: text }),
    })
    // The library parses it by itself.
    countValues(answer.body.toString('utf8'))
    const own = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    )
    return new Response([204, 205, 304].includes(answer.status) ? null : Uint8Array.from(answer.body), {
      status: answer.status,
      headers: own,
    })
  }

type Kept = { configuration: openid.Configuration; until: number }
const kept = new WeakMap<House, Map<string, Kept>>()

/** Reads what the provider says of itself, or takes what was read a few minutes ago. */
async function configurationOf(house: House, target: Target): Promise<openid.Configuration> {
  const all = kept.get(house) ?? new Map<string, Kept>()
  kept.set(house, all)
  const skew = Math.round((house.now().getTime() - Date.now()) / 1000)
  const key = `${target.key} ${target.clientId} ${Math.round(skew / 10)}`
  const known = all.get(key)
  if (known !== undefined && known.until > Date.now()) return known.configuration
  const configuration = await discover(house, target)
  const metadata = configuration.serverMetadata()
  const { supportsPKCE: _, id_token_signing_alg_values_supported: offered, ...plain } = metadata
  const ours = new openid.Configuration(
    {
      ...plain,
      id_token_signing_alg_values_supported: algorithms.filter((name) =>
        offered === undefined ? name === 'RS256' : offered.includes(name),
      ),
    },
    target.clientId,
    { [openid.clockSkew]: skew, [openid.clockTolerance]: toleranceSeconds },
    authentication(target, metadata.token_endpoint_auth_methods_supported),
  )
  ours[openid.customFetch] = fetchFor(house, target.tenantId)
  ours.timeout = 20
  openid.enableNonRepudiationChecks(ours)
  if (all.size >= mostKept) all.clear()
  all.set(key, { configuration: ours, until: Date.now() + keepMilliseconds })
  return ours
}

async function discover(house: House, { tenantId, issuer, clientId }: Pick<Target, 'tenantId' | 'issuer' | 'clientId'>) {
  if (!URL.canParse(issuer)) throw new ProviderError('unreachable', say`The issuer is no address`)
  const configuration = await openid
    .discovery(new URL(issuer), clientId, undefined, undefined, { [openid.customFetch]: fetchFor(house, tenantId), timeout: 20 })
    .catch((error: unknown) => {
      throw reasonOf(error, 'unreachable')
    })
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
    if (URL.parse(configuration.serverMetadata()[name] ?? '')?.protocol !== 'https:')
      throw new ProviderError('unreachable', say`The provider names no ${name} with https`)
  return configuration
}

const authentication = ({ clientSecret }: Target, methods: readonly string[] | undefined): openid.ClientAuth => {
  if (clientSecret === undefined) return openid.None()
  const basic = methods === undefined || methods.includes('client_secret_basic')
  return basic ? openid.ClientSecretBasic(clientSecret) : openid.ClientSecretPost(clientSecret)
}

/** What of an attempt is secret is derived from its state by a key of the installation, so that it is stored nowhere. */
function secretsOf(house: House, state: string): { nonce: string; verifier: string } {
  const key = house.installationKey.derive('sso-attempt')
  const of = (use: string) => createHmac('sha256', key).update(`${use}:${state}`).digest('base64url')
  return { nonce: of('nonce'), verifier: of('verifier') }
}

export async function authorizationUrl(
  house: House,
  target: Target,
  { state, scopes, again }: { state: string; scopes: readonly string[]; again: boolean },
): Promise<string> {
  const configuration = await configurationOf(house, target)
  const { nonce, verifier } = secretsOf(house, state)
  return openid.buildAuthorizationUrl(configuration, {
    redirect_uri: target.redirectUri,
    response_type: 'code',
    scope: [...new Set(['openid', ...scopes])].join(' '),
    state,
    nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(again ? { prompt: 'login' } : {}),
  }).href
}

export type Known = { issuer: string; subject: string; claims: Claims }

/** Takes the answer that the browser brought to the provider, and reads whom it is about. Throws a ProviderError. */
export async function readAnswer(house: House, target: Target, state: string, answer: URLSearchParams): Promise<Known> {
  const error = answer.get('error')
  if (error !== null)
    throw new ProviderError(
      'declined',
      [error, answer.get('error_description') ?? '']
        .filter((text) => text !== '')
        .join(': ')
        .slice(0, 500),
    )
  const configuration = await configurationOf(house, target).catch((problem: unknown) => {
    throw reasonOf(problem, 'unreachable')
  })
  // RFC 9207: an answer of another provider is refused before the code is sent to anybody.
  const from = answer.get('iss')
  if (from !== null && from !== configuration.serverMetadata().issuer)
    throw new ProviderError('mixUp', say`The answer names ${from.slice(0, 200)} as its issuer`)
  const { nonce, verifier } = secretsOf(house, state)
  const tokens = await openid
    .authorizationCodeGrant(configuration, new URL(`${target.redirectUri}?${answer.toString()}`), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    .catch((problem: unknown) => {
      throw reasonOf(problem, 'token')
    })
  const idToken = tokens.claims()
  if (idToken === undefined) throw new ProviderError('token', say`There is no ID token`)
  const { iat, azp } = idToken
  if (iat * 1000 > house.now().getTime() + toleranceSeconds * 1000)
    throw new ProviderError('token', say`The ID token is of the future (iat)`)
  if (azp !== undefined && azp !== target.clientId) throw new ProviderError('token', say`The ID token is for another client (azp)`)
  if (idToken.sub === '' || idToken.sub.length > 255) throw new ProviderError('claims', say`The claim sub is missing or too long`)
  const more =
    target.userInfo && configuration.serverMetadata().userinfo_endpoint !== undefined
      ? await openid.fetchUserInfo(configuration, tokens.access_token, idToken.sub).catch((problem: unknown) => {
          throw reasonOf(problem, 'userInfo')
        })
      : {}
  return { issuer: idToken.iss, subject: idToken.sub, claims: storableValue({ ...more, ...idToken }) as Claims }
}

/** What a provider says of itself, for the form. Throws a ProviderError. */
export async function describeProvider(house: House, tenantId: string, issuer: string) {
  const metadata = (await discover(house, { tenantId, issuer, clientId: 'none' })).serverMetadata()
  const { body } = await house.outward.request({ use: 'signIn', url: metadata.jwks_uri ?? '', tenantId }).catch((error: unknown) => {
    throw reasonOf(error, 'unreachable')
  })
  return {
    issuer: metadata.issuer,
    authorizationEndpoint: metadata.authorization_endpoint ?? '',
    tokenEndpoint: metadata.token_endpoint ?? '',
    userInfoEndpoint: metadata.userinfo_endpoint ?? '',
    algorithms: (metadata.id_token_signing_alg_values_supported ?? ['RS256']).filter((name) => algorithms.includes(name)),
    scopes: texts(metadata.scopes_supported),
    claims: texts(metadata.claims_supported),
    keys: countKeys(body),
    namesIssuer: metadata.authorization_response_iss_parameter_supported === true,
    pkce: metadata.code_challenge_methods_supported?.includes('S256') === true,
  }
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value : []).filter((one) => typeof one === 'string').slice(0, 200)

function countKeys(body: Buffer): number {
  const keys = claimAt(Object(readJsonOrNothing(body.toString('utf8'))) as Claims, 'keys')
  return Array.isArray(keys) ? keys.length : 0
}

/** The library's error, or the way out's, as a reason and a sentence. The library says in its cause what it saw. */
function reasonOf(error: unknown, otherwise: RefusalReason): ProviderError {
  if (error instanceof ProviderError) return error
  if (!(error instanceof Error)) return new ProviderError(otherwise, '')
  for (let inner: unknown = error; inner instanceof Error; inner = inner.cause)
    if (inner instanceof OutwardError) return new ProviderError('unreachable', inner.message, { cause: error })
  if (error instanceof openid.ResponseBodyError)
    return new ProviderError(otherwise, [error.error, error.error_description ?? ''].filter((text) => text !== '').join(': '), {
      cause: error,
    })
  const { cause } = error
  const inner = cause instanceof Error ? cause.message : ''
  return new ProviderError(
    otherwise,
    [error.message, inner]
      .filter((text) => text !== '')
      .join(': ')
      .slice(0, 500),
    { cause: error },
  )
}
