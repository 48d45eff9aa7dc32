// Whether a certificate is revoked, by the lists at hand (RFC 5280 6.3): full lists, the deltas that continue them, lists of
// some reasons only, and indirect ones that another authority signs. Nothing is fetched. Where lists speak about a
// certificate, one of them has to be usable; where none does, it is not checked, unless the question demands it.
import type { ParsedCrlEntry } from '../crl/parse.ts'
import { isHold, reasonFromCode, REVOCATION_REASONS, type RevocationReason } from '../crl/reasons.ts'
import { describeAlgorithm, isSignatureAlgorithm } from '../x509/algorithms.ts'
import type { ReasonFlag } from '../x509/extension-types.ts'
import { findExtension } from '../x509/extensions.ts'
import { formatName } from '../x509/names.ts'
import { describeOid } from '../x509/oids.ts'
import { ALL_REASONS, distributionPointsOf, reasonsCovered, speaksWhollyOf, type KnownList, type ListReach } from './crl-scope.ts'
import { fault, faultIn, some, when, type CertificateFault, type PathFault } from './fault.ts'
import type { Known } from './known.ts'
import type { Work } from './work.ts'

export type RevocationState = 'good' | 'revoked' | 'unknown' | 'notChecked'

/** What the authority itself knows of a certificate, where it can be asked; `by` where it was read from a list, which may not speak about it. */
export type OwnStatus = { state: 'good'; by?: ListReach } | { state: 'revoked'; since: Date; reason: RevocationReason }

/** `circular`: the signer is being judged just now, and its own list says nothing about that. */
export type SignerVerdict = 'trusted' | 'refused' | 'circular'

export interface RevocationQuestion {
  at: Date
  lists: readonly KnownList[]
  /** beside the lists, by the fingerprint of the certificate; a list that revokes it is believed as well */
  ownStatuses: ReadonlyMap<string, OwnStatus>
  /** whether each certificate below the root must be known not to be revoked */
  required: boolean
  /** certificates of this name, whose keys may have signed a list */
  named(name: string): readonly Known[]
  /** whether such a certificate is valid under the anchor of the path, and not revoked itself (RFC 5280 6.3.3 (f)) */
  judgeSigner(signer: Known, anchor: Known): SignerVerdict
}

export interface RevocationOutcome {
  faults: PathFault[]
  /** of each certificate of the path */
  states: RevocationState[]
}

/** For each certificate below the trust anchor. Throws WorkExhausted. */
export function revocationOutcome(path: readonly Known[], question: RevocationQuestion, work: Work): RevocationOutcome {
  const faults: PathFault[] = []
  const states = path.map((known, at): RevocationState => {
    const issuer = path[at + 1]
    const anchor = path.at(-1)
    if (issuer === undefined || anchor === undefined) return 'notChecked'
    const { state, faults: found } = statusOf(known, issuer, anchor, question, work)
    faults.push(...found.map(({ code, says }) => faultIn(at, code, says)))
    return state
  })
  return { faults, states }
}

type Status = { state: RevocationState; faults: CertificateFault[] }

function statusOf(known: Known, issuer: Known, anchor: Known, question: RevocationQuestion, work: Work): Status {
  const ownStatuses = question.ownStatuses.get(known.fingerprint)
  if (ownStatuses?.state === 'revoked')
    return { state: 'revoked', faults: [fault('revoked', revokedText({ revocationDate: ownStatuses.since, reason: ownStatuses.reason }))] }
  const listed = statusByLists(known, issuer, anchor, question, work)
  const good = ownStatuses !== undefined && (ownStatuses.by === undefined || speaksWhollyOf(ownStatuses.by, known))
  return good && listed.state !== 'revoked' ? { state: 'good', faults: [] } : listed
}

function statusByLists(known: Known, issuer: Known, anchor: Known, question: RevocationQuestion, work: Work): Status {
  const covered = new Set<ReasonFlag>()
  const troubles = new Set<string>()
  let spokenOf = false
  const byOwnKey = (list: KnownList): boolean =>
    list.issuer === issuer.subject && list.key !== undefined && list.key === issuer.keyIdentifier
  for (const point of distributionPointsOf(known)) {
    const speaking = question.lists.flatMap((list) => {
      if (list.crl.deltaBase !== undefined) return []
      work.spend('lists')
      const reasons = reasonsCovered(list, known, point)
      return reasons === undefined ? [] : [{ list, reasons }]
    })
    // An authority whose key was renewed may keep a list for each key, which tells nothing of what the other signed.
    const nearest = speaking.some(({ list }) => byOwnKey(list)) ? speaking.filter(({ list }) => byOwnKey(list)) : speaking
    for (const { list, reasons } of nearest) {
      const trouble = troubleWith(list, known, issuer, anchor, question, work)
      if (trouble === passedOver) continue
      spokenOf = true
      if (trouble !== undefined) {
        troubles.add(trouble)
        continue
      }
      const entry = entryOf(list, known, issuer, anchor, question, work)
      if (entry !== undefined) return { state: 'revoked', faults: [fault('revoked', revokedText(entry))] }
      for (const reason of reasons) covered.add(reason)
    }
    if (covered.size === ALL_REASONS.length) return { state: 'good', faults: [] }
  }
  if (!spokenOf && !question.required) return { state: 'notChecked', faults: [] }
  const why =
    troubles.size > 0 ? some([...troubles]) : spokenOf ? 'The lists at hand leave out some reasons.' : 'No list at hand speaks about it.'
  return { state: 'unknown', faults: [fault('revocationUnknown', `Whether it is revoked cannot be told. ${why}`)] }
}

