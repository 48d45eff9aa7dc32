// What the home page asks of this room: the server answers it with the page, and its cards read it by the same words.

export const waitingAtHome = { waitingForMe: true, size: 10 } as const
export const grantedAtHome = { status: 'incomplete', size: 10 } as const
export const askedAtHome = { size: 10 } as const
export const heldAtHome = { status: ['expiring', 'active'], sort: 'notAfter', direction: 'asc', size: 6 } as const
