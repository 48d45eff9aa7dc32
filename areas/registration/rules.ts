// Who may register by themselves, how long a link lasts, and the states of a registration.

/** The kind by which a domain says that people register with addresses in it. */
export const domainUse = 'Registration by domain'

export const modes = ['off', 'domain', 'approval'] as const
export type Mode = (typeof modes)[number]

/** `sent`: the mail is on its way. `waiting`: the address is proved, and somebody decides. `active`: there is an account. */
export const states = ['sent', 'waiting', 'active', 'denied'] as const
export type RegistrationState = (typeof states)[number]

export const linkHours = 24
/** An address gets no second mail within this time, however often somebody asks. */
export const pauseMilliseconds = 5 * 60_000
/** So many registrations of a tenancy may wait for a decision: beyond that nobody decides them, and somebody floods it. */
export const mostWaiting = 200
/** So many links may be on their way: of one network, so that somebody there keeps nobody else out, and of a tenancy in all. */
export const mostSent = { ofNetwork: 50, all: 2000 }
/** How long a decided registration is kept. */
export const keptDays = 30

/** What a tenancy's setting says of an address. `byLink`: asked with the tenancy's own address of the page; `proved`: the domain is proved for the tenancy. */
export function wayIn(mode: Mode, { byLink, proved }: { byLink: boolean; proved: boolean }): 'none' | 'atOnce' | 'approval' {
  if (mode === 'domain') return proved ? 'atOnce' : 'none'
  if (mode === 'approval') return proved || byLink ? 'approval' : 'none'
  return 'none'
}
