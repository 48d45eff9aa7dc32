import { say } from '#standards/say/say.ts'
import { elementsOf, fieldsOf, finish, hasMore, take, takeContext, takeUniversal } from '../der/fields.ts'
// Certificate policies (RFC 5280 4.2.1.4) and distribution points (4.2.1.13), the two extensions with an inner life.
import { TAG, type DerValue } from '../der/reader.ts'
import {
  explicitContent,
  faultAt,
  implicit,
  isContext,
  readInteger,
  readNamedBits,
  readOid,
  readString,
  readStringOf,
} from '../der/values.ts'
import {
  characterString,
  concat,
  ia5String,
  explicit,
  implicitConstructed,
  implicitPrimitive,
  integer,
  namedBitContent,
  oid,
  sequence,
} from '../der/writer.ts'
import { X509Error } from './error.ts'
import {
  REASON_FLAGS,
  type DisplayText,
  type DistributionPoint,
  type PolicyInformation,
  type PolicyQualifier,
  type ReasonFlag,
} from './extension-types.ts'
import { encodeGeneralNames, parseGeneralNames } from './general-names.ts'
import { encodeRdn, parseRdn } from './names.ts'
import { OIDS } from './oids.ts'

export function parsePolicies(value: DerValue): PolicyInformation[] {
  return elementsOf(value, 1).map((element) => {
    const fields = fieldsOf(element)
    const policyIdentifier = readOid(take(fields, 'policyIdentifier'))
    if (!hasMore(fields)) return { policyIdentifier }
    const policyQualifiers = elementsOf(take(fields, 'policyQualifiers'), 1).map(parseQualifier)
    finish(fields)
    return { policyIdentifier, policyQualifiers }
  })
}

export function encodePolicies(policies: readonly PolicyInformation[]): Uint8Array {
  if (policies.length === 0) throw new X509Error(say`A list of policies must not be empty`)
  return sequence(
    ...policies.map(({ policyIdentifier, policyQualifiers }) =>
      sequence(oid(policyIdentifier), ...(policyQualifiers === undefined ? [] : [sequence(...policyQualifiers.map(encodeQualifier))])),
    ),
  )
}

function parseQualifier(value: DerValue): PolicyQualifier {
  const fields = fieldsOf(value)
  const id = readOid(take(fields, 'policyQualifierId'))
  const qualifier = take(fields, 'qualifier')
  finish(fields)
  if (id === OIDS.cps) return { type: 'cps', uri: readStringOf(qualifier, 'ia5String') }
  if (id !== OIDS.userNotice) return { type: 'unknown', policyQualifierId: id, qualifier: qualifier.encoded }
  const notice = fieldsOf(qualifier)
  const reference = takeUniversal(notice, TAG.sequence, 'noticeRef')
  const text = hasMore(notice) ? take(notice, 'explicitText') : undefined
  finish(notice)
  return {
    type: 'userNotice',
    ...(reference === undefined ? {} : { noticeRef: parseNoticeReference(reference) }),
    ...(text === undefined ? {} : { explicitText: parseDisplayText(text) }),
  }
}

function parseNoticeReference(value: DerValue): { organization: DisplayText; noticeNumbers: bigint[] } {
  const fields = fieldsOf(value)
  const organization = parseDisplayText(take(fields, 'organization'))
  const noticeNumbers = elementsOf(take(fields, 'noticeNumbers')).map(readInteger)
  finish(fields)
  return { organization, noticeNumbers }
}

function parseDisplayText(value: DerValue): DisplayText {
  const { type, value: text } = readString(value)
  switch (type) {
    case 'utf8String':
    case 'ia5String':
    case 'visibleString':
    case 'bmpString':
      return { stringType: type, value: text }
    default:
      throw faultAt(value, say`A DisplayText must be a UTF8String, IA5String, VisibleString or BMPString`)
  }
}

