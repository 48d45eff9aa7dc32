// Requests that come at the same moment go side by side: each kind of work is done for all of them before the next kind begins. A processor keeps near what it
// used last, and all that a certificate needs is more than it can keep: taken one after the other, each request would have to fetch it all anew. Decision 10.

let gathering: Promise<void> | undefined

/** Waits for all that has arrived in this turn of the event loop. They go on together, so that from here on whoever awaits anything lets the others catch up. */
export function gathered(): Promise<void> {
  gathering ??= new Promise((resolve) => {
    setImmediate(() => {
      gathering = undefined
      resolve()
    })
  })
  return gathering
}

/** Between two kinds of work that wait for nothing by themselves. */
export const othersCatchUp = (): Promise<void> => Promise.resolve()
