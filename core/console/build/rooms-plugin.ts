// The console modules of the rooms, generated from areas/order.ts, so that a room is entered once. `virtual:rooms` holds all of them, `virtual:rooms/public`
// those with a screen for people who have not signed in, because their pages load no others.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { isPublic, readContracts } from './contracts-plugin.ts'

const whole = 'virtual:rooms'
const open = 'virtual:rooms/public'

/** A room has a console where it has this file; many serve only. */
const moduleOf = (root: string, room: string): string => join(root, `areas/${room}/console/index.ts`)

/** Writes a module that imports the console modules of these rooms and exports them in this order. */
export function gatherRooms(root: string, rooms: readonly string[]): string {
  const served = rooms.filter((room) => existsSync(moduleOf(root, room)))
  const imports = served.map((room, at) => `import room${at} from ${JSON.stringify(moduleOf(root, room).replaceAll('\\', '/'))}`)
  return [...imports, `export const consoleModules = [${served.map((_, at) => `room${at}`).join(', ')}]`].join('\n')
}

export function roomsPlugin(root: string): Plugin {
  return {
    name: 'chancery:rooms',
    resolveId: (asked) => (asked === whole || asked === open ? `\0${asked}` : undefined),
    async load(asked) {
      if (asked !== `\0${whole}` && asked !== `\0${open}`) return undefined
      this.addWatchFile(join(root, 'areas/order.ts'))
      const { rooms, screens } = await readContracts(root)
      const withPublicScreen = new Set(screens.filter(isPublic).map(({ area }) => area))
      return gatherRooms(root, asked === `\0${whole}` ? rooms : rooms.filter((room) => withPublicScreen.has(room)))
    },
  }
}
