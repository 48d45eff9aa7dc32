// What a browser does for a page: it keeps cookies between calls and sends the anti-forgery token. Requests of the page go to `origin`.

export function openBrowser(origin: string): { cookies: Map<string, string>; close: () => void } {
  const cookies = new Map<string, string>()
  const before = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    if (typeof input !== 'string' || !input.startsWith('/')) return before(input, init)
    const { signal: _, ...rest } = init ?? {}
    const headers = {
      ...Object.fromEntries(new Headers(init?.headers)),
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'x-xsrf-token': cookies.get('XSRF-TOKEN') ?? '',
    }
    const response = await before(origin + input, { ...rest, headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0/.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return {
    cookies,
    close: () => {
      globalThis.fetch = before
    },
  }
}
