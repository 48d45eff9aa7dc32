// Links to this room's screens: for its own pages, for the rooms above, and for mail.

import type { Entity } from '#areas/templates/rules.ts'
import { to } from '#core/contract/paths.ts'
import { certificates } from './contract.ts'

export const certificatePath = (certificateId: string): string => to(certificates.screens.view, { certId: certificateId })

/** The address that the specification gives a collected certificate, colon and all. */
export const serialPath = (caId: string, serialNumber: string): string =>
  to(certificates.screens.view, { certId: `${caId}:${serialNumber}` }).replace('%3A', ':')

/** One's own request, with what can be done about it. */
export const myRequestPath = (entity: Entity, requestId: string): string => to(certificates.screens.add, { entity }, { request: requestId })

export const approvalPath = (requestId: string): string => to(certificates.screens.approval, { id: requestId })
