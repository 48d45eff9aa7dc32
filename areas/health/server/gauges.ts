// What `/metrics` tells of the authorities' health, by their ids alone. Read at most every half minute: whoever scrapes more often gets the same again.

import { inTenant } from '#core/server/database.ts'
import { forEachTenancy } from '#core/server/each.ts'
import type { House } from '#core/server/house.ts'
import type { Gauge, Sample } from '#core/server/metrics.ts'
import { healthStates, worstState } from '../rules.ts'
import { readHealth } from './read.ts'

type Row = Awaited<ReturnType<typeof readHealth>>[number]

const cachedMilliseconds = 30_000
const readings = new WeakMap<House, { until: number; rows: Promise<Row[]> }>()

function rowsOf(house: House): Promise<Row[]> {
  const known = readings.get(house)
  if (known !== undefined && performance.now() < known.until) return known.rows
  const rows = readAll(house)
  readings.set(house, { until: performance.now() + cachedMilliseconds, rows })
  // What failed is not kept.
  rows.catch(() => readings.delete(house))
  return rows
}

async function readAll(house: House): Promise<Row[]> {
  const all: Row[] = []
  // A tenancy that cannot be read has no figures, and all others have theirs.
  await forEachTenancy(house, async (id) => {
    all.push(...(await inTenant(house.database, id, (db) => readHealth(db, id, house.settings.pkiUrl, house.now()))))
  }).catch((error: unknown) => house.log.warn({ error }, 'the health of the authorities of a tenancy could not be read'))
  return all
}

const gauge = (name: string, help: string, valueOf: (row: Row, now: Date) => number | undefined): Gauge<House> => ({
  name,
  help,
  async read(house) {
    const now = house.now()
    return (await rowsOf(house)).flatMap((row): Sample[] => {
      const value = valueOf(row, now)
      return value === undefined ? [] : [{ labels: { authority: row.caId }, value }]
    })
  },
})

const secondsTo = (at: string | undefined, now: Date): number | undefined =>
  at === undefined ? undefined : Math.round((Date.parse(at) - now.getTime()) / 1000)

export const gauges: readonly Gauge<House>[] = [
  gauge('chancery_crl_seconds_to_next_update', 'Until the whole revocation list of an authority ends.', ({ nextUpdate }, now) =>
    secondsTo(nextUpdate, now),
  ),
  gauge(
    'chancery_ocsp_signer_seconds_to_end',
    'Until the certificate of the signer of OCSP answers ends, where there is one.',
    ({ signerUntil }, now) => secondsTo(signerUntil, now),
  ),
  gauge('chancery_ocsp_up', 'Whether a probe of the OCSP responder through its public address got a believable answer.', ({ checks }) => {
    const check = checks.find(({ kind }) => kind === 'ocsp')
    return check === undefined ? undefined : Number(check.state === 'ok')
  }),
  gauge('chancery_authority_seconds_to_end', 'Until the certificate of an authority ends.', ({ notAfter }, now) =>
    secondsTo(notAfter, now),
  ),
  gauge('chancery_authority_health', 'The worst state of the checks of an authority: 0 in order, 1 late, 2 failing.', ({ checks }) =>
    checks.length === 0 ? undefined : healthStates.indexOf(worstState(checks.map(({ state }) => state))),
  ),
]
