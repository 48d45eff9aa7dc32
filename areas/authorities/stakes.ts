// What rooms above may ask about an authority's own certificates: which can be revoked here and by whom, how many valid certificates depend on it, and which
// authorities have their key outside of this installation.

import type { Database } from '#core/server/database.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { bytesEqual } from '#standards/der/values.ts'
import type { AuthorityKind } from './rules.ts'
import {
  certificatesOf,
  countValid,
  findHeldCertificate,
  setRevokedExternally,
  type HeldCertificateRow,
} from './server/certificate-store.ts'
import { allAuthorities, changeAuthority, findAuthority, lockAuthority, revokedAuthorities, type AuthorityRow } from './server/store.ts'
import type { CertificateRole } from './succession.ts'

export { voidUnsigned } from './server/certify.ts'

export type OwnCertificate = {
  certificateId: string
  /** Whose it is; undefined for an outside authority. */
  caId: string | undefined
  role: CertificateRole
  /** The authority here that signed it. */
  issuerId: string
  serialHex: string
  subject: string
  notBefore: Date
  notAfter: Date
  revoked: boolean
  /** An authority's own certificate over its own key: nobody can revoke it. */
  selfSigned: boolean
}

/** Undefined for one that is not signed yet, and for one that an outside authority signed. */
function ownCertificate(row: HeldCertificateRow): OwnCertificate | undefined {
  if (row.certificate === null || row.issuer_id === null) return undefined
  return {
    certificateId: row.id,
    caId: row.ca_id ?? undefined,
    role: row.role,
    issuerId: row.issuer_id,
    serialHex: row.serial.toString('hex'),
    subject: row.subject_text,
    notBefore: row.not_before,
    notAfter: row.not_after,
    revoked: row.revoked_at !== null,
    selfSigned: row.issuer_id === row.ca_id,
  }
}

/** One certificate that an authority here gave to another one. */
export async function findOwnCertificate(db: Database, tenantId: string, certificateId: string): Promise<OwnCertificate | undefined> {
  const row = await findHeldCertificate(db, tenantId, certificateId)
  return row && ownCertificate(row)
}

export type AuthorityAtStake = {
  caId: string
  friendlyName: string
  kind: AuthorityKind
  subject: string
  /** Undefined while it waits for its certificate. DER. */
  certificate: Uint8Array | undefined
  keyIdentifierHex: string
  issuerName: string
  revocation: { at: Date; reason: string } | undefined
  /** Those of its certificates that authorities here signed. */
  certificates: OwnCertificate[]
  /** The authorities below it, however deep. */
  below: { caId: string; friendlyName: string; subject: string }[]
  /** Certificates of it and of those below that hold now, counted up to `most`. */
  valid: number
}

export const countedAtStake = 10_000

/** To be called first by whoever revokes it: what is being signed for it is stored before, and stands among its certificates, or never. */
export const holdAuthority = async (db: Database, tenantId: string, caId: string): Promise<void> =>
  void (await lockAuthority(db, tenantId, caId))

/** An authority with all that would fall with it; undefined for a missing one. */
export async function authorityAtStake(db: Database, tenantId: string, caId: string, now: Date): Promise<AuthorityAtStake | undefined> {
  const row = await findAuthority(db, tenantId, caId)
  if (row === undefined) return undefined
  const all = await allAuthorities(db, tenantId)
  const below = belowOf(all, caId)
  const revocation = (await revokedAuthorities(db, tenantId)).get(caId)
  return {
    caId,
    friendlyName: row.friendly_name,
    kind: row.kind,
    subject: row.subject_text,
    certificate: row.certificate ?? undefined,
    keyIdentifierHex: row.key_identifier.toString('hex'),
    issuerName: all.find(({ id }) => id === row.issuer_id)?.friendly_name ?? '',
    revocation,
    certificates: (await certificatesOf(db, tenantId, caId)).flatMap((held) => ownCertificate(held) ?? []),
    below: below.map(({ id, friendly_name: friendlyName, subject_text: subject }) => ({ caId: id, friendlyName, subject })),
    valid: await countValid(db, tenantId, [caId, ...below.map(({ id }) => id)], now, countedAtStake + 1),
  }
}

function belowOf(all: readonly AuthorityRow[], caId: string): AuthorityRow[] {
  const children = all.filter(({ issuer_id: issuerId, id }) => issuerId === caId && id !== caId)
  return children.flatMap((child) => [child, ...belowOf(all, child.id)])
}

/** The nearest revoked authority from this one up, where there is one: nothing below it is to be trusted. */
export async function revokedAbove(
  db: Database,
  tenantId: string,
  caId: string,
): Promise<{ caId: string; friendlyName: string; at: Date; reason: string } | undefined> {
  const revoked = await revokedAuthorities(db, tenantId)
  if (revoked.size === 0) return undefined
  const byId = new Map((await allAuthorities(db, tenantId)).map((row) => [row.id, row]))
  for (let row = byId.get(caId); row !== undefined; row = byId.get(row.issuer_id ?? '')) {
    const found = revoked.get(row.id)
    if (found !== undefined) return { caId: row.id, friendlyName: row.friendly_name, ...found }
  }
  return undefined
}

export type OfflineAuthority = {
  caId: string
  friendlyName: string
  subjectEncoded: Uint8Array
  certificate: Uint8Array
  chain: Uint8Array[]
  notAfter: Date
  crlUrl: string
}

const offlineOf = (row: AuthorityRow): OfflineAuthority[] =>
  row.kind !== 'offline' || row.certificate === null || row.not_after === null
    ? []
    : [
        {
          caId: row.id,
          friendlyName: row.friendly_name,
          subjectEncoded: row.subject,
          certificate: row.certificate,
          chain: [row.certificate, ...row.issuer_chain],
          notAfter: row.not_after,
          crlUrl: row.crl_url,
        },
      ]

/** Those whose key is not here: their lists are brought. */
export const offlineAuthorities = async (db: Database, tenantId: string): Promise<OfflineAuthority[]> =>
  (await allAuthorities(db, tenantId)).flatMap(offlineOf)

export async function findOffline(db: Database, tenantId: string, caId: string): Promise<OfflineAuthority | undefined> {
  const row = await findAuthority(db, tenantId, caId)
  return row && offlineOf(row)[0]
}

/**
 * Records what the list of an external issuer says of the authorities below it: those that it revokes stop issuing. `findOnList` finds a serial on the list.
 * Returns those that it has found revoked now.
 */
export async function noteRevokedExternally(
  db: Database,
  tenantId: string,
  issuerId: string,
  findOnList: (serial: Uint8Array) => { at: Date; reason: RevocationReason } | undefined,
): Promise<{ caId: string; at: Date; reason: RevocationReason }[]> {
  const found: { caId: string; at: Date; reason: RevocationReason }[] = []
  for (const row of await allAuthorities(db, tenantId)) {
    if (row.issuer_id !== issuerId || row.certificate === null) continue
    for (const held of await certificatesOf(db, tenantId, row.id)) {
      // What an authority here signed is told by its own lists.
      const revocation = held.role === 'main' && held.issuer_id === null && held.revoked_at === null ? findOnList(held.serial) : undefined
      if (revocation === undefined || held.certificate === null) continue
      await setRevokedExternally(db, tenantId, held.id, revocation)
      if (!bytesEqual(held.certificate, row.certificate)) continue
      await changeAuthority(db, tenantId, row.id, { issuing: false })
      found.push({ caId: row.id, ...revocation })
    }
  }
  return found
}
