// From what somebody asked for to what would be signed: names checked, validity cut to the issuer's, path length and name constraints made into
// extensions. The preview and the creation both come through here, so that what is shown is what is made.

import { isIPv4, isIPv6 } from 'node:net'
import { refusalOfPlace } from '#areas/keys/places.ts'
import type { InputOf } from '#core/contract/contract.ts'
import type { FieldFault } from '#core/contract/faults.ts'
import type { Database } from '#core/server/database.ts'
import { commonFault, faultOfCall, type Fault } from '#core/server/fault.ts'
import { checkNameText } from '#standards/lint/name-text.ts'
import { X509Error } from '#standards/x509/error.ts'
import type { Extension, GeneralSubtree } from '#standards/x509/extension-types.ts'
import { addressBytes, formatAddress, type GeneralName } from '#standards/x509/general-names.ts'
import { encodeName, formatName, nameOf, type Name } from '#standards/x509/names.ts'
import type { authorities } from '../contract.ts'
import { nameFaults } from '../lifecycle.ts'
import { defaultYears, endOfValidity, pathLengthBelow, subjectFields, wholeSecond } from '../rules.ts'
import { findIssuing } from './issuer-store.ts'
import { issuerOf, refusalToIssue, type Issuer } from './issuers.ts'
import { authorityNamed, findAuthority, type AuthorityRow } from './store.ts'

export type AuthorityDraft = InputOf<typeof authorities.calls.create>

export type AuthorityPlan = {
  issuer: Issuer | undefined
  /** The authority here that stands above it; one that is offline is no issuer. */
  issuerId: string | undefined
  subject: Name
  subjectEncoded: Uint8Array
  subjectText: string
  notBefore: Date
  notAfter: Date
  shortened: boolean
  pathLength: number | undefined
  /** Without key identifiers and addresses. */
  extensions: Extension[]
}

export const nameTaken = (): Fault => faultOfCall({ faults: nameFaults }, 'nameTaken')

/** Throws a Fault that names every field that is wrong. */
export async function planAuthority(db: Database, tenantId: string, draft: AuthorityDraft, now: Date): Promise<AuthorityPlan> {
  const wrong: FieldFault[] = []
  const blame = (field: string, says: string): void => void wrong.push({ field, says })

  const subject = readSubject(draft.subject, blame)
  const taken = (await authorityNamed(db, tenantId, draft.friendlyName)) !== undefined
  if (taken) blame('friendlyName', nameFaults.nameTaken.says)

  const place = await refusalOfPlace(db, tenantId, draft.keyAlgorithm, { tokenId: draft.tokenId, objectId: draft.tokenKeyId })
  if (place !== undefined) blame(place.field, place.says)

  const issuer = draft.kind === 'subordinate' ? await findParent(db, tenantId, draft.issuerId, now, blame) : undefined
  if (draft.kind === 'root' && draft.issuerId !== undefined) blame('issuerId', 'A root has no issuer')
  const offline =
    draft.kind === 'outside' && draft.issuerId !== undefined ? await findOffline(db, tenantId, draft, draft.issuerId, blame) : undefined

  if (draft.kind === 'outside' && draft.permittedNames.length > 0)
    blame('permittedNames', 'The outside authority decides which names it permits')
  if (draft.kind === 'outside' && draft.excludedNames.length > 0)
    blame('excludedNames', 'The outside authority decides which names it excludes')

  const notBefore = wholeSecond(draft.notBefore === undefined ? now : new Date(draft.notBefore))
  const wanted = endOfValidity(
    notBefore,
    draft.validityPeriod ?? defaultYears[draft.kind],
    draft.validityPeriod === undefined ? 'YEARS' : draft.validityPeriodUnits,
  )
  const shortened = issuer !== undefined && wanted > issuer.notAfter
  const notAfter = shortened ? issuer.notAfter : wanted
  if (notAfter < now) blame('validityPeriod', 'The authority would have expired already')

  const pathLength = readPathLength(draft, issuer, blame)
  const permittedSubtrees = readConstraints(draft.permittedNames, 'permittedNames', blame)
  const excludedSubtrees = readConstraints(draft.excludedNames, 'excludedNames', blame)

  if (issuer !== undefined && wrong.length === 0) {
    const refusal = refusalToIssue(issuer, { notBefore, notAfter }, now)
    if (refusal !== undefined) blame(refusal.field === 'caId' ? 'issuerId' : 'notBefore', refusal.says)
  }
  if (taken && wrong.length === 1) throw nameTaken()
  if (wrong.length > 0) throw commonFault('invalid', { fields: wrong })

  const constraints = {
    ...(permittedSubtrees.length === 0 ? {} : { permittedSubtrees }),
    ...(excludedSubtrees.length === 0 ? {} : { excludedSubtrees }),
  }
  return {
    issuer,
    issuerId: issuer?.caId ?? offline?.id,
    subject,
    subjectEncoded: encodeName(subject),
    subjectText: formatName(subject),
    notBefore,
    notAfter,
    shortened,
    pathLength,
    extensions: [
      { type: 'basicConstraints', critical: true, cA: true, ...(pathLength === undefined ? {} : { pathLenConstraint: pathLength }) },
      // digitalSignature lets the authority answer OCSP with its own key where a client insists on the bit.
      { type: 'keyUsage', critical: true, usages: ['digitalSignature', 'keyCertSign', 'cRLSign'] },
      ...(Object.keys(constraints).length === 0 ? [] : [{ type: 'nameConstraints' as const, critical: true, ...constraints }]),
    ],
  }
}

