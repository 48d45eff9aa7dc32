// What the states of a domain and what a check saw are called on a screen.

import type { DomainState } from '../rules.ts'

export const stateLabels = {
  proved: { status: 'active', label: 'Proved' },
  claimed: { status: 'pending', label: 'Waiting for proof' },
  lapsed: { status: 'failed', label: 'Proof lost' },
} as const satisfies Record<DomainState, { status: string; label: string }>

export const proofLabels = { dns: { label: 'By a DNS record' }, http: { label: 'By a file' } } as const

export const wayLabels = { dns: { label: 'DNS record' }, https: { label: 'File by HTTPS' }, http: { label: 'File by HTTP' } } as const
