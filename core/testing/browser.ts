// What a browser keeps between calls: its cookies, and the anti-forgery token that it sends back from one of them.

import type { Call, DraftOf, ExactDraft } from '#core/contract/contract.ts'
import { caller, type Caller } from './caller.ts'

export type Browser = {
  cookies: Map<string, string>
  call: Caller['call']
  fetch: Caller['fetch']
}

export function browser(origin: string): Browser {
  const cookies = new Map<string, string>()
  const keep = (response: Response) => {
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0/.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
  }
  const fresh = (): Caller => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return caller(origin, { ...(cookie === '' ? {} : { cookie }), 'x-xsrf-token': cookies.get('XSRF-TOKEN') ?? '' }, keep)
  }
  return {
    cookies,
    call: async <C extends Call, D extends DraftOf<C> = DraftOf<C>>(call: C, input: ExactDraft<C, D>, headers = {}) =>
      fresh().call<C, D>(call, input, headers),
    fetch: (path, init) => fresh().fetch(path, init),
  }
}
