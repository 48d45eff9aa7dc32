// How an authority goes on: which of its certificates is put forward, how long the certificates that link two keys of one name hold, and the overlap
// of an authority with its successor. Pure, but for the slot at the end: what hangs on an authority in rooms above moves with it.

import { slot } from '#core/contract/slots.ts'
import type { Database } from '#core/server/database.ts'

/** main: of its own issuer, or of itself. link: between the old key and the new one of one name. cross: of another authority besides. */
export const certificateRoles = ['main', 'link', 'cross'] as const
export type CertificateRole = (typeof certificateRoles)[number]

type Held = { role: CertificateRole; notBefore: Date; notAfter: Date; revoked: boolean }

/**
 * The certificate whose chain is given out: of the main ones that are not revoked the one that holds longest, the younger of two. A cross-certificate or a
 * link never stands in its place: whoever needs that path finds it among the others. Undefined where every one is revoked.
 */
export function bestCertificate<C extends Held>(held: readonly C[]): C | undefined {
  return held
    .filter(({ role, revoked }) => role === 'main' && !revoked)
    .toSorted((a, b) => b.notAfter.getTime() - a.notAfter.getTime() || b.notBefore.getTime() - a.notBefore.getTime())[0]
}

type Life = { notBefore: Date; notAfter: Date }

/**
 * How long the two certificates hold that link the keys (RFC 4210 4.4.1, 4.4.2): the old key's from the beginning of the old root to its end, so that all that
 * it ever signed can be verified from the new; the new key's from the beginning of the new root until nobody can trust the old any more.
 */
export function linkLives(old: Life, successor: Life): { oldWithNew: Life; newWithOld: Life } {
  return {
    oldWithNew: { notBefore: old.notBefore, notAfter: old.notAfter },
    newWithOld: { notBefore: successor.notBefore, notAfter: old.notAfter < successor.notAfter ? old.notAfter : successor.notAfter },
  }
}

/** What moves from an authority to its successor, in the open transaction. Returns how many moved, or why none can, as a sentence. */
export type Mover = (db: Database, move: { tenantId: string; fromId: string; toId: string; now: Date }) => Promise<number | string>

/** A room above says what of it hangs on an authority. */
export const successorMoves = slot<Mover>('authorities: what moves to a successor')
