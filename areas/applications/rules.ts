// Decisions about applications, for the server and the console alike. Pure.

export type ApplicationState = 'active' | 'restricted' | 'inactive'

/** Switched off or ended is inactive; held to some networks is restricted. */
export function stateOf(
  { enabled, endsAt, networks }: { enabled: boolean; endsAt: Date | undefined; networks: readonly string[] },
  now: Date,
): ApplicationState {
  if (!enabled || (endsAt !== undefined && endsAt <= now)) return 'inactive'
  return networks.length > 0 ? 'restricted' : 'active'
}

/** Days before the end at which the owner is told, each once. */
export const noticeDays = [30, 7, 1] as const

/** The notice that is due: the nearest one that has been reached and was not sent; undefined where there is none. */
export function dueNotice(endsAt: Date, sent: number | undefined, now: Date): number | undefined {
  const left = (endsAt.getTime() - now.getTime()) / 86_400_000
  const reached = noticeDays.filter((days) => left <= days).at(-1)
  return reached === undefined || (sent !== undefined && sent <= reached) ? undefined : reached
}

/** Both secrets work for so many hours after a rotation, unless told otherwise. */
export const overlapHours = 24
export const mostOverlapHours = 168

/** The kind by which a delete of an account says that applications belong to it. */
export const dependantKind = 'Applications owned'

export const secretPrefix = 'cha_'
