// Prints one card after another: on record, sent, followed until the printer says how it ended. Nothing is sent twice by itself: what nobody can tell is unknown,
// and a person looks at the printer.

import { setTimeout as wait } from 'node:timers/promises'
import { askPrinter, PrinterFault, type Printer } from '#areas/smartcards/printers.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { attributeOf, decodeIpp, IppError, isDone, jobRequest, jobStateOf, printJobRequest } from '#standards/ipp/ipp.ts'
import { say } from '#standards/say/say.ts'
import { printing } from '../contract.ts'
import { skipLabels, type PrintState, type SkipReason } from '../rules.ts'
import { calibrationFace } from './calibration.ts'
import { drawFaces, hashOf, pagesOf } from './faces.ts'
import { boundPhoto, factsOf, hindered } from './facts.ts'
import { findFace, lockBatch, lockNext, updateAttempt, updateBatch, updatePrinted, type PrintedRecord } from './store.ts'

export type Printing = { house: House; viewer: Viewer; address: string; printer: Printer }

const followMilliseconds = 90_000
const askMilliseconds = 500
/** A printer that stands still, or holds a job, has so long for somebody to mend it. */
const mendMilliseconds = 20_000
const longestJob = 300_000

const actor = ({ viewer, address }: Printing) => ({ userId: viewer.userId, name: actorOf(viewer), address })
const uriOf = (printer: Printer) => `ipp://localhost/${encodeURIComponent(printer.name)}`

/** Writes that a waiting card is on its way, before it is. */
export async function take(work: Printing, tenancy: Tenancy, row: PrintedRecord): Promise<PrintedRecord> {
  const attempt = row.attempt + 1
  const change = {
    state: 'sending' as const,
    printer: work.printer.name,
    attempt,
    job_id: null,
    says: '',
    followed_until: new Date(tenancy.now.getTime() + followMilliseconds),
  }
  await updatePrinted(tenancy, row.id, change)
  return { ...row, ...change }
}

type Outcome = { state: PrintState; says: string; skipped_for?: SkipReason }

/** Prints a card that is on its way; answers how it ended. `photoHash`: that of the only photo that it may show. */
export async function printOne(work: Printing, row: PrintedRecord, photoHash?: string): Promise<Outcome & { isCutOff: boolean }> {
  let isCutOff = false
  const outcome: Outcome = await send(work, row, photoHash).catch((error: unknown) => {
    isCutOff = error instanceof PrinterFault
    if (error instanceof PrinterFault || error instanceof IppError) return { state: 'unknown' as const, says: error.message }
    work.house.log.error({ error }, 'a card could not be printed')
    return { state: 'failed' as const, says: say`The server could not make the card` }
  })
  await work.house.work(work.viewer.tenantId, actor(work), async ({ tenancy, emitFor }) => {
    if (!(await updateAttempt(tenancy, row, { ...outcome, followed_until: null }))) return
    emitFor(printing)(
      'ended',
      {
        printedCardId: row.id,
        state: outcome.state,
        ...(row.user_id === null ? {} : { userId: row.user_id }),
        ...(outcome.skipped_for === undefined ? {} : { reason: outcome.skipped_for }),
      },
      row.id,
    )
  })
  return { ...outcome, isCutOff }
}

async function send(work: Printing, row: PrintedRecord, photoHash: string | undefined): Promise<Outcome> {
  const { house, viewer, printer } = work
  const made = await withTenancy(house, viewer.tenantId, async (tenancy) => {
    const face = await findFace(tenancy, row.card_template_id)
    if (face === undefined) return undefined
    // Asked where it is drawn: a request can be withdrawn after the card was taken.
    const reason = (await hindered(tenancy, [row])).get(row.id)
    if (reason !== undefined) return reason
    const photo = await boundPhoto(tenancy, row)
    if (photoHash !== undefined && hashOf(photo) !== photoHash) return 'photoChanged' as const
    return { design: face.design, facts: await factsOf(tenancy, row.user_id, row.card_serial), photo }
  })
  if (made === undefined) return { state: 'failed', says: say`The template of cards has no face any more` }
  if (typeof made === 'string') return { state: 'skipped', says: skipLabels[made], skipped_for: made }
  const document = await pagesOf([await drawFaces(made.design, made.facts, made.photo)])
  const asking = { printer: uriOf(printer), requestId: row.attempt, user: viewer.username }
  return sendPages(printer, { asking, name: `card ${row.id} ${row.attempt}`, document }, (jobId) =>
    withTenancy(house, viewer.tenantId, (tenancy) =>
      updateAttempt(tenancy, row, {
        state: 'printing',
        job_id: jobId,
        followed_until: new Date(tenancy.now.getTime() + followMilliseconds),
      }),
    ),
  )
}

