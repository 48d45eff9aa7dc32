// Cross-certificates: an authority here certifies another one, of this house or not, so that who trusts the first can verify what the second issues; and
// those that others gave to ours. The other one keeps its name, its key and its key identifier, so the path is found both ways.

import type { InputOf } from '#core/contract/contract.ts'
import type { FieldFault } from '#core/contract/faults.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { commonFault, invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { DerError } from '#standards/der/reader.ts'
import { bytesEqual, hexOf } from '#standards/der/values.ts'
import { splitCertificateText } from '#standards/pem/certificate-text.ts'
import { PemError } from '#standards/pem/pem.ts'
import { say } from '#standards/say/say.ts'
import { fingerprint, isSelfIssued, checkIssuedBy, parseCertificate, parseTbsCertificate } from '#standards/x509/certificate.ts'
import { signsNot } from '#standards/x509/csr.ts'
import type { Extension } from '#standards/x509/extension-types.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { checkRequestedKey } from '#standards/x509/key-checks.ts'
import { formatName, nameEquals, parseName, type Name } from '#standards/x509/names.ts'
import type { PublicKeyInfo } from '#standards/x509/public-key-info.ts'
import { keyIdentifier } from '#standards/x509/public-key.ts'
import type { authorities } from '../contract.ts'
import { proveCsrBytes } from '../csr.ts'
import { endOfValidity, pathLengthBelow, wholeSecond } from '../rules.ts'
import { certificateOfRequest, certificatesOf, insertHeldCertificate } from './certificate-store.ts'
import { finishAllFurther, furtherTbs, reserveFurther, type FurtherDraft } from './certify.ts'
import { heldRow, type AuthorityWork, type Maker } from './create.ts'
import { factsOf } from './describe.ts'
import { authorityFault, readAnswer } from './import.ts'
import { findIssuing } from './issuer-store.ts'
import { issuerOf, refusalToIssue, type Issuer } from './issuers.ts'
import { newSerial } from './issuing.ts'
import { readConstraints } from './plan.ts'
import { remarksOn } from './remarks.ts'
import { allAuthorities, revokedAuthorities, type AuthorityRow } from './store.ts'

export type CrossDraft = InputOf<typeof authorities.calls.crossCertify>

/** The one that is to be certified. */
type Other = {
  subject: Name
  subjectEncoded: Uint8Array
  publicKey: PublicKeyInfo
  subjectKeyIdentifier: Uint8Array
  caId: string | undefined
}

export type CrossPlan = {
  issuerRow: AuthorityRow
  other: Other
  further: FurtherDraft
  shortened: boolean
  /** What stands below the other one here, and deeper than this certificate would let a path go. */
  outOfReach: string[]
  /** The other one by name, where it stands directly below this one. */
  below: string | undefined
}

export function requireOneOther({ otherCaId, other }: CrossDraft): void {
  if ((otherCaId === undefined) === ((other ?? '') === ''))
    throw invalidField(
      otherCaId === undefined ? 'other' : 'otherCaId',
      say`Choose an authority here, or paste the request or certificate of another one`,
    )
}

/** What would be signed, and what lint says of it. Undefined for a missing authority. */
export async function previewCross(db: Database, tenantId: string, draft: CrossDraft, now: Date) {
  const plan = await planCross(db, tenantId, draft, now)
  if (plan === undefined) return undefined
  const tbs = furtherTbs(plan.issuerRow, plan.further, newSerial())
  const remarks = remarksOn(tbs)
  if (plan.outOfReach.length > 0)
    remarks.push({
      severity: 'warn',
      code: 'outOfReach',
      message: say`No path over this certificate leads to the certificates of ${listed(plan.outOfReach)}: allow more levels below it`,
    })
  if (plan.below !== undefined)
    remarks.push({
      severity: 'warn',
      code: 'alreadyBelow',
      message: say`${plan.below} has its certificate from this authority already: who trusts the one can verify what the other issues without this one`,
    })
  return { ...factsOf(parseTbsCertificate(tbs)), shortened: plan.shortened, remarks }
}

