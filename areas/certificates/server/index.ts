import { completions, decidedOnce, waitingFor } from '#areas/approvals/service.ts'
import { bulkActions } from '#areas/bulk/service.ts'
import { keys } from '#areas/keys/contract.ts'
import { heldSerials } from '#areas/sessions/held-serials.ts'
import { offer } from '#core/contract/slots.ts'
import { Fault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { on, serve } from '#core/server/serve.ts'
import { dependants, firstSteps, transactionSources, workSources, workWaiting } from '#core/server/slots.ts'
import { askedAtHome, grantedAtHome, heldAtHome, waitingAtHome } from '../at-home.ts'
import { certificates } from '../contract.ts'
import { approvalKind } from '../rules.ts'
import { countCertificates } from '../service.ts'
import { addUpCounts } from './inventory/count-store.ts'
import { addDueTerms } from './inventory/due-terms-store.ts'
import { findDueTraits } from './inventory/due-traits-store.ts'
import { exportCertificates, exportChosenCertificates } from './inventory/export.ts'
import { assignMany, keepingHandlers } from './inventory/keeping.ts'
import { countDependants, findHeldSerials } from './inventory/person-store.ts'
import { countPictures } from './inventory/pictures.ts'
import { certificatePem, viewingHandlers } from './inventory/viewing.ts'
import { finishEverywhere, finishSoon, finishUnfinished, stopRetries } from './issuing/recovery.ts'
import { certificateRecords } from './records.ts'
import { decidingHandlers, requestDecided } from './requests/deciding.ts'
import { endForDisabledUsers } from './requests/disabled-users.ts'
import { requestActions } from './requests/many-requests.ts'
import { tellOfExpiry } from './requests/notices.ts'
import { requestHandlers } from './requests/requests.ts'
import { voterOf } from './requests/voting.ts'
import { requestsWaiting, requestTransactions } from './requests/work.ts'

/** A call that issues: where it fails for a reason of ours, something that was agreed to may be left behind. */
const issuing =
  <I, C extends { house: House }, O>(handle: (input: I, context: C) => Promise<O>) =>
  async (input: I, context: C): Promise<O> => {
    try {
      return await handle(input, context)
    } catch (error) {
      if (!(error instanceof Fault)) finishSoon(context.house)
      throw error
    }
  }

export default serve(
  certificates,
  {
    ...requestHandlers,
    ...decidingHandlers,
    ...viewingHandlers,
    ...keepingHandlers,
    pictures: (_input, { db, viewer, now }) => countPictures(db, viewer.tenantId, now),
    request: issuing(requestHandlers.request),
    requestForUser: issuing(requestHandlers.requestForUser),
    requestForDevice: issuing(requestHandlers.requestForDevice),
    decide: issuing(decidingHandlers.decide),
    collectKey: issuing(requestHandlers.collectKey),
  },
  {
    // What waited for a token is signed as soon as it is back.
    subscriptions: [on(keys.events.tokenAvailable, async (_delivery, house) => house.wake(certificates.jobs.finish)), endForDisabledUsers],
    endpoints: { certificatePem, exportCertificates, exportChosenCertificates },
    jobs: {
      finish: { inTenancy: ({ house, tenantId }) => finishUnfinished(house, tenantId) },
      counts: { inTenancy: addUpCounts },
      words: { inTenancy: addDueTerms },
      traits: { inTenancy: findDueTraits },
      expiry: { inTenancy: tellOfExpiry },
    },
    records: certificateRecords,
    atHome: {
      pictures: [{}],
      searchApprovals: [waitingAtHome],
      requests: [grantedAtHome, askedAtHome],
      own: [{ ...heldAtHome, status: [...heldAtHome.status] }],
    },
    offers: [
      offer(completions, requestDecided),
      offer(heldSerials, findHeldSerials),
      offer(dependants, { record: 'user', count: countDependants }),
      offer(bulkActions, ...requestActions, assignMany),
      offer(
        firstSteps,
        { step: 'certificate', isDone: async (db, tenantId, now) => (await countCertificates(db, tenantId, {}, now)) > 0 },
        { step: 'approval', isDone: decidedOnce },
      ),
      offer(workSources, requestsWaiting),
      offer(transactionSources, requestTransactions),
      offer(workWaiting, {
        needs: 'certApprovals',
        count: async (db, viewer) => ({ approvals: await waitingFor(db, viewer.tenantId, voterOf(viewer), approvalKind) }),
      }),
    ],
    async start(house) {
      // What cannot be finished now is tried again each minute, and keeps no other tenancy from its certificates.
      await finishEverywhere(house, 0).catch((error: unknown) =>
        house.log.error({ error }, 'what a crash left unfinished could not be looked for'),
      )
    },
    stop: stopRetries,
  },
)
