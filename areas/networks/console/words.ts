// What people call what is on the map, and kinds of locations and subnets.

import { t } from '#core/console/text.ts'
import type { CellState, locationKinds, subnetKinds } from '../rules.ts'

export const shownWord = (state: CellState): string =>
  ({
    free: t('Free'),
    used: t('Used'),
    silent: t('Silent'),
    reserved: t('Reserved'),
    unknown: t('Unknown'),
    conflict: t('Conflict'),
  })[state]

export const shownLook = { used: 'active', silent: 'disabled', reserved: 'pending', unknown: 'warning', conflict: 'failed' } as const

export const locationKindWord = (kind: (typeof locationKinds)[number]): string =>
  ({ region: t('Region'), site: t('Site'), building: t('Building'), floor: t('Floor'), room: t('Room'), rack: t('Rack') })[kind]

export const subnetKindWord = (kind: (typeof subnetKinds)[number]): string =>
  ({ container: t('Container'), network: t('Network'), pool: t('Pool') })[kind]
