// What somebody anonymous is given, and no more.

/** Of an anonymous session. */
export const sessionMinutes = 30

/** Anonymous requests that may wait in one tenancy at a time: people have to read them all. */
export const mostWaiting = 200

/** The place of every template on the page, as the specification fixes it: they stand by authority and name. */
export const portalPriority = -1
