// The security client on the machine of whoever sits there. The console finds it on a loopback address, and hands it a ticket by which it joins the session.

import { onLeave } from '#core/console/leave-session.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { smartcards } from '../contract.ts'
import { clientAddress, clientTicks, tickMilliseconds } from '../rules.ts'

/** Why the client was not connected, in the words of the specification. */
export class ClientFault extends Error {
  override name = 'ClientFault'
  readonly title = t('Unable to connect to local CMS Client')
}

/** Chrome asks the person before a page may reach this machine, where it is told that it is this machine. */
const space: object = { targetAddressSpace: 'loopback' }
const toThisMachine = (init: RequestInit): RequestInit => ({ ...init, credentials: 'omit', ...space })

async function ask(path: string, init: RequestInit): Promise<string> {
  const answer = await fetch(`${clientAddress}/${path}`, toThisMachine(init)).catch(() => {
    throw new ClientFault(t('Ensure that your security client is running.'))
  })
  const text = await answer.text()
  if (!answer.ok) throw new ClientFault(text)
  return text
}

let joined = false

/** A session that has ended leaves no client behind that would go on for whoever sits there next. */
onLeave(() => {
  if (!joined) return
  joined = false
  void ask('KillSession', { method: 'POST', keepalive: true }).catch(() => undefined)
})

/** Joins the client on this machine to the session, and waits until the server sees it. Throws ClientFault, or the fault of a call. */
export async function connectLocalClient(): Promise<void> {
  await ask('version', { method: 'GET' })
  const [{ SessionCookie }, GRPCConfig] = await Promise.all([send(smartcards.calls.ticket, {}), send(smartcards.calls.clientConfig, {})])
  await ask('connect', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ SessionCookie, GRPCConfig }),
  })
  joined = true
  for (let tick = 0; tick < clientTicks; tick += 10) {
    if ((await send(smartcards.calls.ping, {})).success) return
    await new Promise((resolve) => setTimeout(resolve, tickMilliseconds * 10))
  }
  throw new ClientFault(t('Ensure that your security client is running.'))
}
