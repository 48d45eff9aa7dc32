// Goes through the probes of a run in parts. A part's results, its counts and how far the run has come are one commit, so that a dead server repeats one part
// and counts nothing twice. Before each part everything is looked at anew: whether somebody stopped it, and what may still be scanned.

import { randomUUID } from 'node:crypto'
import { listUsableIssuers } from '#areas/authorities/licensing.ts'
import { findEndpointsAt, insertSeen } from '#areas/devices/service.ts'
import { noteSeen } from '#areas/networks/service.ts'
import { forEach } from '#core/server/each.ts'
import type { House, TenancyTurn } from '#core/server/house.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import type { StartTlsKind } from '#standards/start-tls/kinds.ts'
import { discovery } from '../contract.ts'
import { chunkSize, isQuiet, partSize, startTlsAt, startTlsOf } from '../rules.ts'
import {
  findAt,
  insertChange,
  insertFinding,
  listAwaited,
  updateFinding,
  updateMissed,
  type FindingRecord,
  type Seen,
} from './finding-store.ts'
import { probe, type Outcome, type Probing } from './probe.ts'
import { countProbes, isCovered, probesAt, readScope, type Probe as ProbeOfScope } from './scope.ts'
import {
  findRun,
  findSource,
  insertRun,
  listNetworks,
  listOpenRuns,
  listSources,
  lockRun,
  updateNext,
  updateProgress,
  updateRun,
  type SourceRecord,
} from './store.ts'

type Probe = ProbeOfScope & { startTls?: StartTlsKind | undefined }

const actor = { name: 'Discovery' }
const sockets = 64
const stopLookMilliseconds = 500

export const allowedOf = async (tenancy: Tenancy): Promise<string[]> =>
  (await listNetworks(tenancy)).filter(({ state }) => state === 'allowed').map(({ cidr }) => cidr)

export const trustedOf = async (tenancy: Tenancy): Promise<Uint8Array[]> =>
  (await listUsableIssuers(tenancy.db, tenancy.tenantId, tenancy.now)).flatMap(({ certificate, chain }) => [certificate, ...chain])

/** Begins the runs whose time has come, and goes on with those that are open; neither keeps the other from its turn. */
export async function scanTurn({ house, tenantId, until }: TenancyTurn): Promise<'more' | void> {
  let isMore = false
  const goOnAll = async () => {
    const runs = await withTenancy(house, tenantId, listOpenRuns)
    // A run that fails keeps no other from its turn.
    await forEach(runs, async ({ id }) => {
      if (!isMore) isMore = (await goOn(house, tenantId, id, until)) === 'more'
    })
  }
  await forEach([() => beginDue(house, tenantId), goOnAll], (step) => step())
  return isMore ? 'more' : undefined
}

async function beginDue(house: House, tenantId: string): Promise<void> {
  const due = (await withTenancy(house, tenantId, listSources)).filter(({ next_at }) => next_at !== null && next_at <= house.now())
  await forEach(due, (source) =>
    house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
      await updateNext(tenancy, source.id, new Date(tenancy.now.getTime() + source.every_hours * 3_600_000))
      const { settled } = readScope(source, await allowedOf(tenancy))
      const open = (await listOpenRuns(tenancy)).some(({ source_id }) => source_id === source.id)
      if (settled === undefined || open) return
      const id = randomUUID()
      const total = countProbes(settled)
      await insertRun(tenancy, { id, source_id: source.id, started_by: 'By its schedule', total })
      emitFor(discovery)('runStarted', { runId: id, sourceId: source.id, probes: total }, source.id)
    }),
  )
}

/** Ends a run with what it has counted. */
const endRun = (house: House, tenantId: string, runId: string, state: 'done' | 'cancelled' | 'failed', says = '') =>
  house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
    const run = await lockRun(tenancy, runId)
    if (run === undefined) return
    await updateRun(tenancy, runId, { state, ended_at: tenancy.now, says })
    const { source_id: sourceId, position, answered, fresh, changed } = run
    emitFor(discovery)('runEnded', { runId, sourceId, state, probes: position, answered, fresh, changed }, sourceId)
  })

