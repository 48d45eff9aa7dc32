// What both sides know of requests for smartcards.

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

export const mostPeople = 10_000
/** So many who cannot are named; of more the number is told. */
export const mostNamed = 200
