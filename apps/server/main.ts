// The server: settings, database, house, and what a person at the terminal needs to know. Its doors are here, or with workers where there are several
// processes.

import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { agentFolder, portSentence, startWithReaders } from '#apps/agent/built-in.ts'
import { movedSentence } from '#areas/authorities/moved.ts'
import { findViewer } from '#areas/sessions/service.ts'
import { setupLink } from '#areas/setup/service.ts'
import { rememberAddress } from '#core/server/address-memory.ts'
import { holdDataFolder } from '#core/server/data-folder.ts'
import { openHouse, runHouse } from '#core/server/open.ts'
import { requireFreePort } from '#core/server/port.ts'
import { readSettings } from '#core/server/settings.ts'
import { startDatabase } from '#core/server/start-database.ts'
import { releaseMemoryOfStart } from '#core/server/start-memory.ts'
import { unknownSettings } from '#core/server/unknown-settings.ts'
import { startWorkers } from '#core/server/workers.ts'
import { rooms } from './rooms.ts'

const say = (sentence: string) => console.log(sentence)
const isLoopback = (host: string) => host === '127.0.0.1' || host === 'localhost' || host === '::1'

async function main(): Promise<void> {
  const demo = process.argv.includes('--demo')
  const environment = demo ? { ...process.env, CHANCERY_DATA: process.env['CHANCERY_DATA'] ?? resolve('data-demo') } : process.env
  const settings = readSettings(environment)
  for (const sentence of unknownSettings(environment)) say(sentence)
  /** What runs, in the order of its start. */
  const running: { stop(): Promise<void> }[] = [holdDataFolder({ ...settings, warn: say })]
  let closing: Promise<void> | undefined
  const close = () =>
    (closing ??= (async () => {
      for (const one of running.toReversed()) await one.stop()
    })())
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void close().then(() => process.exit(0)))

  try {
    await requireFreePort(settings)
    const database = await startDatabase(settings, say)
    running.push(database)
    const options = { settings, connection: database.connection, databaseFault: database.fault, rooms, warn: say }
    const development = process.argv.includes('--dev')
    const alone = settings.processes === 1 || development
    const opened = alone ? await openHouse({ ...options, identify: findViewer }) : await runHouse(options)
    running.push({ stop: opened.close })
    const { house } = opened
    if (!alone) running.push(await startWorkers(fileURLToPath(new URL('./worker.ts', import.meta.url)), options, opened))
    const vite = development ? await (await import('./dev.ts')).startDevelopment(settings, rooms) : undefined
    if (vite !== undefined) running.push(vite)

    if (demo) await (await import('./demo.ts')).ensureDemo(opened, say)
    await rememberAddress(settings)
    let client: string | undefined
    // Whoever tries Chancery on a machine of their own has a reader and a card at once. A server for others runs no client.
    if (settings.databaseUrl === undefined && isLoopback(settings.host)) {
      const agent = await startWithReaders({
        version: house.version,
        origin: settings.origin,
        folder: agentFolder(settings.dataDirectory),
        virtual: true,
        pcsc: true,
        say: (sentence) => house.log.info(sentence),
      }).catch((error: unknown) => say(error instanceof Error ? error.message : String(error)))
      if (agent !== undefined) {
        running.push({ stop: agent.close })
        client = `A security client with two virtual readers and a virtual card printer runs on this machine. Its status page is http://127.0.0.1:${agent.port}/${portSentence(agent.port)}`
      }
    }
    const moved = await movedSentence(house)
    if (moved !== undefined) say(moved)
    const link = await setupLink(house)
    say(`Chancery ${house.version} is ready at ${vite?.address ?? settings.origin}`)
    if (client !== undefined) say(client)
    if (vite !== undefined)
      say(
        `That is the console, read anew as its files change. The server behind it listens on port ${settings.port}: the API, CRLs and OCSP are there, and need a new start to change.`,
      )
    releaseMemoryOfStart()
    if (link !== undefined) say(`Set it up here, once, within 24 hours:\n\n  ${link}\n`)
  } catch (error) {
    await close()
    throw error
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  if (process.env['CHANCERY_LOG'] === 'debug') console.error(error)
  process.exit(1)
})
