// How the status of a card is shown.

import type { StatusKind } from '#core/console/kit/status-kinds.ts'
import { t } from '#core/console/text.ts'
import { standInReason, type CardStatus } from '../rules.ts'

/** What a person wrote stays as it is. */
export const suspendReason = (reason: string): string => (reason === standInReason ? t(standInReason) : reason)

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
