// Orders and authorisations on the wire (RFC 8555 7.4, 7.5). What the template and the external account allow is looked at when something is ordered, so that a
// client hears it before it proves anything, and again when it is finalised.

import { listUsableIssuers } from '#areas/authorities/licensing.ts'
import { refusal } from '#areas/authorities/refusals.ts'
import { findCertificate } from '#areas/certificates/service.ts'
import { orderedNameRefusal } from '#areas/templates/plan.ts'
import { findTemplate, type Template } from '#areas/templates/service.ts'
import { brokenConstraint } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { countAttempt } from '#core/server/limits.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { readAriId, serialHexOf } from '#standards/acme/ari.ts'
import { challengesFor, makeToken } from '#standards/acme/challenges.ts'
import { bareValue, identifierText, isWildcard, readIdentifier, type Identifier } from '#standards/acme/identifiers.ts'
import { AcmeError, problemOf, type Problem } from '#standards/acme/problem.ts'
import { say } from '#standards/say/say.ts'
import { acme } from '../contract.ts'
import { isWithin, mostIdentifiers, mostOpenOrders } from '../rules.ts'
import { endAccount } from './account-store.ts'
import { blockedKey } from './accounts.ts'
import { settleOrder } from './issuing.ts'
import {
  countOpenOrders,
  findAuthorizations,
  findChallenges,
  findOrder,
  findOrderOfCertificate,
  findReplacing,
  findReusable,
  insertAuthorization,
  insertOrder,
  lockAuthorization,
  stepAuthorization,
  stepOrder,
} from './order-store.ts'
import { authorizationUrl, orderUrl, presentAuthorization, presentOrder, statusOf } from './presenter.ts'
import { findEab, type AccountRecord, type AuthorizationRecord, type ChallengeRecord, type OrderRecord } from './store.ts'
import {
  actorOf,
  idIn,
  isId,
  notFound,
  payloadOf,
  refusePayload,
  signedByAccount,
  type ReadThing,
  type SignedByAccount,
  type Wire,
  type WireAnswer,
} from './wire.ts'

const hour = 3_600_000
const day = 24 * hour

function readIdentifiers(asked: unknown): Identifier[] {
  if (!Array.isArray(asked) || asked.length === 0) throw new AcmeError('malformed', say`An order has a list of identifiers`)
  if (asked.length > mostIdentifiers) throw new AcmeError('malformed', say`An order has at most ${mostIdentifiers} identifiers`)
  return [...new Map(asked.map((one) => readIdentifier(one)).map((one) => [identifierText(one), one])).values()]
}

/** The template of the profile that was asked for, or of the first. */
async function profileOf({ directory }: Wire, tenancy: Tenancy, asked: unknown): Promise<{ profile: string; template: Template }> {
  const { profiles } = directory.settings
  const found = asked === undefined ? profiles[0] : profiles.find(({ name }) => name === asked)
  if (found === undefined)
    throw new AcmeError('invalidProfile', say`This directory has the profiles ${profiles.map(({ name }) => name).join(', ')}`)
  const template = await findTemplate(tenancy.db, tenancy.tenantId, found.templateId, tenancy.now)
  if (template === undefined || !template.enabled)
    throw new AcmeError('unauthorized', say`The template of the profile ${found.name} is not in use now`)
  return { profile: found.name, template }
}

/** Why a name is not certified, by what the directory, the template and the external account allow. */
export function identifierProblem(
  identifier: Identifier,
  { template, names, offered }: { template: Template; names: readonly string[]; offered: Wire['directory']['settings']['challenges'] },
): Problem | undefined {
  const refuse = (detail: string) => problemOf('rejectedIdentifier', detail, { identifier })
  if (identifier.type === 'dns' || identifier.type === 'ip') {
    const field = identifier.type === 'dns' ? ('DNS' as const) : ('IP' as const)
    if (!template.extensions.certificateSans.some(({ sanField, fieldValue }) => sanField === field && fieldValue === field))
      return refuse(`The template ${nameOf(template)} has no place for ${identifier.type === 'dns' ? 'DNS names' : 'IP addresses'}`)
    const refused = orderedNameRefusal(template.rules, field, identifier.value)
    if (refused !== undefined) return refuse(refused.says)
  }
  if (!isWithin(identifier, names)) return refuse('The external account of this client may not have this name')
  return challengesFor(identifier, isWildcard(identifier), offered).length > 0
    ? undefined
    : refuse(
        isWildcard(identifier)
          ? 'A wildcard is proven in the DNS, and this directory offers no such challenge'
          : 'This directory offers no challenge that proves it',
      )
}

