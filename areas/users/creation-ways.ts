// The dashboard of user creation names the ways in which people come: each room offers its own, and this room need not know them.

import type { TaskIcon } from '#core/console/kit/task-icon.ts'
import type { SelfPlace } from '#core/console/slots.ts'
import { slot } from '#core/contract/slots.ts'

/** A way, with the screen where it begins; who may not open that does not see it. `order` sorts, the smallest first. */
export type CreationWay = SelfPlace & { key: string; says: string; hint: string; icon: TaskIcon; order: number }

export const creationWays = slot<CreationWay>('users: ways in which people come')
