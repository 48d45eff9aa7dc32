// Every call of every room, asked with one field too many: at the top, and in each object within. What is misspelt must not be passed by in
// silence, because the call would look as if it had done what was asked. Only a call whose contract says `lenient` takes more.

import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { rooms } from '#apps/server/rooms.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { users } from '#areas/users/contract.ts'
import type { Call } from '#core/contract/contract.ts'
import type { WireFault } from '#core/contract/faults.ts'
import { fillPath, paramNames } from '#core/contract/paths.ts'
import { browser } from '#core/testing/browser.ts'
import { useHouse } from '#core/testing/house.ts'
import { fitting, isObject, missingId } from '#core/testing/plausible.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { totp } from '#standards/totp/totp.ts'

const house = await useHouse()
const management = await house.tenancy('Management')
const everything = await management.person({ permissions: 'all' })
const session = await signedIn()

/** A session, for what tokens may not do. */
async function signedIn() {
  const { roles } = await management.administrator.call(users.calls.read, { id: everything.id })
  const { activationLink } = await management.administrator.call(users.calls.add, {
    username: 'katherine',
    givenName: 'Katherine',
    familyName: 'Johnson',
    emailAddress: 'katherine@example.org',
    roleIds: roles.map(({ id }) => id),
  })
  const page = browser(house.origin)
  const password = 'correct horse battery staple'
  const { secret = '' } = await page.call(sessions.calls.activate, { token: activationLink.replace(/^.*\//, ''), password })
  await page.call(sessions.calls.TOTPAuth, { passcode: totp(decodeBase32(secret), house.clock.now()) })
  return page
}

const extra = 'zzExtra'
type Sent = { field: string; input: unknown }

/** The input with one field too many in each place that has fields of its own; an object whose names are data has none. */
function* withExtra(schema: unknown, input: unknown, path: readonly string[] = []): Generator<Sent> {
  if (!isObject(schema)) return
  if (Array.isArray(input)) {
    for (const { field, input: item } of withExtra(schema['items'], input[0], [...path, '0']))
      yield { field, input: [item, ...input.slice(1)] }
    return
  }
  const { properties } = schema
  if (!isObject(properties) || !isObject(input)) return
  yield { field: [...path, extra].join('.'), input: { ...input, [extra]: 'x' } }
  for (const [name, inner] of Object.entries(input))
    for (const { field, input: within } of withExtra(properties[name], inner, [...path, name]))
      yield { field, input: { ...input, [name]: within } }
}

const inQuery = (call: Call) => call.method === 'GET' || call.method === 'DELETE'

function cases(call: Call): Sent[] {
  const all = [...withExtra(z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' }), fitting(call) ?? {})]
  return inQuery(call) ? all.slice(0, 1) : all
}

async function ask(call: Call, { input }: Sent): Promise<{ status: number; fields: string[] }> {
  const path = fillPath(call.path, Object.fromEntries(paramNames(call.path).map((name) => [name, missingId])))
  const asker = call.area === 'sessions' || call.tokens === 'never' ? session : everything
  const response = inQuery(call)
    ? await asker.fetch(`${path}?${extra}=x`, { method: call.method })
    : await asker.fetch(path, { method: call.method, body: JSON.stringify(input), headers: { 'content-type': 'application/json' } })
  const fault = (await response.json()) as Partial<WireFault>
  return { status: response.status, fields: (fault.fields ?? []).map(({ field }) => field) }
}

describe('A field that no call knows', () => {
  test.each(rooms.filter(({ calls }) => calls.some(({ call }) => call.lenient === undefined)))(
    'is refused by name by each call of $area',
    async ({ calls }) => {
      const taken: [string, string, number, string[]][] = []
      for (const { call } of calls.filter((one) => one.call.lenient === undefined))
        for (const sent of cases(call)) {
          const { status, fields } = await ask(call, sent)
          if (status !== 400 || !fields.includes(sent.field)) taken.push([call.name, sent.field, status, fields])
        }
      expect(taken).toEqual([])
    },
  )
})
