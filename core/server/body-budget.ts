// What long bodies may cost. To read one takes the one thread that answers everybody, whatever comes of it: each address and each tenancy has a budget of
// processor time, kept by each server for itself. The cost is counted from bytes and values and not measured, so that a busy machine refuses nobody.

import type { Exchange } from './exchange.ts'
import { commonFault } from './fault.ts'
import type { House } from './house.ts'
import { networkOf } from './limits.ts'
import { leastRequestLimit } from './request-size.ts'

/** On the reference machine: to receive, to check for UTF-8 and base64, to copy; and to walk a value as often as a call does. */
const microseconds = { kibibyte: 10, value: 2 }
/** So many values cost as little as any form. */
const freeValues = 1_000

/** An address or a tenancy may hold the thread two seconds at once, and a tenth of all time. */
const most = 2_000_000
const perMillisecond = 100
const mostAccounts = 10_000

type Account = { left: number; at: number }
const accounts = new WeakMap<House, Map<string, Account>>()

export type BodyBudget = {
  /** Throws the fault of too many requests where nothing is left. */
  bytes(count: number): void
  values(count: number): void
}

/** The budget of this request: of the address that it comes from, and of the tenancy that asks. */
export function bodyBudget({ house, facts, viewer, now }: Pick<Exchange, 'house' | 'facts' | 'viewer' | 'now'>): BodyBudget {
  let received = 0
  const spend = (cost: number): void => {
    for (const name of [networkOf(facts.address), ...(viewer === undefined ? [] : [viewer.tenantId])]) {
      const account = accountOf(house, name, now.getTime())
      if (account.left <= 0)
        throw commonFault('too_many_requests', { params: { seconds: Math.ceil((1 - account.left) / perMillisecond / 1_000) } })
      account.left -= cost
    }
  }
  return {
    bytes(count) {
      const before = Math.max(received, leastRequestLimit)
      received += count
      if (received > before) spend(((received - before) / 1_024) * microseconds.kibibyte)
    },
    values(count) {
      if (count > freeValues) spend(count * microseconds.value)
    },
  }
}

function accountOf(house: House, name: string, at: number): Account {
  const all = accounts.get(house) ?? new Map<string, Account>()
  accounts.set(house, all)
  if (all.size >= mostAccounts) forgetFull(all, at)
  const account = all.get(name) ?? { left: most, at }
  all.set(name, account)
  account.left = Math.min(most, account.left + Math.max(0, at - account.at) * perMillisecond)
  account.at = at
  return account
}

/** Whoever has spent nothing lately need not be known. */
function forgetFull(all: Map<string, Account>, at: number): void {
  for (const [name, account] of all) if (account.left + (at - account.at) * perMillisecond >= most) all.delete(name)
}
