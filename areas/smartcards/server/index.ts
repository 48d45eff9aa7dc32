import { to } from '#core/contract/paths.ts'
import { serve } from '#core/server/serve.ts'
import { smartcards } from '../contract.ts'
import { agentsOf, closeAgents } from './agents/agents.ts'
import { cardCalls, cardStreams } from './card-calls.ts'
import { clientCalls, readersStream } from './client-calls.ts'
import { deskCalls } from './desk-calls.ts'
import { orphansTurn } from './orphans.ts'
import { presentCards } from './presenter.ts'
import { cardsNamed, findCardRows } from './store.ts'

const pathOf = (smartcardId: string): string => to(smartcards.screens.view, { smartcardId })

export default serve(
  smartcards,
  { ...clientCalls, ...cardCalls, ...deskCalls },
  {
    streams: { readers: readersStream, ...cardStreams },
    jobs: { orphans: { inTenancy: orphansTurn } },
    records: {
      smartcard: {
        names: async (tenancy, ids) => (await findCardRows(tenancy, ids)).map(({ id, serial }) => ({ id, name: serial, path: pathOf(id) })),
        seek: async (tenancy, { text, most }) => (await cardsNamed(tenancy, text, most)).map(({ id }) => id),
        search: async (tenancy, { text, most }) =>
          (await presentCards(tenancy, await cardsNamed(tenancy, text, most))).map(({ id, serial, userName, status }) => ({
            id,
            label: serial,
            detail: userName === '' ? status : `${userName}, ${status}`,
            path: pathOf(id),
          })),
      },
    },
    // From the start on clients can call.
    async start(house) {
      await agentsOf(house)
    },
    stop: closeAgents,
  },
)
