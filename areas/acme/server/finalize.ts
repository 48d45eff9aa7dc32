// Finalisation (RFC 8555 7.4): the last look at everything that the order rests on, then one winner takes it.

import { openCsrBytes } from '#areas/authorities/csr.ts'
import { protocolViewer } from '#areas/certificates/protocols.ts'
import { findTemplate } from '#areas/templates/service.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { readBase64url } from '#standards/acme/base64url.ts'
import { canonicalAddress, sameIdentifiers, type Identifier } from '#standards/acme/identifiers.ts'
import { AcmeError } from '#standards/acme/problem.ts'
import { authorizationStatus } from '#standards/acme/states.ts'
import { say } from '#standards/say/say.ts'
import type { Csr } from '#standards/x509/csr.ts'
import { attributeKeyword } from '#standards/x509/names.ts'
import { acme } from '../contract.ts'
import { caaHours } from '../rules.ts'
import { lockAccount } from './account-store.ts'
import { caaProblem } from './caa.ts'
import { ownerGone, settleOrder } from './issuing.ts'
import { findAuthorizations, findOrder, lockOrder, noteCaa, stepOrder } from './order-store.ts'
import { judgeIdentifiers, namesOfEab, orderAnswer, ownOrder, recordRefusal, refuseBlocked } from './orders.ts'
import { statusOf, timed } from './presenter.ts'
import { findEab, type AuthorizationRecord, type OrderRecord } from './store.ts'
import { actorOf, payloadOf, signedByAccount, type SignedByAccount, type Wire, type WireAnswer } from './wire.ts'

export async function finalize(wire: Wire): Promise<WireAnswer> {
  const signed = await signedByAccount(wire)
  await refuseBlocked(signed)
  const { house, tenantId } = wire
  const order = await withTenancy(house, tenantId, (tenancy) => ownOrder(tenancy, signed))
  const taken = await take(signed, order).catch((error: unknown) => recordRefusal(signed, 'finalize', error, order.id))
  return orderAnswer(wire, await settleOrder(house, tenantId, taken))
}

const badCsr = (detail: string) => new AcmeError('badCSR', detail)

/** The names of a CSR. It asks for these and for nothing else. */
export function namesOfCsr({ subject, requestedExtensions }: Pick<Csr, 'subject' | 'requestedExtensions'>): Identifier[] {
  const sans = requestedExtensions.flatMap((extension) => (extension.type === 'subjectAltName' ? extension.names : []))
  const names = sans.map((name): Identifier => {
    if (name.type === 'dNSName') return { type: 'dns', value: name.value.toLowerCase() }
    if (name.type === 'iPAddress') return { type: 'ip', value: canonicalAddress(name.value) ?? name.value }
    throw badCsr(`The CSR has an alternative name of another kind (${name.type})`)
  })
  const common = subject.flat().filter(({ type }) => attributeKeyword(type) === 'CN')
  for (const { value } of common) {
    const address = canonicalAddress(value)
    names.push(address === undefined ? { type: 'dns', value: value.toLowerCase() } : { type: 'ip', value: address })
  }
  return names
}

function readCsr({ payload, order, signed }: { payload: Record<string, unknown>; order: OrderRecord; signed: SignedByAccount }): Buffer {
  const { csr: text } = payload
  const der = typeof text === 'string' ? readBase64url(text) : undefined
  if (der === undefined || der.length === 0) throw badCsr('The csr is DER in base64url without padding')
  const opened = openCsrBytes(der)
  if ('faults' in opened) throw badCsr(opened.faults.map(({ says }) => says).join('; '))
  if (!sameIdentifiers(namesOfCsr(opened.csr), order.identifiers)) throw badCsr('The names in the CSR are not those of the order')
  if (signed.key.spki.equals(opened.csr.publicKey.spki)) throw badCsr('The key of an account is for no certificate: make another one')
  return der
}

