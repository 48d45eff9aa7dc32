// The six steps of an order. Each asks the authority, and answers what is known then; whatever was done already is not done twice, so that a step which a dead
// server left behind is simply taken again.

import { createPublicKey, createSecretKey } from 'node:crypto'
import { insertExternal, knownByFingerprint } from '#areas/certificates/service.ts'
import { sealForTenant, unsealForTenant, type SealedSecret } from '#areas/keys/sealing.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { ariIdOf } from '#standards/acme/ari.ts'
import { dnsRecordName, keyAuthorization, dnsRecordValue } from '#standards/acme/challenges.ts'
import { bareValue, sameIdentifiers } from '#standards/acme/identifiers.ts'
import { signMessage } from '#standards/acme/jws.ts'
import { accountKeyOf } from '#standards/acme/keys.ts'
import { isObject } from '#standards/acme/problem.ts'
import { say } from '#standards/say/say.ts'
import { storable } from '#standards/storable/storable.ts'
import { fingerprint } from '#standards/x509/certificate.ts'
import { parseCsr } from '#standards/x509/csr.ts'
import { challengeOf, nonceOf, type Step } from '../rules.ts'
import { endsUnder, identifiersOf, makeKeyAndCsr, readChain, type Chain } from './certificate-key.ts'
import { deleteFiles, insertFile, updateClaimed, type OrderPatch } from './order-store.ts'
import { askRenewal, renewalPatch } from './renewal.ts'
import { changeRecord, openResponder, type Responder } from './responders.ts'
import { authorityPurpose, eabPurpose, orderKeyPurpose } from './sealing.ts'
import { findAuthority, setAccountUrl, type Authorization, type AuthorityRecord, type OrderRecord } from './store.ts'
import { linksOf, openSession, OrderFault, waitOf, type Session, type WireAnswer } from './wire.ts'

export type Claimed = OrderRecord & { claim: string }

/** What a step needs: who asks whom, and what is written between two requests, which outlives this server. */
export type Taking = {
  house: House
  tenantId: string
  order: Claimed
  authority: AuthorityRecord
  session: Session
  /** Writes what is known so far. Throws where another server has taken the order. */
  keep(patch: OrderPatch): Promise<void>
}

/** `next`: the step is done. `wait`: the authority needs that many seconds. `obtained`: the certificate of the last step. */
export type Outcome =
  | { patch: OrderPatch; next: Step }
  | { patch: OrderPatch; wait: number }
  | { patch: OrderPatch; next: 'done'; obtained: Obtained }
export type Obtained = { chain: Chain }

type TakeStep = (taking: Taking) => Promise<Outcome>

const textIn = (body: Record<string, unknown>, name: string): string | undefined =>
  typeof body[name] === 'string' && body[name] !== '' ? body[name] : undefined

const longestUrl = 2_000

const missing = (what: string) => new OrderFault('unreadable', say`The authority did not say ${what}`)

const register: TakeStep = async ({ house, tenantId, authority, session }) => {
  const { directory, key } = session
  const url = directory.newAccount
  const binding = await bindingOf(house, tenantId, authority, { url, jwk: accountKeyOf(createPublicKey(key)).jwk })
  if (binding === undefined && directory.eabRequired && authority.account_url === null)
    throw new OrderFault(
      'externalAccountRequired',
      say`The authority wants the key of an external account (EAB). Enter it under ACME, External authorities`,
    )
  const answer = await session.post(
    url,
    {
      termsOfServiceAgreed: true,
      contact: authority.contact.map((address) => `mailto:${address}`),
      ...(binding === undefined ? {} : { externalAccountBinding: binding }),
    },
    { byKey: true },
  )
  const status = textIn(answer.body, 'status')
  if (status !== undefined && status !== 'valid') throw new OrderFault('unauthorized', say`The account at the authority is ${status}`)
  const accountUrl = answer.location
  if (accountUrl === undefined) throw missing('where the account is')
  if (accountUrl !== authority.account_url) await withTenancy(house, tenantId, (tenancy) => setAccountUrl(tenancy, authority, accountUrl))
  return { patch: {}, next: 'order' }
}

