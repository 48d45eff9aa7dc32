// Every status of the product: one icon, one word, one tone. The wire's many spellings lead to the same few kinds.

import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconClock,
  IconClockX,
  IconHourglass,
  IconPencil,
  IconPlayerPause,
  type Icon,
} from '@tabler/icons-react'

export type Tone = 'good' | 'warn' | 'bad' | 'wait' | 'quiet'
export type StatusKind = keyof typeof statusKinds

export const statusKinds = {
  active: { word: 'Active', tone: 'good', icon: IconCircleCheck },
  approved: { word: 'Approved', tone: 'good', icon: IconCircleCheck },
  issued: { word: 'Issued', tone: 'good', icon: IconCircleCheck },
  released: { word: 'Released', tone: 'good', icon: IconCircleCheck },
  done: { word: 'Done', tone: 'good', icon: IconCircleCheck },
  expiring: { word: 'Expiring', tone: 'warn', icon: IconClock },
  warning: { word: 'Warning', tone: 'warn', icon: IconAlertTriangle },
  suspended: { word: 'Suspended', tone: 'warn', icon: IconPlayerPause },
  onHold: { word: 'On hold', tone: 'warn', icon: IconPlayerPause },
  expired: { word: 'Expired', tone: 'quiet', icon: IconClockX },
  revoked: { word: 'Revoked', tone: 'bad', icon: IconBan },
  failed: { word: 'Failed', tone: 'bad', icon: IconCircleX },
  denied: { word: 'Denied', tone: 'bad', icon: IconCircleMinus },
  pending: { word: 'Pending', tone: 'wait', icon: IconHourglass },
  issuing: { word: 'Issuing', tone: 'wait', icon: IconHourglass },
  draft: { word: 'Draft', tone: 'quiet', icon: IconPencil },
  disabled: { word: 'Disabled', tone: 'quiet', icon: IconCircleMinus },
  cancelled: { word: 'Cancelled', tone: 'quiet', icon: IconCircleMinus },
  unknown: { word: 'Unknown', tone: 'quiet', icon: IconCircleDashed },
} as const satisfies Record<string, { word: string; tone: Tone; icon: Icon }>

const spellings: Record<string, StatusKind> = {
  activecert: 'active',
  onhold: 'onHold',
  activated: 'active',
  enabled: 'active',
  good: 'active',
  expiredcert: 'expired',
  revokedcert: 'revoked',
  pendingcert: 'pending',
  pendingapproval: 'pending',
  waiting: 'pending',
  requested: 'pending',
  invited: 'pending',
  processing: 'issuing',
  rejected: 'denied',
  refused: 'denied',
  error: 'failed',
  fatal: 'failed',
  warn: 'warning',
  completed: 'done',
  success: 'done',
  ok: 'done',
  inactive: 'disabled',
  withdrawn: 'cancelled',
}

const isKind = (name: string): name is StatusKind => Object.hasOwn(statusKinds, name)

/** The kind that a wire value means: `ActiveCert`, `PENDING_APPROVAL` and `active` are read alike. */
export function statusKind(value: string): StatusKind {
  const plain = value.toLowerCase().replace(/[^a-z]/g, '')
  if (isKind(plain)) return plain
  return (Object.hasOwn(spellings, plain) ? spellings[plain] : undefined) ?? 'unknown'
}
