// At which address a passkey works: the one that is set for the installation, and on this machine itself the loopback page that asks.

import type { House } from '#core/server/house.ts'
import type { RequestFacts } from '#core/server/serve.ts'
import type { Site } from '#standards/webauthn/ceremony.ts'

const siteOf = (origin: string): Site => ({ origin, rpId: new URL(origin).hostname })

export function sitesOf(house: House, { origin }: RequestFacts): readonly Site[] {
  const own = siteOf(house.settings.origin)
  return origin === undefined || origin === own.origin ? [own] : [siteOf(origin), own]
}

/** The host of the page that asks, for what is registered now. */
export const hostOf = (house: House, request: RequestFacts): string => new URL(request.origin ?? house.settings.origin).hostname
