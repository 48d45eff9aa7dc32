// Accounts on the wire (RFC 8555 7.3): registration with or without an external account, contact, key change, the end of one, its orders.

import type { JsonWebKey } from 'node:crypto'
import { keyRefusal } from '#areas/certificates/protocols.ts'
import { unsealForTenant } from '#areas/keys/sealing.ts'
import { brokenConstraint } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { countAttempt, giveBack } from '#core/server/limits.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { readBinding, readPayload, readSignedMessage, verifyBinding, verifySigned } from '#standards/acme/jws.ts'
import { readAccountKey, type AccountKey } from '#standards/acme/keys.ts'
import { AcmeError, isObject } from '#standards/acme/problem.ts'
import { say } from '#standards/say/say.ts'
import { acme } from '../contract.ts'
import { changeContact, changeKey, endAccount, findAccountByKey, insertAccount, lockAccount } from './account-store.ts'
import { findOrdersOfAccount } from './order-store.ts'
import { sealingPurpose } from './sealing.ts'
import { findEab, useEab, type AccountRecord } from './store.ts'
import {
  actorOf,
  idIn,
  isId,
  payloadOf,
  refusePayload,
  signedByAccount,
  signedByKey,
  type Signed,
  type SignedByAccount,
  type Wire,
  type WireAnswer,
} from './wire.ts'

export const accountUrl = ({ base }: Pick<Wire, 'base'>, id: string): string => `${base}/account/${id}`

const presentAccount = (wire: Wire, account: AccountRecord) => ({
  status: account.status,
  contact: account.contact,
  orders: `${accountUrl(wire, account.id)}/orders`,
  ...(wire.directory.settings.termsOfService === '' ? {} : { termsOfServiceAgreed: true }),
  ...(account.binding === null ? {} : { externalAccountBinding: account.binding }),
})

const answerWith = (wire: Wire, account: AccountRecord, status = 200): WireAnswer => ({
  status,
  headers: { location: accountUrl(wire, account.id) },
  body: presentAccount(wire, account),
})

const mostContacts = 10

/** RFC 8555 7.3: one address of mail each, without headers of its own. */
function readContact(contact: unknown): string[] {
  if (contact === undefined) return []
  if (!Array.isArray(contact) || contact.length > mostContacts || !contact.every((one) => typeof one === 'string'))
    throw new AcmeError('malformed', say`The contact is a list of at most ${mostContacts} texts`)
  for (const one of contact) {
    if (!/^mailto:/i.test(one)) throw new AcmeError('unsupportedContact', say`A contact begins with mailto:`)
    if (!/^mailto:[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9.-]{1,253}$/i.test(one))
      throw new AcmeError('invalidContact', say`A contact is one e-mail address behind mailto:`)
  }
  return contact
}

const agreed = ({ directory }: Wire, payload: Record<string, unknown>): boolean =>
  directory.settings.termsOfService === '' || payload['termsOfServiceAgreed'] === true

/** Why this key signs nothing here: that of a certificate that was compromised, or of an authority (RFC 8555 11.1). */
export async function blockedKey({ db, tenantId }: Tenancy, spki: Uint8Array): Promise<string | undefined> {
  return (await keyRefusal(db, tenantId, spki))?.says
}