function encodeQualifier(qualifier: PolicyQualifier): Uint8Array {
  switch (qualifier.type) {
    case 'cps':
      return sequence(oid(OIDS.cps), ia5String(qualifier.uri))
    case 'unknown':
      return sequence(oid(qualifier.policyQualifierId), qualifier.qualifier)
    case 'userNotice': {
      const { noticeRef, explicitText } = qualifier
      const parts: Uint8Array[] = []
      if (noticeRef !== undefined) {
        const numbers = sequence(...noticeRef.noticeNumbers.map(integer))
        parts.push(sequence(characterString(noticeRef.organization.stringType, noticeRef.organization.value), numbers))
      }
      if (explicitText !== undefined) parts.push(characterString(explicitText.stringType, explicitText.value))
      return sequence(oid(OIDS.userNotice), sequence(...parts))
    }
  }
}

export function parseDistributionPoints(value: DerValue): DistributionPoint[] {
  return elementsOf(value, 1).map(parseDistributionPoint)
}

export function encodeDistributionPoints(points: readonly DistributionPoint[]): Uint8Array {
  if (points.length === 0) throw new X509Error(say`A list of distribution points must not be empty`)
  return sequence(...points.map(encodeDistributionPoint))
}

function parseDistributionPoint(value: DerValue): DistributionPoint {
  const fields = fieldsOf(value)
  const name = takeContext(fields, 0, 'distributionPoint')
  const reasons = takeContext(fields, 1, 'reasons')
  const issuer = takeContext(fields, 2, 'cRLIssuer')
  finish(fields)
  if (name === undefined && issuer === undefined) throw faultAt(value, say`A distribution point needs a name or a CRL issuer`)
  return {
    ...(name === undefined ? {} : parseDistributionPointName(explicitContent(name))),
    ...(reasons === undefined ? {} : { reasons: parseReasonFlags(implicit(reasons, TAG.bitString)) }),
    ...(issuer === undefined ? {} : { cRLIssuer: parseGeneralNames(implicit(issuer, TAG.sequence)) }),
  }
}

function encodeDistributionPoint(point: DistributionPoint): Uint8Array {
  const parts: Uint8Array[] = []
  if (point.fullName !== undefined || point.nameRelativeToCRLIssuer !== undefined)
    parts.push(explicit(0, encodeDistributionPointName(point)))
  if (point.reasons !== undefined) parts.push(implicitPrimitive(1, encodeReasonFlags(point.reasons)))
  if (point.cRLIssuer !== undefined) parts.push(implicitConstructed(2, encodeGeneralNames(point.cRLIssuer)))
  if (parts.length === 0) throw new X509Error(say`A distribution point needs a name or a CRL issuer`)
  return sequence(...parts)
}

/** DistributionPointName: the value inside the EXPLICIT [0], also of issuingDistributionPoint (RFC 5280 5.2.5). */
export function parseDistributionPointName(value: DerValue): Pick<DistributionPoint, 'fullName' | 'nameRelativeToCRLIssuer'> {
  if (isContext(value, 0)) return { fullName: parseGeneralNames(implicit(value, TAG.sequence)) }
  if (isContext(value, 1)) return { nameRelativeToCRLIssuer: parseRdn(implicit(value, TAG.set)) }
  throw faultAt(value, say`Expected fullName [0] or nameRelativeToCRLIssuer [1]`)
}

function encodeDistributionPointName(point: Pick<DistributionPoint, 'fullName' | 'nameRelativeToCRLIssuer'>): Uint8Array {
  if (point.fullName !== undefined) return implicitConstructed(0, encodeGeneralNames(point.fullName))
  const set = encodeRdn(point.nameRelativeToCRLIssuer ?? [])
  // IMPLICIT [1] over the SET: only the identifier byte differs.
  return concat(Uint8Array.of(0xa1), set.subarray(1))
}

/** The value is the BIT STRING, or its IMPLICIT tag already turned into one. */
export function parseReasonFlags(value: DerValue): ReasonFlag[] {
  return readNamedBits(value).map((bit) => {
    const flag = REASON_FLAGS[bit]
    if (flag === undefined) throw faultAt(value, say`Bit ${bit} is no reason flag`)
    return flag
  })
}

/** The content bytes for an IMPLICIT tag. */
function encodeReasonFlags(flags: readonly ReasonFlag[]): Uint8Array {
  return namedBitContent(flags.map((flag) => REASON_FLAGS.indexOf(flag)))
}
