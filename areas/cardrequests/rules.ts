// What both sides know of requests for smartcards.

export const cardSteps = ['requested', 'atPrinter', 'ready', 'issued', 'withdrawn'] as const
export type CardStep = (typeof cardSteps)[number]

export const requestStates = ['open', 'fulfilled', 'withdrawn'] as const
export type RequestState = (typeof requestStates)[number]
export const stateLabels: Readonly<Record<RequestState, { label: string; kind: string }>> = {
  open: { label: 'Open', kind: 'pending' },
  fulfilled: { label: 'Card issued', kind: 'done' },
  withdrawn: { label: 'Withdrawn', kind: 'cancelled' },
}

/** Why a person gets no request, in the order in which it is asked. */
export const obstacles = ['unknown', 'disabled', 'requested', 'hasCard'] as const
export type Obstacle = (typeof obstacles)[number]
export const obstacleLabels: Readonly<Record<Obstacle, string>> = {
  unknown: 'There is no such person',
  disabled: 'The account is disabled',
  requested: 'A request for such a card is open already',
  hasCard: 'The person has such a card already',
}

/** How far a card is, in the words of whoever waits for it. */
export const stepLabels: Readonly<Record<CardStep, { label: string; kind: string }>> = {
  requested: { label: 'Requested: the card desk sees it', kind: 'pending' },
  atPrinter: { label: 'Being printed', kind: 'issuing' },
  ready: { label: 'Ready to be collected', kind: 'done' },
  issued: { label: 'You have it', kind: 'active' },
  withdrawn: { label: 'Withdrawn', kind: 'cancelled' },
}

export const mostPeople = 10_000
/** So many who cannot are named; of more the number is told. */
export const mostNamed = 200

/** A face on a card: upright, as 3 to 4 or 35 to 45. */
const narrowest = 0.68
const widest = 0.86
const leastWidth = 240
const leastHeight = 320
/** In base64, as forms send it: 10 MB and a third. */
export const longestPhoto = 14_100_000

export const photoFaults = ['small', 'wide', 'narrow'] as const
export type PhotoFault = (typeof photoFaults)[number]

/** What keeps a decodable picture from being the photo on a card. */
export function photoFault({ width, height }: { width: number; height: number }): PhotoFault | undefined {
  if (width < leastWidth || height < leastHeight) return 'small'
  const ratio = width / height
  return ratio > widest ? 'wide' : ratio < narrowest ? 'narrow' : undefined
}
