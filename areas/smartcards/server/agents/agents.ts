// The security clients of people: who they are, which readers they have, and how a card in one of them is reached, whichever process holds the link.

import cluster from 'node:cluster'
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import { anonymous } from '#areas/certificates/rules.ts'
import { rightsHere } from '#areas/users/rights.ts'
import { fullName } from '#areas/users/service.ts'
import { linkIdentity, type LinkIdentity } from '#core/agent-link/identity.ts'
import type { Ask, Reader } from '#core/agent-link/messages.ts'
import { AgentFault, listenForAgents, type AgentLink, type LinkServer } from '#core/agent-link/server.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import { smartcards } from '../../contract.ts'
import { findByMachine, findBySecret, putAgent, updateEnded, updateSecret } from './link-store.ts'
import { openProcesses, type Processes, type Question } from './processes.ts'

/** Whose a client is: the person, where they live, and the tenancy that they worked in when it was connected. */
export type Owner = {
  tenantId: string
  homeTenantId: string
  userId: string
  person: string
  /** Of an anonymous session, whose name stands in `userId`: when it ends, and the client is sent away. */
  until?: number
}

export type ReaderSeen = { name: string; atr: string; changes: number; isVirtual: boolean }
export type AgentPort = {
  agentId: string
  /** Another one each time that the client connects. */
  connection: string
  machine: string
  readers: readonly ReaderSeen[]
  ask(question: Omit<Ask, 'id'>): Promise<Uint8Array>
}

export type Agents = {
  pin: string
  port(): Promise<number | undefined>
  makeTicket(owner: Owner): string
  /** The machine that shows the code; undefined where none does. */
  pair(owner: Owner, code: string): Promise<string | undefined>
  of(userId: string): Promise<AgentPort[]>
  /** How many were sent away. */
  end(userId: string): Promise<number>
  close(): Promise<void>
}

type Held = { agentId: string; connection: string; owner: Owner; link: AgentLink; timer?: NodeJS.Timeout }
type Unpaired = { code: string; link: AgentLink; until: number; timer: NodeJS.Timeout }

const ticketMilliseconds = 60_000
const pairingMilliseconds = 600_000
const processMilliseconds = 400
const commandMilliseconds = 130_000
/** Letters and digits that are not taken for one another. */
const codeLetters = 'BCDFGHJKLMNPQRSTVWXZ23456789'
const mostUnpaired = 200
const mostUnpairedOfAddress = 10
const ticketPurpose = 'card client ticket'

const all = new WeakMap<House, Promise<Agents>>()

export function agentsOf(house: House): Promise<Agents> {
  const agents = all.get(house) ?? openAgents(house)
  all.set(house, agents)
  return agents
}

