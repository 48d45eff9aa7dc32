// A second server process on a test's database, which works off the bulk work and is there to be killed: `node worker.fixture.ts {settings, connection}`.

import { rooms } from '#apps/server/rooms.ts'
import { findViewer } from '#areas/sessions/service.ts'
import { runNow } from '#core/server/jobs.ts'
import { openHouse } from '#core/server/open.ts'
import { readSettings } from '#core/server/settings.ts'
import { bulk } from '../contract.ts'

const { data, connection } = JSON.parse(process.argv[2] ?? '{}')
const settings = readSettings({ CHANCERY_LOG: 'silent', CHANCERY_DATA: data })
const opened = await openHouse({
  settings,
  connection,
  rooms,
  identify: findViewer,
  port: 0,
  migrated: true,
  background: false,
  warn: () => {},
})
await runNow(opened.house, bulk.jobs.work)
await opened.close()
