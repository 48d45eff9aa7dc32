// What the console reads of its cookies: the token against forged requests, and whatever else a script may see.

/** The header of every request to our own origin, from the cookie; nothing for another origin. */
export function antiForgery(
  address: string,
  page: { origin: string; cookie: string } = { origin: location.origin, cookie: document.cookie },
): Record<string, string> {
  if (URL.parse(address, page.origin)?.origin !== page.origin) return {}
  const token = readCookie('XSRF-TOKEN', page.cookie)
  return token === undefined ? {} : { 'x-xsrf-token': token }
}

export function readCookie(name: string, cookies: string): string | undefined {
  const pair = cookies.split(/;\s*/).find((one) => one.startsWith(`${name}=`))
  if (pair === undefined) return undefined
  try {
    return decodeURIComponent(pair.slice(name.length + 1))
  } catch {
    return undefined
  }
}