export async function closeAgents(house: House): Promise<void> {
  await (await all.get(house))?.close()
  all.delete(house)
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest()
const machineOf = ({ hello }: AgentLink): string => hello.machine.replace(/[^\x20-\x7e]/g, '').slice(0, 80) || 'A machine'
const seen = ({ name, atr, changes, isVirtual }: Reader): ReaderSeen => ({
  name,
  atr: Buffer.from(atr).toString('hex').toUpperCase(),
  changes,
  isVirtual,
})

async function openAgents(house: House): Promise<Agents> {
  const identity = linkIdentity(house.installationKey, house.now())
  const server = randomUUID()
  const held = new Map<string, Held>()
  const unpaired = new Set<Unpaired>()
  const usedTickets = new Map<string, number>()
  // Workers share the doors of people; the links end at the process that started them.
  const links = cluster.isPrimary ? await listen(house, identity, { accept, ended }) : undefined

  const makeCode = (): string => {
    const letters = Array.from({ length: 8 }, () => codeLetters[randomInt(codeLetters.length)]).join('')
    return `${letters.slice(0, 4)}-${letters.slice(4)}`
  }

  function accept(link: AgentLink): void {
    const { ticket, secret } = link.hello
    const known = ticket !== '' ? readTicket(ticket) : undefined
    if (ticket !== '' && known === undefined) return link.close('The ticket is over. Connect again from the console')
    const joined = known !== undefined ? join(link, known) : secret !== '' ? rejoin(link, secret) : undefined
    if (joined !== undefined)
      return void joined.catch((error: unknown) => {
        house.log.error({ error }, 'a security client could not be connected')
        link.close('The server could not connect this client now')
      })
    const ofAddress = [...unpaired].filter((one) => one.link.address === link.address).length
    if (unpaired.size >= mostUnpaired || ofAddress >= mostUnpairedOfAddress) return link.close('Too many clients wait for their code')
    const timer = setTimeout(() => link.close('The code is over'), pairingMilliseconds).unref()
    const waiting = { code: makeCode(), link, until: Date.now() + pairingMilliseconds, timer }
    unpaired.add(waiting)
    link.tell({ welcome: { agentId: '', person: '', tenancy: '', secret: '', code: waiting.code } })
  }

  function readTicket(ticket: string): Owner | undefined {
    try {
      const { goodUntil, nonce, owner } = JSON.parse(
        house.installationKey.unseal(Buffer.from(ticket, 'base64url'), ticketPurpose).toString(),
      ) as { owner: Owner; goodUntil: number; nonce: string }
      const now = house.now().getTime()
      for (const [used, end] of usedTickets) if (end < now) usedTickets.delete(used)
      if (goodUntil < now || usedTickets.has(nonce)) return undefined
      usedTickets.set(nonce, goodUntil)
      return owner
    } catch {
      // Not one of ours.
      return undefined
    }
  }

  /** The client comes again by itself: whoever it belongs to may have left meanwhile. */
  async function rejoin(link: AgentLink, secret: string): Promise<void> {
    const [tenantId = ''] = secret.split('.')
    const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(tenantId)
    const found = isId
      ? await withTenancy(house, tenantId, async (tenancy) => {
          const row = await findBySecret(tenancy, hashOf(secret))
          const rights = row && (await rightsHere(tenancy.db, tenantId, row.user_id))
          return row && rights && { row, person: fullName(rights.person) }
        })
      : undefined
    if (found === undefined) return link.close('This client is not connected any more. Connect it again from the console')
    const { row, person } = found
    await join(link, { tenantId, homeTenantId: row.home_tenant_id, userId: row.user_id, person })
  }

  /** Joins a client for the time of an anonymous session: one client, no row, and nothing by which it comes again by itself. */
  async function joinAnonymously(link: AgentLink, owner: Owner, until: number): Promise<void> {
    const { tenantId, person } = owner
    const left = until - house.now().getTime()
    if (left <= 0) return link.close('The session is over. Open the page again')
    const machine = machineOf(link)
    const agentId = randomUUID()
    await house.work(tenantId, { userId: anonymous.id, name: person, address: link.address }, async ({ emitFor }) => {
      emitFor(smartcards)('clientJoined', { agentId, machine }, agentId)
    })
    for (const before of heldBy(owner.userId)) before.link.close('This client was connected anew')
    const timer = setTimeout(() => link.close('The session is over'), left).unref()
    held.set(agentId, { agentId, connection: randomUUID(), owner, link, timer })
    link.tell({ welcome: { agentId, person, tenancy: tenantId, secret: '', code: '' } })
  }

  async function join(link: AgentLink, owner: Owner): Promise<void> {
    if (owner.until !== undefined) return joinAnonymously(link, owner, owner.until)
    const { tenantId, userId, person, homeTenantId } = owner
    const { version } = link.hello
    const name = machineOf(link)
    const secret = `${tenantId}.${randomBytes(32).toString('base64url')}`
    const agentId = await house.work(tenantId, { userId, name: person, address: link.address }, async ({ tenancy, emitFor }) => {
      const before = await findByMachine(tenancy, userId, name)
      const id = before?.id ?? randomUUID()
      await putAgent(tenancy, {
        id,
        user_id: userId,
        home_tenant_id: homeTenantId,
        person,
        machine: name,
        version: version.slice(0, 40),
        secret_hash: hashOf(secret),
        server,
        connected: true,
        seen_at: tenancy.now,
        made_at: tenancy.now,
      })
      emitFor(smartcards)('clientJoined', { agentId: id, machine: name }, id)
      return id
    })
    // The same client once: the link before has lost its machine, or another took its place.
    held.get(agentId)?.link.close('This client was connected anew')
    held.set(agentId, { agentId, connection: randomUUID(), owner, link })
    link.tell({ welcome: { agentId, person, tenancy: tenantId, secret, code: '' } })
  }

  function forget(waiting: Unpaired): void {
    clearTimeout(waiting.timer)
    unpaired.delete(waiting)
  }

  function ended(link: AgentLink): void {
    for (const waiting of unpaired) if (waiting.link === link) forget(waiting)
    for (const { agentId, owner, link: one, timer } of held.values()) {
      if (one !== link) continue
      clearTimeout(timer)
      held.delete(agentId)
      if (!isClosing && owner.until === undefined)
        withTenancy(house, owner.tenantId, (tenancy) => updateEnded(tenancy, agentId, server)).catch((error: unknown) =>
          house.log.warn({ error }, 'the end of a security client was not written'),
        )
    }
  }
  let isClosing = false

  const heldBy = (userId: string) => [...held.values()].filter(({ owner }) => owner.userId === userId)

  function pairHere(owner: Owner, code: string): Promise<string> | undefined {
    const wanted = code.toUpperCase().replace(/[^A-Z0-9]/g, '')
    const found = [...unpaired].find((waiting) => waiting.code.replace('-', '') === wanted && waiting.until > Date.now())
    if (found === undefined) return undefined
    forget(found)
    return join(found.link, owner).then(() => found.link.hello.machine)
  }

  /** What the clients were given is good no more: a copy of it does not come in again. */
  const endHere = async (userId: string): Promise<number> => {
    const ending = heldBy(userId)
    for (const { agentId, owner } of ending)
      await withTenancy(house, owner.tenantId, (tenancy) => updateSecret(tenancy, agentId, randomBytes(32)))
    for (const { link } of ending) link.close('Signed out')
    return ending.length
  }

  /** What other processes ask; only the one that holds links answers. */
  async function answer(question: Question): Promise<unknown> {
    if (links === undefined) return undefined
    switch (question.what) {
      case 'port':
        return { port: links.port }
      case 'of':
        return {
          agents: heldBy(String(question['userId'])).map(({ agentId, connection, link }) => ({
            agentId,
            connection,
            machine: link.hello.machine,
            readers: link.readers().map(seen),
          })),
        }
      case 'pair': {
        const machine = await pairHere(question['owner'] as Owner, String(question['code']))
        return machine === undefined ? {} : { machine }
      }
      case 'end':
        return { ended: await endHere(String(question['userId'])) }
      case 'ask': {
        const one = held.get(String(question['agentId']))
        if (one === undefined) return undefined
        const asked = question['question'] as Omit<Ask, 'id' | 'data'> & { data: string }
        try {
          const data = await one.link.ask({ ...asked, data: Buffer.from(asked.data, 'base64') })
          return { data: Buffer.from(data).toString('base64') }
        } catch (error) {
          if (error instanceof AgentFault) return { fault: error.code, says: error.message }
          throw error
        }
      }
      default:
        return undefined
    }
  }

  const processes: Processes = openProcesses(house, answer)
  const ask = async (question: Question, enough?: (answer: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> =>
    Object(
      await processes.ask(question, {
        milliseconds: processMilliseconds,
        ...(enough === undefined ? {} : { enough: (given: unknown) => enough(Object(given)) }),
      }),
    )

  const remotePort = (agent: Omit<AgentPort, 'ask'>): AgentPort => ({
    ...agent,
    async ask({ data, ...question }) {
      const given = Object(
        await processes.ask(
          { what: 'ask', agentId: agent.agentId, question: { ...question, data: Buffer.from(data).toString('base64') } },
          { milliseconds: commandMilliseconds },
        ),
      ) as { data?: string; fault?: string; says?: string }
      if (given.data !== undefined) return Buffer.from(given.data, 'base64')
      throw new AgentFault(given.fault ?? 'gone', given.says ?? say`The security client is gone`)
    },
  })

  return {
    pin: identity.pin,
    async port() {
      if (links !== undefined) return links.port
      const { port } = await ask({ what: 'port' })
      return typeof port === 'number' ? port : undefined
    },
    makeTicket(owner) {
      const goodUntil = house.now().getTime() + ticketMilliseconds
      const word = JSON.stringify({ owner, goodUntil, nonce: randomUUID() })
      return house.installationKey.seal(Buffer.from(word), ticketPurpose).toString('base64url')
    },
    async pair(owner, code) {
      const here = await pairHere(owner, code)
      if (here !== undefined) return here
      const { machine } = await ask({ what: 'pair', owner, code }, (given) => given['machine'] !== undefined)
      return typeof machine === 'string' ? machine : undefined
    },
    async of(userId) {
      const here = heldBy(userId)
      if (here.length > 0)
        return here.map(({ agentId, connection, link }) => ({
          agentId,
          connection,
          machine: link.hello.machine,
          readers: link.readers().map(seen),
          ask: (question) => link.ask(question),
        }))
      const isAlone = links !== undefined && house.settings.processes === 1 && house.settings.databaseUrl === undefined
      if (isAlone) return []
      const { agents } = await ask({ what: 'of', userId }, (given) => Array.isArray(given['agents']) && given['agents'].length > 0)
      return Array.isArray(agents) ? agents.map(remotePort) : []
    },
    async end(userId) {
      const here = await endHere(userId)
      if (links !== undefined) return here
      const { ended: elsewhere } = await ask({ what: 'end', userId })
      return here + (typeof elsewhere === 'number' ? elsewhere : 0)
    },
    async close() {
      isClosing = true
      for (const { owner, agentId } of held.values())
        await withTenancy(house, owner.tenantId, (tenancy) => updateEnded(tenancy, agentId, server)).catch(() => {})
      await processes.close()
      await links?.close()
    },
  }
}

/** The port beside that of the console, or any free one: clients are told which. */
async function listen(
  house: House,
  identity: LinkIdentity,
  handlers: { accept(link: AgentLink): void; ended(link: AgentLink): void },
): Promise<LinkServer | undefined> {
  const { agentPort, host } = house.settings
  const options = { identity, host, changed: () => {}, ...handlers }
  try {
    return await opened(house, listenForAgents({ ...options, port: agentPort }))
  } catch (error) {
    house.log.warn({ error }, `the port ${agentPort} for security clients is taken; another is used`)
    return opened(house, listenForAgents({ ...options, port: 0 }))
  }
}

/** Keeps what leaves the server from coming back in by this port. */
async function opened(house: House, listening: Promise<LinkServer>): Promise<LinkServer> {
  const links = await listening
  house.outward.closePort(links.port)
  return links
}
