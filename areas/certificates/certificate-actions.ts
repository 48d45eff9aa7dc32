// A certificate's page has room for what the rooms above can do with it: they offer an action (a lazy link or button), and
// this room need not know them.

import type { ComponentType } from 'react'
import { offersTo } from '#core/console/rooms.ts'
import { slot } from '#core/contract/slots.ts'

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

export const certificateActionSlot = slot<CertificateAction>('certificates: what can be done with one on its page')

/** In the menu of a row among one's own certificates: where something can be done about it. Nothing where it cannot. */
export type OwnCertificate = Omit<ActionCertificate, 'revocationReason'> & { renewed: boolean }
export type CertificateLink = {
  key: string
  label: () => string
  danger?: boolean
  to: (certificate: OwnCertificate) => string | undefined
}

export const certificateLinkSlot = slot<CertificateLink>('certificates: what can be done about one of one’s own')

export const certificateLinks = (): readonly CertificateLink[] => offersTo(certificateLinkSlot)

export const certificateActions = (): readonly CertificateAction[] => offersTo(certificateActionSlot)
