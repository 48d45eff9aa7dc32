// Issuing at once, in batches of one authority's certificates, with two commits that all of a batch share: what reserve, signReserved and storeSigned do for one. The rules are the
// same: no signature before the commit of its reservation, no second certificate for a serial. What a crash leaves between the two commits was
// handed to nobody, so its serials become void instead of being signed again.

import { hash } from 'node:crypto'
import { signWithKey } from '#areas/keys/service.ts'
import { runStatement, type Statement } from '#core/server/batch.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { commonFault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { crlShardOf, refusalToIssue, type Issuer } from './issuers.ts'
import { newSerial, tbsOf, type CertificateDraft, type Reserved } from './issuing.ts'
import { lockReservation, reservationEnded, reservationInserted, reservationsLeft } from './reservation-store.ts'
import type { ReservationRow } from './store.ts'

/** A serial and the bytes to be signed for it. */
export type Drawn = Reserved & { serial: Buffer; tbsSha256: string; aboutId: string; notAfter: Date }

/** Certificates of one authority between the two commits. */
export type Batch = { issuer: Issuer; drawn: readonly Drawn[]; row: ReservationRow }

/** What this process has seen committed and not signed yet. */
const committed = new WeakSet<Drawn>()

/** The reservations that this process has not ended yet, however long their signatures take: recovery leaves them to it. */
const underWay = new Set<string>()

/**
 * The first commit, in the tenancy of the authority, with what `beside` says of the batch. Only this can be signed afterwards, so that a signature before the
 * commit is refused and not only against custom. Throws a Fault where the authority may not issue one of these now.
 */
export async function reserveBatch(
  house: House,
  issuer: Issuer,
  drafts: readonly CertificateDraft[],
  beside: (batch: Batch) => readonly Statement[],
  now: Date,
): Promise<Batch> {
  const batch = drawBatch(issuer, drafts, now)
  underWay.add(batch.row.id)
  try {
    await house.batches.transact(issuer.tenantId, () =>
      Promise.resolve({ value: undefined, last: [reservationInserted(batch.row), ...beside(batch)] }),
    )
  } catch (error) {
    leaveBatch(batch)
    throw error
  }
  for (const one of batch.drawn) committed.add(one)
  return batch
}

/** To be called once it is stored or dropped, or neither was possible: from then on it is recovery's. */
export const leaveBatch = ({ row }: Batch): void => void underWay.delete(row.id)

function drawBatch(issuer: Issuer, drafts: readonly CertificateDraft[], now: Date): Batch {
  const drawn = drafts.map((draft): Drawn => {
    const refusal = refusalToIssue(issuer, draft, now)
    if (refusal !== undefined) throw commonFault('invalid', { fields: [refusal] })
    const serial = newSerial()
    const tbs = tbsOf(issuer, draft, serial)
    return {
      serialHex: serial.toString('hex'),
      serial,
      tbs,
      tbsSha256: hash('sha256', tbs),
      aboutId: draft.about.id,
      notAfter: draft.notAfter,
    }
  })
  const row: ReservationRow = {
    tenant_id: issuer.tenantId,
    id: timeOrderedId(now),
    ca_id: issuer.caId,
    signature_algorithm: issuer.signatureAlgorithm,
    serials: drawn.map(({ serial }) => serial),
    about_ids: drawn.map(({ aboutId }) => aboutId),
    ends: drawn.map(({ notAfter }) => notAfter),
    crl_shards: drawn.map(({ serial }) => crlShardOf(issuer, serial)),
    reserved_at: now,
  }
  return { issuer, drawn, row }
}

/** Signs what reserveBatch has committed; once. */
export async function signDrawn(house: House, { issuer }: Batch, drawn: Drawn): Promise<Uint8Array> {
  if (!committed.delete(drawn))
    throw new Error(`The serial ${drawn.serialHex} has no committed reservation with these bytes: nothing was signed`)
  const algorithm = issuer.signatureAlgorithm
  return assembleSigned(
    drawn.tbs,
    algorithm,
    await signWithKey(house, { tenantId: issuer.tenantId, keyId: issuer.keyId, algorithm, data: drawn.tbs }),
  )
}

/** For the second commit: the serials, signed where there is a certificate and void where there is none. */
export const batchStored = ({ drawn, row }: Batch, certificates: ReadonlyMap<Drawn, Uint8Array>, now: Date): Statement[] =>
  reservationEnded(
    row,
    drawn.map((one) => {
      const certificate = certificates.get(one)
      return certificate && hash('sha256', certificate, 'buffer')
    }),
    now,
  )

/** Makes void what a batch has left behind; nothing where it was stored after all. Returns its serials. In the open transaction. */
export async function dropBatch(db: Database, { row }: Batch, now: Date): Promise<string[]> {
  const left = await lockReservation(db, row.tenant_id, row.id)
  return left === undefined ? [] : makeVoid(db, left, now)
}

/** The same for all that nobody has stored since `before`: what a crash left. What bears a time after `soon` is as old as any. */
export async function dropBatchesLeft(
  db: Database,
  tenantId: string,
  before: Date,
  soon: Date,
  now: Date,
): Promise<{ caId: string; serials: string[] }[]> {
  const left = await reservationsLeft(db, tenantId, before, soon)
  const dropped: { caId: string; serials: string[] }[] = []
  for (const row of left) if (!underWay.has(row.id)) dropped.push({ caId: row.ca_id, serials: await makeVoid(db, row, now) })
  return dropped
}

async function makeVoid(db: Database, row: ReservationRow, now: Date): Promise<string[]> {
  for (const statement of reservationEnded(
    row,
    row.serials.map(() => undefined),
    now,
  ))
    await runStatement(db, statement)
  return row.serials.map((serial) => serial.toString('hex'))
}