const nameOf = ({ displayName, templateName }: Template): string => displayName || templateName

export function judgeIdentifiers(identifiers: readonly Identifier[], about: Parameters<typeof identifierProblem>[1]): void {
  const problems = identifiers.flatMap((one) => identifierProblem(one, about) ?? [])
  const [first] = problems
  if (first === undefined) return
  throw new AcmeError(
    'rejectedIdentifier',
    problems.length === 1 ? say`${first.identifier?.value}: ${first.detail}` : say`Some names are not certified here`,
    {
      subproblems: problems,
    },
  )
}

export const namesOfEab = async (tenancy: Tenancy, { eab_id: eabId }: AccountRecord): Promise<readonly string[]> =>
  eabId === null ? [] : ((await findEab(tenancy, eabId))?.names ?? [])

/** An account whose key is that of a compromised certificate is over at its next step, and one without EAB rests where the directory has come to want one. */
export async function refuseBlocked(signed: SignedByAccount): Promise<void> {
  const { wire, account, key } = signed
  const { house, tenantId, directory } = wire
  if (directory.settings.eabRequired && account.eab_id === null)
    throw new AcmeError(
      'externalAccountRequired',
      say`This directory wants the key of an external account (EAB) now. Register again with one and with a new account key`,
    )
  const blocked = await withTenancy(house, tenantId, (tenancy) => blockedKey(tenancy, key.spki))
  if (blocked === undefined) return
  await house.work(tenantId, actorOf(signed), async ({ tenancy, emitFor }) => {
    if (await endAccount(tenancy, account.id, 'revoked'))
      emitFor(acme)('accountEnded', { accountId: account.id, status: 'revoked', reason: blocked }, account.id)
  })
  throw new AcmeError('unauthorized', say`This account is revoked: ${blocked}`)
}

/** Records why an account was refused something that it asked for in full, and refuses it. */
export async function recordRefusal(signed: SignedByAccount, what: string, error: unknown, orderId?: string): Promise<never> {
  if (error instanceof AcmeError) {
    const { type, detail } = error.problem
    await signed.wire.house.work(signed.wire.tenantId, actorOf(signed), async ({ emitFor }) =>
      emitFor(acme)(
        'refused',
        { accountId: signed.account.id, ...(orderId === undefined ? {} : { orderId }), what, problem: type, detail },
        orderId ?? signed.account.id,
      ),
    )
  }
  throw error
}

/** Counts what leaves rows behind, refused or not, so that neither an account nor whoever makes many of them fills the database. */
const countRequest = ({ wire: { house, address, now }, account }: SignedByAccount) =>
  countAttempt(house.database, 'order', { account: `acme:${account.id}`, address }, now)

export async function newOrder(wire: Wire): Promise<WireAnswer> {
  const signed = await signedByAccount(wire)
  await countRequest(signed)
  await refuseBlocked(signed)
  return place(signed).catch((error: unknown) => recordRefusal(signed, 'newOrder', error))
}

