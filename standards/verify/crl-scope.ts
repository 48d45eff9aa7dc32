// Whether a revocation list speaks about a certificate at all, and with which reasons (RFC 5280 6.3.3 (b) and (d)): the issuer,
// the distribution point and the kinds of certificates that the list names. A list that does not is passed over in silence.
import type { ParsedCrl, ParsedCrlEntry } from '../crl/parse.ts'
import { readDer } from '../der/reader.ts'
import { explicitContent, hexOf, isContext } from '../der/values.ts'
import type { Certificate } from '../x509/certificate.ts'
import { REASON_FLAGS, type DistributionPoint, type ReasonFlag } from '../x509/extension-types.ts'
import { findExtension } from '../x509/extensions.ts'
import { encodeGeneralName, type GeneralName } from '../x509/general-names.ts'
import { comparableName, type Name } from '../x509/names.ts'
import { OIDS } from '../x509/oids.ts'
import { parseDistributionPointName } from '../x509/policies.ts'
import type { Known } from './known.ts'

/** Whom a list speaks about, without the list: plain values, which may go to another thread. */
export interface ListReach {
  /** comparable, as `Known.subject` is */
  issuer: string
  /** of its distribution point, comparable; undefined where it names none */
  pointNames: readonly string[] | undefined
  limits: ParsedCrl['issuingDistributionPoint']
}

/** A list with what is asked of it again and again. */
export interface KnownList extends ListReach {
  crl: ParsedCrl
  /** of the key that signed it, as it says; hex */
  key: string | undefined
  /** equal for lists of one scope: a delta list belongs to full lists of its scope only */
  scope: string
  /** entries that were looked for before */
  found: Map<Known, ParsedCrlEntry | undefined>
}

export const ALL_REASONS: readonly ReasonFlag[] = REASON_FLAGS.filter((reason) => reason !== 'unused')

/** Throws DerError for a malformed distribution point. */
export function knowList(crl: ParsedCrl): KnownList {
  const encoded = encodedPoint(crl)
  const reach = reachOf(crl)
  return {
    ...reach,
    crl,
    key: crl.authorityKeyIdentifier && hexOf(crl.authorityKeyIdentifier),
    scope: `${reach.issuer} ${encoded === undefined ? '' : hexOf(encoded)} ${crl.authorityKeyIdentifier === undefined ? '' : hexOf(crl.authorityKeyIdentifier)}`,
    found: new Map(),
  }
}

/** Throws DerError for a malformed distribution point. */
export function reachOf(crl: ParsedCrl): ListReach {
  const encoded = encodedPoint(crl)
  const name = encoded && readDer(encoded, { path: 'issuingDistributionPoint' }).children[0]
  const point = name !== undefined && isContext(name, 0) ? parseDistributionPointName(explicitContent(name)) : undefined
  return {
    issuer: comparableName(crl.issuer),
    pointNames: point && comparablePointNames(point, crl.issuer),
    limits: crl.issuingDistributionPoint,
  }
}

function encodedPoint({ extensions }: ParsedCrl): Uint8Array | undefined {
  const extension = extensions.find((each) => each.type === 'unknown' && each.oid === OIDS.issuingDistributionPoint)
  return extension?.type === 'unknown' ? extension.value : undefined
}

/** Where the status of a certificate is found, by itself and, at last, with its issuer (RFC 5280 6.3.3, last paragraph). */
export function distributionPointsOf({ certificate }: Known): DistributionPoint[] {
  const named = findExtension(certificate.extensions, 'cRLDistributionPoints')?.distributionPoints ?? []
  return [...named, { fullName: [{ type: 'directoryName', name: certificate.issuer }] }]
}

/** The reasons about which the list speaks for this certificate at this distribution point; undefined where it does not. */
export function reasonsCovered(
  { issuer, pointNames, limits: scope }: ListReach,
  known: Known,
  point: DistributionPoint,
): ReasonFlag[] | undefined {
  const signers = point.cRLIssuer === undefined ? [known.issuer] : directoryNames(point.cRLIssuer)
  if (!signers.includes(issuer)) return undefined
  if (issuer !== known.issuer && scope?.indirectCrl !== true) return undefined
  if (pointNames !== undefined && !namesOf(point, known.certificate, signers).some((name) => pointNames.includes(name))) return undefined
  const authority = findExtension(known.certificate.extensions, 'basicConstraints')?.cA === true
  if (scope?.onlyContainsUserCerts === true && authority) return undefined
  if (scope?.onlyContainsCaCerts === true && !authority) return undefined
  if (scope?.onlyContainsAttributeCerts === true) return undefined
  const bySomeReasons = scope?.onlySomeReasons
  return ALL_REASONS.filter((reason) => (bySomeReasons?.includes(reason) ?? true) && (point.reasons?.includes(reason) ?? true))
}

/** Whether the list alone tells that a certificate which it does not name is good: it speaks about it, with every reason. */
export function speaksWhollyOf(list: ListReach, known: Known): boolean {
  return new Set(distributionPointsOf(known).flatMap((point) => reasonsCovered(list, known, point) ?? [])).size === ALL_REASONS.length
}

function namesOf(point: DistributionPoint, certificate: Certificate, signers: readonly string[]): readonly string[] {
  if (point.fullName === undefined && point.nameRelativeToCRLIssuer === undefined) return signers.map((name) => `directoryName ${name}`)
  const [issuer] = point.cRLIssuer?.flatMap((name) => (name.type === 'directoryName' ? [name.name] : [])) ?? []
  return comparablePointNames(point, issuer ?? certificate.issuer)
}

function comparablePointNames(
  { fullName, nameRelativeToCRLIssuer }: Pick<DistributionPoint, 'fullName' | 'nameRelativeToCRLIssuer'>,
  issuer: Name,
): string[] {
  if (nameRelativeToCRLIssuer !== undefined) return [`directoryName ${comparableName([...issuer, nameRelativeToCRLIssuer])}`]
  return (fullName ?? []).map((name) =>
    name.type === 'directoryName' ? `directoryName ${comparableName(name.name)}` : hexOf(encodeGeneralName(name)),
  )
}

function directoryNames(names: readonly GeneralName[]): string[] {
  return names.flatMap((name) => (name.type === 'directoryName' ? [comparableName(name.name)] : []))
}
