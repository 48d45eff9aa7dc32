// What rooms above may do at the listener that asks for certificates: machines show theirs there to renew them.

import { slot } from '#core/contract/slots.ts'
import type { House } from '#core/server/house.ts'
import type { EndpointAnswer } from '#core/server/serve.ts'

export type ShownRequest = {
  method: string
  url: URL
  headers: Readonly<Record<string, string | undefined>>
  body: Uint8Array
  address: string
  /** DER of what was shown; its key was proven, and nothing else of it is believed. */
  certificate: Uint8Array | undefined
}

/** Undefined for what is none of the room's. At most 128 KiB of body are read. */
export type CertificateDoor = {
  prefixes: readonly string[]
  answer: (house: House, request: ShownRequest) => Promise<EndpointAnswer | undefined>
}

export const certificateDoor = slot<CertificateDoor>('mtls: what machines ask at the listener for certificates')
