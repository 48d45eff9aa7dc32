import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'

export const certificatePath = (certificateId: string): string => to(certificates.screens.view, { certId: certificateId })

/** The address that the specification gives a collected certificate, colon and all. */
export const serialPath = (caId: string, serialNumber: string): string => to(certificates.screens.view, { certId: `${caId}:${serialNumber}` }).replace('%3A', ':')

export const approvalPath = (requestId: string): string => to(certificates.screens.approval, { id: requestId })
