// A certificate's page has room for what the rooms above can do with it: they offer an action when the console starts (a lazy link or button), and
// this room need not know them.

import type { ComponentType } from 'react'

export type ActionCertificate = {
  certificateId: string
  caId: string | undefined
  serialNumber: string
  status: string
  revocationReason: string | undefined
}

export type SlotProps = { certificate: ActionCertificate }
/** What a room above puts into the page. `ask` sends what it will read, so that it is there when the page is drawn and nothing moves. */
export type SlotComponent = ComponentType<SlotProps> & { ask?: (certificateId: string) => Promise<void> }
/** Made by `certificateSlot`. */
export type CertificateSlot = ComponentType<SlotProps> & { preload: () => Promise<SlotComponent | undefined> }

export type CertificateAction = { key: string; load: CertificateSlot }

const offered = new Map<string, CertificateAction>()

export function offerCertificateAction(action: CertificateAction): void {
  offered.set(action.key, action)
}

/** In the menu of a row among one's own certificates: where something can be done about it. Nothing where it cannot. */
export type OwnCertificate = Omit<ActionCertificate, 'revocationReason'> & { renewed: boolean }
export type CertificateLink = {
  key: string
  label: () => string
  danger?: boolean
  to: (certificate: OwnCertificate) => string | undefined
}

const links = new Map<string, CertificateLink>()

export function offerCertificateLink(link: CertificateLink): void {
  links.set(link.key, link)
}

export const certificateLinks = (): readonly CertificateLink[] => [...links.values()]

export const certificateActions = (): readonly CertificateAction[] => [...offered.values()]