export async function newAccount(wire: Wire): Promise<WireAnswer> {
  const signed = await signedByKey(wire)
  const { house, tenantId, directory } = wire
  const payload = payloadOf(signed)
  const byKey = { directoryId: directory.id, thumbprint: signed.key.thumbprint }
  const known = await withTenancy(house, tenantId, (tenancy) => findAccountByKey(tenancy, byKey))
  if (known !== undefined) return existing(wire, known)
  if (payload['onlyReturnExisting'] === true) throw new AcmeError('accountDoesNotExist', say`There is no account of this key`)
  const contact = readContact(payload['contact'])
  if (!agreed(wire, payload))
    throw new AcmeError('userActionRequired', say`Agree to the terms of service first: ${directory.settings.termsOfService}`)
  const binding = await readOwnBinding(signed, payload['externalAccountBinding'])
  const made = await house.work(tenantId, actorOf({ wire }), async ({ tenancy, emitFor }) => {
    const blocked = await blockedKey(tenancy, signed.key.spki)
    if (blocked !== undefined) throw new AcmeError('badPublicKey', blocked)
    const record: AccountRecord = {
      tenant_id: tenantId,
      id: timeOrderedId(wire.now),
      directory_id: directory.id,
      thumbprint: signed.key.thumbprint,
      jwk: signed.key.jwk,
      status: 'valid',
      contact,
      eab_id: binding?.eabId ?? null,
      binding: binding?.sent ?? null,
      address: wire.address,
      created_at: wire.now,
      last_seen_at: wire.now,
    }
    if (!(await insertAccount(tenancy, record))) return undefined
    if (binding !== undefined && !(await useEab(tenancy, binding.eabId))) throw unknownEab()
    emitFor(acme)(
      'accountAdded',
      {
        accountId: record.id,
        directoryId: directory.id,
        thumbprint: record.thumbprint,
        ...(binding === undefined ? {} : { eabId: binding.eabId }),
      },
      record.id,
    )
    return record
  })
  if (made !== undefined) return answerWith(wire, made, 201)
  // It came twice at the same moment.
  const other = await withTenancy(house, tenantId, (tenancy) => findAccountByKey(tenancy, byKey))
  if (other === undefined) throw new AcmeError('serverInternal', say`Try again`)
  return existing(wire, other)
}

function existing(wire: Wire, account: AccountRecord): WireAnswer {
  if (account.status !== 'valid') throw new AcmeError('unauthorized', say`The account of this key is ${account.status}`)
  return answerWith(wire, account)
}

const unknownEab = () => new AcmeError('unauthorized', say`This external account key is used up, has ended, or is not known here`)

/** Checks the binding of an external account. Those that fail are counted, because somebody may guess. */
async function readOwnBinding(
  { wire, jwk }: Signed & { jwk: unknown },
  sent: unknown,
): Promise<{ eabId: string; sent: Record<string, unknown> } | undefined> {
  const { house, tenantId, directory, now, address } = wire
  if (sent === undefined) {
    if (!directory.settings.eabRequired) return undefined
    throw new AcmeError('externalAccountRequired', say`This directory wants the key of an external account (EAB). Ask its administrator`)
  }
  const message = readBinding(sent, { url: wire.url, jwk: isObject(jwk) ? (jwk as JsonWebKey) : {} })
  const { kid } = message.by
  const tickets = await countAttempt(house.database, 'code', { address }, now)
  const mac = await withTenancy(house, tenantId, async (tenancy) => {
    const eab = isId(kid) ? await findEab(tenancy, kid) : undefined
    if (eab?.directory_id !== directory.id || eab.revoked_at !== null) return undefined
    return unsealForTenant(tenancy.db, house, {
      tenantId,
      purpose: sealingPurpose(eab.id),
      sealed: eab.mac_sealed,
      tenantKeyId: eab.tenant_key_id,
    })
  })
  await verifyBinding(message, mac)
  await giveBack(house.database, tickets)
  return { eabId: kid, sent: isObject(sent) ? sent : {} }
}

/** The account of the address must be that of the signature. */
function ownAccount(wire: Wire, { account }: SignedByAccount): void {
  if (idIn(wire, 'account') !== account.id) throw new AcmeError('unauthorized', say`This is another account`)
}

export async function ownAccountRequest(wire: Wire): Promise<WireAnswer> {
  const signed = await signedByAccount(wire)
  ownAccount(wire, signed)
  const { account } = signed
  if (signed.message.payload.length === 0) return answerWith(wire, account)
  const payload = payloadOf(signed)
  if (payload['status'] !== undefined && payload['status'] !== 'deactivated')
    throw new AcmeError('malformed', say`An account can only be given the status deactivated`)
  const contact = payload['contact'] === undefined ? undefined : readContact(payload['contact'])
  const changed = await wire.house.work(wire.tenantId, actorOf(signed), async ({ tenancy, emitFor }) => {
    const emit = emitFor(acme)
    const row = await lockAccount(tenancy, account.id)
    if (row?.status !== 'valid') throw new AcmeError('unauthorized', say`This account has ended`)
    if (payload['status'] === 'deactivated') {
      await endAccount(tenancy, row.id, 'deactivated')
      emit('accountEnded', { accountId: row.id, status: 'deactivated', reason: say`Its client gave it up` }, row.id)
      return { ...row, status: 'deactivated' as const }
    }
    if (contact === undefined) return row
    await changeContact(tenancy, row.id, contact)
    emit('accountChanged', { accountId: row.id }, row.id)
    return { ...row, contact }
  })
  return answerWith(wire, changed)
}

