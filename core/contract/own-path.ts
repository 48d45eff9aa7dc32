// Where an address may lead that somebody else wrote into a link: to a path of our own, for server and console.

const own = 'https://own.invalid'

/** Leads to another host once a browser reads it: two slashes, also as it reads backslashes and as programs decode them. */
const leadsAway = (path: string): boolean => !path.startsWith('/') || /\p{Cc}/u.test(path) || /^\/(?:[/\\]|%2f|%5c)/i.test(path)

/**
 * Answers the path as a browser reads it; undefined where it leads to another site. It is judged before and after it is read, because what is read may be
 * worse than what was written: `/.//evil.example` is read as `//evil.example`.
 */
export function readOwnPath(path: string): string | undefined {
  if (leadsAway(path)) return undefined
  const address = URL.parse(path, own)
  if (address?.origin !== own) return undefined
  const read = address.pathname + address.search + address.hash
  return leadsAway(read) ? undefined : read
}
