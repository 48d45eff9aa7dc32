// People who work with the product by its calls, with cookies as a browser has them: set up, invited, activated, signed in.

import { randomBytes } from 'node:crypto'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { setup } from '#areas/setup/contract.ts'
import { users } from '#areas/users/contract.ts'
import type { Call, DraftOf, ExactDraft, OutputOf } from '#core/contract/contract.ts'
import { CallRefused, caller, type Caller } from '#core/testing/caller.ts'
import { authenticator, type Authenticator } from './authenticator.ts'
import type { Product } from './product.ts'

export type Person = Caller & {
  username: string
  password: string
  codes: Authenticator
  /** For a browser that goes on with this session. */
  cookies: ReadonlyMap<string, string>
}

export type SetupAnswer = OutputOf<typeof setup.calls.run>

export const newPassword = (): string => randomBytes(18).toString('base64url')

/** Answers a person's calls with the cookies that came so far. */
function cookieCaller(origin: string): {
  cookies: Map<string, string>
  post<C extends Call, D extends DraftOf<C> = DraftOf<C>>(call: C, body: ExactDraft<C, D>): Promise<OutputOf<C>>
  open(): Promise<void>
  caller: Caller
} {
  const cookies = new Map<string, string>()
  let tenantId = ''
  const headers = {
    get cookie() {
      return [...cookies].map((pair) => pair.join('=')).join('; ')
    },
    get 'x-xsrf-token'() {
      return cookies.get('XSRF-TOKEN') ?? ''
    },
    get 'x-chancery-tenancy'() {
      return tenantId
    },
    // A tool that works for seconds stops this process, and a connection that the server closed meanwhile would look alive.
    connection: 'close',
  }
  const calls = caller(origin, headers)
  return {
    cookies,
    caller: calls,
    /** What a page does first: from then on it says which tenancy it shows. */
    async open() {
      tenantId = (await calls.call(sessions.calls.bootstrap, {})).viewer?.tenantId ?? ''
    },
    async post<C extends Call, D extends DraftOf<C> = DraftOf<C>>(call: C, body: ExactDraft<C, D>) {
      const response = await fetch(origin + call.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        cookies.set(name, value)
      }
      const answer: unknown = await response.json()
      if (!response.ok) throw new CallRefused(response.status, Object(answer))
      return call.output.parse(answer) as OutputOf<C>
    },
  }
}

/** What the wizard does, by its call. The administrator is signed in afterwards. */
export async function setUp(
  product: Product,
  username: string,
  authority?: { organisation: string; rootName: string; issuingName: string },
): Promise<{ administrator: Person; answer: SetupAnswer }> {
  const password = newPassword()
  const { cookies, post, open, caller: calls } = cookieCaller(product.origin)
  const token = new URL(product.setupLink).searchParams.get('token') ?? ''
  const draft = {
    tenancyName: 'Northwind',
    administrator: { ...named(username), password },
    token,
    ...(authority === undefined ? {} : { authority }),
  }
  const answer = await post(setup.calls.run, draft)
  if (answer.problem !== '') throw new Error(answer.problem)
  const codes = authenticator(answer.secret)
  await post(sessions.calls.TOTPAuth, { passcode: await codes.nextCode() })
  await open()
  return { administrator: { ...calls, username, password, codes, cookies }, answer }
}

/** Adds a person with a role of this name, and activates the account as the person would. */
export async function invite(product: Product, by: Caller, username: string, roleName: string): Promise<Person> {
  const role = (await by.call(roles.calls.search, {})).rows.find(({ name }) => name === roleName)
  if (role === undefined) throw new Error(`There is no role ${roleName}`)
  const { activationLink } = await by.call(users.calls.add, { ...named(username), roleIds: [role.id] })
  return activate(product, username, activationLink)
}

export async function activate(product: Product, username: string, activationLink: string): Promise<Person> {
  const password = newPassword()
  const { cookies, post, open, caller: calls } = cookieCaller(product.origin)
  const { secret } = await post(sessions.calls.activate, { token: new URL(activationLink).pathname.split('/').at(-1) ?? '', password })
  const codes = authenticator(secret ?? '')
  await post(sessions.calls.TOTPAuth, { passcode: await codes.nextCode() })
  await open()
  return { ...calls, username, password, codes, cookies }
}

function named(username: string): { username: string; givenName: string; familyName: string; emailAddress: string } {
  const capital = username.charAt(0).toUpperCase() + username.slice(1)
  return { username, givenName: capital, familyName: 'Example', emailAddress: `${username}@example.org` }
}
