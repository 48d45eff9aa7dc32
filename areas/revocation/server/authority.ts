// The certificates of authorities taken back. One act revokes every certificate that authorities here gave to the name and key, in one commit with its event; no
// holder below is written to, as nothing of theirs changed but whom it is trusted by.

import { wholeSecond } from '#areas/authorities/rules.ts'
import { markRevoked } from '#areas/authorities/service.ts'
import {
  authorityAtStake,
  countedAtStake,
  findOwnCertificate,
  holdAuthority,
  voidUnsigned,
  type AuthorityAtStake,
  type OwnCertificate,
} from '#areas/authorities/stakes.ts'
import type { Database } from '#core/server/database.ts'
import { invalidField } from '#core/server/fault.ts'
import type { Handlers } from '#core/server/serve.ts'
import { reasonsToChoose, type RevocationReason } from '#standards/crl/reasons.ts'
import { say } from '#standards/say/say.ts'
import { fingerprint, parseCertificate } from '#standards/x509/certificate.ts'
import { formatName } from '#standards/x509/names.ts'
import { describeKey } from '#standards/x509/public-key.ts'
import { authorityRefusalTexts, type AuthorityRefusal } from '../authority-calls.ts'
import type { revocation } from '../contract.ts'
import { mayChoose } from '../rules.ts'
import { untilAnswersAreNew } from './revoke.ts'

type AuthorityHandlers = Pick<Handlers<typeof revocation>, 'authorityOptions' | 'revokeAuthority' | 'revokeFurther' | 'distrustSheet'>

const holds = ({ revoked, selfSigned, notAfter }: OwnCertificate, now: Date): boolean => !revoked && !selfSigned && notAfter > now

function refusalOf({ kind, certificate, certificates, revocation: revoked }: AuthorityAtStake, now: Date): AuthorityRefusal | undefined {
  if (revoked !== undefined && !(kind === 'subordinate' && certificates.some((own) => holds(own, now)))) return 'revoked'
  if (kind !== 'subordinate') return kind
  return certificate === undefined ? 'waiting' : undefined
}

const validOf = (found: AuthorityAtStake) => ({ count: Math.min(found.valid, countedAtStake), more: found.valid > countedAtStake })

export const authorityHandlers: AuthorityHandlers = {
  async authorityOptions({ caId }, { db, viewer, now, fault }) {
    const found = (await authorityAtStake(db, viewer.tenantId, caId, now)) ?? fault('missing')
    const refusal = refusalOf(found, now)
    return {
      caId,
      friendlyName: found.friendlyName,
      kind: found.kind,
      issuerName: found.issuerName,
      ...(refusal === undefined ? {} : { refusal }),
      says: refusal === undefined ? '' : authorityRefusalTexts[refusal].says,
      reasons: reasonsToChoose('authority'),
      certificates: found.certificates.filter((own) => holds(own, now)).length,
      valid: validOf(found),
      below: found.below.map(({ caId: id, friendlyName }) => ({ caId: id, friendlyName })),
      ...(found.revocation === undefined ? {} : { revocation: { at: found.revocation.at.toISOString(), reason: found.revocation.reason } }),
    }
  },

  async revokeAuthority({ caId, reason, confirm }, { db, viewer, now, house, emit, afterCommit, fault }) {
    const { tenantId } = viewer
    await holdAuthority(db, tenantId, caId)
    const found = (await authorityAtStake(db, tenantId, caId, now)) ?? fault('missing')
    const refusal = refusalOf(found, now)
    if (refusal !== undefined) fault(refusal)
    if (confirm !== found.friendlyName) throw invalidField('confirm', say`Type the name of the authority: ${found.friendlyName}`)
    if (!mayChoose(reason, 'authority')) throw invalidField('reason', say`This reason cannot be chosen for an authority`)
    const due = found.certificates.filter((own) => holds(own, now))
    const revoked = await revokeThose(db, tenantId, due, reason, now)
    if (revoked.length === 0) fault('revoked')
    const voided = await voidUnsigned(db, tenantId, caId)
    emit(
      'authorityRevoked',
      {
        caId,
        reason,
        serials: revoked.map(({ serialHex }) => serialHex),
        valid: Math.min(found.valid, countedAtStake),
        ...(voided.length === 0 ? {} : { voided }),
      },
      caId,
    )
    for (const issuerId of new Set(revoked.map((own) => own.issuerId))) afterCommit(() => untilAnswersAreNew(house, tenantId, issuerId))
    return { certificates: revoked.length }
  },

  async revokeFurther({ certificateId, reason }, { db, viewer, now, house, emit, afterCommit, fault }) {
    const { tenantId } = viewer
    const own = (await findOwnCertificate(db, tenantId, certificateId)) ?? fault('missing')
    if (own.role === 'main') fault('main')
    if (!mayChoose(reason, 'authority')) throw invalidField('reason', say`This reason cannot be chosen for an authority`)
    if ((await revokeThose(db, tenantId, [own], reason, now)).length === 0) fault('revoked')
    emit('furtherRevoked', { certificateId, issuerId: own.issuerId, serialHex: own.serialHex, reason }, own.caId ?? own.issuerId)
    afterCommit(() => untilAnswersAreNew(house, tenantId, own.issuerId))
    return {}
  },

  async distrustSheet({ caId }, { db, viewer, now, fault }) {
    const found = (await authorityAtStake(db, viewer.tenantId, caId, now)) ?? fault('missing')
    const { certificate } = found
    const stem =
      found.friendlyName
        .normalize('NFKD')
        .replaceAll(/[^\w.-]+/g, '-')
        .replaceAll(/^[-.]+|[-.]+$/g, '')
        .slice(0, 60) || 'authority'
    const sheet = certificate === undefined ? fault('missing') : distrustSheet(found, certificate, now)
    return { fileName: `${stem}-distrust.txt`, mediaType: 'text/plain', content: Buffer.from(sheet).toString('base64') }
  },
}