async function goOn(house: House, tenantId: string, runId: string, until: number): Promise<'more' | void> {
  for (;;) {
    const read = await withTenancy(house, tenantId, async (tenancy) => {
      const run = await findRun(tenancy, runId)
      const source = run && (await findSource(tenancy, run.source_id))
      return { run, source, allowed: await allowedOf(tenancy), trusted: await trustedOf(tenancy) }
    })
    const { run, source, allowed } = read
    if (run === undefined || source === undefined) return
    if (run.state === 'stopping') return endRun(house, tenantId, runId, 'cancelled')
    if (run.state === 'paused') return
    const now = house.now()
    const minute = now.getUTCHours() * 60 + now.getUTCMinutes()
    // In quiet hours it waits, and goes on by the job of the next minute.
    if (isQuiet(minute, source.quiet_from ?? undefined, source.quiet_to ?? undefined)) return
    const { settled, fault } = readScope(source, allowed)
    if (settled === undefined)
      return endRun(
        house,
        tenantId,
        runId,
        'failed',
        fault.code === 'notAllowed' ? `${fault.params['target'] ?? ''} may not be scanned any more` : fault.code,
      )
    // Under its lock, so that a pause or a stop of this moment stands.
    if (run.state === 'waiting')
      await withTenancy(house, tenantId, async (tenancy) => {
        if ((await lockRun(tenancy, runId))?.state === 'waiting') await updateRun(tenancy, runId, { state: 'running' })
      })
    const { probes, next } = probesAt(settled, run.position, partSize(source.rate, settled.names.length))
    const stopping = new AbortController()
    const look = setInterval(() => void watchStop(house, tenantId, runId, stopping), stopLookMilliseconds)
    let outcomes: { probe: Probe; serverName: string; outcome: Outcome }[]
    try {
      outcomes = await probeAll(
        { house, tenantId, networks: allowed, trusted: read.trusted, signal: stopping.signal },
        probes.map((one) => ({ ...one, startTls: startTlsAt(one.port, source.start_tls) })),
        source.rate,
      )
    } finally {
      clearInterval(look)
    }
    // Of what was broken off the beginning counts, up to the first that has no outcome: the run says how far it came.
    const reached = stopping.signal.aborted ? (firstOpen(probes, outcomes) ?? next) : next
    const whole = outcomes.filter((one) => one.probe.at < reached)
    await house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
      const locked = await lockRun(tenancy, runId)
      if (locked === undefined || locked.position !== run.position) return
      const counts = await store(tenancy, whole, (finding) => emitFor(discovery)('servedAgain', finding, finding.findingId))
      await updateProgress(tenancy, runId, { ...counts, position: reached })
    })
    if (reached >= run.total) return endRun(house, tenantId, runId, 'done')
    if (performance.now() > until) return 'more'
  }
}

/** Where the first probe stands that was not made under each of its names. */
function firstOpen(probes: readonly Probe[], outcomes: readonly { probe: Pick<Probe, 'at'> }[]): number | undefined {
  const made = Map.groupBy(outcomes, ({ probe: { at } }) => at)
  return probes.find(({ at, names }) => (made.get(at)?.length ?? 0) < names.length)?.at
}

async function watchStop(house: House, tenantId: string, runId: string, stopping: AbortController): Promise<void> {
  try {
    const run = await withTenancy(house, tenantId, (tenancy) => findRun(tenancy, runId))
    if (run === undefined || run.state === 'stopping' || run.state === 'paused') stopping.abort()
  } catch (error) {
    house.log.warn({ error }, 'a scan could not look whether it was stopped')
  }
}

/** So many connections a second, and so many open at a time. */
async function probeAll(probing: Probing & { signal: AbortSignal }, probes: readonly Probe[], rate: number) {
  const asked = probes.flatMap((one) => one.names.map((serverName) => ({ probe: one, serverName })))
  const done: { probe: Probe; serverName: string; outcome: Outcome }[] = []
  const began = performance.now()
  let at = 0
  const worker = async () => {
    while (at < asked.length && !probing.signal.aborted) {
      const turn = at
      at += 1
      const one = asked[turn]
      if (one === undefined) return
      const wait = began + (turn * 1_000) / rate - performance.now()
      if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait))
      if (probing.signal.aborted) return
      const { address, port, startTls } = one.probe
      const outcome = await probe(probing, { address, port, startTls, serverName: one.serverName })
      // One that was broken off looks as if nobody had answered.
      if (probing.signal.aborted) return
      done.push({ ...one, outcome })
    }
  }
  await Promise.all(Array.from({ length: Math.min(sockets, asked.length) }, worker))
  return done
}

export type Served = { findingId: string; place: string; fingerprint: string }

