// The actions that the rooms above have registered, by house: two houses of one process have each their own.

import { satisfies } from '#core/contract/permissions.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { BulkAction } from '../service.ts'
import type { RunRecord } from './store.ts'

export type AnyAction = BulkAction<unknown, unknown>

const registered = new WeakMap<House, Map<string, AnyAction>>()

export function registerAction(house: House, action: AnyAction): void {
  registered.set(house, (registered.get(house) ?? new Map<string, AnyAction>()).set(action.name, action))
}

export const findAction = (house: House, name: string): AnyAction | undefined => registered.get(house)?.get(name)

export const allActions = (house: House): AnyAction[] => [...(registered.get(house)?.values() ?? [])]

/** As the door of the single call would decide. */
export const mayUse = ({ permission, narrowed }: Pick<Viewer, 'permission' | 'narrowed'>, { needs, tokens }: AnyAction): boolean => {
  const unscoped = narrowed !== true || (tokens === undefined && needs !== 'signedIn')
  return satisfies(permission.api, needs) && (unscoped || tokens?.some((name) => permission.api.includes(name)) === true)
}

/** Whose run it is, and whoever could do the same. What needs no permission is the person's own. */
export const maySee = (viewer: Viewer, action: AnyAction, run: Pick<RunRecord, 'user_id'>): boolean =>
  mayUse(viewer, action) && (action.needs !== 'signedIn' || run.user_id === viewer.userId)
