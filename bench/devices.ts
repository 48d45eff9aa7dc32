// Many devices from a file, half of it wrong: how long it takes, and that what comes out is what was said before; then what a page and a search take.

import { setTimeout as wait } from 'node:timers/promises'
import { devices } from '#areas/devices/contract.ts'
import { tenancy } from '#areas/tenancy/contract.ts'
import { setUp } from '../e2e/support/people.ts'
import { startProduct } from '../e2e/support/product.ts'
import { percentile, rounded, timed } from './machine.ts'
import type { Bench } from './run.ts'

const questions = 300
/** The bar of a page and of a search, in milliseconds. */
const bar = 100
const longestSeconds = 900
const { calls } = devices

export const run: Bench['run'] = async ({ rows = 10_000, say }) => {
  const product = await startProduct()
  try {
    const { administrator: ada } = await setUp(product, 'ada')
    const settled = async (importId: string, ...states: readonly string[]) => {
      const until = performance.now() + longestSeconds * 1_000
      for (;;) {
        const answer = await ada.call(calls.readImport, { importId })
        if (states.includes(answer.status)) return answer
        if (performance.now() > until) throw new Error(`The import stands at ${answer.status}`)
        await wait(100)
      }
    }
    // Every other row has a serial number that makers leave in many devices.
    const lines = Array.from(
      { length: rows },
      (_, at) => `device-${at},${at % 2 === 0 ? `SN-${at}` : 'N/A'},${at % 3 === 0 ? 'Mobile' : 'Server'}`,
    )
    const file = Buffer.from(`name,serial,type\n${lines.join('\n')}\n`).toString('base64')
    const began = performance.now()
    const { importId, mapping } = await ada.call(calls.prepareImport, { fileName: 'devices.csv', file })
    await ada.call(calls.checkImport, { importId, mapping })
    const checked = await settled(importId, 'checked')
    await ada.call(calls.startImport, { importId, skipFaulty: true })
    await settled(importId, 'done')
    const seconds = (performance.now() - began) / 1_000
    const { csvUploadStats: stats } = await ada.call(calls.uploadStats, { importId })
    say(`${stats.created} of ${rows} rows came in, ${stats.skipped} were left out, in ${seconds.toFixed(1)} s; said before: ${checked.fresh} new, ${checked.faulty} with faults`) // prettier-ignore
    const page = () => ada.call(calls.search, { page: 1 + Math.floor(Math.random() * 50), size: 50, type: ['Mobile'] })
    const search = () => ada.call(calls.search, { text: `SN-${2 * Math.floor(Math.random() * (rows / 2))}` })
    // The cheapest call of all, at the same time: what the machine itself takes away from each figure.
    const bare = () => ada.call(tenancy.calls.read, {})
    const [ofPage, ofSearch, ofBare] = [await timed(questions, page), await timed(questions, search), await timed(questions, bare)]
    const figures = {
      rows,
      created: stats.created,
      leftOut: stats.skipped,
      seconds: rounded(seconds, 1),
      pageP99ms: rounded(percentile(ofPage, 0.99), 1),
      searchP99ms: rounded(percentile(ofSearch, 0.99), 1),
      pageMedianms: rounded(percentile(ofPage, 0.5), 1),
      searchMedianms: rounded(percentile(ofSearch, 0.5), 1),
      bareP99ms: rounded(percentile(ofBare, 0.99), 1),
      bareMedianms: rounded(percentile(ofBare, 0.5), 1),
    }
    const asSaid = stats.created === checked.fresh && stats.skipped === checked.faulty && stats.created === Math.ceil(rows / 2)
    return {
      figures,
      ratios: { pageToBar: rounded(figures.pageP99ms / bar, 2), searchToBar: rounded(figures.searchP99ms / bar, 2) },
      failed: !asSaid,
    }
  } finally {
    await product.stop()
  }
}
