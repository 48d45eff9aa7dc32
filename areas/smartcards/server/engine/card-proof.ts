// A card proves by a signature of a key that was made on it which card it is. Unlike a proof by the management key, this one opens nothing on the card: a client
// that passes commands on could use what is opened there.

import { randomBytes } from 'node:crypto'
import { signOnCard, type PivCard } from '#standards/piv/client.ts'
import { slotNamed } from '#standards/piv/identifiers.ts'
import { signatureAlgorithmOf } from '#standards/piv/signing.ts'
import { CardRefused } from '#standards/piv/status.ts'
import { TlvError } from '#standards/piv/tlv.ts'
import { checkSignature } from '#standards/x509/algorithms.ts'
import type { SlotRecord } from '../store.ts'

/** The slot whose key signs without the PIN (SP 800-73-5: card authentication). */
export const isWithoutPin = ({ slot }: Pick<SlotRecord, 'slot'>): boolean => slot === '9E'

/** Tells whether the card signs a fresh challenge by the key of this slot. */
export async function provesItself(card: PivCard, { slot: name, algorithm, spki }: SlotRecord): Promise<boolean> {
  const slot = slotNamed(name)
  if (slot === undefined) return false
  const challenge = randomBytes(64)
  try {
    const signature = await signOnCard(card, slot, algorithm, challenge)
    return checkSignature(signatureAlgorithmOf(algorithm), spki, challenge, signature).ok
  } catch (error) {
    // Another card than the one that it names.
    if (error instanceof CardRefused || error instanceof TlvError) return false
    throw error
  }
}
