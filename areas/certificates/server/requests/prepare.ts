// From a filled-in request to a row that others can decide on: whose it is, what the template makes of it, and what lint says of the bytes that would
// be signed. Checking before sending and sending take the same path, so that they cannot differ.

import { hash } from 'node:crypto'
import type * as z from 'zod'
import { judgeKey, openCsr } from '#areas/authorities/csr.ts'
import { findUsableIssuer, type UsableIssuer } from '#areas/authorities/licensing.ts'
import { refusal, refusalOfFinding } from '#areas/authorities/refusals.ts'
import { reasonStopped, type Issuer } from '#areas/authorities/service.ts'
import { isHolderKey } from '#areas/keys/rules.ts'
import { licenceFault } from '#areas/licensing/service.ts'
import { omitted } from '#areas/templates/omitted.ts'
import { planCertificate, type CertificateDraft, type PlanFinding, type Values } from '#areas/templates/plan.ts'
import { previewCertificate, samplePublicKey, serverKeyOf, type Finding, type Planned, type Preview } from '#areas/templates/preview.ts'
import { keyKindOf, proveRequest, type ReadRequest, type UnfitRequest } from '#areas/templates/requests.ts'
import { keyKinds, keyUsages, type Entity, type KeyKindName, type ValueSource } from '#areas/templates/rules.ts'
import { findTemplate, type Template } from '#areas/templates/service.ts'
import { findPerson, findUsername, fullName, type Person } from '#areas/users/service.ts'
import type { Refusal } from '#core/contract/refusal.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { yieldToOthers } from '#core/server/tick.ts'
import type { Csr } from '#standards/x509/csr.ts'
import { formatName } from '#standards/x509/names.ts'
import type { PossessionStatement } from '#standards/x509/possession.ts'
import type { PublicKeyInfo } from '#standards/x509/public-key-info.ts'
import { describeKey, parsePublicKey } from '#standards/x509/public-key.ts'
import { approversNeeded } from '../../rules.ts'
import type { RequestDraft } from '../../shapes.ts'
import { keyRefusal, rememberedKeyRefusal } from '../inventory/refused-keys.ts'
import { sharedFactorRefusal } from '../inventory/seen-moduli.ts'
import { mayUse, type RequestDoor } from '../policy.ts'
import { checkLargeKey } from './large-keys.ts'
import { possessionFault } from './possession.ts'

export type Draft = z.output<typeof RequestDraft> & {
  entity: Entity
  /** The certificate that it renews. No form and no program says so: renewing.ts does. */
  renews?: string
}

/** A key without a CSR: that of the certificate that is renewed, which was proven when that was issued, and one that a protocol has proven. */
export type RenewedKey = {
  csr: { publicKey: PublicKeyInfo; encoded?: never }
  details?: never
  statement?: never
  key: KeyKindName | undefined
  keyText: string
  findings: PlanFinding[]
}

/** The key that a request brings. */
export type SuppliedKey = ReadRequest | RenewedKey

export type Prepared = {
  template: Template
  issuer: Issuer
  holder: Person | undefined
  request: SuppliedKey | undefined
  keyKind: KeyKindName | undefined
  draft: CertificateDraft
  /** How many others must agree. */
  needed: number
  planned: Planned
  /** What the authority would sign. */
  certificate: Preview['certificate']
  findings: Finding[]
}

export type Refused = { faults: Refusal[]; findings: Finding[]; request: SuppliedKey | undefined; issueApprovers: number }

/**
 * Reads the CSR, if there is one. Outside a transaction: checking a key, its signature and what it shares with others takes a moment. `viewer`: who sends it,
 * and can have only so many large keys looked at.
 */
export async function readCsr(
  house: House,
  { tenantId, userId }: Pick<Viewer, 'tenantId' | 'userId'>,
  draft: { csr?: string | undefined },
): Promise<ReadRequest | undefined | UnfitRequest> {
  if (draft.csr === undefined || draft.csr.trim() === '') return undefined
  const opened = openCsr(draft.csr, { statements: true })
  if ('faults' in opened) return opened
  await checkLargeKey(opened.csr.publicKey, `${tenantId} ${userId}`)
  await yieldToOthers()
  const read = proveRequest(opened)
  if ('faults' in read) return read
  const shared = await sharedFactorRefusal(house, tenantId, read.csr.publicKey)
  return shared === undefined ? read : { faults: [shared] }
}

/** Reads a key whose possession a protocol has proven, as `readCsr` reads that of a CSR. Outside a transaction. */
export async function readProvenKey(
  house: House,
  { tenantId, userId }: Pick<Viewer, 'tenantId' | 'userId'>,
  spki: Uint8Array,
): Promise<RenewedKey | UnfitRequest> {
  const publicKey = parsePublicKey(spki)
  await checkLargeKey(publicKey, `${tenantId} ${userId}`)
  await yieldToOthers()
  const unfit = judgeKey(publicKey)
  if (unfit !== undefined) return unfit
  const shared = await sharedFactorRefusal(house, tenantId, publicKey)
  if (shared !== undefined) return { faults: [shared] }
  return { csr: { publicKey }, key: keyKindOf(publicKey), keyText: describeKey(publicKey), findings: [] }
}