async function bindingOf(house: House, tenantId: string, authority: AuthorityRecord, { url, jwk }: { url: string; jwk: object }) {
  const { id, eab_kid: kid, eab_sealed: sealed, eab_tenant_key_id: tenantKeyId } = authority
  if (kid === '' || sealed === null || tenantKeyId === null) return undefined
  const mac = await withTenancy(house, tenantId, ({ db }) =>
    unsealForTenant(db, house, { tenantId, purpose: eabPurpose(id), sealed, tenantKeyId }),
  )
  return signMessage({ payload: jwk, url, by: { kid } }, createSecretKey(mac), 'HS256')
}

const place: TakeStep = async (taking) => {
  const { order, session } = taking
  const { directory } = session
  const replaces = directory.renewalInfo === undefined ? undefined : order.state.replaces
  const payload = {
    identifiers: identifiersOf(order.names),
    ...(order.profile === '' ? {} : { profile: order.profile }),
  }
  const answer = await session
    .post(directory.newOrder, { ...payload, ...(replaces === undefined ? {} : { replaces }) })
    .catch((error: unknown) => {
      // RFC 9773 5: what was replaced already, or is not known, may be ordered anew all the same.
      if (replaces === undefined || !(error instanceof OrderFault) || error.type === 'rateLimited' || error.type === 'connection')
        throw error
      return session.post(directory.newOrder, payload)
    })
  const orderUrl = answer.location
  const { authorizations } = answer.body
  const finalizeUrl = textIn(answer.body, 'finalize')
  if (orderUrl === undefined || finalizeUrl === undefined || !Array.isArray(authorizations)) throw missing('where the order is')
  // One for each name (RFC 8555 7.1.3): each is read one after another.
  if (authorizations.length > identifiersOf(order.names).length)
    throw new OrderFault('orderInvalid', say`The authority asks for ${authorizations.length} proofs of ${order.names.length} names`)
  const authorizationUrls = authorizations.map(String)
  if (authorizationUrls.some(({ length }) => length > longestUrl)) throw missing('where the authorisations are')
  return { patch: { state: { orderUrl, finalizeUrl, authorizationUrls } }, next: 'authorization' }
}

const authorize: TakeStep = async ({ house, tenantId, order, session }) => {
  const { thumbprint } = accountKeyOf(createPublicKey(session.key))
  const authorizations: Authorization[] = []
  for (const url of order.state.authorizationUrls ?? [])
    authorizations.push(readAuthorization(url, await session.post(url, undefined), order, thumbprint))
  refuseOtherNames(order, authorizations)
  if (order.proof === 'forward')
    await withTenancy(house, tenantId, async (tenancy) => {
      for (const { challenge } of authorizations)
        await insertFile(tenancy, { token: challenge.token, order_id: order.id, content: challenge.keyAuthorization })
    })
  return { patch: { state: { ...order.state, authorizations } }, next: 'validation' }
}

/** Names that were ordered, and each of them: an authority that asks about another would choose which record is written into somebody's DNS. */
function refuseOtherNames({ names }: OrderRecord, authorizations: readonly Authorization[]): void {
  const nameOf = ({ name, wildcard }: Authorization) => (wildcard && !name.startsWith('*.') ? `*.${name}` : name)
  const asked = identifiersOf(authorizations.map(nameOf))
  if (asked.length === authorizations.length && sameIdentifiers(asked, identifiersOf(names))) return
  const about = storable(authorizations.map(nameOf).join(', '), 500)
  throw new OrderFault('orderInvalid', say`The authority asks for a proof of ${about || 'nothing'}, and ${names.join(', ')} was ordered`)
}

