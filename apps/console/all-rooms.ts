// All rooms with all their screens: a chunk that a page for people who have not signed in does without.

import { records, screens } from 'virtual:contracts/console'
import { consoleModules } from 'virtual:rooms'
import type { Rooms } from '#core/console/rooms.ts'

export const rooms: Rooms = { consoleModules, screens, records }
