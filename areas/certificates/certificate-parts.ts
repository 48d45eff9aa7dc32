// A certificate's overview has room for what the rooms above know of it: they offer a part when the console starts, and this room need not know them.

import type { ComponentType, LazyExoticComponent } from 'react'
import type { ActionCertificate } from './certificate-actions.ts'

/** `onHold`: in the banner that says that it is on hold; else among the sections. */
export type CertificatePart = { key: string; place?: 'onHold'; load: LazyExoticComponent<ComponentType<{ certificate: ActionCertificate }>> }

const offered = new Map<string, CertificatePart>()

export function offerCertificatePart(part: CertificatePart): void {
  offered.set(part.key, part)
}

export const certificateParts = (place?: 'onHold'): readonly CertificatePart[] => [...offered.values()].filter((part) => part.place === place)
