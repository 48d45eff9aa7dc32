// A /8 with many addresses, filled through the call that gives the next free ones: what a page, the map and one more address take then, and whether two
// callers at once ever got the same.

import { networks } from '#areas/networks/contract.ts'
import { tenancy } from '#areas/tenancy/contract.ts'
import { setUp } from '../e2e/support/people.ts'
import { startProduct } from '../e2e/support/product.ts'
import { percentile, rounded, timed } from './machine.ts'
import type { Bench } from './run.ts'

const together = 256
const callers = 8
const questions = 300
/** The bars, in milliseconds. */
const bars = { map: 100, page: 100, next: 5 }

export const run: Bench['run'] = async ({ rows = 20_000, say }) => {
  const product = await startProduct()
  try {
    const { administrator: ada } = await setUp(product, 'ada')
    const { id: subnetId } = await ada.call(networks.calls.addSubnet, { cidr: '10.0.0.0/8', name: 'All' })
    const given: string[] = []
    const began = performance.now()
    const take = async () => {
      while (given.length < rows) given.push(...(await ada.call(networks.calls.nextFreeAddress, { subnetId, count: together })).addresses)
    }
    await Promise.all(Array.from({ length: callers }, take))
    const perSecond = given.length / ((performance.now() - began) / 1_000)
    const twice = given.length - new Set(given).size
    say(`${given.length} addresses were given to ${callers} callers, ${twice} of them twice`)
    const page = () => ada.call(networks.calls.searchAddresses, { subnetId, page: 1 + Math.floor(Math.random() * 100), size: 50 })
    const map = () => ada.call(networks.calls.subnetMap, { space: '', cidr: Math.random() < 0.5 ? '10.0.0.0/8' : '10.0.0.0/16' })
    const next = () => ada.call(networks.calls.nextFreeAddress, { subnetId })
    // The cheapest call of all, at the same time: what the machine itself takes away from each figure.
    const bare = () => ada.call(tenancy.calls.read, {})
    const [ofPage, ofMap, ofNext, ofBare] = [
      await timed(questions, page),
      await timed(questions, map),
      await timed(questions, next),
      await timed(questions, bare),
    ]
    const figures = {
      addresses: given.length,
      takenTwice: twice,
      takenASecond: rounded(perSecond),
      pageP99ms: rounded(percentile(ofPage, 0.99), 1),
      mapP99ms: rounded(percentile(ofMap, 0.99), 1),
      nextFreeP99ms: rounded(percentile(ofNext, 0.99), 1),
      pageMedianms: rounded(percentile(ofPage, 0.5), 1),
      mapMedianms: rounded(percentile(ofMap, 0.5), 1),
      nextFreeMedianms: rounded(percentile(ofNext, 0.5), 1),
      bareP99ms: rounded(percentile(ofBare, 0.99), 1),
      bareMedianms: rounded(percentile(ofBare, 0.5), 1),
    }
    const ratios = { mapToBar: rounded(figures.mapP99ms / bars.map, 2), pageToBar: rounded(figures.pageP99ms / bars.page, 2), nextFreeToBar: rounded(figures.nextFreeP99ms / bars.next, 2) } // prettier-ignore
    return { figures, ratios, failed: twice > 0 }
  } finally {
    await product.stop()
  }
}