/** Throws a Fault that names every field that is wrong. Undefined for a missing authority. */
export async function planCross(db: Database, tenantId: string, draft: CrossDraft, now: Date): Promise<CrossPlan | undefined> {
  const issuerRow = await findIssuing(db, tenantId, draft.caId)
  if (issuerRow === undefined) return undefined
  const issuer = issuerOf(issuerRow, now)
  if (issuer === undefined)
    throw invalidField(
      'caId',
      issuerRow.key_id === null
        ? say`The key of ${issuerRow.friendly_name} is not here: it signs nothing here`
        : say`${issuerRow.friendly_name} has no certificate yet`,
    )
  const all = await allAuthorities(db, tenantId)
  const other = draft.otherCaId === undefined ? readOther(draft.other ?? '', all, now) : otherHere(all, draft.otherCaId)
  const field = draft.otherCaId === undefined ? 'other' : 'otherCaId'

  const wrong: FieldFault[] = []
  const blame = (name: string, says: string): void => void wrong.push({ field: name, says })
  const relation = relationFault(issuer, issuerRow, other)
  if (relation !== undefined) blame(field, relation)
  // Nobody is led back to it, whichever way it is named.
  if (other.caId !== undefined && (await revokedAuthorities(db, tenantId)).has(other.caId))
    blame(field, `${formatName(other.subject)} was revoked, and what is revoked is certified no more`)
  for (const { severity, message } of checkRequestedKey(other.publicKey)) if (severity === 'error') blame(field, message)
  if (signsNot(other.publicKey)) blame(field, 'This key does not sign, and an authority must')

  const path = pathLengthBelow(issuer.pathLength, draft.pathLength)
  if (path === 'unable') blame('caId', `${issuer.friendlyName} may have no authorities below it`)
  if (path === 'tooLong') blame('pathLength', `${issuer.friendlyName} leaves room for at most ${(issuer.pathLength ?? 1) - 1}`)
  const permittedSubtrees = readConstraints(draft.permittedNames, 'permittedNames', blame)
  const excludedSubtrees = readConstraints(draft.excludedNames, 'excludedNames', blame)

  const notBefore = wholeSecond(now)
  const wanted = endOfValidity(notBefore, draft.validityPeriod, draft.validityPeriodUnits)
  const shortened = wanted > issuer.notAfter
  const notAfter = shortened ? issuer.notAfter : wanted
  const refusal = refusalToIssue(issuer, { notBefore, notAfter }, now)
  if (refusal !== undefined) blame(refusal.field === 'caId' ? 'caId' : 'validityPeriod', refusal.says)
  if (wrong.length > 0) throw commonFault('invalid', { fields: wrong })

  const pathLength = typeof path === 'object' ? path.pathLength : undefined
  const constraints = {
    ...(permittedSubtrees.length === 0 ? {} : { permittedSubtrees }),
    ...(excludedSubtrees.length === 0 ? {} : { excludedSubtrees }),
  }
  const extensions: Extension[] = [
    { type: 'basicConstraints', critical: true, cA: true, ...(pathLength === undefined ? {} : { pathLenConstraint: pathLength }) },
    { type: 'keyUsage', critical: true, usages: ['keyCertSign', 'cRLSign'] },
    ...(Object.keys(constraints).length === 0 ? [] : [{ type: 'nameConstraints' as const, critical: true, ...constraints }]),
  ]
  const further = {
    subject: other.subjectEncoded,
    publicKey: other.publicKey.spki,
    subjectKeyIdentifier: other.subjectKeyIdentifier,
    notBefore,
    notAfter,
    extensions,
  }
  return {
    issuerRow,
    other,
    further,
    shortened,
    outOfReach: pathLength === undefined || other.caId === undefined ? [] : deeperThan(all, other.caId, pathLength),
    below: all.find(({ id, issuer_id: above }) => id === other.caId && above === issuerRow.id)?.friendly_name,
  }
}

