// Issuing for many at once: what reserve, signReserved and storeSigned do for one, in the caller's batch. The rules are the same: no signature before
// the commit of its reservation, no second certificate for a serial.

import { hash } from 'node:crypto'
import { hexBytes, insertRows, type Send, type Statement } from '#core/server/batch.ts'
import type { House } from '#core/server/house.ts'
import { signWithKey } from '#areas/keys/service.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { crlShardOf, refusalToIssue, type Issuer } from './issuers.ts'
import { newSerial, tbsOf, type CertificateDraft, type Reserved } from './issuing.ts'
import type { SerialRow } from './store.ts'

const reservedColumns = ['tenant_id', 'ca_id', 'serial', 'state', 'tbs', 'signature_algorithm', 'about_kind', 'about_id', 'not_after', 'crl_shard', 'reserved_at'] as const satisfies readonly (keyof SerialRow)[]
type ReservedRow = { [column in (typeof reservedColumns)[number]]: unknown }

export type Drawn = Reserved & { issuer: Issuer; row: ReservedRow; aboutId: string }

/** A serial and the bytes to be signed, on record nowhere yet. Throws a Fault where the authority may not issue this now. */
export function draw(issuer: Issuer, draft: CertificateDraft, now: Date): Drawn {
  const refusal = refusalToIssue(issuer, draft, now)
  if (refusal !== undefined) throw refusal
  const serial = newSerial()
  const tbs = tbsOf(issuer, draft, serial)
  const row: ReservedRow = {
    tenant_id: issuer.tenantId,
    ca_id: issuer.caId,
    serial: hexBytes(serial),
    state: 'reserved',
    tbs: hexBytes(tbs),
    signature_algorithm: issuer.signatureAlgorithm,
    about_kind: draft.about.kind,
    about_id: draft.about.id,
    not_after: draft.notAfter,
    crl_shard: crlShardOf(issuer, serial),
    reserved_at: now,
  }
  return { serialHex: serial.toString('hex'), tbs, issuer, row, aboutId: draft.about.id }
}

/** What this process has seen committed and not signed yet. */
const committed = new WeakSet<Drawn>()

/**
 * One commit of one tenancy, the authority's: what `write` sends and names, and the reservations that it keeps. Only these can be signed
 * afterwards, so that a signature before the commit is refused and not only against custom.
 */
export async function reserveTogether(house: House, tenantId: string, write: (send: Send) => Promise<{ kept: readonly Drawn[]; last: readonly Statement[] }>): Promise<readonly Drawn[]> {
  const kept = await house.batches.transact(tenantId, async (send) => {
    const wanted = await write(send)
    const reservations = insertRows('serials', reservedColumns, wanted.kept.map(({ row }) => row))
    return { value: wanted.kept, last: [reservations, ...wanted.last] }
  })
  for (const drawn of kept) committed.add(drawn)
  return kept
}

/** Signs what reserveTogether has committed; once. */
export async function signDrawn(house: House, drawn: Drawn): Promise<Uint8Array> {
  if (!committed.delete(drawn)) throw new Error(`The serial ${drawn.serialHex} has no committed reservation with these bytes: nothing was signed`)
  const { issuer, tbs } = drawn
  const algorithm = issuer.signatureAlgorithm
  return assembleSigned(tbs, algorithm, await signWithKey(house, { tenantId: issuer.tenantId, keyId: issuer.keyId, algorithm, data: tbs }))
}

/** For the caller's batch, in the tenancy of the authorities: records the signed certificates and returns `about_id` of those of which this is the first. */
export const storeDrawn = (tenantId: string, signed: readonly { drawn: Drawn; certificate: Uint8Array }[], now: Date): Statement => ({
  name: 'sign-serials',
  // The key as a list besides: by the join alone the planner would read all serials of the tenancy.
  text: `update serials set state = 'signed', tbs = null, certificate_hash = made.certificate_hash, signed_at = $5
    from unnest($3::bytea[], $4::bytea[], $6::bytea[]) as made (serial, certificate_hash, tbs)
    where serials.tenant_id = $1 and serials.ca_id = any($2) and serials.serial = any($3) and serials.serial = made.serial and serials.state = 'reserved' and serials.tbs = made.tbs
    returning serials.about_id`,
  values: [
    tenantId,
    [...new Set(signed.map(({ drawn }) => drawn.issuer.caId))],
    signed.map(({ drawn }) => `\\x${drawn.serialHex}`),
    signed.map(({ certificate }) => `\\x${hash('sha256', certificate)}`),
    now,
    signed.map(({ drawn }) => hexBytes(drawn.tbs)),
  ],
})

/** The statuses of these serials, as StatusRows. */
export const statusesRead = (tenantId: string, caId: string, serials: readonly Uint8Array[]): Statement => ({
  name: 'read-statuses',
  text: `select serial, state, not_after, revoked_at, revocation_reason, invalidity_date from serials where tenant_id = $1 and ca_id = $2 and serial = any($3::bytea[])`,
  values: [tenantId, caId, serials.map(hexBytes)],
})
