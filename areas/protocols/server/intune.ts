// Microsoft Intune, as it lets authorities of others ask (microsoft/Intune-Resource-Access): whether a request with its challenge is its own, and the notice of what
// came of it. The service is found by Microsoft Graph. Through the one way out; never in a transaction.

import { createHash, randomUUID } from 'node:crypto'
import * as z from 'zod'
import { findCertificate } from '#areas/certificates/service.ts'
import { unsealForTenant } from '#areas/keys/sealing.ts'
import { queueDelivery, removeTarget } from '#core/server/deliveries/deliveries.ts'
import type { DeliveryKind } from '#core/server/deliveries/kinds.ts'
import type { House } from '#core/server/house.ts'
import { OutwardError } from '#core/server/outward/refusal.ts'
import type { OutwardAnswer } from '#core/server/outward/request.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { readJson, readJsonOrNothing } from '#standards/json/read.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { formatName } from '#standards/x509/names.ts'
import { findIntune } from './intune-store.ts'
import type { IntuneRecord, TransactionRecord } from './store.ts'
import { findTransaction } from './transaction-store.ts'

/** Why Intune gave no answer that could be used. `elsewhere`: the service may have moved. */
export class IntuneError extends Error {
  override name = 'IntuneError'
  readonly reason: 'unreachable' | 'signIn' | 'busy' | 'unreadable'
  readonly elsewhere: boolean
  readonly seconds: number | undefined
  constructor(
    reason: IntuneError['reason'],
    message: string,
    { elsewhere = false, seconds }: { elsewhere?: boolean; seconds?: number } = {},
  ) {
    super(message)
    this.reason = reason
    this.elsewhere = elsewhere
    this.seconds = seconds
  }
}

export type Intune = Pick<IntuneRecord, 'directory_id' | 'client_id' | 'login_url' | 'graph_url' | 'resource_url'> & {
  house: House
  tenantId: string
  secret: string
  signal?: AbortSignal
}

export const intunePurpose = (profileId: string): string => `intune ${profileId}`

export async function openIntune(house: House, { db, tenantId }: Tenancy, row: IntuneRecord): Promise<Intune> {
  const { profile_id: profileId, secret_sealed: sealed, tenant_key_id: tenantKeyId } = row
  const secret = await unsealForTenant(db, house, { tenantId, purpose: intunePurpose(profileId), sealed, tenantKeyId })
  const { directory_id, client_id, login_url, graph_url, resource_url } = row
  return { house, tenantId, secret: secret.toString(), directory_id, client_id, login_url, graph_url, resource_url }
}

const apiVersion = '2018-02-20'
const application = '0000000a-0000-0000-c000-000000000000'
const serviceName = 'ScepRequestValidationFEService'
const caller = 'Chancery'
const spareMilliseconds = 60_000
const mostKept = 500

type Kept = { tokens: Map<string, { token: string; until: number }>; services: Map<string, string> }
const kept = new WeakMap<House, Kept>()

function keptOf(house: House): Kept {
  const found = kept.get(house) ?? { tokens: new Map(), services: new Map() }
  kept.set(house, found)
  for (const map of [found.tokens, found.services]) if (map.size > mostKept) map.clear()
  return found
}

const keyOf = ({ tenantId, login_url, graph_url, directory_id, client_id, secret }: Intune, scope: string): string =>
  createHash('sha256')
    .update(JSON.stringify([tenantId, login_url, graph_url, directory_id, client_id, secret, scope]))
    .digest('hex')

/** What is shown of somebody else's words: short, one line. */
const plain = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)

async function ask(
  { house, tenantId, signal }: Intune,
  asking: { url: string; method: 'GET' | 'POST'; headers: Record<string, string>; body?: string },
): Promise<OutwardAnswer> {
  try {
    return await house.outward.request({ use: 'provider', tenantId, ...asking, ...(signal === undefined ? {} : { signal }) })
  } catch (error) {
    if (error instanceof OutwardError) throw new IntuneError('unreachable', error.message, { elsewhere: true })
    throw error
  }
}