/** The public key to look at while there is no real one. Outside a transaction, too. */
export const sampleFor = (draft: { key?: KeyKindName | undefined }, template: Template): Promise<Uint8Array> =>
  samplePublicKey(draft.key ?? serverKeyOf(template.rules.keys))

/** Where `prepare` looks things up. */
export type Finder = {
  template(id: string): Promise<Template | undefined>
  issuer(caId: string): Promise<UsableIssuer | undefined>
  username(name: string): Promise<{ tenantId: string; userId: string } | undefined>
  person(id: string): Promise<Person | undefined>
  /** Tells why an authority of this owner never certifies the key. */
  keyRefusal(spki: Uint8Array, ownerId: string): Promise<Refusal | undefined>
  /** Tells why the statement of a request that its own key cannot sign proves nothing. */
  possessionFault(csr: Csr, statement: PossessionStatement): Promise<Refusal | undefined>
}

/** In the open transaction. */
export const finderIn = (db: Database, tenantId: string, now: Date): Finder => ({
  template: (id) => findTemplate(db, tenantId, id, now),
  issuer: (caId) => findUsableIssuer(db, tenantId, caId, now),
  username: (name) => findUsername(db, name),
  person: (id) => findPerson(db, tenantId, id),
  keyRefusal: (spki, ownerId) => keyRefusal(db, tenantId, spki, ownerId),
  possessionFault: (csr, statement) => possessionFault(db, tenantId, csr, statement, now),
})

/** Finds the same through the cache, because consecutive requests read the same templates and people. */
export function finderOf(house: House, tenantId: string, now: Date): Finder {
  const get = <T>(kind: string, id: string, find: (finder: Finder) => Promise<T>) =>
    house.cache.get(`${kind} ${tenantId} ${id}`, () => inTenant(house.database, tenantId, (db) => find(finderIn(db, tenantId, now))))
  return {
    template: (id) => get('template', id, (finder) => finder.template(id)),
    issuer: (caId) => get('issuer', caId, (finder) => finder.issuer(caId)),
    username: (name) => get('username', name, (finder) => finder.username(name)),
    person: (id) => get('person', id, (finder) => finder.person(id)),
    keyRefusal: (spki) => rememberedKeyRefusal(house, tenantId, spki),
    possessionFault: (csr, statement) => inTenant(house.database, tenantId, (db) => possessionFault(db, tenantId, csr, statement, now)),
  }
}

export type ToPrepare = {
  viewer: Pick<Viewer, 'tenantId' | 'userId' | 'permission' | 'narrowed'>
  /** Who brings the key, where that is somebody else than `viewer`. */
  actorId?: string | undefined
  door: RequestDoor
  draft: Draft
  /** None where a key is made here. */
  supplied: SuppliedKey | undefined
  /** The key to look at while there is none. */
  sample: Uint8Array
  /** A TPM has attested the key. */
  attested?: boolean | undefined
  now: Date
}

