import '#core/console/theme/styles.ts'
import { doors, publicScreens } from 'virtual:contracts'
import { consoleModules } from 'virtual:rooms/public'
import type { Bootstrap } from '#core/console/bootstrap.ts'
import { dispatch } from '#core/console/send.ts'
import { startConsole } from '#core/console/start.tsx'

const element = document.getElementById('console')
if (element === null) throw new TypeError('The page has no element for the console')

void startConsole({
  open: { consoleModules, screens: publicScreens, records: [] },
  loadRooms: async () => (await import('./all-rooms.ts')).rooms,
  element,
  loadBootstrap: async (signal) => (await dispatch(doors.bootstrap, {}, { signal })) as Bootstrap,
})
