// The console modules of the rooms, generated from areas/order.ts, so that a room is entered once. `virtual:rooms` holds all of them, `virtual:rooms/public`
// those with a screen for people who have not signed in, or with a way to sign in, because their pages load no others.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { isPublic, readContracts } from './contracts-plugin.ts'

const whole = 'virtual:rooms'
const open = 'virtual:rooms/public'

/** A room has a console where it has this file; many serve only. */
const moduleOf = (root: string, room: string): string => join(root, `areas/${room}/console/index.ts`)

/** The help of a room in another language lies beside the English one. */
const helpOf = (root: string, room: string, language: string): string => join(root, `areas/${room}/console/help.${language}.md`)

const languages = ['de'] as const

/** Writes a module that imports the console modules of these rooms and exports them in this order, with their help in the languages that it is written in. */
export function gatherRooms(root: string, rooms: readonly string[]): string {
  const served = rooms.filter((room) => existsSync(moduleOf(root, room)))
  const imports = served.map((room, at) => `import room${at} from ${JSON.stringify(moduleOf(root, room).replaceAll('\\', '/'))}`)
  const modules = served.map((room, at) => {
    const helps = languages.filter((language) => existsSync(helpOf(root, room, language)))
    if (helps.length === 0) return `room${at}`
    const loads = helps.map(
      (language) => `${language}: () => import(${JSON.stringify(`${helpOf(root, room, language).replaceAll('\\', '/')}?raw`)})`,
    )
    return `withHelp(room${at}, { ${loads.join(', ')} })`
  })
  const helped = modules.some((one) => one.startsWith('withHelp'))
  return [
    ...(helped ? [`import { withHelp } from '#core/console/help-language.ts'`] : []),
    ...imports,
    `export const consoleModules = [${modules.join(', ')}]`,
  ].join('\n')
}

/** Whether its console module offers a part of the sign-in page. */
const offersSignIn = (root: string, room: string): boolean =>
  existsSync(moduleOf(root, room)) && /\bsignInWays\b/.test(readFileSync(moduleOf(root, room), 'utf8'))

export function roomsPlugin(root: string): Plugin {
  return {
    name: 'chancery:rooms',
    resolveId: (asked) => (asked === whole || asked === open ? `\0${asked}` : undefined),
    async load(asked) {
      if (asked !== `\0${whole}` && asked !== `\0${open}`) return undefined
      this.addWatchFile(join(root, 'areas/order.ts'))
      const { rooms, screens } = await readContracts(root)
      const withPublicScreen = new Set(screens.filter(isPublic).map(({ area }) => area))
      return gatherRooms(
        root,
        asked === `\0${whole}` ? rooms : rooms.filter((room) => withPublicScreen.has(room) || offersSignIn(root, room)),
      )
    },
  }
}
