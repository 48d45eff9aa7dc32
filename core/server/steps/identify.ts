import { say } from '#standards/say/say.ts'
import type { Exchange, Step } from '../exchange.ts'
import { commonFault } from '../fault.ts'
import type { House } from '../house.ts'
import type { RequestFacts, Viewer } from '../serve.ts'
import { sessionCookie } from './forgery.ts'

/** Finds who asks from the cookie or the token. Given by the sessions room; core knows no sessions. */
export type FindViewer = (facts: RequestFacts, house: House, now: Date) => Promise<Viewer | undefined>

export const identify =
  (find: FindViewer): Step =>
  async (exchange: Exchange) => {
    // One of the two would be checked and the other one used.
    if (/^bearer\b/i.test(exchange.incoming.headers.authorization ?? '') && exchange.facts.cookies[sessionCookie] !== undefined)
      throw commonFault('malformed', { fields: [{ field: 'Authorization', says: say`Send a session or a token, not both` }] })
    const viewer = await find(exchange.facts, exchange.house, exchange.now)
    exchange.viewer = viewer
    if (viewer !== undefined) exchange.scope = { tenantId: viewer.tenantId, actorId: viewer.userId, actor: viewer.username }
  }