function readAuthorization(url: string, { body }: WireAnswer, { proof }: OrderRecord, thumbprint: string): Authorization {
  const identifier = isObject(body['identifier']) ? body['identifier'] : {}
  const name = textIn(identifier, 'value')
  const challenges = Array.isArray(body['challenges']) ? body['challenges'].filter(isObject) : []
  const status = textIn(body, 'status') ?? 'pending'
  if (name === undefined) throw missing('which name an authorisation is for')
  const wildcard = body['wildcard'] === true
  const wanted = challengeOf[proof]
  const found = challenges.find(({ type }) => type === wanted)
  const token = found && textIn(found, 'token')
  const challengeUrl = found && textIn(found, 'url')
  if (status === 'valid')
    return { url, name, wildcard, status, challenge: { url: challengeUrl ?? '', token: token ?? '', keyAuthorization: '' } }
  if (token === undefined || challengeUrl === undefined) {
    const offered = challenges.map(({ type }) => String(type)).join(', ')
    throw new OrderFault(
      'unsupportedChallenge',
      say`The authority does not take ${wanted} for ${wildcard ? `*.${name}` : name}. It takes ${offered || 'nothing'}`,
    )
  }
  if (!/^[\w-]{1,500}$/.test(token)) throw missing('a token that can be used')
  return { url, name, wildcard, status, challenge: { url: challengeUrl, token, keyAuthorization: keyAuthorization(token, thumbprint) } }
}

/** The TXT record of an authorisation. */
export const recordOf = ({ name, challenge }: Pick<Authorization, 'name' | 'challenge'>) => ({
  name: dnsRecordName(bareValue({ value: name })),
  value: dnsRecordValue(challenge.keyAuthorization),
})

const isOpen = ({ status }: Authorization): boolean => status === 'pending'

async function responderOf({ house, tenantId, order }: Pick<Taking, 'house' | 'tenantId' | 'order'>): Promise<Responder> {
  const { responder_id: id } = order
  const responder = id === null ? undefined : await withTenancy(house, tenantId, (tenancy) => openResponder(tenancy, house, id))
  if (responder === undefined) throw new OrderFault('responder', say`The DNS responder of this order is gone`)
  return responder
}

const validate: TakeStep = async (taking) => {
  const { house, tenantId, order, session, keep } = taking
  let authorizations = order.state.authorizations ?? []
  const put = async (changed: Authorization, more: Partial<Authorization>) => {
    authorizations = authorizations.map((one) => (one.url === changed.url ? { ...one, ...more } : one))
    await keep({ state: { ...order.state, authorizations }, nonces: noncesNow(taking, 'validation') })
  }
  if (order.proof === 'responder' && authorizations.some((one) => isOpen(one) && one.placed !== true)) {
    const responder = await responderOf(taking)
    for (const one of authorizations.filter((each) => isOpen(each) && each.placed !== true)) {
      // Written first, so that what was put there is taken out again whoever dies.
      await put(one, { presented: true })
      await changeRecord(house, tenantId, responder, recordOf(one), 'add')
      await put(one, { placed: true })
    }
    if (responder.settings.waitSeconds > 0)
      return { patch: { state: { ...order.state, authorizations } }, wait: responder.settings.waitSeconds }
  }
  for (const one of authorizations.filter((each) => isOpen(each) && each.asked !== true)) {
    await session.post(one.challenge.url, {})
    await put(one, { asked: true })
  }
  let wait = 0
  for (const one of authorizations.filter(isOpen)) {
    const answer = await session.post(one.url, undefined)
    const status = textIn(answer.body, 'status') ?? 'pending'
    if (status === 'pending') wait = Math.max(wait, waitOf(answer, house.now()))
    else await put(one, { status, ...errorIn(answer.body, challengeOf[order.proof]) })
  }
  const state = { ...order.state, authorizations }
  const failed = authorizations.filter((one) => !isOpen(one) && one.status !== 'valid')
  if (failed.length > 0)
    throw new OrderFault(
      'validationFailed',
      failed.map(({ name, error, status }) => `${name}: ${error ?? `the authorisation is ${status}`}`).join('; '),
    )
  if (wait > 0) return { patch: { state }, wait }
  await cleanUp(house, tenantId, { ...order, state })
  return { patch: { state }, next: 'finalisation' }
}

