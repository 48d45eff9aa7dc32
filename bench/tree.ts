// A tree of 20,000 organisations from a file: how long it takes, and what a level, a name and the preview of a move take then.

import { setTimeout as wait } from 'node:timers/promises'
import { organisations } from '#areas/organisations/contract.ts'
import { tenancy } from '#areas/tenancy/contract.ts'
import { setUp } from '../e2e/support/people.ts'
import { startProduct } from '../e2e/support/product.ts'
import { percentile, rounded, timed } from './machine.ts'
import type { Bench } from './run.ts'

const questions = 300
/** The bars of a level and of a name that is typed, in milliseconds. */
const bars = { level: 20, name: 30 }
const longestSeconds = 900
/** Below each one as many. */
const width = 27
const { calls } = organisations

export const run: Bench['run'] = async ({ rows = 20_000, say }) => {
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
    const lines = Array.from({ length: rows }, (_, at) => `Unit ${at},${at === 0 ? '' : `Unit ${Math.floor((at - 1) / width)}`},team`)
    const file = Buffer.from(`Name,Above,Type\n${lines.join('\n')}\n`).toString('base64')
    const began = performance.now()
    const { importId, mapping } = await ada.call(calls.prepareImport, { fileName: 'tree.csv', file })
    await ada.call(calls.checkImport, { importId, mapping })
    const checked = await settled(importId, 'checked')
    const checkedAt = performance.now()
    await ada.call(calls.startImport, { importId, skipFaulty: true })
    await settled(importId, 'done')
    const [checkSeconds, runSeconds] = [(checkedAt - began) / 1_000, (performance.now() - checkedAt) / 1_000]
    const top = (await ada.call(calls.tree, {})).rows[0]
    const below = top === undefined ? [] : (await ada.call(calls.tree, { parentId: top.id })).rows
    say(`${checked.fresh} of ${rows} rows: checked in ${checkSeconds.toFixed(1)} s, in after ${runSeconds.toFixed(1)} s more; ${below.length} below the first`) // prettier-ignore
    const some = () => below[Math.floor(Math.random() * below.length)]?.id ?? ''
    const ofLevel = await timed(questions, () => ada.call(calls.tree, { parentId: some() }))
    const ofName = await timed(questions, () => ada.call(calls.autocomplete, { text: `Unit ${Math.floor(Math.random() * rows)}` }))
    const ofMove = await timed(questions / 10, () => ada.call(calls.previewMove, { id: some() }))
    // The cheapest call of all, at the same time: what the machine itself takes away from each figure.
    const ofBare = await timed(questions, () => ada.call(tenancy.calls.read, {}))
    const figures = {
      rows,
      checkSeconds: rounded(checkSeconds, 1),
      runSeconds: rounded(runSeconds, 1),
      levelP99ms: rounded(percentile(ofLevel, 0.99), 1),
      levelMedianms: rounded(percentile(ofLevel, 0.5), 1),
      nameP99ms: rounded(percentile(ofName, 0.99), 1),
      nameMedianms: rounded(percentile(ofName, 0.5), 1),
      moveMedianms: rounded(percentile(ofMove, 0.5), 1),
      bareP99ms: rounded(percentile(ofBare, 0.99), 1),
      bareMedianms: rounded(percentile(ofBare, 0.5), 1),
    }
    return {
      figures,
      ratios: { levelToBar: rounded(figures.levelP99ms / bars.level, 2), nameToBar: rounded(figures.nameP99ms / bars.name, 2) },
      failed: checked.fresh !== rows || checked.faulty > 0,
    }
  } finally {
    await product.stop()
  }
}
