// What the browser says of a ceremony (WebAuthn 5.8.1): the part that the authenticator signs without looking at it.

import { readBase64url } from '../acme/base64url.ts'
import { readJson } from '../json/read.ts'
import { WebauthnError } from './refusal.ts'

export type ClientData = { type: string; challenge: Buffer; origin: string; crossOrigin: boolean; topOrigin: string | undefined }

export function readClientData(bytes: Buffer): ClientData {
  const said = readObject(bytes)
  const { type, challenge, origin, crossOrigin = false, topOrigin } = said
  const read = typeof challenge === 'string' ? readBase64url(challenge) : undefined
  if (typeof type !== 'string' || read === undefined || typeof origin !== 'string' || typeof crossOrigin !== 'boolean')
    throw new WebauthnError('unreadable', 'A part of the client data is missing or has a wrong type')
  if (topOrigin !== undefined && typeof topOrigin !== 'string') throw new WebauthnError('unreadable', 'The top origin is no text')
  return { type, challenge: read, origin, crossOrigin, topOrigin }
}

function readObject(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = readJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch (cause) {
    throw new WebauthnError('unreadable', 'The client data is no JSON', { cause })
  }
  throw new WebauthnError('unreadable', 'The client data is no object')
}
