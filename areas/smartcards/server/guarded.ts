// Turns what happened on the way to a card into the faults of a call.

import type { Call } from '#core/contract/contract.ts'
import { faultOfCall } from '#core/server/fault.ts'
import { CardFault, cardFaultOf } from './agents/readers.ts'
import { KeyNotTaken, PukUnknown } from './engine/access.ts'
import { NoPuk } from './engine/unblock.ts'

export async function guarded<T>(call: Pick<Call, 'faults'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw faultOfCard(call, error)
  }
}

export function faultOfCard(call: Pick<Call, 'faults'>, error: unknown): unknown {
  const fault = cardFaultOf(error)
  if (fault instanceof CardFault) return faultOfCall(call, fault.code, { params: fault.params })
  if (fault instanceof KeyNotTaken) return faultOfCall(call, 'notTaken')
  if (fault instanceof NoPuk) return faultOfCall(call, 'noPuk')
  if (fault instanceof PukUnknown) return faultOfCall(call, 'pukUnknown')
  return fault
}
