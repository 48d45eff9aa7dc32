// Lets concurrent requests do each kind of work together before the next kind begins. A processor caches what it used last, and issuing a certificate needs
// more code and data than fit: one request after the other would load all of it again each time. Decision 10.

let ending: Promise<void> | undefined

/** Waits until all requests of this tick of the event loop have arrived, so that they continue together. */
export function endOfTick(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined
      resolve()
    })
  })
  return ending
}

/** Lets the other requests reach the same point, between two kinds of work that await nothing themselves. */
export const yieldToOthers = (): Promise<void> => Promise.resolve()