function errorIn(body: Record<string, unknown>, wanted: string): { error?: string } {
  const challenges = Array.isArray(body['challenges']) ? body['challenges'].filter(isObject) : []
  const found =
    challenges.find(({ type, error }) => type === wanted && error !== undefined) ?? challenges.find(({ error }) => error !== undefined)
  const detail = found !== undefined && isObject(found['error']) ? textIn(found['error'], 'detail') : undefined
  return detail === undefined ? {} : { error: storable(detail, 1_000) }
}

/** Takes out what was put into the DNS, and forgets the files. What cannot be taken out is in the log: the order goes on. */
export async function cleanUp(house: House, tenantId: string, order: OrderRecord): Promise<void> {
  await withTenancy(house, tenantId, (tenancy) => deleteFiles(tenancy, order.id))
  const presented = (order.state.authorizations ?? []).filter((one) => one.presented === true)
  if (presented.length === 0 || order.responder_id === null) return
  try {
    const { responder_id: id } = order
    const responder = await withTenancy(house, tenantId, (tenancy) => openResponder(tenancy, house, id))
    if (responder !== undefined) for (const one of presented) await changeRecord(house, tenantId, responder, recordOf(one), 'delete')
  } catch (error) {
    if (!(error instanceof OrderFault)) throw error
    house.log.warn({ error, order: order.id }, 'a TXT record of an ACME order was not taken out')
  }
}

const finalise: TakeStep = async ({ house, tenantId, order, session, keep }) => {
  const { orderUrl = '', finalizeUrl = '' } = order.state
  let csr = order.new_csr
  if (csr === null && order.csr !== null) {
    csr = order.csr
    await keep({ new_csr: csr, new_key_sealed: null })
  } else if (csr === null) {
    const made = await makeKeyAndCsr(order.key_kind ?? 'P-256', order.names)
    const { sealed, tenantKeyId } = await sealKey(house, tenantId, order.id, made.pkcs8)
    csr = made.csr
    // On record before the authority sees it: a certificate whose key is lost is good for nothing.
    await keep({ new_csr: csr, new_key_sealed: sealed, tenant_key_id: tenantKeyId })
  }
  const before = await session.post(orderUrl, undefined)
  const answer = textIn(before.body, 'status') === 'ready' ? await session.post(finalizeUrl, { csr: csr.toString('base64url') }) : before
  return afterFinalise(order, answer, house.now())
}

async function sealKey(house: House, tenantId: string, orderId: string, pkcs8: Buffer): Promise<SealedSecret> {
  try {
    return await house.work(tenantId, { name: 'ACME orders' }, ({ tenancy: { db, now } }) =>
      sealForTenant(db, house, { tenantId, purpose: orderKeyPurpose(orderId), plain: pkcs8, now }),
    )
  } finally {
    pkcs8.fill(0)
  }
}

function afterFinalise(order: OrderRecord, answer: WireAnswer, now: Date): Outcome {
  const status = textIn(answer.body, 'status')
  if (status === 'processing') return { patch: {}, wait: waitOf(answer, now) }
  const certificateUrl = textIn(answer.body, 'certificate')
  if (status === 'valid' && certificateUrl !== undefined)
    return { patch: { state: { ...order.state, certificateUrl } }, next: 'certificate' }
  const error = isObject(answer.body['error']) ? textIn(answer.body['error'], 'detail') : undefined
  throw new OrderFault('orderInvalid', error ?? say`The order is ${status ?? 'nothing'} at the authority`)
}