async function place(signed: SignedByAccount): Promise<WireAnswer> {
  const { wire, account } = signed
  const { house, tenantId, directory, now } = wire
  const payload = payloadOf(signed)
  if (payload['notBefore'] !== undefined || payload['notAfter'] !== undefined)
    throw new AcmeError('malformed', say`The template says how long a certificate holds: leave out notBefore and notAfter`)
  const identifiers = readIdentifiers(payload['identifiers'])
  const { settings } = directory
  const made = await house
    .work(tenantId, actorOf(signed), async ({ tenancy, emitFor }) => {
      const { profile, template } = await profileOf(wire, tenancy, payload['profile'])
      judgeIdentifiers(identifiers, { template, names: await namesOfEab(tenancy, account), offered: settings.challenges })
      const { maximumNames: most } = template.rules
      if (identifiers.length > most)
        throw new AcmeError('rejectedIdentifier', refusal('tooManyNames', { most, count: identifiers.length }).says)
      if ((await countOpenOrders(tenancy, account.id)) >= mostOpenOrders)
        throw new AcmeError('rateLimited', say`This account has ${mostOpenOrders} orders that it has not finished`)
      const replaces = payload['replaces'] === undefined ? null : await readReplaced(tenancy, account, payload['replaces'], identifiers)
      const expires = new Date(now.getTime() + settings.orderHours * hour)
      const authorizations: AuthorizationRecord[] = []
      for (const identifier of identifiers) authorizations.push(await authorize(tenancy, signed, identifier, expires))
      const order: OrderRecord = {
        tenant_id: tenantId,
        id: timeOrderedId(now),
        directory_id: directory.id,
        account_id: account.id,
        profile,
        template_id: template.id,
        identifiers,
        names: identifiers.map(({ value }) => value).join(' '),
        authorization_ids: authorizations.map(({ id }) => id),
        status: 'pending',
        replaces,
        requester_id: null,
        csr: null,
        request_id: null,
        certificate_id: null,
        error: null,
        address: wire.address,
        created_at: now,
        expires_at: expires,
        finalized_at: null,
      }
      await insertOrder(tenancy, order)
      emitFor(acme)('ordered', { orderId: order.id, accountId: account.id, names: identifiers.map(({ value }) => value) }, order.id)
      return { order, authorizations }
    })
    .catch((error: unknown) => {
      throw brokenConstraint(error) === 'acme_orders_by_replaced' ? alreadyReplaced() : error
    })
  return {
    status: 201,
    headers: { location: orderUrl(wire.base, made.order.id) },
    body: presentOrder(wire.base, made.order, made.authorizations, now),
  }
}

const alreadyReplaced = () => new AcmeError('alreadyReplaced', say`Another order replaces this certificate already`)

/** RFC 9773 5: a certificate of this very account, with a name of this order, that nothing else replaces. */
async function readReplaced(tenancy: Tenancy, account: AccountRecord, asked: unknown, identifiers: readonly Identifier[]): Promise<string> {
  if (typeof asked !== 'string') throw new AcmeError('malformed', 'replaces is the name of a certificate (RFC 9773 4.1)')
  const certificate = await certificateOfAri(tenancy, asked)
  const order = certificate && (await findOrderOfCertificate(tenancy, certificate.id))
  if (order === undefined) throw notFound('The certificate to replace is not known here')
  if (order.account_id !== account.id) throw new AcmeError('unauthorized', say`The certificate to replace is of another account`)
  const names = new Set(order.identifiers.map(identifierText))
  if (!identifiers.some((one) => names.has(identifierText(one))))
    throw new AcmeError('malformed', say`The order has no name of the certificate that it replaces`)
  await releaseReplaced(tenancy, asked)
  return asked
}

/** An order that came to nothing replaces nothing: it is written down as invalid, so that the index lets another take its place. */
async function releaseReplaced(tenancy: Tenancy, ariId: string): Promise<void> {
  const other = await findReplacing(tenancy, ariId)
  if (other === undefined) return
  const authorizations = await findAuthorizations(tenancy, other.authorization_ids)
  if (statusOf(other, authorizations, tenancy.now) !== 'invalid') throw alreadyReplaced()
  await stepOrder(tenancy, other.id, other.status, { status: 'invalid' })
}

