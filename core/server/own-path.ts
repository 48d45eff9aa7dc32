// Where somebody goes after signing in, as an address named it.

/** A path of our own: never another origin, whatever a browser makes of it. */
export function ownPath(redirect: string): string | undefined {
  if (redirect === '') return ''
  if (!redirect.startsWith('/') || /[\\\p{Cc}]/u.test(redirect) || /^\/(?:\/|%2f|%5c)/i.test(redirect)) return undefined
  const address = URL.parse(redirect, 'https://own.invalid')
  return address?.origin === 'https://own.invalid' ? address.pathname + address.search + address.hash : undefined
}
