import * as z from 'zod'
import { Span } from '#areas/certificates/shapes.ts'
import { readHostname } from '#areas/devices/rules.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine, pageOf, PageQuery, sortedBy } from '#core/contract/shapes.ts'
import { configScreen } from './config-screen.ts'
import { providerCalls, providerEvents } from './provider-calls.ts'
import { defaultPorts, mostPorts, portProtocols, reasons, runStates, views } from './rules.ts'

const Network = z.object({
  id: Id,
  cidr: z.string(),
  note: z.string(),
  state: z.enum(['proposed', 'allowed', 'refused']),
  proposedBy: z.string(),
  decidedBy: z.string(),
  proposedAt: Instant,
})

const Minute = z.number().int().min(0).max(1_439).optional()
const SourceDraft = z.object({
  name: Line(80),
  /** Subnets or single addresses. */
  targets: z.array(Line(60)).min(1, 'Enter a subnet or an address').max(100),
  exclusions: z.array(Line(60)).max(100).default([]),
  ports: z
    .array(z.number().int().min(1).max(65_535))
    .min(1, 'Enter a port')
    .max(mostPorts, `Use at most ${mostPorts} ports`)
    .default([...defaultPorts]),
  /** How TLS begins at ports of these whose number does not say it: at once (`tls`), or after the words of a protocol. */
  startTls: z
    .array(z.object({ port: z.number().int().min(1).max(65_535), protocol: z.enum(portProtocols) }))
    .max(mostPorts)
    .default([]),
  /** Names that are asked for in the handshake, beside none. */
  names: z
    .array(Line(253).refine((name) => readHostname(name).value !== undefined, 'Enter a host name of letters, digits, dashes and dots'))
    .max(20)
    .default([]),
  /** Connections a second. */
  rate: z.number().int().min(1).max(500).default(200),
  /** Hours between two runs; none where it only runs by hand. */
  everyHours: z.number().int().min(0).max(8_760).default(0),
  quietFrom: Minute,
  quietTo: Minute,
})

const Run = z.object({
  id: Id,
  state: z.enum(runStates),
  startedBy: z.string(),
  startedAt: Instant,
  endedAt: Instant.optional(),
  position: z.number().int(),
  total: z.number().int(),
  answered: z.number().int(),
  fresh: z.number().int(),
  changed: z.number().int(),
  /** Closed by the rules of the installation: never tried. */
  refused: z.number().int(),
  says: z.string(),
})

const Source = SourceDraft.extend({
  names: z.array(z.string()),
  id: Id,
  probes: z.number().int(),
  version: z.number().int(),
  lastRun: Run.optional(),
})

const Finding = z.object({
  id: Id,
  /** The address and the port, or where a provider keeps it. */
  place: z.string(),
  provider: z.string(),
  /** Empty where it stands at no address. */
  address: z.string(),
  port: z.number().int(),
  serverName: z.string(),
  name: z.string(),
  subject: z.string(),
  issuer: z.string(),
  notAfter: Instant,
  fingerprint: z.string(),
  reasons: z.array(z.enum(reasons)),
  state: z.enum(['open', 'taken', 'ignored']),
  lastSeen: Instant,
  /** In the inventory under this id. */
  certificateId: Id.optional(),
  /** After a renewal: whether the new certificate was seen here. */
  renewal: z.enum(['none', 'awaited', 'served']),
})

const scopeFaults = {
  notAllowed: { status: 403, says: '{target} lies in no network that this tenancy may scan', field: 'targets' },
  tooMany: { status: 400, says: 'At most 65,536 addresses in a run', field: 'targets' },
  notANetwork: { status: 400, says: '{target}: {reason}', field: 'targets' },
  badExclusion: { status: 400, says: '{target}: {reason}', field: 'exclusions' },
} as const
const nameTaken = { status: 409, says: 'A scan has this name already', field: 'name', constraint: 'discovery_sources_by_name' } as const
const Ids = z.array(Id).min(1, 'Choose a finding').max(1_000, 'Choose at most 1,000 findings')

