// How the status of a card is shown.

import type { StatusKind } from '#core/console/kit/status-kinds.ts'
import { t } from '#core/console/text.ts'
import { standInReason, virtualReaders, type CardStatus } from '../rules.ts'

/** What a person wrote stays as it is. */
export const suspendReason = (reason: string): string => (reason === standInReason ? t(standInReason) : reason)

/** Readers of hardware have the name that their maker gave them. */
export const readerTitle = ({ name, isVirtual }: { name: string; isVirtual: boolean }): string =>
  isVirtual && virtualReaders.includes(name) ? t(name) : name

export const statusWords: Readonly<Record<CardStatus, { kind: StatusKind; label: string }>> = {
  REGISTERED: { kind: 'draft', label: 'Registered' },
  ASSIGNED: { kind: 'pending', label: 'Assigned' },
  ISSUED: { kind: 'issued', label: 'Issued' },
  SUSPENDED: { kind: 'suspended', label: 'Suspended' },
  LOST: { kind: 'failed', label: 'Lost' },
  REVOKED: { kind: 'revoked', label: 'Revoked' },
  UNREGISTERED: { kind: 'disabled', label: 'Unregistered' },
  DESTROYED: { kind: 'disabled', label: 'Destroyed' },
  UNKNOWN: { kind: 'warning', label: 'Unknown' },
}
