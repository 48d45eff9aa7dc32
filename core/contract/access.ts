// Whether an asker passes the door of a call. The router, streams, actions on many rows and the rules of the rooms ask here, so that a token
// with scopes means the same everywhere.

import type { Permission } from './permission-labels.ts'
import { satisfies, type Needs } from './permissions.ts'

export type TokenScopes = 'any' | 'never' | readonly Permission[]

/** What a call asks of whoever calls it. */
export type Door = { needs: Needs; tokens?: TokenScopes | undefined }

/** `narrowed`: came with a token that has scopes; its permissions are those that its owner holds and a scope names. */
export type Asker = { permission: { api: readonly string[] }; via?: string; narrowed?: true }

export type DoorRefusal = { code: 'session_needed' } | { code: 'denied'; permission: string }

/**
 * Says why an asker may not make a call; undefined where they may.
 *
 * A token with scopes does what a scope says and nothing besides, also where being signed in is enough for people: what belongs to its owner
 * is open to it only where the call names a scope in `tokens`. A call that needs a permission needs it as a scope, and one of `tokens` besides
 * where it names any.
 */
export function doorRefusal({ permission: { api }, via, narrowed }: Asker, { needs, tokens }: Door): DoorRefusal | undefined {
  if (needs === 'public') return undefined
  if (!satisfies(api, needs)) return { code: 'denied', permission: needs }
  if (via === 'token' && tokens === 'never') return { code: 'session_needed' }
  if (narrowed !== true || tokens === 'any' || (tokens === undefined && needs !== 'signedIn')) return undefined
  const named = tokens === undefined || tokens === 'never' ? [] : tokens
  return named.some((name) => api.includes(name))
    ? undefined
    : { code: 'denied', permission: named.join(' or ') || 'a token without scopes' }
}

export const passesDoor = (asker: Asker, door: Door): boolean => doorRefusal(asker, door) === undefined

type Gates = Partial<
  Record<'screens' | 'calls' | 'streams' | 'endpoints' | 'records', Record<string, Door & { list?: { needs?: Permission } }>>
>

/** The permissions that open something of these contracts. `only`: of these kinds. A permission whose room is still to come opens nothing. */
export function permissionsInUse(
  contracts: readonly Gates[],
  only: readonly (keyof Gates)[] = ['screens', 'calls', 'streams', 'endpoints', 'records'],
): ReadonlySet<string> {
  const doors = contracts.flatMap((contract) => only.flatMap((kind) => Object.values(contract[kind] ?? {})))
  return new Set(
    doors.flatMap(({ needs, tokens, list }) => [
      needs,
      ...(Array.isArray(tokens) ? tokens : []),
      ...(list?.needs === undefined ? [] : [list.needs]),
    ]),
  )
}