/** RFC 8555 7.3.5: the old key signs what the new one has signed. */
export async function keyChange(wire: Wire): Promise<WireAnswer> {
  const signed = await signedByAccount(wire)
  const { account } = signed
  const inner = readSignedMessage(payloadOf(signed))
  if (!('jwk' in inner.by)) throw new AcmeError('malformed', say`The inner request names the new key by jwk`)
  if (inner.url !== wire.url) throw new AcmeError('malformed', say`The inner request is signed for another url`)
  const key = readAccountKey(inner.by.jwk)
  await verifySigned(inner, key)
  const { account: about, oldKey } = readPayload(inner)
  if (about !== accountUrl(wire, account.id)) throw new AcmeError('malformed', say`The inner request is about another account`)
  if (readAccountKey(oldKey).thumbprint !== account.thumbprint)
    throw new AcmeError('malformed', say`The oldKey is not the key of this account`)
  const { house, tenantId, directory } = wire
  const changed = await house
    .work(tenantId, actorOf(signed), async ({ tenancy, emitFor }) => {
      const blocked = await blockedKey(tenancy, key.spki)
      if (blocked !== undefined) throw new AcmeError('badPublicKey', blocked)
      const row = await lockAccount(tenancy, account.id)
      if (row?.status !== 'valid' || row.thumbprint !== account.thumbprint)
        throw new AcmeError('unauthorized', say`The key of this account was changed meanwhile`)
      const { thumbprint, jwk } = key
      if ((await findAccountByKey(tenancy, { directoryId: directory.id, thumbprint })) !== undefined) return undefined
      await changeKey(tenancy, account.id, { thumbprint, jwk })
      emitFor(acme)('accountKeyChanged', { accountId: account.id, thumbprint }, account.id)
      return { ...row, jwk, thumbprint }
    })
    .catch((error: unknown) => {
      if (brokenConstraint(error) === 'acme_accounts_by_key') return undefined
      throw error
    })
  if (changed !== undefined) return answerWith(wire, changed)
  return conflictWith(wire, key)
}

/** RFC 8555 7.3.5: 409 with the address of the account that has that key. */
async function conflictWith(wire: Wire, { thumbprint }: AccountKey): Promise<WireAnswer> {
  const other = await withTenancy(wire.house, wire.tenantId, (tenancy) =>
    findAccountByKey(tenancy, { directoryId: wire.directory.id, thumbprint }),
  )
  return {
    status: 409,
    headers: {
      'content-type': 'application/problem+json',
      ...(other === undefined ? {} : { location: accountUrl(wire, other.id) }),
    },
    body: { type: 'urn:ietf:params:acme:error:malformed', detail: 'Another account has this key', status: 409 },
  }
}

const ordersAPage = 50

export async function ordersOfAccount(wire: Wire): Promise<WireAnswer> {
  const signed = await signedByAccount(wire)
  ownAccount(wire, signed)
  refusePayload(signed)
  const { account } = signed
  const after = wire.request.url.searchParams.get('after') ?? undefined
  if (after !== undefined && !isId(after)) throw new AcmeError('malformed', say`There is no such page`)
  const found = await withTenancy(wire.house, wire.tenantId, (tenancy) =>
    findOrdersOfAccount(tenancy, { accountId: account.id, after, most: ordersAPage + 1 }),
  )
  const page = found.slice(0, ordersAPage)
  const last = page.at(-1)
  const next = found.length > ordersAPage && last !== undefined ? `${accountUrl(wire, account.id)}/orders?after=${last.id}` : undefined
  return {
    ...(next === undefined ? {} : { headers: { link: `<${next}>;rel="next"` } }),
    body: { orders: page.map(({ id }) => `${wire.base}/order/${id}`) },
  }
}