/** Those that stand more than `levels` below this authority. */
function deeperThan(all: readonly AuthorityRow[], caId: string, levels: number): string[] {
  const below = all.filter(({ id, issuer_id: issuerId, certificate }) => issuerId === caId && id !== caId && certificate !== null)
  return below.flatMap(({ id, friendly_name: name }) => [...(levels === 0 ? [name] : []), ...deeperThan(all, id, Math.max(0, levels - 1))])
}

const listed = (names: readonly string[]): string =>
  names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

function relationFault(issuer: Issuer, issuerRow: AuthorityRow, other: Other): string | undefined {
  const [own, ...above] = issuer.chain.map((der) => parseCertificate(der))
  if (own !== undefined && bytesEqual(own.publicKey.spki, other.publicKey.spki)) return `This is the key of ${issuer.friendlyName} itself`
  if (bytesEqual(issuer.subjectEncoded, other.subjectEncoded))
    return `This has the name of ${issuer.friendlyName} and another key: a new key of an authority is made and linked by its succession`
  const upper = above.find((certificate) => bytesEqual(certificate.publicKey.spki, other.publicKey.spki))
  if (upper !== undefined)
    return `${formatName(upper.subject)} stands above ${issuerRow.friendly_name}: the path would go round in a circle`
  return undefined
}

function otherHere(all: readonly AuthorityRow[], otherCaId: string): Other {
  const row = all.find(({ id }) => id === otherCaId)
  if (row === undefined) throw invalidField('otherCaId', say`There is no such authority`)
  if (row.certificate === null) throw invalidField('otherCaId', say`${row.friendly_name} has no certificate yet`)
  const { publicKey, subject, subjectEncoded } = parseCertificate(row.certificate)
  return { subject, subjectEncoded, publicKey, subjectKeyIdentifier: row.key_identifier, caId: row.id }
}

/** A request, which proves the key by its signature, or a certificate of the other authority. Throws a Fault on `other`. */
function readOther(text: string, all: readonly AuthorityRow[], now: Date): Other {
  const refuse = (says: string) => invalidField('other', says)
  try {
    const items = splitCertificateText(text)
    if (items.some(({ kind }) => kind === 'privateKey'))
      throw refuse('This holds a private key. Paste the request or the certificate only, and count that key as exposed')
    const [item, more] = items
    if (item === undefined) throw refuse('Paste the request or the certificate of the other authority')
    if (more !== undefined) throw refuse('Paste one request, or one certificate: the one of the authority that is to be certified')
    if (item.kind === 'csr') {
      const read = proveCsrBytes(item.bytes)
      if ('faults' in read) throw commonFault('invalid', { fields: read.faults.map((fault) => ({ ...fault, field: 'other' })) })
      const { publicKey, subject, subjectEncoded, requestedExtensions } = read.csr
      if (subject.length === 0) throw refuse('The request names nobody: an authority needs a name')
      const asked = findExtension(requestedExtensions, 'subjectKeyIdentifier')?.keyIdentifier
      return {
        subject,
        subjectEncoded,
        publicKey,
        subjectKeyIdentifier: asked ?? keyIdentifier(publicKey),
        caId: ownerOfKey(all, publicKey),
      }
    }
    if (item.kind !== 'certificate') throw refuse('Paste a request (CSR) or a certificate')
    const certificate = parseCertificate(item.bytes)
    const fault = authorityFault(certificate, 'The certificate', now)
    if (fault !== undefined) throw refuse(fault)
    if (isSelfIssued(certificate) && !checkIssuedBy(certificate, certificate).ok)
      throw refuse('The certificate names itself as its issuer, but did not sign itself')
    const { publicKey, subject, subjectEncoded, extensions } = certificate
    return {
      subject,
      subjectEncoded,
      publicKey,
      subjectKeyIdentifier: findExtension(extensions, 'subjectKeyIdentifier')?.keyIdentifier ?? keyIdentifier(publicKey),
      caId: ownerOfKey(all, publicKey),
    }
  } catch (error) {
    if (error instanceof PemError || error instanceof DerError) throw refuse(error.message)
    throw error
  }
}