/** Writes what was seen. Changes of what is known are kept; what did not answer counts a miss. */
async function store(
  tenancy: Tenancy,
  outcomes: readonly { probe: Probe; serverName: string; outcome: Outcome }[],
  served: (finding: Served) => void,
) {
  const known = new Map((await findAt(tenancy, outcomes.map(({ probe: { address, port } }) => ({ address, port })))).map((one) => [placeOf(one), one])) // prettier-ignore
  const counts = { answered: 0, fresh: 0, changed: 0, refused: 0 }
  const missed: string[] = []
  const answering = new Set<string>()
  for (const { probe: place, serverName, outcome } of outcomes) {
    const before = known.get(`${place.address} ${place.port} ${serverName}`)
    if (outcome === 'silent' || outcome === 'refused') {
      if (outcome === 'refused') counts.refused += 1
      if (before !== undefined) missed.push(before.id)
      continue
    }
    counts.answered += 1
    answering.add(place.address)
    const effect = await keep(tenancy, before, outcome.seen, served)
    if (effect !== 'same') counts[effect] += 1
  }
  await updateMissed(tenancy, missed)
  await noteSeen(tenancy, [...answering])
  return counts
}

const placeOf = (row: Pick<FindingRecord, 'address' | 'port' | 'server_name'>): string => `${row.address} ${row.port} ${row.server_name}`

/** Writes what was seen at one place, beside what was known of it. */
export async function keep(
  tenancy: Tenancy,
  before: FindingRecord | undefined,
  seen: Seen,
  served: (finding: Served) => void,
): Promise<'fresh' | 'changed' | 'same'> {
  if (seen.address !== null)
    for (const { id, server_name } of await findEndpointsAt(tenancy, seen.address, seen.port))
      if (server_name === seen.server_name || seen.server_name === '') await insertSeen(tenancy, id, seen.fingerprint)
  if (before === undefined) {
    await insertFinding(tenancy, randomUUID(), seen)
    return 'fresh'
  }
  const arrived = before.expected === seen.fingerprint && before.served_at === null
  const { address: _address, ...values } = seen
  await updateFinding(tenancy, [before.id], {
    ...values,
    last_seen: tenancy.now,
    misses: 0,
    ...(arrived ? { served_at: tenancy.now } : {}),
  })
  if (arrived)
    served({
      findingId: before.id,
      place: seen.address === null ? seen.place : `${seen.address}:${seen.port}`,
      fingerprint: seen.fingerprint,
    })
  if (before.fingerprint === seen.fingerprint) return 'same'
  await insertChange(tenancy, {
    id: randomUUID(),
    installation_id: before.id,
    from_fingerprint: before.fingerprint,
    to_fingerprint: seen.fingerprint,
  })
  return 'changed'
}

const mostAwaited = 2_000

/** Looks at the places where a renewed certificate is awaited, as far as they may still be scanned, and as gently as the scans that found them. */
export async function checkServed(house: House, tenantId: string): Promise<{ awaited: number; served: number }> {
  const { awaited, allowed, trusted, sources } = await withTenancy(house, tenantId, async (tenancy) => ({
    awaited: await listAwaited(tenancy, mostAwaited),
    allowed: await allowedOf(tenancy),
    trusted: await trustedOf(tenancy),
    sources: await listSources(tenancy),
  }))
  let served = 0
  const judged = awaited.map((row) => ({ row, rate: gentleRate(row.address, allowed, sources, house.now()) }))
  for (let from = 0; from < judged.length; from += chunkSize) {
    const part = judged.slice(from, from + chunkSize).flatMap(({ row, rate }) => (rate === undefined ? [] : [{ row, rate }]))
    const probes = part.map(({ row: { address, port, server_name, protocol } }, at) => ({
      at,
      address,
      port,
      names: [server_name],
      startTls: startTlsOf(protocol),
    }))
    const slowest = Math.min(defaultRate, ...part.map(({ rate }) => rate))
    const signal = new AbortController().signal
    const outcomes = await probeAll({ house, tenantId, networks: allowed, trusted, signal }, probes, slowest)
    await house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
      await store(tenancy, outcomes, (finding) => {
        served += 1
        emitFor(discovery)('servedAgain', finding, finding.findingId)
      })
    })
  }
  return { awaited: awaited.length, served }
}

const defaultRate = 100

/** Connections a second that are fit for an address now; undefined where it is not allowed, or every scan that covers it leaves it out or is quiet. */
function gentleRate(address: string, allowed: readonly string[], sources: readonly SourceRecord[], now: Date): number | undefined {
  if (readScope({ targets: [address], exclusions: [], ports: [], names: [] }, allowed).settled === undefined) return undefined
  const covering = sources.filter(({ targets }) => isCovered(address, targets))
  if (covering.length === 0) return defaultRate
  const minute = now.getUTCHours() * 60 + now.getUTCMinutes()
  const fit = covering.filter(
    ({ exclusions, quiet_from, quiet_to }) =>
      !isCovered(address, exclusions) && !isQuiet(minute, quiet_from ?? undefined, quiet_to ?? undefined),
  )
  return fit.length === 0 ? undefined : Math.min(...fit.map(({ rate }) => rate))
}
