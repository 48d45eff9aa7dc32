// The security client on the machine of whoever sits there. The console finds it on a loopback address, and hands it a ticket by which it joins the session.

import { CallFault } from '#core/console/call-fault.ts'
import { onLeave } from '#core/console/leave-session.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { clientAddresses } from '#core/contract/client-ports.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { smartcards } from '../contract.ts'
import { clientTicks, tickMilliseconds } from '../rules.ts'

/** Why the client was not connected, in the words of the specification. */
export class ClientFault extends Error {
  override name = 'ClientFault'
  readonly title = t('Unable to connect to local CMS Client')
}

/** Chrome asks the person before a page may reach this machine, where it is told that it is this machine. */
const space: object = { targetAddressSpace: 'loopback' }
const toThisMachine = (init: RequestInit): RequestInit => ({ ...init, credentials: 'omit', ...space })

async function ask(address: string, path: string, init: RequestInit): Promise<void> {
  const answer = await fetch(`${address}/${path}`, toThisMachine(init)).catch(() => {
    throw new ClientFault(t('Ensure that your security client is running.'))
  })
  if (!answer.ok) throw new ClientFault(await answer.text())
}

/** Answers where the client of this server listens. Its first port may belong to another program, or to the client of another server, which answers only the pages of that. */
async function findClient(): Promise<string> {
  const at = (address: string) => ask(address, 'version', { method: 'GET' }).then(() => address)
  const [first = '', ...others] = clientAddresses
  try {
    return await at(first)
  } catch (fault) {
    return Promise.any(others.map(at)).catch(() => {
      throw fault
    })
  }
}

/** Where the client is that has joined the session. */
let joined: string | undefined

/** Sends the client on this machine away, so that none is left behind that would go on for whoever sits there next. */
export function leaveLocalClient(): void {
  if (joined === undefined) return
  void ask(joined, 'KillSession', { method: 'POST', keepalive: true }).catch(() => undefined)
  joined = undefined
}
onLeave(leaveLocalClient)

type Joining = {
  handOver: () => Promise<{ SessionCookie: string; GRPCConfig: OutputOf<typeof smartcards.calls.clientConfig> }>
  isThere: () => Promise<boolean>
}

async function join({ handOver, isThere }: Joining): Promise<void> {
  const address = await findClient()
  await ask(address, 'connect', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(await handOver()),
  })
  joined = address
  for (let tick = 0; tick < clientTicks; tick += 10) {
    if (await isThere()) return
    await new Promise((resolve) => setTimeout(resolve, tickMilliseconds * 10))
  }
  throw new ClientFault(t('Ensure that your security client is running.'))
}

/** Joins the client on this machine to the session, and waits until the server sees it. Throws ClientFault, or the fault of a call. */
export const connectLocalClient = (): Promise<void> =>
  join({
    async handOver() {
      const [{ SessionCookie }, GRPCConfig] = await Promise.all([
        send(smartcards.calls.ticket, {}),
        send(smartcards.calls.clientConfig, {}),
      ])
      return { SessionCookie, GRPCConfig }
    },
    isThere: async () => (await send(smartcards.calls.ping, {})).success,
  })

/** The same for the anonymous session. */
export const connectAnonymously = (): Promise<void> =>
  join({
    handOver: () => send(smartcards.calls.anonymousTicket, {}),
    isThere: () =>
      send(smartcards.calls.anonymousReaders, {}).then(
        () => true,
        (error: unknown) => {
          if (error instanceof CallFault && error.code === 'noClient') return false
          throw error
        },
      ),
  })

/** Why it was not connected, as it is shown. */
export const connectFaultOf = (error: unknown): { title: string; says: string } =>
  error instanceof ClientFault
    ? { title: error.title, says: error.message }
    : error instanceof CallFault
      ? { title: error.title, says: error.says }
      : { title: t('Error'), says: t('An unexpected error occurred') }