/** The certificate of this tenancy that has this name by RFC 9773. */
export async function certificateOfAri({ db, tenantId, now }: Tenancy, text: string) {
  const id = readAriId(text)
  if (id === undefined) throw new AcmeError('malformed', say`This is no name of a certificate (RFC 9773 4.1)`)
  for (const { caId, keyIdentifier } of await listUsableIssuers(db, tenantId, now)) {
    if (!id.keyIdentifier.equals(keyIdentifier)) continue
    const certificate = await findCertificate(db, tenantId, { certId: serialHexOf(id), caId }, now)
    if (certificate !== undefined) return certificate
  }
  return undefined
}

/** A valid authorisation that the account has, or a new one. Never another account's. */
async function authorize(
  tenancy: Tenancy,
  { wire: { directory, now, tenantId }, account }: SignedByAccount,
  identifier: Identifier,
  expires: Date,
): Promise<AuthorizationRecord> {
  const { challenges: offered, authorizationDays } = directory.settings
  const wildcard = isWildcard(identifier)
  const bare: Identifier = { ...identifier, value: bareValue(identifier) }
  const known =
    authorizationDays === 0 ? undefined : await findReusable(tenancy, { accountId: account.id, identifier: bare, wildcard, until: expires })
  if (known?.method !== undefined && known.method !== null && offered.includes(known.method)) return known
  const authorization: AuthorizationRecord = {
    tenant_id: tenantId,
    id: timeOrderedId(now),
    account_id: account.id,
    type: bare.type,
    value: bare.value,
    wildcard,
    status: 'pending',
    expires_at: expires,
    created_at: now,
    began_at: null,
    method: null,
    caa_checked_at: null,
  }
  const token = makeToken()
  const challenges = challengesFor(identifier, wildcard, offered).map((type): ChallengeRecord => ({
    tenant_id: tenantId,
    id: timeOrderedId(now),
    authorization_id: authorization.id,
    type,
    token,
    status: 'pending',
    response: null,
    validated_at: null,
    attempts: 0,
    error: null,
    evidence: [],
  }))
  await insertAuthorization(tenancy, authorization, challenges)
  return authorization
}

/** How long what was proven counts: for the order at least. */
export const provenUntil = (authorization: AuthorizationRecord, authorizationDays: number, now: Date): Date =>
  new Date(Math.max(authorization.expires_at.getTime(), now.getTime() + authorizationDays * day))

/** RFC 8555 7.4.1: an authorisation ahead of any order. */
export async function newAuthorization(wire: Wire): Promise<WireAnswer> {
  const signed = await signedByAccount(wire)
  await countRequest(signed)
  await refuseBlocked(signed)
  const { house, tenantId, directory, now } = wire
  const identifier = readIdentifier(payloadOf(signed)['identifier'])
  if (isWildcard(identifier)) throw new AcmeError('malformed', say`A wildcard is authorised by an order`)
  const made = await house
    .work(tenantId, actorOf(signed), async ({ tenancy }) => {
      const { template } = await profileOf(wire, tenancy, undefined)
      judgeIdentifiers([identifier], {
        template,
        names: await namesOfEab(tenancy, signed.account),
        offered: directory.settings.challenges,
      })
      const expires = new Date(now.getTime() + directory.settings.orderHours * hour)
      const authorization = await authorize(tenancy, signed, identifier, expires)
      return { authorization, challenges: await findChallenges(tenancy, [authorization.id]) }
    })
    .catch((error: unknown) => recordRefusal(signed, 'newAuthz', error))
  return {
    status: 201,
    headers: { location: authorizationUrl(wire.base, made.authorization.id) },
    body: presentAuthorization(wire.base, made.authorization, made.challenges, { directory, now }),
  }
}

/** The order of the address, if it is of the account that asks. */
export const ownOrder = async (tenancy: Tenancy, signed: SignedByAccount): Promise<OrderRecord> =>
  ofAccount(signed, await findOrder(tenancy, idIn(signed.wire, 'order')))

function ofAccount({ wire, account }: SignedByAccount, order: OrderRecord | undefined): OrderRecord {
  if (order === undefined || order.directory_id !== wire.directory.id) throw notFound('There is no such order')
  if (order.account_id !== account.id) throw new AcmeError('unauthorized', say`This order is of another account`)
  return order
}

