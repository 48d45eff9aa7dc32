// A certificate's overview has room for what the rooms above know of it: they offer a part, and this room need not know them.

import { offersTo } from '#core/console/rooms.ts'
import { slot } from '#core/contract/slots.ts'
import type { CertificateSlot } from './certificate-actions.ts'

export type PartPlace = 'onHold' | 'revoked'

/** `onHold`, `revoked`: in the banner that says so; else among the sections. `forHolders`: also for a holder who sees no other certificates. */
export type CertificatePart = { key: string; place?: PartPlace; forHolders?: true; load: CertificateSlot }

export const certificatePartSlot = slot<CertificatePart>('certificates: what rooms above know of one')

export const certificateParts = (place?: PartPlace): readonly CertificatePart[] =>
  offersTo(certificatePartSlot).filter((part) => part.place === place)
