// A port that cannot be had is found before anything is opened behind it: one sentence, and nothing to take down again.

import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

const reasons: Record<string, (place: string) => string> = {
  EADDRINUSE: (place) =>
    `${place} is in use, perhaps by a Chancery that runs already. Stop that one, or set CHANCERY_PORT to another port.`,
  EACCES: (place) => `${place} may not be used by this account: ports below 1024 are the system's. Set CHANCERY_PORT to a higher one.`,
  EADDRNOTAVAIL: (place) =>
    `${place} cannot be used: this machine has no such address. Set CHANCERY_HOST to one that it has, or to 0.0.0.0 for all.`,
  ENOTFOUND: (place) => `${place} cannot be used: there is no host of this name. Set CHANCERY_HOST to an address of this machine.`,
}

/** The workers of a server that was killed end a moment after it. */
const patience = 3_000

/** Throws the sentence where the port cannot be had. */
export async function requireFreePort({ host, port }: { host: string; port: number }): Promise<void> {
  const until = performance.now() + patience
  for (;;) {
    const error = await errorAt(host, port)
    if (error === undefined) return
    if (error.code !== 'EADDRINUSE' || performance.now() > until) {
      const place = `Port ${port} of ${host}`
      throw new Error(reasons[error.code ?? '']?.(place) ?? `${place} cannot be used: ${error.message}`, { cause: error })
    }
    await wait(100)
  }
}

const errorAt = (host: string, port: number): Promise<NodeJS.ErrnoException | undefined> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', resolve)
    probe.listen(port, host, () => probe.close(() => resolve(undefined)))
  })
