// A certificate's overview has room for what the rooms above know of it: they offer a part when the console starts, and this room need not know them.

import type { CertificateSlot } from './certificate-actions.ts'

export type PartPlace = 'onHold' | 'revoked'

/** `onHold`, `revoked`: in the banner that says so; else among the sections. `forHolders`: also for a holder who sees no other certificates. */
export type CertificatePart = { key: string; place?: PartPlace; forHolders?: true; load: CertificateSlot }

const offered = new Map<string, CertificatePart>()

export function offerCertificatePart(part: CertificatePart): void {
  offered.set(part.key, part)
}

export const certificateParts = (place?: PartPlace): readonly CertificatePart[] =>
  [...offered.values()].filter((part) => part.place === place)
