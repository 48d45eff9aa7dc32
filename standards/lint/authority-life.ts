// How long a certificate of an authority sensibly lives. Standards leave that to each policy (RFC 3647 4.6.3): beyond these years its key and its algorithms are
// hardly those that anybody trusts, and what is to replace it has been forgotten.

const SENSIBLE_YEARS = { root: 30, subordinate: 15 } as const

/** The remark on a life that is longer; undefined where there is nothing to say. */
export function longLifeRemark(kind: keyof typeof SENSIBLE_YEARS, notBefore: Date, notAfter: Date): string | undefined {
  const years = SENSIBLE_YEARS[kind]
  const sensible = new Date(notBefore)
  sensible.setUTCFullYear(notBefore.getUTCFullYear() + years)
  if (notAfter <= sensible) return undefined
  return kind === 'root'
    ? `A root that is valid for more than ${years} years outlives what its key and algorithm are good for.`
    : `An authority below another one that is valid for more than ${years} years is hard to replace in time.`
}