/** Looks at everything once more and takes the order. Whoever comes second finds it taken. */
async function take(signed: SignedByAccount, order: OrderRecord): Promise<OrderRecord> {
  const { wire, account } = signed
  const { house, tenantId, directory } = wire
  const authorizations = await withTenancy(house, tenantId, (tenancy) => findAuthorizations(tenancy, order.authorization_ids))
  refuseUnready(order, authorizations, wire)
  const csr = readCsr({ payload: payloadOf(signed), order, signed })
  const checked = await caaAgain(signed, authorizations)
  return house.work(tenantId, actorOf(signed), async ({ tenancy, emitFor }) => {
    const now = house.now()
    const row = await lockOrder(tenancy, order.id)
    if (row === undefined) throw new AcmeError('serverInternal', say`The order is gone`)
    refuseUnready(row, await findAuthorizations(tenancy, order.authorization_ids), { ...wire, now })
    // The account may have ended, and its external account too, since it signed.
    if ((await lockAccount(tenancy, account.id))?.status !== 'valid') throw new AcmeError('unauthorized', say`This account has ended`)
    if (account.eab_id !== null && (await findEab(tenancy, account.eab_id))?.revoked_at !== null)
      throw new AcmeError('unauthorized', say`The external account key of this account is revoked`)
    const template = await findTemplate(tenancy.db, tenantId, order.template_id, now)
    if (template === undefined || !template.enabled) throw new AcmeError('unauthorized', say`The template of this order is not in use now`)
    judgeIdentifiers(order.identifiers, {
      template,
      names: await namesOfEab(tenancy, account),
      offered: directory.settings.challenges,
    })
    const owner = await protocolViewer(tenancy, { userId: directory.owner_id, credentialId: directory.id })
    if (owner === undefined) throw new AcmeError('unauthorized', ownerGone(directory.owner_name))
    await noteCaa(tenancy, checked)
    if (!(await stepOrder(tenancy, order.id, 'pending', { status: 'processing', csr, requester_id: owner.userId, finalized_at: now })))
      throw new AcmeError('orderNotReady', say`This order is being finalised already`)
    emitFor(acme)('finalized', { orderId: order.id, accountId: account.id }, order.id)
    const taken = await findOrder(tenancy, order.id)
    if (taken === undefined) throw new AcmeError('serverInternal', say`The order is gone`)
    return taken
  })
}

/** Each name has a valid authorisation of this account that is not over (invariant A3). */
function refuseUnready(order: OrderRecord, authorizations: readonly AuthorizationRecord[], { now }: Pick<Wire, 'now'>): void {
  const status = statusOf(order, authorizations, now)
  if (status !== 'ready') throw new AcmeError('orderNotReady', say`This order is ${status}, not ready`)
  const isComplete =
    authorizations.length === order.authorization_ids.length &&
    authorizations.every((one) => one.account_id === order.account_id && authorizationStatus(timed(one), now) === 'valid')
  if (!isComplete) throw new AcmeError('orderNotReady', say`A name of this order is not authorised`)
}

/** CAA records of names that were looked at too long ago. Answers the authorisations whose records were read again. */
async function caaAgain({ wire, account }: SignedByAccount, authorizations: readonly AuthorizationRecord[]): Promise<string[]> {
  const { house, tenantId, directory, base, now } = wire
  if (directory.settings.caaIdentities.length === 0) return []
  const old = authorizations.filter(
    ({ type, caa_checked_at: at }) => type === 'dns' && (at === null || now.getTime() - at.getTime() > caaHours * 3_600_000),
  )
  for (const one of old) {
    const problem = await caaProblem(house, tenantId, directory.settings, {
      name: one.value,
      wildcard: one.wildcard,
      method: one.method ?? '',
      accountUrl: `${base}/account/${account.id}`,
    })
    if (problem !== undefined) throw new AcmeError(problem.type, problem.detail, { identifier: { type: 'dns', value: one.value } })
  }
  return old.map(({ id }) => id)
}
