import { cardSerials } from '#areas/certificates/card-serials.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { serve } from '#core/server/serve.ts'
import { smartcards } from '../contract.ts'
import { agentsOf, closeAgents } from './agents/agents.ts'
import { anonymousHandlers } from './anonymous-calls.ts'
import { attestationHandlers } from './attestation-calls.ts'
import { beforeReissueHandlers } from './before-reissue.ts'
import { cardCalls, registerStream } from './card-calls.ts'
import { clientCalls, readersStream } from './client-calls.ts'
import { deskCalls } from './desk-calls.ts'
import { issueHandlers, issueStreams } from './issue-calls.ts'
import { lifeHandlers } from './life-calls.ts'
import { listSerialsOf } from './operation-store.ts'
import { orphansTurn } from './orphans.ts'
import { overTurn } from './over.ts'
import { presentCards } from './presenter.ts'
import { recoveryHandlers } from './recovery-calls.ts'
import { cardsNamed, findCardRows } from './store.ts'
import { waitingHandlers } from './waiting-calls.ts'
import { unregisterStream, wipeHandlers } from './wipe-calls.ts'

const pathOf = (smartcardId: string): string => to(smartcards.screens.view, { smartcardId })

export default serve(
  smartcards,
  {
    ...clientCalls,
    ...cardCalls,
    ...deskCalls,
    ...lifeHandlers,
    ...issueHandlers,
    ...beforeReissueHandlers,
    ...waitingHandlers,
    ...wipeHandlers,
    ...recoveryHandlers,
    ...anonymousHandlers,
    ...attestationHandlers,
  },
  {
    streams: { readers: readersStream, register: registerStream, unregister: unregisterStream, ...issueStreams },
    jobs: { orphans: { inTenancy: orphansTurn }, over: { inTenancy: overTurn } },
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
    offers: [offer(cardSerials, listSerialsOf)],
    // From the start on clients can call.
    async start(house) {
      await agentsOf(house)
    },
    stop: closeAgents,
  },
)