/** The one pasted may be of this house. */
const ownerOfKey = (all: readonly AuthorityRow[], { spki }: PublicKeyInfo): string | undefined =>
  all.find(({ certificate }) => certificate !== null && bytesEqual(parseCertificate(certificate).publicKey.spki, spki))?.id

/** Returns the id of the certificate; undefined for a missing authority. Not inside a transaction. */
export async function crossCertify(house: House, maker: Maker, draft: CrossDraft): Promise<string | undefined> {
  const { tenantId, requestKey } = maker
  const earlier = await inTenant(house.database, tenantId, (db) => certificateOfRequest(db, tenantId, requestKey))
  const id = earlier?.id ?? (await maker.transact((work) => reserveCross(house, work, maker, draft)))
  if (id === undefined || (await finishAllFurther(house, maker, [id])).length === 0) return id
  // It was given up meanwhile, for what would refuse it now.
  await inTenant(house.database, tenantId, (db) => planCross(db, tenantId, draft, house.now()))
  throw commonFault('conflict')
}

async function reserveCross(
  house: House,
  work: AuthorityWork,
  { tenantId, requestKey, askedBy }: Maker,
  draft: CrossDraft,
): Promise<string | undefined> {
  const now = house.now()
  const plan = await planCross(work.db, tenantId, draft, now)
  if (plan === undefined) return undefined
  const { issuerRow, other, further } = plan
  return reserveFurther(work, {
    issuer: issuerRow,
    caId: other.caId,
    role: 'cross',
    tbs: (serial) => furtherTbs(issuerRow, further, serial),
    requestKey,
    askedBy,
    now,
    field: draft.otherCaId === undefined ? 'other' : 'otherCaId',
  })
}

/** A cross-certificate that another authority gave to this one. Throws a Fault on `certificate`. Returns its id. */
export async function takeCross(
  { db, emit }: AuthorityWork,
  row: AuthorityRow & { certificate: Buffer },
  text: string,
  now: Date,
): Promise<string> {
  const refuse = (says: string) => invalidField('certificate', says)
  const own = parseCertificate(row.certificate)
  const { own: cross, above } = readAnswer(text, own.publicKey.spki, now)
  if (!nameEquals(cross.subject, parseName(row.subject)))
    throw refuse(`A cross-certificate bears the name of the authority, ${row.subject_text}. This one says ${formatName(cross.subject)}`)
  const identifier = findExtension(cross.extensions, 'subjectKeyIdentifier')?.keyIdentifier
  if (identifier !== undefined && !bytesEqual(identifier, row.key_identifier)) {
    throw refuse(
      `Its key identifier is ${hexOf(identifier)}, and what this authority issues names ${row.key_identifier.toString('hex')}: no path would lead over it. Ask for one that keeps the key identifier`,
    )
  }
  if (
    (await certificatesOf(db, row.tenant_id, row.id)).some(
      ({ certificate }) => certificate !== null && bytesEqual(certificate, cross.encoded),
    )
  )
    throw refuse('This certificate is here already')
  const held = heldRow(cross, { tenantId: row.tenant_id, caId: row.id, role: 'cross', above: above.map(({ encoded }) => encoded), now })
  await insertHeldCertificate(db, held)
  emit(
    'crossTaken',
    { certificateId: held.id, caId: row.id, issuer: held.issuer_text, serialHex: cross.serialHex, sha256: fingerprint(cross) },
    row.id,
  )
  return held.id
}
