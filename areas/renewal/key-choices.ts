// Which keys a renewal by a person can be for. The template's mode says what happens where nobody says anything; a new key is never worse than it asks for.

import type { RenewalMode } from './rules.ts'

/** same: the key stays. made: a new one is made here when it is collected. brought: a new one of the holder's, in a certificate request (CSR). */
export const renewalKeys = ['same', 'made', 'brought'] as const
export type RenewalKeyName = (typeof renewalKeys)[number]

export type KeyFacts = {
  mode: RenewalMode
  /** Its key was made here, and so can the next one be. */
  madeHere: boolean
  /** Keys of the template are archived. */
  archived: boolean
  /** Its own key is. */
  keyArchived: boolean
}

/** Why it is not renewed with this key, as a sentence; undefined where it can be. */
export function choiceRefusal(key: RenewalKeyName, { mode, madeHere, archived, keyArchived }: KeyFacts): string | undefined {
  if (mode === 'NONE') return 'Its template says that it is not renewed'
  if (key === 'same' && mode === 'AUTOMATIC_NEW_KEY') return 'Its template wants a new key'
  if (key === 'same') return archived && !keyArchived ? 'Keys of its template are archived now, and this one is not' : undefined
  if (key === 'made')
    return madeHere
      ? undefined
      : 'Its key was not made here, so the next one is made where it is used: send a certificate request (CSR) from it'
  return archived ? 'Keys of its template are archived, so they are made here' : undefined
}

/** Another key than the one in use is possible. */
export const takesNewKey = (facts: KeyFacts): boolean => keysFor(facts).some((key) => key !== 'same')

/** First the one that it gets where nobody says. */
export const keysFor = (facts: KeyFacts): RenewalKeyName[] => renewalKeys.filter((key) => choiceRefusal(key, facts) === undefined)
