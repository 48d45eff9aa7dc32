// Decisions about tickets, for the server and the console alike. Pure.

export const categories = ['General', 'Bug', 'Feature', 'Other'] as const
export type Category = (typeof categories)[number]

export const priorities = ['Low', 'Normal', 'High', 'Urgent'] as const
export type Priority = (typeof priorities)[number]

/** What people read for them; the English is what the wire has. */
export const choiceWords: Readonly<Record<Category | Priority, { label: string }>> = {
  General: { label: 'General' },
  Bug: { label: 'Bug' },
  Feature: { label: 'Feature' },
  Other: { label: 'Other' },
  Low: { label: 'Low' },
  Normal: { label: 'Normal' },
  High: { label: 'High' },
  Urgent: { label: 'Urgent' },
}

/** The statuses as filters write them. Stored, and answered as `ticketStatus`, they have a prefix. */
export const statuses = ['open', 'reviewed', 'in_progress', 'closed', 'reopened'] as const
export type Status = (typeof statuses)[number]
export type WireStatus = `TICKET_STATUS_${Uppercase<Status>}`

export const wireStatus = (status: Status): WireStatus => `TICKET_STATUS_${status.toUpperCase() as Uppercase<Status>}`

const wireStatuses = new Map<string, Status>(
  statuses.flatMap((status) => [status, status.toUpperCase(), wireStatus(status)].map((text) => [text, status])),
)

/** Every spelling of a status that a program may send. */
export const statusSpellings: readonly string[] = [...wireStatuses.keys()]

/** Reads all spellings: with the prefix or without it, in capitals or as filters write it. Undefined where it is none. */
export const readStatus = (text: string): Status | undefined => wireStatuses.get(text)

/** The words and the badge colours of the specification. */
export const statusLook: Readonly<Record<Status, { label: string; colour: 'primary' | 'info' | 'warning' | 'success' | 'secondary' }>> = {
  open: { label: 'Open', colour: 'primary' },
  reviewed: { label: 'Reviewed', colour: 'info' },
  in_progress: { label: 'In Progress', colour: 'warning' },
  closed: { label: 'Closed', colour: 'success' },
  reopened: { label: 'Reopened', colour: 'secondary' },
}

const moves: Readonly<Record<Status, readonly Status[]>> = {
  open: ['reviewed', 'in_progress', 'closed'],
  reviewed: ['in_progress', 'closed'],
  in_progress: ['reviewed', 'closed'],
  closed: ['reopened'],
  reopened: ['reviewed', 'in_progress', 'closed'],
}

/** The statuses that a ticket of this status may be given. */
export const movesFrom = (status: Status): readonly Status[] => moves[status]

/** How the metrics count: what nobody has taken up, what somebody works on, what is done. */
export const countedAs: Readonly<Record<'open' | 'inProgress' | 'closed', readonly Status[]>> = {
  open: ['open', 'reopened'],
  inProgress: ['reviewed', 'in_progress'],
  closed: ['closed'],
}

export const mostMessage = 10_000
export const mostTitle = 200

/** Counts code points, so that an emoji is one character however it is encoded. */
export const isLongerThan = (text: string, most: number): boolean => text.length > most && [...text].length > most

const reopenDays = 14

/** Whether the requester may still reopen a closed ticket by a reply. */
export const mayReopen = (closedAt: Date | undefined, now: Date): boolean =>
  closedAt !== undefined && now.getTime() - closedAt.getTime() <= reopenDays * 86_400_000

/** One person raises at most so many tickets in an hour. */
export const mostInAnHour = 60
/** Who does not handle tickets writes at most so many messages in an hour: each may be a letter to all who do. */
export const mostMessagesInAnHour = 60

/**
 * The messages that somebody may know of. The one place that decides it: what is answered, streamed, mailed or counted passes here.
 * `handles`: whether the reader handles tickets.
 */
export const visibleTo = <M extends { internal: boolean }>({ handles }: { handles: boolean }, messages: readonly M[]): M[] =>
  messages.filter(({ internal }) => handles || !internal)

const mostMentions = 10

/** The usernames after an @ in a message, each once. */
export function mentionsIn(text: string): string[] {
  const names = [...text.matchAll(/(?<![\p{L}\p{N}._-])@([\p{L}\p{N}][\p{L}\p{N}._-]{0,99})/gu)].map(([, name = '']) =>
    name.replace(/[._-]+$/, '').toLowerCase(),
  )
  return [...new Set(names)].slice(0, mostMentions)
}

/** The number in "ticket 123", "#123" and "123". */
export function numberIn(text: string): number | undefined {
  const [, digits] = /^\s*(?:ticket\s*)?#?\s*(\d{1,9})\s*$/i.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits)
}

export const pagesOf = (total: number, limit: number): number => Math.ceil(total / limit)

/** Why a mail waits for a person instead of standing in its ticket. */
export const heldReasons = ['sender', 'disabled', 'authentication', 'closed', 'tooLong'] as const
export type HeldReason = (typeof heldReasons)[number]

/** Letters in an hour from one address. */
export const mostMailsInAnHour = 20
/** An answer to an older letter is not taken. */
export const replyDays = 90
/** Held mail, and what is known of taken mail, is forgotten after so many. */
export const keptMailDays = 30
