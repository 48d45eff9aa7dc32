// A chunk that does not load usually means that a new version was installed since this page was opened: the page reloads once, which
// fetches the new names. If the chunk fails again within the minute, the error is shown instead of reloading for ever.

const key = 'chancery.chunk-reload'
const once = 60_000

export class ChunkError extends Error {
  override name = 'ChunkError'
}

// The server's types know no page, and reach this file from the slots of rooms, which both sides read.
declare const location: { reload(): void }

type Place = { storage: Pick<Storage, 'getItem' | 'setItem'>; reload(): void; now(): number }

const browser = (): Place => ({ storage: sessionStorage, reload: () => location.reload(), now: () => Date.now() })

/** Reloads the page, or throws where it has just been reloaded for the same reason. Never resolves after a reload. */
export function chunkFailed(cause: unknown, place: Place = browser()): Promise<never> {
  const last = Number(place.storage.getItem(key) ?? Number.NaN)
  if (place.now() - last < once) throw new ChunkError('A part of the console could not be loaded', { cause })
  place.storage.setItem(key, String(place.now()))
  place.reload()
  return new Promise(() => {})
}
