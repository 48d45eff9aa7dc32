// The one way out of the server. Whatever leaves on somebody's behalf leaves here: judged, timed, capped and counted.

import { readFileSync } from 'node:fs'
import { BlockList, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { TLSSocket } from 'node:tls'
import type { Logger } from 'pino'
import type { Sample } from '../metrics.ts'
import type { Settings } from '../settings.ts'
import { withTurn } from '../turn-signal.ts'
import { readAddress, readNetworks, type Reach } from './addresses.ts'
import {
  connectOut,
  judgedAddresses,
  namesFrom,
  openTls,
  withTime,
  type Connecting,
  type Ground,
  type Target,
  type TlsChoice,
} from './connect.ts'
import { openNames, untilAborted, type Records, type RecordType } from './names.ts'
import { OutwardError, outwardError, type Reason } from './refusal.ts'
import { askOut, portOf, readUrl, type OutwardAnswer, type OutwardRequest } from './request.ts'
import { policyOf, type Use } from './uses.ts'

/** For whom; the log names it, and new targets are counted by it. */
type ForTenant = { tenantId?: string | undefined }

export type Question<T extends RecordType> = ForTenant & {
  name: string
  type: T
  /** Other name servers than the installation's, `address` or `address:port`. They are judged as any other target is. */
  servers?: readonly string[] | undefined
  milliseconds?: number | undefined
  signal?: AbortSignal | undefined
}

export type Outward = {
  /** Why this target cannot be reached from here; undefined where it can. For the moment at which somebody saves it: it is judged again whenever it is used. */
  refusal(target: ForTenant & ({ use: Use; url: string; networks?: readonly string[] } | Target)): Promise<OutwardError | undefined>
  request(request: ForTenant & OutwardRequest): Promise<OutwardAnswer>
  connect(connecting: ForTenant & Connecting): Promise<Socket | TLSSocket>
  /** Goes on encrypted on a connection that came from `connect`, where the two have agreed to (StartTLS). */
  secure(securing: { use: Use; host: string; socket: Socket; tls: TlsChoice }): Promise<TLSSocket>
  /** Asks name servers. An empty answer says that there is no such record; no answer throws. */
  query<T extends RecordType>(question: Question<T>): Promise<Records[T]>
  /** Closes a port of this machine to everybody: the installation listens there. */
  closePort(port: number): void
  samples(): Sample[]
}

const newTargetsAnHour = 60
const hour = 3_600_000
const queryMilliseconds = 10_000

export function openOutward({ settings, log, now }: { settings: Settings; log: Logger; now(): Date }): Outward {
  const { allow, deny, ports, nameServers, rootsFile } = settings.outward
  const databasePort = settings.databaseUrl === undefined ? '' : new URL(settings.databaseUrl).port || '5432'
  const { port, agentPort, mailInPort = 0 } = settings
  // A port of 0 becomes known when it is opened, which tells it by `closePort`.
  const ownPorts = new Set([port, agentPort, mailInPort, Number(databasePort)].filter((one) => one !== 0))
  const lists = { allow: readNetworks(allow) ?? new BlockList(), deny: readNetworks(deny) ?? new BlockList() }
  const reach = (): Reach => ({ ...lists, own: ownAddresses(), ownPorts })
  const ground: Ground = { names: openNames(nameServers), reach, ports, roots: rootsFile === undefined ? [] : readRoots(rootsFile) }
  const counts = new Map<Use, Map<Reason | 'done', number>>()
  const targets = new Map<string, Map<string, number>>()

  async function counted<T>(about: ForTenant & { use: Use; host: string }, work: () => Promise<T>): Promise<T> {
    const { use, host, tenantId } = about
    const count = (outcome: Reason | 'done') => {
      const of = counts.get(use) ?? new Map<Reason | 'done', number>()
      counts.set(use, of.set(outcome, (of.get(outcome) ?? 0) + 1))
    }
    try {
      const value = await work()
      count('done')
      return value
    } catch (error) {
      if (error instanceof OutwardError) {
        count(error.reason)
        log.info({ error, use, host, tenantId, reason: error.reason }, 'an outgoing connection failed')
      }
      throw error
    }
  }

  /** A tenancy that saves one address after another to see which answer maps a network: it is slowed down. */
  function countTarget(tenantId: string | undefined, target: string): void {
    if (tenantId === undefined) return
    const at = now().getTime()
    const known = new Map([...(targets.get(tenantId) ?? [])].filter(([, time]) => at - time < hour))
    if (!known.has(target) && known.size >= newTargetsAnHour) throw new OutwardError('targets')
    targets.set(tenantId, known.set(target, known.get(target) ?? at))
  }

  return {
    async refusal(wanted) {
      const { use, networks, tenantId } = wanted
      const signal = withTime(queryMilliseconds, undefined)
      const about = 'url' in wanted ? wanted.url : wanted.host
      try {
        const url = 'url' in wanted ? readUrl(wanted.url, policyOf(use)) : undefined
        const target = 'url' in wanted ? { host: url?.hostname ?? '', port: url === undefined ? 0 : portOf(url) } : wanted
        countTarget(tenantId, `${target.host}:${target.port}`)
        await judgedAddresses({ use, networks, host: target.host, port: target.port }, ground, signal)
        return undefined
      } catch (error) {
        return outwardError(error, about, { signal, seconds: queryMilliseconds / 1000 })
      }
    },
    request: (request) =>
      counted({ ...request, host: URL.canParse(request.url) ? new URL(request.url).host : '' }, () => {
        const signal = withTurn(request.signal)
        return askOut({ ...request, ...(signal === undefined ? {} : { signal }) }, ground)
      }),
    connect: (connecting) => counted(connecting, () => connectOut({ ...connecting, signal: withTurn(connecting.signal) }, ground)),
    secure: async ({ use, host, socket, tls }) => {
      const { headMilliseconds } = policyOf(use)
      const signal = withTime(headMilliseconds, undefined)
      try {
        return await openTls(socket, { use, host }, tls, ground, signal)
      } catch (error) {
        throw outwardError(error, host, { signal, seconds: headMilliseconds / 1000 })
      }
    },
    query: ({ name, type, servers, tenantId, milliseconds = queryMilliseconds, signal: wanted }) =>
      counted({ use: 'nameServer', host: name, tenantId }, async () => {
        const signal = withTime(milliseconds, withTurn(wanted))
        try {
          if (servers === undefined) return await ground.names.records(name, type, signal)
          const names = await namesFrom(servers, ground, signal)
          return await untilAborted(names.records(name, type, signal), signal)
        } catch (error) {
          throw outwardError(error, name, { signal, seconds: milliseconds / 1000 })
        }
      }),
    closePort: (port) => void ownPorts.add(port),
    samples: () => [...counts].flatMap(([use, of]) => [...of].map(([outcome, value]) => ({ labels: { use, outcome }, value }))),
  }
}

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).flatMap(({ address }) => readAddress(address.replace(/%.*$/, ''))?.text ?? []),
  )

const readRoots = (file: string): string[] =>
  readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
