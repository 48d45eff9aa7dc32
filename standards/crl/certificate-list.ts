// The certificate revocation list of RFC 5280 section 5: first the part to be signed, then, once someone has signed it,
// the whole. The issuer may come in as the DER that stands in the authority's certificate, so that a verifier that
// compares bytes finds them equal.
import {
  bitString,
  boolean,
  concat,
  explicit,
  implicitConstructed,
  implicitPrimitive,
  integer,
  sequence,
  sequenceHeader,
  time,
} from '../der/writer.ts'
import { encodeAlgorithmIdentifier, type SignatureAlgorithm } from '../x509/algorithms.ts'
import type { Extension } from '../x509/extension-types.ts'
import { encodeExtensions } from '../x509/extensions.ts'
import { encodeGeneralNames, type GeneralName } from '../x509/general-names.ts'
import { encodeName, type Name } from '../x509/names.ts'
import { OIDS } from '../x509/oids.ts'
import { crlEntryPacker, type CrlEntry } from './entries.ts'

/** RFC 5280 5.2.5, as far as it is used: which part of an authority's certificates this list covers. */
export interface IssuingDistributionPoint {
  /** the addresses of this list, equal to those in the certificates that it covers */
  uris?: readonly string[] | undefined
  onlyContainsUserCerts?: boolean | undefined
  onlyContainsCaCerts?: boolean | undefined
  /** entries may be about the certificates of other authorities */
  indirectCrl?: boolean | undefined
}

export interface TbsCertListInput {
  /** of the signature to come */
  signatureAlgorithm: SignatureAlgorithm
  /** the subject of the authority's certificate; as DER it is taken over byte for byte */
  issuer: Name | Uint8Array
  thisUpdate: Date
  nextUpdate: Date
  /** greater than in every list before; below 2^159 (RFC 5280 5.2.3) */
  crlNumber: bigint
  /** the key identifier out of the authority's certificate */
  authorityKeyIdentifier: Uint8Array
  /** entries, or runs of entries that were packed before; in any order */
  entries: Iterable<CrlEntry | Uint8Array> | AsyncIterable<CrlEntry | Uint8Array>
  issuingDistributionPoint?: IssuingDistributionPoint | undefined
  /** the number of the full list that this delta builds upon (RFC 5280 5.2.4) */
  deltaBase?: bigint | undefined
  /** where deltas to this full list are found (RFC 5280 5.2.6) */
  freshestCrlUris?: readonly string[] | undefined
}

/** What stands before and behind the entries. */
export interface ListFrame {
  head: Uint8Array
  tail: Uint8Array
}

/**
 * The TBSCertList around `entriesLength` bytes of packed entries, which need not be at hand: a list of a million is written as
 * head, entries, tail. Throws RangeError, or X509Error for a name or address, for what a list cannot hold.
 */
export function tbsCertListFrame(input: Omit<TbsCertListInput, 'entries'>, entriesLength: number): ListFrame {
  const { thisUpdate, nextUpdate, crlNumber, deltaBase } = input
  if (!(nextUpdate.getTime() > thisUpdate.getTime())) throw new RangeError('nextUpdate must be after thisUpdate')
  if (!isCrlNumber(crlNumber)) throw new RangeError('crlNumber must be from 0 up to 2^159')
  if (deltaBase !== undefined && !(isCrlNumber(deltaBase) && deltaBase < crlNumber)) {
    throw new RangeError('deltaBase must be a number before crlNumber')
  }
  const tail = explicit(0, encodeExtensions(listExtensions(input)))
  const fields = concat(
    integer(1),
    encodeAlgorithmIdentifier(input.signatureAlgorithm),
    input.issuer instanceof Uint8Array ? input.issuer : encodeName(input.issuer),
    time(thisUpdate),
    time(nextUpdate),
    // RFC 5280 5.1.2.6: absent where nothing is revoked, not empty.
    ...(entriesLength === 0 ? [] : [sequenceHeader(entriesLength)]),
  )
  return { head: concat(sequenceHeader(fields.length + entriesLength + tail.length), fields), tail }
}

/** The TBSCertList to sign. Throws as tbsCertListFrame. */
export async function buildTbsCertList(input: TbsCertListInput): Promise<Uint8Array> {
  const packer = crlEntryPacker()
  for await (const entry of input.entries) {
    if (entry instanceof Uint8Array) packer.addPacked(entry)
    else packer.add(entry)
  }
  const entries = packer.bytes()
  const { head, tail } = tbsCertListFrame(input, entries.length)
  return concat(head, entries, tail)
}

/** What the signature adds before and behind a signed part of this length. */
export function certificateListFrame(tbsLength: number, algorithm: SignatureAlgorithm, signature: Uint8Array): ListFrame {
  const tail = concat(encodeAlgorithmIdentifier(algorithm), bitString(signature))
  return { head: sequenceHeader(tbsLength + tail.length), tail }
}

function listExtensions(input: Omit<TbsCertListInput, 'entries'>): Extension[] {
  const { authorityKeyIdentifier, crlNumber, deltaBase, issuingDistributionPoint, freshestCrlUris = [] } = input
  const extensions: Extension[] = [
    { type: 'authorityKeyIdentifier', critical: false, keyIdentifier: authorityKeyIdentifier },
    { type: 'unknown', oid: OIDS.cRLNumber, critical: false, value: integer(crlNumber) },
  ]
  if (deltaBase !== undefined) extensions.push({ type: 'unknown', oid: OIDS.deltaCRLIndicator, critical: true, value: integer(deltaBase) })
  if (issuingDistributionPoint !== undefined) {
    const value = encodeIssuingDistributionPoint(issuingDistributionPoint)
    extensions.push({ type: 'unknown', oid: OIDS.issuingDistributionPoint, critical: true, value })
  }
  if (freshestCrlUris.length > 0) {
    extensions.push({ type: 'freshestCRL', critical: false, distributionPoints: [{ fullName: freshestCrlUris.map(uriName) }] })
  }
  return extensions
}

function encodeIssuingDistributionPoint({
  uris = [],
  onlyContainsUserCerts = false,
  onlyContainsCaCerts = false,
  indirectCrl = false,
}: IssuingDistributionPoint): Uint8Array {
  if (onlyContainsUserCerts && onlyContainsCaCerts)
    throw new RangeError('A list cannot cover only user certificates and only authorities at once')
  const parts = [
    ...(uris.length === 0 ? [] : [distributionPointName(uris)]),
    ...(onlyContainsUserCerts ? [implicitTrue(1)] : []),
    ...(onlyContainsCaCerts ? [implicitTrue(2)] : []),
    ...(indirectCrl ? [implicitTrue(4)] : []),
  ]
  if (parts.length === 0) throw new RangeError('issuingDistributionPoint must say something (RFC 5280 5.2.5)')
  return sequence(...parts)
}

/** [0] DistributionPointName { [0] fullName }. */
function distributionPointName(uris: readonly string[]): Uint8Array {
  return explicit(0, implicitConstructed(0, encodeGeneralNames(uris.map(uriName))))
}

function uriName(value: string): GeneralName {
  return { type: 'uniformResourceIdentifier', value }
}

function implicitTrue(tagNumber: number): Uint8Array {
  return implicitPrimitive(tagNumber, boolean(true).subarray(2))
}

function isCrlNumber(value: bigint): boolean {
  return value >= 0n && value < 1n << 159n
}
