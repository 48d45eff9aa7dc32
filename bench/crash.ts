// kill -9 of the server and of the database, a full disk and a jumping clock, while certificates are issued and revoked; what was acknowledged must hold.
// The disk takes root (a file system in memory), the clock takes libfaketime; without them those rounds are kills as well. Every figure but
// `brokenInvariants` only says how much was tried.

import { runCrashRounds } from '#core/testing/crash.ts'
import type { Bench } from './run.ts'

export const run: Bench['run'] = async ({ rounds = 200, say }) => {
  const { figures } = await runCrashRounds(rounds, say, { hostile: true })
  return { figures, ratios: {}, failed: figures.brokenInvariants > 0 }
}
