// The server: settings, database, house, and what a person at the terminal needs to know.

import { resolve } from 'node:path'
import { findViewer } from '#areas/sessions/service.ts'
import { setupLink } from '#areas/setup/service.ts'
import { startDatabase } from '#core/server/start-database.ts'
import { openHouse } from '#core/server/open.ts'
import { rememberAddress } from '#core/server/address-memory.ts'
import { requireFreePort } from '#core/server/port.ts'
import { readSettings } from '#core/server/settings.ts'
import { unknownSettings } from '#core/server/unknown-settings.ts'
import { rooms } from './rooms.ts'

const say = (sentence: string) => console.log(sentence)

async function main(): Promise<void> {
  const demo = process.argv.includes('--demo')
  const environment = demo ? { ...process.env, CHANCERY_DATA: process.env['CHANCERY_DATA'] ?? resolve('data-demo') } : process.env
  const settings = readSettings(environment)
  for (const sentence of unknownSettings(environment)) say(sentence)
  await requireFreePort(settings)
  const database = await startDatabase(settings, say)
  let closing: Promise<void> | undefined
  const opened = await openHouse({ settings, connection: database.connection, rooms, identify: findViewer, warn: say }).catch(async (error: unknown) => {
    await database.stop()
    throw error
  })
  const development = process.argv.includes('--dev') ? await (await import('./dev.ts')).startDevelopment({ port: opened.doors.port, origin: settings.origin }, rooms) : undefined
  const close = () =>
    (closing ??= (async () => {
      await development?.stop()
      await opened.close()
      await database.stop()
      process.exit(0)
    })())
  process.on('SIGINT', () => void close())
  process.on('SIGTERM', () => void close())

  if (demo) {
    const { ensureDemo } = await import('./demo.ts')
    await ensureDemo(opened, say).catch(async (error: unknown) => {
      await opened.close()
      await database.stop()
      throw error
    })
  }
  await rememberAddress(settings)
  const link = await setupLink(opened.house)
  say(`Chancery ${opened.house.version} is ready at ${development?.address ?? settings.origin}`)
  if (development !== undefined) say(`That is the console, read anew as its files change. The server behind it listens on port ${opened.doors.port}: the API, CRLs and OCSP are there, and need a new start to change.`)
  if (link !== undefined) say(`Set it up here, once, within 24 hours:\n\n  ${link}\n`)
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  if (process.env['CHANCERY_LOG'] === 'debug') console.error(error)
  process.exit(1)
})