type Job = { asking: Parameters<typeof jobRequest>[0]; name: string; document: Buffer }

/** Sends pages as one job, and follows it. `note` hears of the job each time it is looked at, and answers false where somebody else has decided meanwhile. */
async function sendPages(
  printer: Printer,
  { asking, name, document }: Job,
  note: (jobId: number) => Promise<boolean>,
): Promise<{ state: PrintState; says: string }> {
  const accepted = decodeIpp(await askPrinter(printer, printJobRequest(asking, { name, format: 'application/pdf' }), document))
  const [jobId] = attributeOf(accepted, 'job-id')
  if (!isDone(accepted) || typeof jobId !== 'number')
    return { state: 'failed', says: say`The printer refused the job (0x${accepted.code.toString(16).padStart(4, '0')})` }
  const began = performance.now()
  let stood = 0
  for (;;) {
    if (!(await note(jobId))) return { state: 'unknown', says: '' }
    const answer = decodeIpp(await askPrinter(printer, jobRequest(asking, 'getJobAttributes', jobId)))
    if (!isDone(answer)) return { state: 'unknown', says: say`The printer does not know job ${jobId} any more` }
    const state = jobStateOf(answer)
    const reasons = attributeOf(answer, 'job-state-reasons').join(', ').slice(0, 200)
    if (state === 'completed') return { state: 'printed', says: '' }
    if (state === 'canceled' || state === 'aborted') return { state: 'failed', says: reasons }
    if (state === 'stopped' || state === 'held') {
      stood ||= performance.now()
      if (performance.now() - stood > mendMilliseconds) {
        const canceled = decodeIpp(await askPrinter(printer, jobRequest(asking, 'cancelJob', jobId)))
        return isDone(canceled) ? { state: 'failed', says: reasons } : { state: 'unknown', says: reasons }
      }
    } else stood = 0
    if (performance.now() - began > longestJob) return { state: 'unknown', says: reasons }
    await wait(askMilliseconds)
  }
}

/** Prints a card by which somebody sees that the printer neither scales nor turns. No person's card, so that it is in no list. */
export async function printCalibration({ viewer, printer }: Printing): Promise<{ state: PrintState; says: string }> {
  const document = await pagesOf([await drawFaces(calibrationFace, {})])
  const asking = { printer: uriOf(printer), requestId: 1, user: viewer.username }
  try {
    return await sendPages(printer, { asking, name: 'calibration card', document }, async () => true)
  } catch (error) {
    if (error instanceof PrinterFault || error instanceof IppError) return { state: 'unknown', says: error.message }
    throw error
  }
}

/** Prints what waits in a batch, until nothing does or somebody stops it. */
export async function printBatch(work: Printing, batchId: string): Promise<void> {
  const { house, viewer } = work
  for (;;) {
    const row = await house.work(viewer.tenantId, actor(work), async ({ tenancy, emitFor }) => {
      const batch = await lockBatch(tenancy, batchId)
      if (batch === undefined || batch.state !== 'printing') return undefined
      const next = await lockNext(tenancy, batchId)
      if (next === undefined) {
        await updateBatch(tenancy, batchId, { state: 'done' })
        return undefined
      }
      const reason = (await hindered(tenancy, [next])).get(next.id)
      if (reason !== undefined) {
        await updatePrinted(tenancy, next.id, { state: 'skipped', skipped_for: reason })
        emitFor(printing)('skipped', { printedCardId: next.id, reason }, next.id)
        return 'skipped' as const
      }
      const taken = await take(work, tenancy, next)
      emitFor(printing)(
        'sent',
        { printedCardId: next.id, printer: work.printer.name, ...(next.user_id === null ? {} : { userId: next.user_id }) },
        next.id,
      )
      return taken
    })
    if (row === undefined) return
    if (row === 'skipped') continue
    // Nothing reaches the printer any more: the cards that follow wait, instead of being unknown one after another.
    if ((await printOne(work, row)).isCutOff) return stopBatch(work, batchId)
  }
}

const stopBatch = (work: Printing, batchId: string): Promise<void> =>
  work.house.work(work.viewer.tenantId, actor(work), async ({ tenancy, emitFor }) => {
    const batch = await lockBatch(tenancy, batchId)
    if (batch?.state !== 'printing') return
    await updateBatch(tenancy, batchId, { state: 'stopped' })
    emitFor(printing)('batchStopped', { batchId }, batchId)
  })
