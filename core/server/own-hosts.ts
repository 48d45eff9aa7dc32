// Which hosts besides the installation's own address the console is served at. The room that keeps them registers how to ask, because core knows no room.

import type { IncomingMessage } from 'node:http'
import type { House } from './house.ts'

type IsServed = (host: string) => Promise<boolean>

const askers = new WeakMap<House, IsServed>()

export const registerHosts = (house: House, isServed: IsServed): void => void askers.set(house, isServed)

/** The host that the request names, without its port. */
export function hostOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const host = String(headers.host ?? headers[':authority'] ?? '').toLowerCase()
  const url = /^[\w.-]+(?::\d{1,5})?$/.test(host) ? URL.parse(`http://${host}/`) : null
  return url?.hostname
}

/**
 * Whether a page of a tenancy's own host asks the host that it came from. A page elsewhere asks another host than its own, which the browser tells; one whose
 * name was pointed here without a proof is not served.
 */
export async function isServedOrigin(house: House, origin: string, incoming: IncomingMessage): Promise<boolean> {
  const url = URL.parse(origin)
  const own = new URL(house.settings.origin)
  if (url === null || url.origin !== origin || url.protocol !== own.protocol || url.hostname !== hostOf(incoming)) return false
  return (await askers.get(house)?.(url.hostname)) === true
}
