// What the viewer object says of things that rooms above know, which they offer: the serial numbers of a person's certificates, and what they sign in with.

import { slot } from '#core/contract/slots.ts'
import type { Database } from '#core/server/database.ts'

/** The newest first. The transaction is set to the person's home. */
export type HeldSerials = (db: Database, tenantId: string, userId: string, now: Date) => Promise<readonly string[]>
export const heldSerials = slot<HeldSerials>('viewer: serial numbers of the valid certificates that a person holds')

/** What a person signs in with besides password and code, by kind: `passkey`. The transaction is set to the person's home. */
export type HeldCredentials = (db: Database, tenantId: string, userId: string, now: Date) => Promise<readonly string[]>
export const heldCredentials = slot<HeldCredentials>('viewer: what a person signs in with besides password and code')
