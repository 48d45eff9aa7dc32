// The actions that the rooms above offer.

import { passesDoor } from '#core/contract/access.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { bulkActions, type AnyAction } from '../service.ts'
import type { RunRecord } from './store.ts'

export type { AnyAction } from '../service.ts'

export const findAction = (house: House, name: string): AnyAction | undefined =>
  house.offers(bulkActions).find((action) => action.name === name)

export const allActions = (house: House): readonly AnyAction[] => house.offers(bulkActions)

/** As the door of the single call would decide. */
export const mayUse = (viewer: Pick<Viewer, 'permission' | 'narrowed'>, action: AnyAction): boolean => passesDoor(viewer, action)

/** Whose run it is, and whoever could do the same. What needs no permission is the person's own. */
export const maySee = (viewer: Viewer, action: AnyAction, run: Pick<RunRecord, 'user_id'>): boolean =>
  mayUse(viewer, action) && (action.needs !== 'signedIn' || run.user_id === viewer.userId)
