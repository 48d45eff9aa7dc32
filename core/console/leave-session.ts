// What goes when a session ends: everything that was read, and whatever a room registered with `onLeave`, so that the next person on
// this machine finds nothing of the last one.

import { matchPath } from 'react-router'
import { publicScreens } from 'virtual:contracts'
import { bootstrapStore } from './bootstrap.ts'
import { leaveTo } from './navigate.ts'
import { queryClient } from './query-client.ts'

const leaving = new Set<() => void>()

/** A room's own store registers how it is emptied. */
export function onLeave(clear: () => void): void {
  leaving.add(clear)
}

/** Whether a missing session is expected here: the screen is for who has none. */
export const isSignedOutPath = (path: string): boolean => publicScreens.some((screen) => matchPath(screen.path, path) !== null)

type Here = { pathname: string; search: string; hash?: string }

let ending = false

const heldKey = 'chancery-session'

/** Notes in this tab that there is a session, or that the person has ended it, because a page that is loaded afterwards knows nothing of the last. */
export function noteSession(held: boolean): void {
  if (held) sessionStorage.setItem(heldKey, 'held')
  else sessionStorage.removeItem(heldKey)
}

/** Whether this tab had a session that nobody ended here. */
export const sessionHasEnded = (): boolean => sessionStorage.getItem(heldKey) !== null

/** Notes that the person ends the session, because a stream, a refused call and the routes may hear of the end before the console is on its way out. */
export function noteEnding(yes: boolean): void {
  ending = yes
}

/** The sign-in page, which leads back here unless the person wanted to leave. */
export const loginPath = (here: Here): string =>
  ending ? '/login' : `/login?redirect=${encodeURIComponent(here.pathname + here.search + (here.hash ?? ''))}`

/** Everything that was read. */
export function forgetReadings(): void {
  queryClient.clear()
  for (const clear of leaving) clear()
}

export function forgetSession(): void {
  forgetReadings()
  bootstrapStore.setState(({ bootstrap }) => {
    if (bootstrap === undefined) return {}
    const { viewer: _, sessionExpiresAt: __, ...rest } = bootstrap
    return { bootstrap: { ...rest, signedIn: false } }
  })
}

/** The session is over without anybody asking for it: to the sign-in page, and back here afterwards. */
export function leaveSession(here: Here): void {
  forgetSession()
  leaveTo(loginPath(here))
}
