// Whether a key that was just made is attested by the card, for the record and for templates that demand it.

import { attestKey, certificatesIn, judgeAttestation, shippedAttestation } from '#standards/piv/attestation.ts'
import { virtualRoot } from '#standards/piv/card/attester.ts'
import type { PivCard } from '#standards/piv/client.ts'
import type { Slot } from '#standards/piv/identifiers.ts'
import { findAttestation } from '../attestation-store.ts'
import type { SlotRecord } from '../store.ts'
import { inTenancy, type Driving } from './operation.ts'

export type Origin = Pick<SlotRecord, 'origin' | 'origin_says' | 'statement' | 'device'>

export async function attest(driving: Driving, card: PivCard, slot: Slot, spki: Uint8Array): Promise<Origin> {
  const given = await attestKey(card, slot)
  if (given === undefined) return { origin: 'proved', origin_says: 'the card attests nothing', statement: null, device: null }
  const { found, now } = await inTenancy(driving, async (tenancy) => ({ found: await findAttestation(tenancy), now: tenancy.now }))
  const { roots, intermediates } = shippedAttestation()
  const verdict = judgeAttestation({
    given,
    spki,
    slot,
    serial: driving.serial,
    roots: [...roots, ...certificatesIn(found?.roots ?? ''), ...(found?.accepts_virtual === true ? [virtualRoot()] : [])],
    intermediates,
    at: now,
  })
  const statements = { statement: Buffer.from(given.statement), device: Buffer.from(given.device) }
  return verdict.attested
    ? { origin: 'attested', origin_says: verdict.root, ...statements }
    : { origin: 'proved', origin_says: verdict.reason, ...statements }
}
