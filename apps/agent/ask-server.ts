// How a client that was joined by nobody yet learns where its server is and by which key it knows it: it asks at the address of the console. What it is told is
// kept only once somebody has joined it by the code on its page.

import * as z from 'zod'
import type { LinkTarget } from '#core/agent-link/client.ts'
import { say } from '#standards/say/say.ts'
import { ConnectRefused } from './door.ts'

const Told = z.object({
  AgentAddress: z.string().min(1).max(253),
  AgentPort: z.number().int().min(1).max(65_535),
  ServerKey: z.string().length(43),
})
const path = '/api2/CMS-v2/CMSClientGRPCConfig'
const milliseconds = 5_000

const codeOf = (error: unknown): string => {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : ''
}

export async function askServer(origin: string): Promise<LinkTarget> {
  const answer = await fetch(`${origin}${path}`, { redirect: 'error', signal: AbortSignal.timeout(milliseconds) }).catch(
    (error: unknown) => {
      throw new ConnectRefused(say`${origin} does not answer${codeOf(error)}.`)
    },
  )
  const told = Told.safeParse(await answer.json().catch(() => undefined))
  if (!answer.ok || !told.success) throw new ConnectRefused(say`${origin} does not say where its security clients call.`)
  return { address: told.data.AgentAddress, port: told.data.AgentPort, pin: told.data.ServerKey }
}
