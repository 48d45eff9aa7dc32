// The slot of the rooms that keep cards: on which of them a certificate is.

import { slot } from '#core/contract/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type CardSerials = (tenancy: Tenancy, certificateId: string) => Promise<string[]>

export const cardSerials = slot<CardSerials>('certificates: the serials of the cards that hold a certificate')
