// kill -9 of the server and of the database while certificates are issued and revoked; what was acknowledged must hold. Every figure but
// `brokenInvariants` only says how much was tried.

import { runCrashRounds } from '#core/testing/crash.ts'
import type { Bench } from './run.ts'

export const run: Bench['run'] = async ({ rounds = 50, say }) => {
  const { figures } = await runCrashRounds(rounds, say)
  return { figures, ratios: {}, failed: figures.brokenInvariants > 0 }
}