export type Blame = (field: string, says: string) => void

function readSubject(subject: AuthorityDraft['subject'], blame: Blame): Name {
  const attributes = subjectFields.flatMap(({ name }) => (subject[name] === '' ? [] : [[name, subject[name]] as const]))
  for (const [name, value] of attributes) {
    const fault = checkNameText(name, value)
    if (fault !== undefined) {
      blame(`subject.${name}`, fault)
      continue
    }
    try {
      encodeName(nameOf([name, value]))
    } catch (error) {
      if (!(error instanceof X509Error)) throw error
      blame(`subject.${name}`, error.message)
    }
  }
  return nameOf(...attributes)
}

/** The offline authority to which the request is taken. */
async function findOffline(
  db: Database,
  tenantId: string,
  { pathLength }: AuthorityDraft,
  issuerId: string,
  blame: Blame,
): Promise<AuthorityRow | undefined> {
  const row = await findAuthority(db, tenantId, issuerId)
  if (row?.kind !== 'offline')
    blame(
      'issuerId',
      row === undefined ? 'There is no such authority' : `The key of ${row.friendly_name} is here: let it sign a subordinate`,
    )
  else if (pathLengthBelow(row.path_length ?? undefined, pathLength ?? 0) === 'unable')
    blame('issuerId', `${row.friendly_name} may have no authorities below it`)
  return row
}

async function findParent(
  db: Database,
  tenantId: string,
  issuerId: string | undefined,
  now: Date,
  blame: Blame,
): Promise<Issuer | undefined> {
  if (issuerId === undefined) {
    blame('issuerId', 'Choose the authority that signs this one')
    return undefined
  }
  const row = await findIssuing(db, tenantId, issuerId)
  const issuer = row && issuerOf(row, now)
  if (issuer === undefined)
    blame('issuerId', row === undefined ? 'There is no such authority' : `${row.friendly_name} has no certificate yet`)
  return issuer
}

function readPathLength(draft: AuthorityDraft, issuer: Issuer | undefined, blame: Blame): number | undefined {
  const wanted = draft.pathLength ?? (draft.kind === 'root' ? 'none' : 0)
  const found = pathLengthBelow(issuer?.pathLength, wanted)
  if (found === 'unable') blame('issuerId', `${issuer?.friendlyName ?? ''} may have no authority below it: its path length is 0`)
  else if (found === 'tooLong')
    blame(
      'pathLength',
      `Enter at most ${(issuer?.pathLength ?? 1) - 1}: the path length of ${issuer?.friendlyName ?? ''} is ${issuer?.pathLength ?? 0}`,
    )
  else return found.pathLength
  return undefined
}

type Constraint = AuthorityDraft['permittedNames'][number]

/** The subtrees of constraints that somebody entered; what is wrong with one is blamed on its place in `list`. */
export function readConstraints(constraints: readonly Constraint[], list: string, blame: Blame): GeneralSubtree[] {
  return constraints.flatMap(({ type, value }, index) => {
    const base = constraintReaders[type](value)
    if (typeof base !== 'string') return [{ base }]
    blame(`${list}.${index}.value`, base)
    return []
  })
}

const hostPattern = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** Without a dot before it: only constraints of mailboxes may have that, and mean all hosts below by it. */
const isHost = (value: string): boolean => value.length <= 253 && hostPattern.test(value)

/** The GeneralName of a constraint, or what is wrong with it (RFC 5280 4.2.1.10). */
const constraintReaders: Record<Constraint['type'], (value: string) => GeneralName | string> = {
  // A domain covers all below it already. With a dot before it, some readers leave out the domain itself and some refuse the certificate.
  DNS: (value) =>
    isHost(value) ? { type: 'dNSName', value: value.toLowerCase() } : 'Use a domain such as example.org, without a dot before it',
  RFC822: (value) => {
    const [local, host, more] = value.split('@')
    const whole =
      host === undefined
        ? isHost(value.startsWith('.') ? value.slice(1) : value)
        : more === undefined && local !== '' && /^[\x21-\x7e]+$/.test(local ?? '') && isHost(host)
    return whole
      ? { type: 'rfc822Name', value }
      : 'Use a mailbox such as ada@example.org, a host such as example.org, or .example.org for all hosts in it'
  },
  IP: (value) => {
    const [address = '', prefix = '', more] = value.split('/')
    const size = isIPv4(address) ? 32 : isIPv6(address) && !address.includes('%') ? 128 : 0
    const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
    if (size === 0 || more !== undefined || length < 0 || length > size) return 'Use a network such as 10.0.0.0/8 or 2001:db8::/32'
    const mask = Uint8Array.from({ length: size / 8 }, (_, byte) => (0xff00 >> Math.min(8, Math.max(0, length - byte * 8))) & 0xff)
    const network = addressBytes(address).map((byte, index) => byte & (mask[index] ?? 0))
    if (formatAddress(network) !== formatAddress(addressBytes(address)))
      return `The network of /${length} begins at ${formatAddress(network)}`
    return { type: 'iPAddress', value: `${formatAddress(network)}/${formatAddress(mask)}` }
  },
}