function judge({ status, headers, url }: OutwardAnswer): void {
  if (status === 200) return
  const { host } = new URL(url)
  const seconds = Number(headers['retry-after'])
  if (status === 429 || (status === 503 && seconds > 0))
    throw new IntuneError('busy', `${host} is busy`, { seconds: seconds > 0 ? Math.min(seconds, 3_600) : 30 })
  if (status === 400 || status === 401 || status === 403)
    throw new IntuneError('signIn', `${host} does not let this application in (${status})`)
  throw new IntuneError('unreachable', `${host} answers ${status}`, { elsewhere: true })
}

function read<T>(shape: z.ZodType<T>, { body, url }: OutwardAnswer): T {
  const result = shape.safeParse(readJsonOrNothing(body.toString('utf8')))
  if (!result.success) throw new IntuneError('unreadable', `The answer of ${new URL(url).host} cannot be read`)
  return result.data
}

const Token = z.object({ access_token: z.string().regex(/^[\x21-\x7e]{1,20000}$/), expires_in: z.coerce.number().min(0) })
const Endpoints = z.object({
  value: z.array(z.object({ providerName: z.string().nullish(), serviceName: z.string().nullish(), uri: z.string().nullish() })).max(1_000),
})
const Said = z.object({ code: z.string(), errorDescription: z.string().nullish() })

async function tokenOf(intune: Intune, scope: string): Promise<string> {
  const { house, login_url: login, directory_id: directory, client_id: clientId, secret } = intune
  const { tokens } = keptOf(house)
  const key = keyOf(intune, scope)
  const known = tokens.get(key)
  if (known !== undefined && known.until > house.now().getTime()) return known.token
  const answer = await ask(intune, {
    method: 'POST',
    url: `${login}/${encodeURIComponent(directory)}/oauth2/v2.0/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret, scope }).toString(),
  })
  judge(answer)
  const { access_token: token, expires_in: seconds } = read(Token, answer)
  tokens.set(key, { token, until: house.now().getTime() + seconds * 1_000 - spareMilliseconds })
  return token
}

async function withToken(
  intune: Intune,
  scope: string,
  asking: { url: string; method: 'GET' | 'POST'; headers?: Record<string, string>; body?: string },
): Promise<OutwardAnswer> {
  const token = await tokenOf(intune, scope)
  const headers = { ...asking.headers, authorization: `Bearer ${token}`, accept: 'application/json', 'client-request-id': randomUUID() }
  const answer = await ask(intune, { ...asking, headers })
  // What was withdrawn is not shown again.
  if (answer.status === 401) keptOf(intune.house).tokens.delete(keyOf(intune, scope))
  judge(answer)
  return answer
}

/** Where the service of this directory is now. */
async function serviceOf(intune: Intune): Promise<string> {
  const { services } = keptOf(intune.house)
  const known = services.get(keyOf(intune, ''))
  if (known !== undefined) return known
  const answer = await withToken(intune, `${intune.graph_url}/.default`, {
    method: 'GET',
    url: `${intune.graph_url}/v1.0/servicePrincipals/appId=${application}/endpoints`,
  })
  const found = read(Endpoints, answer).value.find(
    (one) => (one.providerName ?? one.serviceName)?.toLowerCase() === serviceName.toLowerCase(),
  )
  const uri = (found?.uri ?? '').replace(/\/+$/, '')
  if (!URL.canParse(uri))
    throw new IntuneError('unreadable', 'Microsoft Graph names no service of Intune for SCEP: is Intune in use there?')
  services.set(keyOf(intune, ''), uri)
  return uri
}

/** What Intune says: `Success`, or a code of its own. */
async function post(intune: Intune, action: string, body: Record<string, unknown>): Promise<z.output<typeof Said>> {
  const once = async () => {
    const service = await serviceOf(intune)
    // Two slashes in the scope: Microsoft's own library asks so.
    const answer = await withToken(intune, `${intune.resource_url}//.default`, {
      method: 'POST',
      url: `${service}/ScepActions/${action}`,
      headers: { 'content-type': 'application/json', 'api-version': apiVersion, useragent: caller },
      body: JSON.stringify(body),
    })
    return read(Said, answer)
  }
  const wasKnown = keptOf(intune.house).services.has(keyOf(intune, ''))
  try {
    return await once()
  } catch (error) {
    if (!(error instanceof IntuneError) || !error.elsewhere) throw error
    keptOf(intune.house).services.delete(keyOf(intune, ''))
    // Where it had just been asked for, asking again would say the same.
    if (!wasKnown) throw error
    return once()
  }
}