const fetchCertificate: TakeStep = async ({ house, order, authority, session }) => {
  const url = order.state.certificateUrl ?? ''
  const csr = order.new_csr
  if (csr === null) throw new OrderFault('orderInvalid', say`The CSR of this order is gone`)
  const ordered = { spki: parseCsr(csr).publicKey.spki, names: order.names }
  const first = await session.post(url, undefined)
  let chain = readChain(first.text, ordered)
  const wanted = authority.preferred_chain
  if (wanted !== '' && !endsUnder(chain, wanted))
    for (const alternate of linksOf(first, 'alternate', url).slice(0, 5)) {
      const other = readChain((await session.post(alternate, undefined)).text, ordered)
      if (!endsUnder(other, wanted)) continue
      chain = other
      break
    }
  const { notBefore, notAfter } = chain.leaf
  const ari = await askRenewal(session, ariIdOf(chain.leaf), house.now())
  const patch: OrderPatch = {
    chain: chain.text,
    not_before: notBefore,
    not_after: notAfter,
    key_sealed: order.new_key_sealed,
    key_tenant_key_id: order.tenant_key_id,
    new_key_sealed: null,
    new_csr: null,
    state: {},
    ...renewalPatch({ ...order, not_before: notBefore, not_after: notAfter }, ari, house.now()),
  }
  return { patch, next: 'done', obtained: { chain } }
}

const takers: Record<Exclude<Step, 'done'>, TakeStep> = {
  registration: register,
  order: place,
  authorization: authorize,
  validation: validate,
  finalisation: finalise,
  certificate: fetchCertificate,
}

const noncesNow = ({ order, session }: Pick<Taking, 'order' | 'session'>, step: Exclude<Step, 'done'>) => {
  const nonce = session.nonce()
  const { [nonceOf[step]]: _used, ...others } = order.nonces
  return nonce === undefined ? others : { ...others, [nonceOf[step]]: nonce }
}

/** Takes the step at which the order stands. Throws OrderFault where it fails. Not inside a transaction. */
export async function takeStep(house: House, tenantId: string, order: Claimed): Promise<Outcome> {
  const { step } = order
  if (step === 'done') return { patch: {}, next: 'done' }
  const { authority, key } = await withTenancy(house, tenantId, async (tenancy) => {
    const found = await findAuthority(tenancy, order.authority_id)
    return { authority: found, key: found && (await accountKey(tenancy, house, found)) }
  })
  if (authority === undefined || key === undefined) throw new OrderFault('orderInvalid', say`The authority of this order is gone`)
  const session = await openSession(house, tenantId, {
    place: { directoryUrl: authority.directory_url, roots: authority.roots },
    account: { key, accountUrl: authority.account_url ?? undefined },
    nonce: order.nonces[nonceOf[step]],
  })
  const keep = async (patch: OrderPatch): Promise<void> => {
    if (!(await withTenancy(house, tenantId, (tenancy) => updateClaimed(tenancy, order, patch))))
      throw new OrderFault('taken', say`Another server goes on with this order`)
  }
  const outcome = await takers[step]({ house, tenantId, order, authority, session, keep })
  return { ...outcome, patch: { ...outcome.patch, nonces: noncesNow({ order, session }, step) } }
}

export const accountKey = (tenancy: Tenancy, house: House, authority: AuthorityRecord): Promise<Buffer> =>
  unsealForTenant(tenancy.db, house, {
    tenantId: tenancy.tenantId,
    purpose: authorityPurpose(authority.id),
    sealed: authority.account_key_sealed,
    tenantKeyId: authority.tenant_key_id,
  })

/** Puts what was obtained into the inventory, once. Answers its id there. */
export async function storeObtained(tenancy: Tenancy, order: OrderRecord, { chain }: Obtained): Promise<string> {
  const { db, tenantId, now } = tenancy
  const owner = { userId: order.owner_id, name: order.owner_name }
  const [record] = await insertExternal(
    db,
    tenantId,
    [chain.leaf],
    { uploader: { userId: owner.userId, username: owner.name }, owner, source: 'acme', friendlyName: '', contactEmail: '' },
    now,
  )
  if (record !== undefined) return record.id
  const sha256 = fingerprint(chain.leaf)
  const known = (await knownByFingerprint(db, tenantId, [sha256])).get(sha256)
  if (known === undefined) throw new Error(`The certificate ${sha256} is neither new nor known`)
  return known.id
}
