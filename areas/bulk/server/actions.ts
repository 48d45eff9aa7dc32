// The actions that the rooms above offer.

import { satisfies } from '#core/contract/permissions.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { bulkActions, type AnyAction } from '../service.ts'
import type { RunRecord } from './store.ts'

export type { AnyAction } from '../service.ts'

export const findAction = (house: House, name: string): AnyAction | undefined =>
  house.offers(bulkActions).find((action) => action.name === name)

export const allActions = (house: House): readonly AnyAction[] => house.offers(bulkActions)

/** As the door of the single call would decide. */
export const mayUse = ({ permission, narrowed }: Pick<Viewer, 'permission' | 'narrowed'>, { needs, tokens }: AnyAction): boolean => {
  const unscoped = narrowed !== true || (tokens === undefined && needs !== 'signedIn')
  return satisfies(permission.api, needs) && (unscoped || tokens?.some((name) => permission.api.includes(name)) === true)
}

/** Whose run it is, and whoever could do the same. What needs no permission is the person's own. */
export const maySee = (viewer: Viewer, action: AnyAction, run: Pick<RunRecord, 'user_id'>): boolean =>
  mayUse(viewer, action) && (action.needs !== 'signedIn' || run.user_id === viewer.userId)