/** Why Intune does not vouch for the request; undefined where it does. Throws IntuneError. */
export async function validateByIntune(
  intune: Intune,
  { transactionId, csr }: { transactionId: string; csr: Uint8Array },
): Promise<string | undefined> {
  const { code, errorDescription } = await post(intune, 'validateRequest', {
    request: { transactionId, certificateRequest: Buffer.from(csr).toString('base64'), callerInfo: caller },
  })
  if (code === 'Success') return undefined
  return `Intune does not vouch for this request: ${plain([code, errorDescription ?? ''].filter((text) => text !== '').join(', '))}`
}

/** Signs in and finds the service, as a test. Throws IntuneError. */
export async function findService(intune: Intune): Promise<string> {
  keptOf(intune.house).services.delete(keyOf(intune, ''))
  const service = await serviceOf(intune)
  await tokenOf(intune, `${intune.resource_url}//.default`)
  return new URL(service).host
}

const Notice = z.object({ transaction: z.string(), attempt: z.string() })

/** Tells Intune what came of a request, until it has heard. The request itself stays in its row, because there is a challenge in it. */
export const intuneNotice: DeliveryKind = {
  kind: 'protocols.intune',
  title: 'Notice to Intune',
  async deliver({ tenantId, target, payload }, house, signal) {
    const notice = Notice.parse(readJson(payload))
    const found = await withTenancy(house, tenantId, async (tenancy) => {
      const transaction = await findTransaction(tenancy, notice.transaction)
      const row = await findIntune(tenancy, target)
      if (row === undefined || transaction === undefined || transaction.attempt !== notice.attempt) return undefined
      return { intune: await openIntune(house, tenancy, row), ...(await noticeOf(tenancy, transaction)) }
    })
    if (found === undefined) return { outcome: 'refused', answer: 'There is nothing to tell any more' }
    try {
      const { code, errorDescription } = await post({ ...found.intune, signal }, found.action, { notification: found.notification })
      if (code === 'Success') return { outcome: 'delivered', status: 200 }
      return { outcome: 'refused', status: 200, answer: plain(`${code} ${errorDescription ?? ''}`) }
    } catch (error) {
      if (!(error instanceof IntuneError)) throw error
      return { outcome: 'failed', answer: error.message, retryAfterSeconds: error.seconds }
    }
  },
}

/** E_FAIL: Intune shows it to its administrator beside the sentence. */
const failureCode = 0x80004005

async function noticeOf(
  { db, tenantId, now }: Tenancy,
  { key, csr, certificate_id: certificateId, reason }: TransactionRecord,
): Promise<{ action: string; notification: Record<string, unknown> }> {
  const about = { transactionId: key, certificateRequest: Buffer.from(csr ?? new Uint8Array()).toString('base64'), callerInfo: caller }
  const found = certificateId === null ? undefined : await findCertificate(db, tenantId, { certId: certificateId }, now)
  if (found === undefined)
    return {
      action: 'failureNotification',
      notification: { ...about, hResult: failureCode, errorDescription: (reason === '' ? 'It was not issued' : reason).slice(0, 255) },
    }
  const { certificate, serialHex, validTo } = found
  const issuer = formatName(parseCertificate(certificate).issuer)
  return {
    action: 'successNotification',
    notification: {
      ...about,
      certificateThumbprint: createHash('sha1').update(certificate).digest('hex').toUpperCase(),
      certificateSerialNumber: serialHex.toUpperCase(),
      certificateExpirationDateUtc: validTo.toISOString(),
      issuingCertificateAuthority: issuer,
      caConfiguration: issuer,
      certificateAuthority: issuer,
    },
  }
}

/** Nothing more is told for this profile. */
export const forgetIntune = ({ db, tenantId }: Tenancy, profileId: string): Promise<void> =>
  removeTarget(db, { tenantId, kind: intuneNotice.kind, target: profileId })

/** Queues the notice in the transaction of the change that it tells about. */
export async function tellIntune({ db, tenantId, now }: Tenancy, transaction: TransactionRecord): Promise<void> {
  if (!transaction.vouched) return
  const payload = JSON.stringify({ transaction: transaction.id, attempt: transaction.attempt } satisfies z.input<typeof Notice>)
  await queueDelivery(db, intuneNotice, { tenantId, target: transaction.profile_id, key: transaction.id, payload }, now)
}
