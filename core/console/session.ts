// The session's clock (specification part 1 sections 4 and 9). Every poll it refreshes the session if the person did something since the
// last, and only checks it otherwise. A refusal signs the person out. The time-out comes from the cookie `session-expiry`, else 90 s.

import { doors } from 'virtual:contracts'
import { create } from 'zustand'
import { bootstrapStore, refreshBootstrap } from './bootstrap.ts'
import { asCallFault } from './call-fault.ts'
import { readCookie } from './cookies.ts'
import { forgetDrafts } from './kit/form-drafts.ts'
import { forgetReadings, forgetSession, isSignedOutPath, leaveSession, noteEnding, noteSession } from './leave-session.ts'
import { goTo, ownPath } from './navigate.ts'
import { dispatch } from './send.ts'

const defaultTimeoutMilliseconds = 90_000

export class ExpiredCookieError extends Error {
  override name = 'ExpiredCookieError'
}

/** When the session ends, by the cookie: ISO 8601 or milliseconds. Without the value, 90 seconds from now. */
export function sessionExpiry(cookies: string, now: number): number {
  const text = readCookie('session-expiry', cookies)?.trim() ?? ''
  const at = /^\d+$/.test(text) ? Number(text) : Date.parse(text)
  if (Number.isNaN(at)) return now + defaultTimeoutMilliseconds
  if (at <= now) throw new ExpiredCookieError('The session cookie has expired')
  return at
}

/** Seconds between polls: the time-out in milliseconds divided by 2000, at least 1, at most 90. */
export const pollSeconds = (timeoutMilliseconds: number): number => Math.min(90, Math.max(1, timeoutMilliseconds / 2000))

/** How long before the end the warning stands: a third of the time-out, at most two minutes. */
export const warningMilliseconds = (timeoutMilliseconds: number): number => Math.min(120_000, timeoutMilliseconds / 3)

type SessionState = { endsAt: number | undefined; warning: boolean }
export const sessionStore = create<SessionState>(() => ({ endsAt: undefined, warning: false }))

const activities = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const
const checkEveryMilliseconds = 1000

let active = false
let warnAt = 0
let pollTimer: ReturnType<typeof setTimeout> | undefined
let checkTimer: ReturnType<typeof setInterval> | undefined
const noteActivity = (): void => {
  active = true
}

/** Starts the clock; called when a signed-in person's shell appears. Returns how to stop it. */
export function startSession(): () => void {
  stopSession()
  noteSession(true)
  for (const activity of activities) window.addEventListener(activity, noteActivity, { passive: true })
  checkTimer = setInterval(look, checkEveryMilliseconds)
  schedule()
  return stopSession
}

function stopSession(): void {
  for (const activity of activities) window.removeEventListener(activity, noteActivity)
  clearTimeout(pollTimer)
  clearInterval(checkTimer)
  active = false
  sessionStore.setState({ endsAt: undefined, warning: false })
}

function schedule(): void {
  clearTimeout(pollTimer)
  try {
    const now = Date.now()
    const endsAt = sessionExpiry(document.cookie, now)
    // An end that has not moved keeps its warning, which is a share of the whole time and not of what is left.
    if (sessionStore.getState().endsAt !== endsAt) warnAt = endsAt - warningMilliseconds(endsAt - now)
    sessionStore.setState({ endsAt, warning: false })
    pollTimer = setTimeout(() => void tick(), pollSeconds(endsAt - now) * 1000)
  } catch (error) {
    console.error(error)
    signedOutByServer()
  }
}

/** Between polls: shows the warning in time, and looks again when the time is up. */
function look(): void {
  const { endsAt, warning } = sessionStore.getState()
  if (endsAt === undefined) return
  const now = Date.now()
  if (now >= endsAt) void tick()
  else if (now >= warnAt && !active && !warning) sessionStore.setState({ warning: true })
}

async function tick(): Promise<void> {
  clearTimeout(pollTimer)
  const refresh = active
  active = false
  await ask(refresh)
}

async function ask(refresh: boolean): Promise<void> {
  const { endsAt, warning } = sessionStore.getState()
  try {
    await dispatch(refresh ? doors.refreshSession : doors.checkSession, {})
    schedule()
    // A check does not move the end: what was being said is still true.
    if (warning && sessionStore.getState().endsAt === endsAt) sessionStore.setState({ warning })
  } catch (error) {
    // No answer is not a refusal: while the session's time lasts, the next poll asks again.
    if (asCallFault(error).status === 0 && endsAt !== undefined && Date.now() < endsAt) pollTimer = setTimeout(() => void tick(), 5000)
    else signedOutByServer()
  }
}

/** The warning's button. */
export const stayFor = (): Promise<void> => ask(true)

function signedOutByServer(): void {
  stopSession()
  // The refusal itself may have led to the sign-in page already.
  if (bootstrapStore.getState().bootstrap?.viewer === undefined) return
  if (!isSignedOutPath(location.pathname)) leaveSession(location)
}

let lastViewer: string | undefined

/** After a sign-in that succeeded: reads who is there now, and goes where they wanted to go. */
export async function enterConsole(redirect?: string | null): Promise<void> {
  const bootstrap = await refreshBootstrap()
  if (lastViewer !== undefined && bootstrap.viewer?.id !== lastViewer) forgetDrafts()
  lastViewer = bootstrap.viewer?.id
  noteEnding(false)
  goTo(ownPath(redirect), { replace: true })
}

/** The person leaves: both logouts in the specified order, then nothing of theirs stays. A server that cannot be reached keeps nobody. */
export async function signOut(): Promise<void> {
  stopSession()
  noteEnding(true)
  await dispatch(doors.legacyLogout, {}).catch(asCallFault)
  await dispatch(doors.logout, {}).catch(asCallFault)
  await sessionEnded()
}

/** Ends this session by `ask`; where that fails it throws, and the session goes on. */
export async function endSession(ask: () => Promise<unknown>): Promise<void> {
  noteEnding(true)
  try {
    await ask()
  } catch (error) {
    noteEnding(false)
    throw error
  }
  await sessionEnded()
}

/** The session has ended because the person asked for it: nothing of theirs stays here. */
async function sessionEnded(): Promise<void> {
  stopSession()
  noteSession(false)
  forgetSession()
  forgetDrafts()
  goTo('/login')
  await refreshBootstrap().catch(asCallFault)
}

/** To another tenancy: everything read before belongs to the last one. */
export async function switchTenancy(tenantId: string): Promise<void> {
  await dispatch(doors.switchTenancy, { tenantId })
  forgetReadings()
  await refreshBootstrap()
  goTo('/home')
}

/** The viewer at start is the one whose drafts may be kept. */
export const rememberViewer = (): void => {
  lastViewer = bootstrapStore.getState().bootstrap?.viewer?.id
}