type OrderThing = { order: OrderRecord; authorizations: AuthorizationRecord[] }

export const readOrder: ReadThing<OrderThing> = async (tenancy, { id }) => {
  const found = isId(id) ? await findOrder(tenancy, id) : undefined
  return found && { order: found, authorizations: await findAuthorizations(tenancy, found.authorization_ids) }
}

export const orderAnswer = async (wire: Wire, order: OrderRecord): Promise<WireAnswer> =>
  presentedOrder(
    wire,
    order,
    await withTenancy(wire.house, wire.tenantId, (tenancy) => findAuthorizations(tenancy, order.authorization_ids)),
  )

function presentedOrder(wire: Wire, order: OrderRecord, authorizations: readonly AuthorizationRecord[]): WireAnswer {
  const body = presentOrder(wire.base, order, authorizations, wire.house.now())
  return {
    headers: { location: orderUrl(wire.base, order.id), ...(body.status === 'processing' ? { 'retry-after': '3' } : {}) },
    body,
  }
}

export async function order(wire: Wire, thing: OrderThing | undefined): Promise<WireAnswer> {
  const signed = await signedByAccount(wire)
  refusePayload(signed)
  idIn(wire, 'order')
  const found = ofAccount(signed, thing?.order)
  return found.status === 'processing'
    ? orderAnswer(wire, await settleOrder(wire.house, wire.tenantId, found))
    : presentedOrder(wire, found, thing?.authorizations ?? [])
}

function authorizationOfAccount({ account }: SignedByAccount, authorization: AuthorizationRecord | undefined): AuthorizationRecord {
  if (authorization === undefined) throw notFound('There is no such authorisation')
  if (authorization.account_id !== account.id) throw new AcmeError('unauthorized', say`This authorisation is of another account`)
  return authorization
}

export const ownAuthorization = async (tenancy: Tenancy, signed: SignedByAccount, id: string): Promise<AuthorizationRecord> =>
  authorizationOfAccount(signed, (await findAuthorizations(tenancy, [id]))[0])

type AuthorizationThing = { found: AuthorizationRecord | undefined; challenges: ChallengeRecord[] }

const readAuthorizationOf = async (tenancy: Tenancy, id: string): Promise<AuthorizationThing> => ({
  found: (await findAuthorizations(tenancy, [id]))[0],
  challenges: await findChallenges(tenancy, [id]),
})

export const readAuthorization: ReadThing<AuthorizationThing> = async (tenancy, { id }) =>
  isId(id) ? readAuthorizationOf(tenancy, id) : undefined

export async function authorization(wire: Wire, thing: AuthorizationThing | undefined): Promise<WireAnswer> {
  const signed = await signedByAccount(wire)
  const { house, tenantId, directory, base } = wire
  const id = idIn(wire, 'authorisation')
  let now = thing
  if (signed.message.payload.length > 0) {
    if (payloadOf(signed)['status'] !== 'deactivated')
      throw new AcmeError('malformed', say`An authorisation can only be given the status deactivated`)
    now = await house.work(tenantId, actorOf(signed), async ({ tenancy, emitFor }) => {
      await ownAuthorization(tenancy, signed, id)
      const row = await lockAuthorization(tenancy, id)
      if (row === undefined || (row.status !== 'pending' && row.status !== 'valid'))
        throw new AcmeError('malformed', say`This authorisation is ${row?.status ?? 'gone'}`)
      await stepAuthorization(tenancy, id, row.status, { status: 'deactivated', began_at: null })
      emitFor(acme)('authorizationEnded', { authorizationId: id, accountId: row.account_id, name: row.value }, id)
      return readAuthorizationOf(tenancy, id)
    })
  }
  const found = authorizationOfAccount(signed, now?.found)
  return {
    headers: found.began_at === null ? {} : { 'retry-after': '2' },
    body: presentAuthorization(base, found, now?.challenges ?? [], { directory, now: house.now() }),
  }
}
