// What a demonstration plants: findings that are judged as a scan judges them, in a network that was allowed.

import { randomUUID, X509Certificate } from 'node:crypto'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { ProviderKind } from './rules.ts'
import { findFindings, insertFinding, updateFinding } from './server/finding-store.ts'
import { readSeen } from './server/probe.ts'
import { insertProvider, updatePage, updateReading } from './server/provider-store.ts'
import { keepFound } from './server/reading.ts'
import { trustedOf } from './server/running.ts'
import { insertNetwork, insertRun, insertSource, updateNetwork, updateProgress, updateRun } from './server/store.ts'

export type PlannedFinding = {
  address: string
  port: number
  /** The name that was asked for; another than the certificate's is a fault. */
  serverName: string
  certificate: Uint8Array
  state: 'open' | 'taken' | 'ignored'
}

/** It leaves no event. */
export async function plantFindings(
  tenancy: Tenancy,
  { cidr, name, by, probes, found }: { cidr: string; name: string; by: string; probes: number; found: readonly PlannedFinding[] },
): Promise<void> {
  const [networkId, sourceId, runId] = [randomUUID(), randomUUID(), randomUUID()]
  await insertNetwork(tenancy, { id: networkId, cidr, note: name, state: 'allowed', proposed_by: by })
  await updateNetwork(tenancy, networkId, { state: 'allowed', decided_by: by })
  const scope = { targets: [cidr], exclusions: [], ports: [443, 8443], names: [], start_tls: [] }
  await insertSource(tenancy, sourceId, { name, ...scope, rate: 200, every_hours: 0, quiet_from: null, quiet_to: null, next_at: null })
  await insertRun(tenancy, { id: runId, source_id: sourceId, started_by: by, total: probes })
  const trusted = await trustedOf(tenancy)
  const ids = new Map<PlannedFinding['state'], string[]>()
  for (const { certificate, state, ...place } of found) {
    const seen = readSeen(new X509Certificate(certificate), { ...place, protocol: 'TLSv1.3', trusted, now: tenancy.now })
    if (seen === undefined) continue
    const id = randomUUID()
    await insertFinding(tenancy, id, seen)
    ids.set(state, [...(ids.get(state) ?? []), id])
  }
  await updateFinding(tenancy, ids.get('taken') ?? [], { state: 'taken' })
  const until = new Date(tenancy.now.getTime() + 60 * 86_400_000)
  await updateFinding(tenancy, ids.get('ignored') ?? [], {
    state: 'ignored',
    ignored_until: until,
    ignored_reason: 'Switched off next month',
  })
  const { total } = await findFindings(tenancy, { view: 'all', text: '' }, { page: 1, size: 1, direction: 'asc' })
  await updateProgress(tenancy, runId, { position: probes, answered: total, fresh: total, changed: 0, refused: 0 })
  await updateRun(tenancy, runId, { state: 'done', ended_at: tenancy.now })
}

export type PlannedProvider = {
  kind: ProviderKind
  name: string
  url: string
  scope: string
  account: string
  says?: string
  found: readonly { place: string; certificate: Uint8Array }[]
}

/** Providers as they stand after a reading. They have no secret and are read by hand alone, so nobody outside is asked. It leaves no event. */
export async function plantProviders(tenancy: Tenancy, planned: readonly PlannedProvider[]): Promise<void> {
  for (const { kind, found, says = '', ...provider } of planned) {
    const id = randomUUID()
    const unread = { roots: '', login: '', sealed_secret: null, tenant_key_id: null, every_hours: 0, next_at: null }
    await insertProvider(tenancy, { id, kind, ...provider, ...unread })
    const counts = await keepFound(
      tenancy,
      { provider: kind, providerId: id },
      found.map((one) => ({ ...one, chain: [] })),
      () => undefined,
    )
    await updatePage(tenancy, id, { ...counts, cursor: '' })
    await updateReading(tenancy, id, { state: 'done', says, started_at: tenancy.now, ended_at: tenancy.now })
  }
}
