// An identity provider as tests have it: an application that is connected, and its requests.

import { applications } from '#areas/applications/contract.ts'
import type { Caller } from '#core/testing/caller.ts'
import type { TestTenancy } from '#core/testing/house.ts'
import { scim } from '../contract.ts'

export type Reply = { status: number; headers: Headers; text: string; body: Record<string, unknown> }
export type ScimClient = {
  id: string
  secret: string
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
}

export async function connectedClient(
  tenancy: TestTenancy,
  origin: string,
  { scopes = ['userView', 'userAdd', 'userEdit'], invite = false, browser }: { scopes?: string[]; invite?: boolean; browser?: Caller } = {},
): Promise<ScimClient> {
  const by = browser ?? (await tenancy.administrator.session())
  const { id, secret } = await by.call(applications.calls.add, {
    name: `Provider ${crypto.randomUUID().slice(0, 8)}`,
    owner: { kind: 'person', id: tenancy.administrator.id },
    scopes,
  })
  await by.call(scim.calls.connect, { id, invite })
  return { id, secret, ask: asker(origin, secret) }
}

export const asker =
  (origin: string, secret: string): ScimClient['ask'] =>
  async (method, path, body, headers = {}) => {
    const response = await fetch(`${origin}/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/scim+json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    }
  }
