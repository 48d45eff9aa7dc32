// One of several processes that answer at the port (CHANCERY_PROCESSES). It ends with the process that started it.

import { findViewer } from '#areas/sessions/service.ts'
import { openHouse } from '#core/server/open.ts'
import { releaseMemoryOfStart } from '#core/server/start-memory.ts'
import { joinWorkers } from '#core/server/workers.ts'
import { rooms } from './rooms.ts'

async function main(): Promise<void> {
  const { answerFor, ...opening } = await joinWorkers()
  const opened = await openHouse({ ...opening, rooms, identify: findViewer, migrated: true, background: false })
  answerFor(opened)
  releaseMemoryOfStart()
  let closing: Promise<void> | undefined
  const close = () => (closing ??= opened.close().then(() => process.exit(0)))
  process.on('SIGINT', () => void close())
  process.on('SIGTERM', () => void close())
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
})
