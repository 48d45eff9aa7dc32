// What an error log holds (specification part 1 sections 2 and 9): message, stack, cause, user agent, time and location.

export const errorLogName = 'chancery-error-log.txt'

export type ErrorFacts = { userAgent: string; time: Date; location: string }

export function errorLog(error: unknown, { userAgent, time, location }: ErrorFacts): string {
  const lines: [string, string][] = [
    ['Message', messageOf(error)],
    ['Time', time.toISOString()],
    ['Location', location],
    ['User agent', userAgent],
    ['Cause', causesOf(error).join('\n  caused by ') || 'none'],
    ['Stack', error instanceof Error ? (error.stack ?? 'none') : 'none'],
  ]
  return lines.map(([name, value]) => `${name}: ${value}`).join('\n') + '\n'
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error))

/** The chain of causes, at most ten deep. */
function causesOf(error: unknown): string[] {
  const causes: string[] = []
  let at = error
  while (at instanceof Error && at.cause !== undefined && causes.length < 10) {
    causes.push(messageOf(at.cause))
    at = at.cause
  }
  return causes
}
