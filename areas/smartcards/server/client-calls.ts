// The security clients of the caller: how one is connected, whether one is there, which readers it has.

import { findAccount } from '#areas/users/rights.ts'
import { fullName } from '#areas/users/service.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { House } from '#core/server/house.ts'
import type { Handlers, StreamHandlers, Viewer } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { pinTries } from '#standards/piv/client.ts'
import { smartcards } from '../contract.ts'
import { printersOf } from '../printers.ts'
import { agentsOf, type Owner } from './agents/agents.ts'
import { pageOfAgents, updateSecretsOf } from './agents/link-store.ts'
import { CardFault, findCard, readersOf, withCard } from './agents/readers.ts'
import { guarded } from './guarded.ts'
import { pinRules, presentReader } from './presenter.ts'

async function ownerOf(house: House, viewer: Viewer): Promise<Owner> {
  const { tenantId, homeTenantId, userId } = viewer
  const person = await withTenancy(house, tenantId, ({ db }) => findAccount(db, tenantId, userId))
  return { tenantId, homeTenantId, userId, person: person === undefined ? viewer.username : fullName(person) }
}

/** An address of this machine, as the agent on it calls it. */
const addressOf = ({ origin }: House['settings']): string => {
  const { hostname } = new URL(origin)
  return hostname === 'localhost' ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, '')
}

export async function clientConfigOf(house: House): Promise<OutputOf<typeof smartcards.calls.clientConfig>> {
  const agents = await agentsOf(house)
  return { AgentAddress: addressOf(house.settings), AgentPort: (await agents.port()) ?? 0, ServerKey: agents.pin }
}

type ClientCalls =
  | 'clientConfig'
  | 'ticket'
  | 'pair'
  | 'ping'
  | 'killSession'
  | 'clients'
  | 'readers'
  | 'reader'
  | 'pinRequirements'
  | 'pinTries'

export const clientCalls: Pick<Handlers<typeof smartcards>, ClientCalls> = {
  async clientConfig(_input, { house }) {
    return clientConfigOf(house)
  },

  async ticket(_input, { house, viewer }) {
    const agents = await agentsOf(house)
    return { SessionCookie: agents.makeTicket(await ownerOf(house, viewer)) }
  },

  async pair({ code }, { house, viewer, fault }) {
    const agents = await agentsOf(house)
    const machine = await agents.pair(await ownerOf(house, viewer), code)
    return { machine: machine ?? fault('wrongCode', { fields: [{ field: 'code', says: smartcards.calls.pair.faults.wrongCode.says }] }) }
  },

  async ping(_input, { house, viewer }) {
    const agents = await (await agentsOf(house)).of(viewer.userId)
    return { success: agents.length > 0, machines: [...new Set(agents.map(({ machine }) => machine))] }
  },

  async killSession(_input, { house, viewer }) {
    await withTenancy(house, viewer.tenantId, (tenancy) => updateSecretsOf(tenancy, viewer.userId))
    return { ended: await (await agentsOf(house)).end(viewer.userId) }
  },

  async clients(question, { tenancy }) {
    const { rows, total } = await pageOfAgents(tenancy, question)
    return {
      rows: rows.map((row) => ({
        id: row.id,
        machine: row.machine,
        person: row.person,
        version: row.version,
        connected: row.connected,
        seenAt: row.seen_at.toISOString(),
      })),
      total,
    }
  },

  async readers(_input, { house, viewer }) {
    return guarded(smartcards.calls.readers, async () => {
      const found = await readersOf(house, viewer.userId)
      const printers = await printersOf(house, viewer.userId)
      return { readers: await Promise.all(found.map((one) => presentReader(house, viewer.tenantId, one, { printers }))) }
    })
  },

  async reader({ card_id: cardId }, { house, viewer }) {
    return guarded(smartcards.calls.reader, async () => {
      const named = cardId.readerName ?? cardId.reader_name
      const readers = (await readersOf(house, viewer.userId)).filter(({ reader }) => reader.name === named)
      const found =
        named === undefined ? await findCard(house, viewer.userId, cardId) : (readers.find(({ reader }) => reader.atr !== '') ?? readers[0])
      if (found === undefined) throw new CardFault('noReader')
      return presentReader(house, viewer.tenantId, found, { printers: await printersOf(house, viewer.userId) })
    })
  },

  async pinRequirements({ card_id: cardId }, { house, viewer }) {
    return guarded(smartcards.calls.pinRequirements, async () => {
      await findCard(house, viewer.userId, cardId)
      return pinRules
    })
  },

  async pinTries({ card_id: cardId }, { house, viewer }) {
    return guarded(smartcards.calls.pinTries, async () => {
      const found = await findCard(house, viewer.userId, cardId)
      const { serial: expected } = found.identity
      const left = await withCard(found, { says: 'Reading the tries of the PIN', expected }, (card) => pinTries(card))
      return left === undefined ? {} : { left }
    })
  },
}

const lookMilliseconds = 400

const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, lookMilliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Tells at once, and then whenever something changes: first that it is being read, then how it is. */
export const readersStream: StreamHandlers<typeof smartcards>['readers'] = async function* ({ mode }, { house, viewer, signal }) {
  if (viewer === undefined) return
  const look = () =>
    readersOf(house, viewer.userId).catch((error: unknown) => {
      if (error instanceof CardFault) return undefined
      throw error
    })
  let last: string | undefined
  while (!signal.aborted) {
    const found = await look()
    const now = JSON.stringify(found?.map(({ agent, reader }) => [agent.connection, reader]) ?? 'none')
    if (now !== last) {
      last = now
      const connected = found !== undefined
      const bare = await Promise.all((found ?? []).map((one) => presentReader(house, viewer.tenantId, one, { mode: 'READER_ONLY' })))
      if (mode === 'READER_CARD_DETAILS') yield { mode, type: 'new', connected, readers: bare }
      const readers =
        mode === 'READER_ONLY' ? bare : await Promise.all((found ?? []).map((one) => presentReader(house, viewer.tenantId, one)))
      yield { mode, type: 'list', connected, readers }
    }
    await pause(signal)
  }
}
