// The rooms' servers, read from areas/order.ts, so that a room is entered once. A room without a server is passed over.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { order } from '#areas/order.ts'
import type { Room } from '#core/server/serve.ts'

// Not `new URL('...', import.meta.url)`: in tests of the console, Vite takes that for a file of the page and writes another address.
const modules = order.map((room) => join(import.meta.dirname, `../../areas/${room}/server/index.ts`)).filter((file) => existsSync(file))

export const rooms: readonly Room[] = await Promise.all(
  modules.map(async (file) => {
    const { default: room }: { default: Room } = await import(pathToFileURL(file).href)
    return room
  }),
)
