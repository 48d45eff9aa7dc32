// The rooms that have a screen for people who have not signed in.

import portal from '#areas/portal/console/index.ts'
import sessions from '#areas/sessions/console/index.ts'
import setup from '#areas/setup/console/index.ts'
import type { Face } from '#core/console/show.ts'

export const publicFaces: readonly Face[] = [sessions, portal, setup]