export async function prepare(
  find: Finder,
  { viewer, actorId = viewer.userId, door, draft, supplied: request, sample, attested = false, now }: ToPrepare,
): Promise<Prepared | Refused> {
  const found = request?.findings ?? []
  const refused = (faults: Refusal[], more: Partial<Refused> = {}): Refused => ({
    faults,
    findings: [...found],
    request,
    issueApprovers: 0,
    ...more,
  })
  const template = await find.template(draft.templateId)
  if (template === undefined) return refused([refusal('templateUnknown', undefined)])
  // Nobody here knows who asks anonymously: it may be an approver of this very request, so somebody else looks besides those that the template wants.
  let issueApprovers = template.issueApprovers + (door === 'anonymous' ? 1 : 0)
  const named = draft.username === undefined || draft.username === '' ? undefined : await find.username(draft.username)
  const holderId =
    draft.userId ??
    (draft.username === undefined || draft.username === '' ? viewer.userId : named?.tenantId === viewer.tenantId ? named.userId : undefined)
  const issuer = await find.issuer(template.caId)
  const unlicensed = issuer && door !== 'anonymous' ? licenceFault(issuer, template, now) : undefined
  if (unlicensed !== undefined) return refused([unlicensed])
  if (!mayUse(template, viewer, door, draft.entity, holderId))
    return refused([refusal('templateNotOffered', undefined)], { issueApprovers })
  if (issuer === undefined || issuer.status !== 'ActiveCert' || !issuer.enabled)
    return refused([{ ...((issuer && reasonStopped(issuer)) ?? refusal('authorityNotActive', undefined)), field: 'templateId' }], {
      issueApprovers,
    })

  const holder = draft.entity === 'user' && holderId !== undefined ? await find.person(holderId) : undefined
  if (draft.entity === 'user' && (holder === undefined || !holder.enabled))
    return refused([refusal('holderUnknown', undefined, draft.userId === undefined ? 'username' : 'userId')], {
      issueApprovers,
    })

  issueApprovers = approversNeeded(issueApprovers, request !== undefined && holder !== undefined && holder.id !== actorId)
  const refusedKey = request === undefined ? undefined : await find.keyRefusal(request.csr.publicKey.spki, issuer.tenantId)
  if (refusedKey !== undefined) return refused([refusedKey], { issueApprovers })
  const unproven = request?.statement === undefined ? undefined : await find.possessionFault(request.csr, request.statement)
  if (unproven !== undefined) return refused([unproven], { issueApprovers })

  const serverKey = draft.key ?? serverKeyOf(template.rules.keys)
  if (request === undefined && serverKey !== undefined && !isHolderKey(serverKey))
    return refused([refusal('keyNotMadeHere', { kind: keyKinds[serverKey].label })], { issueApprovers })
  const keyKind = request === undefined ? serverKey : request.key
  const plan = planCertificate(template, {
    entity: draft.entity,
    key: keyKind,
    keyText: request?.keyText ?? (keyKind === undefined ? 'none' : keyKinds[keyKind].label),
    record: holder === undefined ? {} : namesOf(holder),
    typed: draft.values,
    csr: request?.details,
    // Of rules, only protocols and cards bring a CSR, and anybody may have written it.
    proven: door === 'rule' || door === 'card',
    attested,
  })
  const findings: Finding[] = [...found, ...plan.findings]
  await yieldToOthers()
  if ('faults' in plan) return { faults: plan.faults, findings, request, issueApprovers }
  if (request?.details !== undefined)
    findings.push(...omitted(request.details, plan.draft, draft.renews === undefined ? 'certificate' : 'renewal'))
  const preview = previewCertificate(
    issuer,
    template.extensions,
    plan.draft,
    request?.csr.publicKey ?? sample,
    now,
    request === undefined ? 'values' : 'csr',
  )
  findings.push(...preview.findings)
  const wrong = refusalsIn(preview.findings)
  if (wrong.length > 0) return { faults: wrong, findings, request, issueApprovers }
  return {
    template,
    issuer,
    holder,
    request,
    keyKind,
    draft: plan.draft,
    needed: issueApprovers,
    planned: preview.planned,
    certificate: preview.certificate,
    findings,
  }
}

/** Picks what refuses out of what lint and name constraints find: all but warnings. */
export const refusalsIn = (findings: readonly Finding[]): Refusal[] =>
  findings.flatMap(({ severity, code, message, field }) =>
    severity === 'warn' ? [] : [refusalOfFinding({ severity, code, message }, field)],
  )

/** A person's own names, by source. */
const namesOf = (person: Person): Values => ({
  CommonName: [fullName(person).trim()],
  GivenName: [person.givenName],
  Surname: [person.familyName],
  Email: [person.emailAddress],
  Username: [person.username],
  UPN: [person.emailAddress],
  UserId: [person.username],
  Title: [person.title],
  Locality: [person.locality],
  SecurityIdentifier: person.securityIdentifier === '' ? [] : [person.securityIdentifier],
})

/** A CSR for people, and what it says by source, to fill a form with. */
export function decodedRequest({ csr, details, keyText }: ReadRequest) {
  const found = new Map<string, Set<string>>()
  const put = (source: string, value: string) => void found.set(source, (found.get(source) ?? new Set()).add(value))
  for (const { field, value } of details.subject) {
    const source = sourceOfAttribute[field]
    if (source !== undefined) put(source, value)
  }
  for (const { field, value } of details.sans) {
    const source = sourceOfSan[field]
    if (source !== undefined) put(source, value)
  }
  return {
    subject: formatName(csr.subject),
    sans: details.sans.map(({ field, value }) => ({ field, value })),
    key: keyText,
    signatureAlgorithm: csr.signatureAlgorithm,
    keyUsages: details.keyUsages.map((name) => (Object.hasOwn(keyUsages, name) ? keyUsages[name as keyof typeof keyUsages] : name)),
    extendedUsages: [...details.extendedUsages],
    otherExtensions: details.otherExtensions.filter((name) => name !== 'basicConstraints'),
    certificateAuthority: details.certificateAuthority,
    values: Object.fromEntries([...found].map(([source, all]) => [source, [...all]])),
  }
}
const sourceOfAttribute: Partial<Record<string, ValueSource>> = {
  CN: 'CommonName',
  O: 'Organisation',
  OU: 'OrganisationalUnit',
  L: 'Locality',
  ST: 'StateOrProvince',
  C: 'Country',
  title: 'Title',
  serialNumber: 'SerialNumber',
}
const sourceOfSan: Partial<Record<string, ValueSource>> = { DNS: 'DNS', IP: 'IP', URI: 'URI', RFC822: 'Email', OTHER_NAME: 'UPN' }

/** One key, one request: the same key with other content is a conflict. */
export const inputHash = (draft: Draft): string => hash('sha256', JSON.stringify(draft))