function revokedText({ revocationDate, reason }: Pick<ParsedCrlEntry, 'revocationDate' | 'reason'>): string {
  const because = reason === 'unspecified' ? '' : ` The reason given is ${reason}.`
  return isHold(reason) ? `It has been on hold since ${when(revocationDate)}.` : `It was revoked on ${when(revocationDate)}.${because}`
}

/** The last word of a full list and its deltas: undefined for a certificate that is not revoked (RFC 5280 6.3.3 (i) and (j)). */
function entryOf(
  list: KnownList,
  known: Known,
  issuer: Known,
  anchor: Known,
  question: RevocationQuestion,
  work: Work,
): ParsedCrlEntry | undefined {
  const { crl } = list
  let entry = find(list, known, work)
  let number = crl.crlNumber
  if (number === undefined) return entry
  const deltas = question.lists
    .filter((each) => each.crl.deltaBase !== undefined && each.scope === list.scope && each.crl.crlNumber !== undefined)
    .sort((left, right) => Number((left.crl.crlNumber ?? 0n) - (right.crl.crlNumber ?? 0n)))
  for (const delta of deltas) {
    const { deltaBase = 0n, crlNumber = 0n } = delta.crl
    if (deltaBase > number || crlNumber <= number) continue
    if (troubleWith(delta, known, issuer, anchor, question, work) !== undefined) continue
    const later = find(delta, known, work)
    if (later !== undefined) entry = later.reason === reasonFromCode(REVOCATION_REASONS.removeFromCRL.code) ? undefined : later
    number = crlNumber
  }
  return entry
}

function find({ crl, found }: KnownList, known: Known, work: Work): ParsedCrlEntry | undefined {
  if (found.has(known)) return found.get(known)
  // An indirect list has to be read entry by entry, because each may go on with the issuer of the one before.
  work.spend('listEntries', crl.entryCount * (crl.issuingDistributionPoint?.indirectCrl === true ? 10 : 1))
  const { serialNumber, serialContent, issuerEncoded } = known.certificate
  const entry = crl.find(serialNumber, issuerEncoded, (serialContent[0] ?? 0) >= 0x80)
  found.set(known, entry)
  return entry
}

/** A list of whoever is in question speaks neither for nor against. */
const passedOver = ''

/** Why a list must not be relied upon, as a sentence. */
function troubleWith(
  { crl, issuer: name }: KnownList,
  { issuer: certificateIssuer }: Known,
  issuer: Known,
  anchor: Known,
  question: RevocationQuestion,
  work: Work,
): string | undefined {
  const { at } = question
  const of = `The revocation list of ${formatName(crl.issuer)}`
  if (at < crl.thisUpdate) return `${of} is valid only from ${when(crl.thisUpdate)}.`
  if (crl.nextUpdate !== undefined && at > crl.nextUpdate) return `${of} is out of date since ${when(crl.nextUpdate)}.`
  if (crl.unknownCritical.length > 0)
    return `${of} has a critical extension that is not understood here: ${some(crl.unknownCritical.map(describeOid))}.`
  if (!isSignatureAlgorithm(crl.signatureAlgorithm))
    return `${of} is signed by ${describeAlgorithm(crl.signatureAlgorithm)}, which is too weak or not known here.`

  const signed = { algorithm: crl.signatureAlgorithm, data: crl.tbsCertList, signature: crl.signature }
  const own = name === certificateIssuer ? [issuer] : []
  let mayNot = false
  let circular = false
  for (const signer of new Set([...own, ...question.named(name)])) {
    const usages = findExtension(signer.certificate.extensions, 'keyUsage')?.usages
    if (!work.checkSignature(signed, signer.certificate.publicKey).ok) continue
    if (!(usages?.includes('cRLSign') ?? true)) mayNot = true
    else {
      const verdict = signer === issuer ? 'trusted' : question.judgeSigner(signer, anchor)
      if (verdict === 'trusted') return undefined
      circular ||= verdict === 'circular'
    }
  }
  if (circular) return passedOver
  return mayNot
    ? `${of} is signed by a certificate that may not sign revocation lists.`
    : `${of} is signed by no key that is trusted for it.`
}
