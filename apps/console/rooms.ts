// The rooms' console faces. A room without one yet is not in the list; the routes of its contract wait for it.

import type { Face } from '#core/console/show.ts'

export const faces: readonly Face[] = []
