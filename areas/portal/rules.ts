// What somebody anonymous is given, and no more.

/** Names the cookie of an anonymous session. */
export const portalCookie = 'chancery-anonymous'

/** Of an anonymous session. */
export const sessionMinutes = 30

/** Anonymous requests that may wait in one tenancy at a time: people have to read them all. */
export const mostWaiting = 200

/** The place of every template on the page, as the specification fixes it: they stand by authority and name. */
export const portalPriority = -1

/** Of every call that an anonymous session is needed for. */
export const noSession = {
  status: 403,
  says: 'Open this page by its whole address: your time on it is up, or its address has changed',
} as const