export const discovery = contract({
  area: 'discovery',
  title: 'Discovery',
  screens: {
    config: {
      path: configScreen.path,
      needs: 'signedIn',
      title: 'Scans',
      menu: {
        group: 'certificates',
        entry: 'discovery',
        tab: 'Scans',
        place: 20,
        needs: 'networkScanReport',
        params: { provider: 'network' },
        more: [
          { tab: 'Allowed networks', params: { provider: 'allowed' } },
          { tab: 'Files', params: { provider: 'file' } },
          { tab: 'Kubernetes', params: { provider: 'kubernetes' } },
          { tab: 'Directories', params: { provider: 'directory' } },
          { tab: 'AWS', params: { provider: 'aws' } },
          { tab: 'Azure', params: { provider: 'azure' } },
          { tab: 'Transparency logs', params: { provider: 'ct' } },
        ],
      },
      also: 'scan the network, TLS scan, find certificates',
    },
    report: {
      path: '/reporting/discovery',
      needs: 'networkScanReport',
      title: 'Discovered certificates',
      menu: { group: 'certificates', entry: 'discovery', tab: 'Findings', place: 10 },
      also: 'discovery report, certificates found by a scan',
    },
    domains: {
      path: '/reporting/domains',
      needs: 'domainSearch',
      title: 'Domain report',
      menu: { group: 'reports', entry: 'domains' },
      also: 'domain violations, unknown issuers',
    },
  },
  calls: {
    ...providerCalls,
    networks: {
      does: 'Lists the networks that this tenancy may scan or has asked to, with who decided.',
      method: 'GET',
      path: '/api2/Monitoring-v1/DiscoveryNetworks',
      needs: 'networkScanReport',
      input: z.object({}),
      output: z.object({
        networks: z.array(Network),
        mayDecide: z.boolean(),
        /** What other tenancies ask for, to those who decide in the management tenancy. */
        asked: z.array(z.object({ id: Id, cidr: z.string(), tenancy: z.string(), proposedBy: z.string(), proposedAt: Instant })),
      }),
    },
    proposeNetwork: {
      does: 'Asks that this tenancy may scan a network; answers its id. A person of the management tenancy decides.',
      title: 'Ask to scan a network',
      method: 'POST',
      path: '/api2/Monitoring-v1/DiscoveryNetwork',
      needs: 'configureTeSA',
      input: z.object({ cidr: Line(60), note: OptionalLine(200) }),
      output: z.object({ id: Id }),
      done: 'The network was proposed',
      failed: 'The network was not proposed',
      faults: {
        taken: { status: 409, says: 'This network stands in the list already', field: 'cidr', constraint: 'discovery_networks_by_cidr' },
        tooWide: { status: 400, says: 'This network is too wide: use /{length} or narrower', field: 'cidr' },
        never: { status: 400, says: 'This network cannot be scanned from here', field: 'cidr' },
        tooMany: { status: 409, says: 'A tenancy has at most 200 networks' },
      },
    },
    decideNetwork: {
      does: 'Allows or refuses that a tenancy scans a network; answers nothing. Only people of the management tenancy do.',
      title: 'Decide about a network to scan',
      method: 'PUT',
      path: '/api2/Monitoring-v1/DiscoveryNetwork',
      needs: 'infrastructureConfig',
      input: z.object({ id: Id, allowed: z.boolean() }),
      output: z.object({}),
      done: 'The decision was saved',
      failed: 'The decision was not saved',
      faults: { managementOnly: { status: 403, says: 'People of the management tenancy decide what may be scanned' } },
    },
    decideAsked: {
      does: 'Allows or refuses, from the management tenancy, what another tenancy asks to scan; answers nothing.',
      title: 'Decide about a network that another tenancy asks to scan',
      method: 'PUT',
      path: '/api2/Monitoring-v1/AskedDiscoveryNetwork',
      needs: 'infrastructureConfig',
      ownTransactions: true,
      input: z.object({ networkId: Id, allowed: z.boolean() }),
      output: z.object({}),
      done: 'The decision was saved',
      failed: 'The decision was not saved',
      faults: { managementOnly: { status: 403, says: 'People of the management tenancy decide what may be scanned' } },
    },
    removeNetwork: {
      does: 'Takes a network from the list, so that nothing in it is scanned any more; answers nothing.',
      title: 'Remove a network to scan',
      method: 'DELETE',
      path: '/api2/Monitoring-v1/DiscoveryNetwork',
      needs: 'configureTeSA',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The network was removed',
      failed: 'The network was not removed',
    },
    sources: {
      does: 'Lists the scans of the tenancy with their scope, their limits and their last run.',
      method: 'GET',
      path: '/api2/Monitoring-v1/DiscoverySources',
      needs: 'networkScanReport',
      input: z.object({}),
      output: z.object({ sources: z.array(Source) }),
    },
    preview: {
      does: 'Says what a scan would do, and probes nothing: how many addresses and probes, for how long, and what is refused.',
      method: 'POST',
      path: '/api2/Monitoring-v1/PreviewDiscovery',
      needs: 'infrastructureConfig',
      reads: true,
      input: SourceDraft,
      output: z.object({ addresses: z.number().int(), probes: z.number().int(), seconds: z.number().int(), refused: z.array(z.string()) }),
      faults: scopeFaults,
    },
    addSource: {
      does: 'Adds a scan of networks that this tenancy may scan; answers its id. Nothing is probed yet.',
      title: 'Add a scan',
      method: 'POST',
      path: '/api2/Monitoring-v1/DiscoverySource',
      needs: 'infrastructureConfig',
      input: SourceDraft,
      output: z.object({ id: Id }),
      done: 'The scan was added',
      failed: 'The scan was not added',
      faults: { ...scopeFaults, nameTaken },
    },
    changeSource: {
      does: 'Replaces what a scan looks at and within which limits; answers nothing.',
      title: 'Change a scan',
      method: 'PUT',
      path: '/api2/Monitoring-v1/DiscoverySource',
      needs: 'infrastructureConfig',
      input: SourceDraft.extend({ id: Id, version: z.number().int().optional() }),
      output: z.object({}),
      done: 'The scan was changed',
      failed: 'The scan was not changed',
      faults: { ...scopeFaults, nameTaken, running: { status: 409, says: 'The scan is running: stop it first' } },
    },
    removeSource: {
      does: 'Deletes a scan with its runs; what was found stays. Answers nothing.',
      title: 'Delete a scan',
      method: 'DELETE',
      path: '/api2/Monitoring-v1/DiscoverySource',
      needs: 'infrastructureConfig',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The scan was deleted',
      failed: 'The scan was not deleted',
      faults: { running: { status: 409, says: 'The scan is running: stop it first' } },
    },
    run: {
      does: 'Begins a run of a scan; answers its id. One run of a scan goes on at a time.',
      title: 'Run a scan',
      method: 'POST',
      path: '/api2/Monitoring-v1/RunDiscovery',
      needs: 'infrastructureConfig',
      input: z.object({ id: Id }),
      output: z.object({ runId: Id }),
      done: 'The scan begins',
      failed: 'The scan was not begun',
      faults: { ...scopeFaults, running: { status: 409, says: 'The scan is running already', constraint: 'discovery_runs_open' } },
    },
    stop: {
      does: 'Stops the run of a scan: no further connection is opened, and those that are open are closed. Answers nothing.',
      title: 'Stop a scan',
      method: 'POST',
      path: '/api2/Monitoring-v1/StopDiscovery',
      needs: 'infrastructureConfig',
      input: z.object({ runId: Id }),
      output: z.object({}),
      done: 'The scan stops',
      failed: 'The scan was not stopped',
      faults: { ended: { status: 409, says: 'This run has ended' } },
    },
    pause: {
      does: 'Pauses the run of a scan, or goes on with it where it was; answers nothing. Open connections are closed; what was probed is kept.',
      title: 'Pause a scan',
      method: 'POST',
      path: '/api2/Monitoring-v1/PauseDiscovery',
      needs: 'infrastructureConfig',
      input: z.object({ runId: Id, paused: z.boolean() }),
      output: z.object({}),
      failed: 'The scan was not paused',
      faults: { ended: { status: 409, says: 'This run has ended, or stops' } },
    },
    runs: {
      does: 'Lists the runs of a scan, the newest first.',
      method: 'POST',
      path: '/api2/Monitoring-v1/SearchDiscoveryRuns',
      needs: 'networkScanReport',
      reads: true,
      input: PageQuery.extend({ sourceId: Id }),
      output: pageOf(Run),
    },
    overview: {
      does: 'Counts what was found: close to expiry, expired, untrusted, taken over, and whether renewed certificates were seen again.',
      method: 'GET',
      path: '/api2/Monitoring-v1/DiscoveryOverview',
      needs: 'networkScanReport',
      input: z.object({}),
      output: z.object({
        views: z.record(z.enum(views), z.number().int()),
        awaited: z.number().int(),
        served: z.number().int(),
        issuers: z.array(z.object({ issuer: z.string(), count: z.number().int() })),
        /** `span` is what the search takes as `ends`. */
        endsByWeek: z.array(z.object({ week: z.string(), span: z.string(), count: z.number().int() })),
      }),
    },
    search: {
      does: 'Lists what was found, by view (data type other): close to expiry, expired, untrusted, all, taken over or ignored.',
      method: 'POST',
      path: '/api2/Monitoring-v1/SearchDiscovered',
      needs: 'networkScanReport',
      reads: true,
      input: PageQuery.extend({
        sort: sortedBy('notAfter', 'address', 'lastSeen'),
        view: z.enum(views).default('all'),
        renewal: z.enum(['awaited', 'served']).optional(),
        issuer: z.string().max(500).optional(),
        ends: Span.optional(),
      }),
      output: pageOf(Finding),
    },
    graph: {
      does: 'Answers hosts, certificates and issuers with who serves and who issued what (data type graph), at most 500 nodes; the rest is counted.',
      method: 'GET',
      path: '/api2/Monitoring-v1/DiscoveryGraph',
      needs: 'networkScanReport',
      input: z.object({}),
      output: z.object({
        nodes: z.array(
          z.object({
            id: z.string(),
            kind: z.enum(['host', 'certificate', 'issuer']),
            label: z.string(),
            state: z.enum(['good', 'warn', 'bad']),
            count: z.number().int(),
          }),
        ),
        edges: z.array(z.object({ from: z.string(), to: z.string(), kind: z.enum(['serves', 'issuedBy']) })),
        folded: z.number().int(),
      }),
    },
    read: {
      does: 'Answers one finding (data type cert) with its certificate, its names, its reasons, and what was there before.',
      method: 'GET',
      path: '/api2/Monitoring-v1/DiscoveredCertificate',
      needs: 'networkScanReport',
      input: z.object({ id: Id }),
      output: Finding.extend({
        names: z.array(z.string()),
        notBefore: Instant,
        firstSeen: Instant,
        protocol: z.string(),
        keyType: z.string(),
        pem: z.string(),
        ignoredReason: z.string(),
        ignoredUntil: Instant.optional(),
        changes: z.array(z.object({ at: Instant, from: z.string(), to: z.string() })),
      }),
    },
    takeOver: {
      does: 'Takes findings over into the inventory, where their end is watched and a renewed certificate is looked for at the same place.',
      title: 'Take findings over',
      method: 'POST',
      path: '/api2/Monitoring-v1/TakeOver',
      needs: 'infrastructureConfig',
      input: z.object({ ids: Ids }),
      output: z.object({ taken: z.number().int(), added: z.number().int(), unreadable: z.number().int() }),
      failed: 'The findings were not taken over',
    },
    ignore: {
      does: 'Leaves findings out of the lists until a day, with a reason; answers nothing.',
      title: 'Ignore findings',
      method: 'POST',
      path: '/api2/Monitoring-v1/IgnoreFinding',
      needs: 'infrastructureConfig',
      input: z.object({ ids: Ids, reason: Line(200), until: Instant }),
      output: z.object({}),
      done: 'The findings are left out until then',
      failed: 'The findings were not left out',
      faults: { past: { status: 400, says: 'This moment is in the past', field: 'until' } },
    },
    domainReport: {
      does: 'Counts for each domain of the tenancy the certificates that scans have found for names of it, by issuer, and those that nobody trusts.',
      method: 'POST',
      path: '/api2/Monitoring-v1/DomainReport',
      needs: 'domainSearch',
      reads: true,
      input: z.object({}),
      output: z.object({
        domains: z.array(
          z.object({
            name: z.string(),
            /** Control of it is proved now. */
            proved: z.boolean(),
            found: z.number().int(),
            elsewhere: z.number().int(),
            untrusted: z.number().int(),
            issuers: z.array(z.object({ issuer: z.string(), own: z.boolean(), found: z.number().int(), untrusted: z.number().int() })),
          }),
        ),
      }),
      failed: 'The report could not be made',
    },
    checkServed: {
      does: 'Looks now at the places where a renewed certificate is awaited; answers how many serve it.',
      title: 'Look for renewed certificates',
      method: 'POST',
      path: '/api2/Monitoring-v1/CheckServed',
      needs: 'infrastructureConfig',
      input: z.object({}),
      output: z.object({ awaited: z.number().int(), served: z.number().int() }),
      failed: 'Nothing was looked at',
      ownTransactions: true,
    },
  },
  jobs: {
    scan: { title: 'Go on with scans', every: '* * * * *' },
    providers: { title: 'Read providers of certificates', every: '* * * * *' },
    served: { title: 'Look for renewed certificates at their places', every: '23 * * * *' },
  },
  events: {
    ...providerEvents,
    networkProposed: { says: 'Asked to scan a network', body: z.object({ networkId: Id, cidr: z.string() }) },
    networkDecided: { says: 'Decided about a network to scan', body: z.object({ networkId: Id, cidr: z.string(), allowed: z.boolean() }) },
    askDecided: {
      says: 'Decided about a network that another tenancy asks to scan',
      body: z.object({ networkId: Id, cidr: z.string(), tenancy: z.string(), allowed: z.boolean() }),
    },
    networkRemoved: { says: 'Removed a network to scan', body: z.object({ networkId: Id, cidr: z.string() }) },
    sourceAdded: { says: 'Added a scan', body: z.object({ sourceId: Id, name: z.string(), targets: z.array(z.string()) }) },
    sourceChanged: { says: 'Changed a scan', body: z.object({ sourceId: Id, name: z.string(), targets: z.array(z.string()) }) },
    sourceRemoved: { says: 'Deleted a scan', body: z.object({ sourceId: Id, name: z.string() }) },
    runStarted: { says: 'Began a scan', body: z.object({ runId: Id, sourceId: Id, probes: z.number().int() }) },
    runPaused: { says: 'Paused a scan', body: z.object({ runId: Id, sourceId: Id }) },
    runResumed: { says: 'Went on with a scan', body: z.object({ runId: Id, sourceId: Id }) },
    runStopped: { says: 'Stopped a scan', body: z.object({ runId: Id, sourceId: Id }) },
    runEnded: {
      says: 'Ended a scan',
      body: z.object({
        runId: Id,
        sourceId: Id,
        state: z.string(),
        probes: z.number().int(),
        answered: z.number().int(),
        fresh: z.number().int(),
        changed: z.number().int(),
      }),
    },
    takenOver: { says: 'Took findings over', body: z.object({ findings: z.number().int(), added: z.number().int() }) },
    ignored: { says: 'Ignored findings', body: z.object({ findings: z.number().int(), reason: z.string(), until: Instant }) },
    servedAgain: {
      says: 'Saw a renewed certificate served',
      body: z.object({ findingId: Id, place: z.string(), fingerprint: z.string() }),
    },
  },
})
