import { randomUUID } from 'node:crypto'
import { certificates } from '#areas/certificates/contract.ts'
import { certificatesByFingerprint, findCertificate, insertExternal } from '#areas/certificates/service.ts'
import { spanText, weeksAhead, weeksShown } from '#areas/certificates/weeks.ts'
import { findEndpointsAt, updateShould } from '#areas/devices/service.ts'
import { addressText, type Subnet } from '#areas/networks/rules.ts'
import { offer } from '#core/contract/slots.ts'
import { invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { on, serve } from '#core/server/serve.ts'
import { workSources, workWaiting } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { fingerprint, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { generalNameText } from '#standards/x509/general-names.ts'
import { formatName } from '#standards/x509/names.ts'
import { discovery } from '../contract.ts'
import { isRunning, shortestPrefix, views, type PortProtocol, type View } from '../rules.ts'
import { askedElsewhere, askHandlers, asksWaiting, askSubscriptions, decides, networksAsked } from './asks.ts'
import { reportOnDomains } from './domain-report.ts'
import {
  countFindings,
  countIssuers,
  findFinding,
  findFindings,
  findTakenNamed,
  listChanges,
  lockFindings,
  updateFinding,
  type FindingRecord,
} from './finding-store.ts'
import { providerHandlers } from './providers.ts'
import { readTurn } from './reading.ts'
import { allowedOf, checkServed, scanTurn } from './running.ts'
import { countProbed, countProbes, readScope, readTarget, type Scope, type ScopeFault } from './scope.ts'
import {
  deleteNetwork,
  deleteSource,
  findLastRuns,
  insertNetwork,
  insertRun,
  insertSource,
  listNetworks,
  listOpenRuns,
  listSources,
  lockNetwork,
  lockRun,
  lockSource,
  pageOfRuns,
  updateNetwork,
  updateRun,
  updateSource,
  type RunRecord,
  type SourceValues,
} from './store.ts'

const mostNetworks = 200
const mostNodes = 500

const presentRun = (run: RunRecord) => ({
  id: run.id,
  state: run.state,
  startedBy: run.started_by,
  startedAt: run.started_at.toISOString(),
  ...(run.ended_at === null ? {} : { endedAt: run.ended_at.toISOString() }),
  position: run.position,
  total: run.total,
  answered: run.answered,
  fresh: run.fresh,
  changed: run.changed,
  refused: run.refused,
  says: run.says,
})

type Draft = Scope & {
  name: string
  startTls: readonly PortProtocol[]
  rate: number
  everyHours: number
  quietFrom?: number | undefined
  quietTo?: number | undefined
}
const columnsOf = (
  { name, targets, exclusions, ports, names, startTls, rate, everyHours, quietFrom, quietTo }: Draft,
  now: Date,
): SourceValues => ({
  name,
  targets: [...targets],
  exclusions: [...exclusions],
  ports: [...new Set(ports)],
  names: [...names],
  start_tls: [...startTls],
  rate,
  every_hours: everyHours,
  quiet_from: quietFrom ?? null,
  quiet_to: quietTo ?? null,
  next_at: everyHours === 0 ? null : new Date(now.getTime() + everyHours * 3_600_000),
})

/** What a scan may look at; where it is too much, the fault of the call. */
function settle(
  scope: Scope,
  allowed: readonly string[],
  fault: (code: ScopeFault['code'], detail: { params: Record<string, string> }) => never,
) {
  const { settled, fault: wrong } = readScope(scope, allowed)
  return settled ?? fault(wrong?.code ?? 'notAllowed', { params: wrong?.params ?? {} })
}

/** Whether no decision opens an address: it is of this machine, link-local, or of a cloud's metadata service. */
const isClosed = async (house: House, tenantId: string, { family, first, text }: Subnet): Promise<boolean> =>
  (await house.outward.refusal({ use: 'scan', tenantId, host: addressText(family, first), port: 443, networks: [text] }))?.reason ===
  'address'

/** Where it stands: an address and a port, or what a provider calls its place. */
const placeText = ({ address, port, place }: FindingRecord): string => (address === null ? place : `${address}:${port}`)

const nameOf = ({ server_name, names, subject }: FindingRecord): string => server_name || names[0] || subject

async function presentFindings(tenancy: Tenancy, rows: readonly FindingRecord[]) {
  const known = await certificatesByFingerprint(
    tenancy,
    rows.map((row) => row.fingerprint),
  )
  return rows.map((row) => {
    const certificateId = known.get(row.fingerprint)?.id
    return {
      id: row.id,
      place: placeText(row),
      provider: row.provider,
      address: row.address ?? '',
      port: row.port,
      serverName: row.server_name,
      name: nameOf(row),
      subject: row.subject,
      issuer: row.issuer,
      notAfter: row.not_after.toISOString(),
      fingerprint: row.fingerprint,
      reasons: row.reasons,
      state: row.state === 'ignored' && (row.ignored_until ?? tenancy.now) <= tenancy.now ? ('open' as const) : row.state,
      lastSeen: row.last_seen.toISOString(),
      ...(certificateId === undefined ? {} : { certificateId }),
      renewal: row.served_at !== null ? ('served' as const) : row.expected === null ? ('none' as const) : ('awaited' as const),
    }
  })
}

/** RFC 6962 3.1: what bears this is no certificate yet. */
const poison = '1.3.6.1.4.1.11129.2.4.3'

/** Reads what a stranger served; undefined where it cannot be kept. */
function readCertificate(der: Uint8Array): Certificate | undefined {
  try {
    const certificate = parseCertificate(der)
    return certificate.extensions.some((one) => one.type === 'unknown' && one.oid === poison) ? undefined : certificate
  } catch {
    return undefined
  }
}

export default serve(
  discovery,
  {
    ...providerHandlers,
    ...askHandlers,

    async networks(_input, { tenancy, viewer }) {
      const mayDecide = viewer.permission.api.includes('infrastructureConfig') && (await decides(tenancy, viewer))
      return {
        networks: (await listNetworks(tenancy)).map((row) => ({
          id: row.id,
          cidr: row.cidr,
          note: row.note,
          state: row.state,
          proposedBy: row.proposed_by,
          decidedBy: row.decided_by,
          proposedAt: row.proposed_at.toISOString(),
        })),
        mayDecide,
        asked: mayDecide ? await askedElsewhere(tenancy) : [],
      }
    },

    async proposeNetwork({ cidr: typed, note }, { tenancy, house, viewer, emit, fault }) {
      const { subnet, fault: wrong } = readTarget(typed)
      if (subnet === undefined) throw invalidField('cidr', wrong)
      const shortest = shortestPrefix[subnet.family]
      if (subnet.prefixLength < shortest) fault('tooWide', { params: { length: shortest } })
      if (subnet.first === subnet.last && (await isClosed(house, viewer.tenantId, subnet))) fault('never')
      if ((await listNetworks(tenancy)).length >= mostNetworks) fault('tooMany')
      const id = randomUUID()
      await insertNetwork(tenancy, { id, cidr: subnet.text, note, state: 'proposed', proposed_by: actorOf(viewer) })
      emit('networkProposed', { networkId: id, cidr: subnet.text }, id)
      return { id }
    },

    async decideNetwork({ id, allowed }, { tenancy, viewer, emit, fault }) {
      const row = (await lockNetwork(tenancy, id)) ?? fault('missing')
      if (!(await decides(tenancy, viewer))) fault('managementOnly')
      await updateNetwork(tenancy, id, { state: allowed ? 'allowed' : 'refused', decided_by: actorOf(viewer) })
      emit('networkDecided', { networkId: id, cidr: row.cidr, allowed }, id)
      return {}
    },

    async removeNetwork({ id }, { tenancy, emit, fault }) {
      const row = (await lockNetwork(tenancy, id)) ?? fault('missing')
      await deleteNetwork(tenancy, id)
      emit('networkRemoved', { networkId: id, cidr: row.cidr }, id)
      return {}
    },

    async sources(_input, { tenancy }) {
      const last = await findLastRuns(tenancy)
      const allowed = await allowedOf(tenancy)
      return {
        sources: (await listSources(tenancy)).map((row) => {
          const run = last.get(row.id)
          const { settled } = readScope(row, allowed)
          return {
            id: row.id,
            name: row.name,
            targets: row.targets,
            exclusions: row.exclusions,
            ports: row.ports,
            names: row.names,
            startTls: row.start_tls,
            rate: row.rate,
            everyHours: row.every_hours,
            ...(row.quiet_from === null ? {} : { quietFrom: row.quiet_from }),
            ...(row.quiet_to === null ? {} : { quietTo: row.quiet_to }),
            probes: settled === undefined ? 0 : countProbed(settled),
            version: row.version,
            ...(run === undefined ? {} : { lastRun: presentRun(run) }),
          }
        }),
      }
    },

    async preview(draft, { tenancy }) {
      const { settled, fault } = readScope(draft, await allowedOf(tenancy))
      if (settled === undefined) {
        const refused = fault.params['target'] ?? 'At most 65,536 addresses in a run'
        return { addresses: 0, probes: 0, seconds: 0, refused: [refused] }
      }
      const probes = countProbed(settled)
      return { addresses: settled.addresses, probes, seconds: Math.ceil((probes * settled.names.length) / draft.rate), refused: [] }
    },

    async addSource(draft, { tenancy, emit, fault }) {
      settle(draft, await allowedOf(tenancy), fault)
      const id = randomUUID()
      await insertSource(tenancy, id, columnsOf(draft, tenancy.now))
      emit('sourceAdded', { sourceId: id, name: draft.name, targets: draft.targets }, id)
      return { id }
    },

    async changeSource({ id, version, ...draft }, { tenancy, emit, fault }) {
      const row = (await lockSource(tenancy, id)) ?? fault('missing')
      if (version !== undefined && version !== row.version) fault('conflict')
      if ((await listOpenRuns(tenancy)).some(({ source_id }) => source_id === id)) fault('running')
      settle(draft, await allowedOf(tenancy), fault)
      await updateSource(tenancy, id, columnsOf(draft, tenancy.now))
      emit('sourceChanged', { sourceId: id, name: draft.name, targets: draft.targets }, id)
      return {}
    },

    async removeSource({ id }, { tenancy, emit, fault }) {
      const row = (await lockSource(tenancy, id)) ?? fault('missing')
      if ((await listOpenRuns(tenancy)).some(({ source_id }) => source_id === id)) fault('running')
      await deleteSource(tenancy, id)
      emit('sourceRemoved', { sourceId: id, name: row.name }, id)
      return {}
    },

    async run({ id }, { tenancy, viewer, emit, house, afterCommit, fault }) {
      const row = (await lockSource(tenancy, id)) ?? fault('missing')
      const settled = settle(row, await allowedOf(tenancy), fault)
      const runId = randomUUID()
      const total = countProbes(settled)
      await insertRun(tenancy, { id: runId, source_id: id, started_by: actorOf(viewer), total })
      emit('runStarted', { runId, sourceId: id, probes: total }, id)
      afterCommit(() => house.wake(discovery.jobs.scan))
      return { runId }
    },

    async stop({ runId }, { tenancy, emit, house, afterCommit, fault }) {
      const run = (await lockRun(tenancy, runId)) ?? fault('missing')
      if (!isRunning(run.state)) fault('ended')
      await updateRun(tenancy, runId, { state: 'stopping' })
      emit('runStopped', { runId, sourceId: run.source_id }, run.source_id)
      afterCommit(() => house.wake(discovery.jobs.scan))
      return {}
    },

    async pause({ runId, paused }, { tenancy, emit, house, afterCommit, fault }) {
      const run = (await lockRun(tenancy, runId)) ?? fault('missing')
      if (!isRunning(run.state) || run.state === 'stopping') fault('ended')
      if ((run.state === 'paused') === paused) return {}
      await updateRun(tenancy, runId, { state: paused ? 'paused' : 'running' })
      emit(paused ? 'runPaused' : 'runResumed', { runId, sourceId: run.source_id }, run.source_id)
      afterCommit(() => house.wake(discovery.jobs.scan))
      return {}
    },

    async runs({ sourceId, page, size }, { tenancy }) {
      const { rows, total } = await pageOfRuns(tenancy, sourceId, { page, size })
      return { rows: rows.map(presentRun), total }
    },

    async overview(_input, { tenancy }) {
      const counts: [View, number][] = []
      for (const view of views) counts.push([view, await countFindings(tenancy, { view, text: '' })])
      const endsByWeek: { week: string; span: string; count: number }[] = []
      for (const week of weeksAhead(tenancy.now, weeksShown)) {
        const span = spanText(week)
        endsByWeek.push({ week: span.slice(0, 10), span, count: await countFindings(tenancy, { view: 'all', text: '', ends: span }) })
      }
      return {
        views: Object.fromEntries(counts) as Record<View, number>,
        awaited: await countFindings(tenancy, { view: 'taken', text: '', renewal: 'awaited' }),
        served: await countFindings(tenancy, { view: 'taken', text: '', renewal: 'served' }),
        issuers: await countIssuers(tenancy, 8),
        endsByWeek,
      }
    },

    async search({ page, size, sort, direction, ...question }, { tenancy }) {
      const { rows, total } = await findFindings(tenancy, question, { page, size, sort, direction })
      return { rows: await presentFindings(tenancy, rows), total }
    },

    async graph(_input, { tenancy }) {
      const { rows, total } = await findFindings(tenancy, { view: 'all', text: '' }, { page: 1, size: mostNodes, direction: 'asc' })
      type Node = { id: string; kind: 'host' | 'certificate' | 'issuer'; label: string; state: 'good' | 'warn' | 'bad'; count: number }
      const nodes = new Map<string, Node>()
      const edges = new Map<string, { from: string; to: string; kind: 'serves' | 'issuedBy' }>()
      let folded = Math.max(0, total - rows.length)
      for (const row of rows) {
        const state = row.reasons.length > 0 ? 'bad' : row.not_after.getTime() - tenancy.now.getTime() < 30 * 86_400_000 ? 'warn' : 'good'
        const wanted: Node[] = [
          { id: `host ${row.provider} ${placeText(row)}`, kind: 'host', label: placeText(row), state: 'good', count: 0 },
          { id: row.fingerprint, kind: 'certificate', label: nameOf(row), state, count: 0 },
          { id: `issuer ${row.issuer}`, kind: 'issuer', label: row.issuer, state: 'good', count: 0 },
        ]
        if (nodes.size + wanted.filter(({ id }) => !nodes.has(id)).length > mostNodes) {
          folded += 1
          continue
        }
        for (const node of wanted) nodes.set(node.id, { ...node, count: (nodes.get(node.id)?.count ?? 0) + 1 })
        const [host, certificate, issuer] = wanted.map(({ id }) => id)
        if (host === undefined || certificate === undefined || issuer === undefined) continue
        edges.set(`${host} ${certificate}`, { from: host, to: certificate, kind: 'serves' })
        edges.set(`${certificate} ${issuer}`, { from: certificate, to: issuer, kind: 'issuedBy' })
      }
      return { nodes: [...nodes.values()], edges: [...edges.values()], folded }
    },

    async read({ id }, { tenancy, fault }) {
      const row = (await findFinding(tenancy, id)) ?? fault('missing')
      const [shown] = await presentFindings(tenancy, [row])
      const base64 = row.certificate.toString('base64').match(/.{1,64}/g) ?? []
      return {
        ...(shown ?? fault('missing')),
        names: row.names,
        notBefore: row.not_before.toISOString(),
        firstSeen: row.first_seen.toISOString(),
        protocol: row.protocol,
        keyType: row.key_type,
        pem: ['-----BEGIN CERTIFICATE-----', ...base64, '-----END CERTIFICATE-----', ''].join('\n'),
        ignoredReason: row.ignored_reason,
        ...(row.ignored_until === null ? {} : { ignoredUntil: row.ignored_until.toISOString() }),
        changes: (await listChanges(tenancy, id, 50)).map(({ at, from_fingerprint, to_fingerprint }) => ({
          at: at.toISOString(),
          from: from_fingerprint,
          to: to_fingerprint,
        })),
      }
    },

    async takeOver({ ids }, { tenancy, viewer, emit, now }) {
      const rows = await lockFindings(tenancy, ids)
      const readable = rows.flatMap((row) => {
        const certificate = readCertificate(row.certificate)
        return certificate === undefined ? [] : [{ row, certificate }]
      })
      const added = await insertExternal(
        tenancy.db,
        tenancy.tenantId,
        readable.map(({ certificate }) => certificate),
        { uploader: viewer, friendlyName: '', contactEmail: '' },
        now,
      )
      await updateFinding(
        tenancy,
        readable.map(({ row }) => row.id),
        { state: 'taken', ignored_until: null, ignored_reason: '' },
      )
      for (const { row } of readable)
        if (row.address !== null)
          for (const { id } of await findEndpointsAt(tenancy, row.address, row.port)) await updateShould(tenancy, id, row.fingerprint)
      emit('takenOver', { findings: readable.length, added: added.length })
      return { taken: readable.length, added: added.length, unreadable: rows.length - readable.length }
    },

    async ignore({ ids, reason, until }, { tenancy, emit, now, fault }) {
      const end = new Date(until)
      if (end <= now) fault('past')
      const rows = await lockFindings(tenancy, ids)
      await updateFinding(
        tenancy,
        rows.map(({ id }) => id),
        { state: 'ignored', ignored_until: end, ignored_reason: reason },
      )
      emit('ignored', { findings: rows.length, reason, until })
      return {}
    },

    domainReport: (_input, { tenancy }) => reportOnDomains(tenancy),

    checkServed: (_input, { house, viewer }) => checkServed(house, viewer.tenantId),
  },
  {
    jobs: {
      scan: { inTenancy: scanTurn },
      providers: { inTenancy: readTurn },
      served: { inTenancy: async ({ house, tenantId }) => void (await checkServed(house, tenantId)) },
    },
    offers: [offer(workSources, networksAsked), offer(workWaiting, asksWaiting)],
    subscriptions: [
      ...askSubscriptions,
      // A new certificate with the names of one that was taken over is what should be served there from now on.
      on(certificates.events.issued, async ({ tenantId, body, actor, actorId }, house) => {
        await house.work(tenantId, { name: actor, ...(actorId === undefined ? {} : { userId: actorId }) }, async ({ tenancy }) => {
          const issued = await findCertificate(tenancy.db, tenantId, { certId: body.certificateId }, tenancy.now)
          const certificate = issued && readCertificate(issued.certificate)
          if (issued === undefined || certificate === undefined) return
          const sans = findExtension(certificate.extensions, 'subjectAltName')?.names ?? []
          const names = [...new Set([issued.name, ...sans.map((name) => generalNameText(name, formatName))])]
          const sha256 = fingerprint(certificate)
          const rows = (await findTakenNamed(tenancy, names)).filter((row) => row.fingerprint !== sha256 && row.not_after <= issued.validTo)
          await updateFinding(
            tenancy,
            rows.map(({ id }) => id),
            { expected: sha256, served_at: null },
          )
          for (const row of rows)
            if (row.address !== null)
              for (const { id } of await findEndpointsAt(tenancy, row.address, row.port)) await updateShould(tenancy, id, sha256)
        })
      }),
    ],
  },
)
