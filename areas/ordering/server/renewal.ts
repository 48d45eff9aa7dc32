// When an ordered certificate is renewed: as its authority says (RFC 9773), or around two thirds of its life; each at a moment of its own, so that what was
// ordered together is not renewed together.

import { isObject } from '#standards/acme/problem.ts'
import { readMoment, storable } from '#standards/storable/storable.ts'
import { momentIn, ownWindow, retryAfterSeconds } from '../rules.ts'
import type { OrderPatch } from './order-store.ts'
import type { AriState, OrderRecord } from './store.ts'
import { OrderFault, type Session } from './wire.ts'

export type Suggested = AriState & { askAgainSeconds: number }

const sixHours = 6 * 3_600
const day = 24 * 3_600

/** Asks the authority when to renew. Undefined where it does not say; that never keeps a certificate from being renewed. */
export async function askRenewal(session: Session, ariId: string | undefined, now: Date): Promise<Suggested | undefined> {
  const { renewalInfo } = session.directory
  if (renewalInfo === undefined || ariId === undefined) return undefined
  try {
    const { body, retryAfter } = await session.get(`${renewalInfo.replace(/\/$/, '')}/${ariId}`)
    const window = isObject(body['suggestedWindow']) ? body['suggestedWindow'] : {}
    const [start, end] = [readMoment(window['start']), readMoment(window['end'])]
    // RFC 9773 4.2: a window that ends before it begins is none.
    if (start === undefined || end === undefined || end <= start) return undefined
    const explanation = body['explanationURL']
    return {
      start: start.toISOString(),
      end: end.toISOString(),
      ...(typeof explanation === 'string' && /^https?:\/\//.test(explanation) ? { explanation: storable(explanation, 500) } : {}),
      askAgainSeconds: retryAfterSeconds(retryAfter, now, { otherwise: sixHours, most: day }),
    }
  } catch (error) {
    if (!(error instanceof OrderFault)) throw error
    return undefined
  }
}

type Obtained = Pick<OrderRecord, 'not_before' | 'not_after' | 'renew_at' | 'ari' | 'renews'>

/** The moment of renewal. One that was chosen stays while it lies in the window. */
export function renewalPatch(order: Obtained, suggested: Suggested | undefined, now: Date, chance = Math.random()): OrderPatch {
  const { not_before: notBefore, not_after: notAfter } = order
  if (notBefore === null || notAfter === null) return { renew_at: null, ari: null, ari_check_at: null }
  const own = ownWindow(notBefore, notAfter)
  const window = suggested === undefined ? own : { start: new Date(suggested.start), end: new Date(suggested.end) }
  const chosen =
    order.renew_at !== null && order.renew_at >= window.start && order.renew_at <= window.end
      ? order.renew_at
      : momentIn(window.start, window.end, chance)
  const { askAgainSeconds = sixHours, ...ari } = suggested ?? {}
  return {
    renew_at: chosen,
    ari:
      suggested === undefined
        ? null
        : {
            start: suggested.start,
            end: suggested.end,
            ...('explanation' in ari && ari.explanation !== undefined ? { explanation: ari.explanation } : {}),
          },
    ari_check_at: new Date(now.getTime() + askAgainSeconds * 1_000),
  }
}
