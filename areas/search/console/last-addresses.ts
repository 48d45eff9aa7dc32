// How each list was left, so that going to another and back finds it again. Gone at sign-out, as everything that was searched.

import { onLeave } from '#core/console/leave-session.ts'

const addresses = new Map<string, string>()
onLeave(() => addresses.clear())

export function keepAddress(type: string, query: string): void {
  addresses.set(type, query)
}

export const lastAddress = (type: string): string => addresses.get(type) ?? ''
