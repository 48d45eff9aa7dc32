// The rooms' servers, read from areas/order.ts, so that a room is entered once. A room without a server is passed over.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { order } from '#areas/order.ts'
import type { Room } from '#core/server/serve.ts'

const modules = order
  .map((room) => new URL(`../../areas/${room}/server/index.ts`, import.meta.url))
  .filter((url) => existsSync(fileURLToPath(url)))

export const rooms: readonly Room[] = await Promise.all(
  modules.map(async ({ href }) => {
    const { default: room }: { default: Room } = await import(href)
    return room
  }),
)