/** Those of them that were not revoked before. */
async function revokeThose(
  db: Database,
  tenantId: string,
  due: readonly OwnCertificate[],
  reason: RevocationReason,
  now: Date,
): Promise<OwnCertificate[]> {
  const revoked: OwnCertificate[] = []
  // In the order of the issuers: two that revoke at once do not wait for each other in a circle.
  for (const own of due.toSorted((a, b) => (a.issuerId < b.issuerId ? -1 : 1))) {
    if ((await markRevoked(db, { tenantId, caId: own.issuerId, serialHex: own.serialHex, reason, at: wholeSecond(now) })) === 'revoked')
      revoked.push(own)
  }
  return revoked
}

/** What those must know who trust an authority that nobody can revoke. */
function distrustSheet(found: AuthorityAtStake, certificate: Uint8Array, now: Date): string {
  const own = parseCertificate(certificate)
  const facts: readonly (readonly [string, string])[] = [
    ['Authority', found.friendlyName],
    ['Subject', formatName(own.subject)],
    ['Serial number', own.serialHex],
    [
      'SHA-256 fingerprint',
      fingerprint(own)
        .replaceAll(/(.{2})(?=.)/g, '$1:')
        .toUpperCase(),
    ],
    [
      'SHA-1 fingerprint',
      fingerprint(own, 'sha1')
        .replaceAll(/(.{2})(?=.)/g, '$1:')
        .toUpperCase(),
    ],
    ['Key identifier', found.keyIdentifierHex],
    ['Key', describeKey(own.publicKey)],
    ['Valid until', own.notAfter.toISOString()],
    ['Valid certificates', `${Math.min(found.valid, countedAtStake)}${found.valid > countedAtStake ? ' and more' : ''}`],
    ['Written', now.toISOString()],
  ]
  const width = Math.max(...facts.map(([label]) => label.length)) + 2
  const below =
    found.below.length === 0
      ? ['No authorities stand below it.']
      : [
          'Authorities that stand below it and fall with it:',
          ...found.below.map(({ friendlyName, subject }) => `  - ${friendlyName} (${subject})`),
        ]
  const steps = [
    'Switch off issuing by the authority and by those below it.',
    'Revoke the authorities below it; their lists and OCSP answers go on.',
    'Windows: put its certificate into "Untrusted Certificates" by group policy (certutil -addstore Disallowed FILE).',
    'Linux: take its file out of /usr/local/share/ca-certificates (update-ca-certificates) or /etc/pki/ca-trust/source/anchors, or put it into /etc/pki/ca-trust/source/blocklist (update-ca-trust).',
    'macOS and iOS: remove the configuration profile, or set its certificate to "Never Trust".',
    'Java, Firefox and appliances keep stores of their own: compare the fingerprint there.',
    'Tell every outside authority that gave it a cross-certificate to revoke that.',
  ]
  return `DO NOT TRUST THIS AUTHORITY\n\n${facts.map(([label, value]) => `${`${label}:`.padEnd(width)}${value}`).join('\n')}\n\n${below.join('\n')}\n\nWhat to do:\n${steps.map((step, at) => `${at + 1}. ${step}`).join('\n')}\n`
}
