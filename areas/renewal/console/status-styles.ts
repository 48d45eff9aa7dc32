import type { StatusKind } from '#core/console/kit/status-kinds.ts'
import type { RenewalState, VerdictKind } from '../rules.ts'

export const kindOfState: Record<RenewalState, StatusKind> = {
  asking: 'issuing',
  waiting: 'pending',
  awaitingHolder: 'pending',
  awaitingKey: 'pending',
  refused: 'failed',
  failed: 'failed',
  denied: 'denied',
  lapsed: 'expired',
  renewed: 'done',
}

const bad: readonly VerdictKind[] = ['failed', 'blocked', 'denied', 'missed']
const wait: readonly VerdictKind[] = ['approval', 'collect', 'newKey', 'manual', 'due', 'underWay']

/** The colour of a verdict; its sentence says the same. */
export const toneOf = (kind: VerdictKind): string =>
  bad.includes(kind) ? 'red' : wait.includes(kind) ? 'yellow' : kind === 'renewed' ? 'green' : 'blue'
