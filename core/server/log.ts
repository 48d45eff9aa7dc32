// Structured lines on standard output, one a request. No secret and no personal data: paths without their query, ids instead of names.

import { pino, type Logger } from 'pino'
import type { LogLevel } from './settings.ts'

export const makeLog = (level: LogLevel): Logger =>
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: describeError },
  })

/** The error with its causes; a database error without the row that it quotes, which can hold personal data. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    ...('code' in error ? { code: String(error.code) } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}
