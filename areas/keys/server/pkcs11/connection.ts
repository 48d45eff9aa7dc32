// The server's end of a token: starts the process of the module, logs in, asks, and says why when it cannot. Whatever goes wrong the process
// is dropped and the next to ask starts another, at growing intervals; but a PIN that the token refused is never tried again, since tokens lock.

import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { isBlocking, type UnavailableReason } from '../../tokens.ts'
import { ownResults, type Answered, type Failure, type TaskName, type Tasks, type TokenSeen } from './protocol.ts'

export class TokenFailure extends Error {
  override name = 'TokenFailure'
  readonly reason: UnavailableReason
  constructor(reason: UnavailableReason, detail: string) {
    super(detail)
    this.reason = reason
  }
}

const reasons: Record<string, UnavailableReason> = {
  [ownResults.cannotLoad]: 'moduleMissing',
  [ownResults.tokenAbsent]: 'tokenAbsent',
  [ownResults.pinLocked]: 'pinLocked',
  [ownResults.finalTry]: 'pinFinalTry',
  [ownResults.keyAbsent]: 'keyAbsent',
  CKR_TOKEN_NOT_PRESENT: 'tokenAbsent',
  CKR_TOKEN_NOT_RECOGNIZED: 'tokenAbsent',
  CKR_DEVICE_REMOVED: 'tokenAbsent',
  CKR_SLOT_ID_INVALID: 'tokenAbsent',
  CKR_PIN_INCORRECT: 'pinRefused',
  CKR_PIN_INVALID: 'pinRefused',
  CKR_PIN_LEN_RANGE: 'pinRefused',
  CKR_PIN_LOCKED: 'pinLocked',
  CKR_PIN_EXPIRED: 'pinLocked',
  CKR_USER_PIN_NOT_INITIALIZED: 'pinLocked',
  CKR_SESSION_CLOSED: 'sessionLost',
  CKR_SESSION_HANDLE_INVALID: 'sessionLost',
  CKR_USER_NOT_LOGGED_IN: 'sessionLost',
  CKR_KEY_HANDLE_INVALID: 'sessionLost',
  CKR_OBJECT_HANDLE_INVALID: 'sessionLost',
  CKR_DEVICE_ERROR: 'sessionLost',
  CKR_GENERAL_ERROR: 'sessionLost',
  CKR_FUNCTION_FAILED: 'sessionLost',
}

/** What a return value means for who waits for a signature. */
export const reasonFor = (result: string): UnavailableReason => reasons[result] ?? 'tokenRefused'

/** Milliseconds that a module may be silent, whatever is asked of it. A smartcard makes an RSA 4096 key in minutes. */
const patience: Record<TaskName, number> = { tokens: 10_000, open: 8_000, keys: 15_000, generate: 240_000, destroy: 10_000, sign: 12_000 }

type Process = {
  ask<T extends TaskName>(task: T, input: Tasks[T]['asks']): Promise<Tasks[T]['answers']>
  kill(): void
  pid: number | undefined
}

/** The module's process sees the environment, which vendors configure their modules by, without what is ours. */
function environmentOfModules(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(CHANCERY_|DATABASE_URL$|PG|NODE_OPTIONS$)/.test(name)))
}

function startProcess(modulePath: string, ended: () => void): Process {
  const child: ChildProcess = fork(join(import.meta.dirname, 'process.ts'), [modulePath], {
    serialization: 'advanced',
    execArgv: [],
    env: environmentOfModules(),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // A process that idles keeps no server from ending.
  child.unref()
  child.channel?.unref()
  type Waiting = { resolve(value: unknown): void; reject(error: Error): void; timer: NodeJS.Timeout }
  const waiting = new Map<number, Waiting>()
  let last = 0
  const settle = (number: number): Waiting | undefined => {
    const found = waiting.get(number)
    waiting.delete(number)
    clearTimeout(found?.timer)
    return found
  }
  const over = (reason: UnavailableReason, detail: string) => {
    for (const number of waiting.keys()) settle(number)?.reject(new TokenFailure(reason, detail))
    child.kill('SIGKILL')
    ended()
  }
  child.on('message', (answered: Answered) => {
    const found = settle(answered.number)
    // It works: what waits behind this in a slow token is not forgotten.
    for (const { timer } of waiting.values()) timer.refresh()
    if ('failure' in answered) found?.reject(failed(answered.failure))
    else found?.resolve(answered.value)
  })
  child.on('error', (error) => over('moduleFailed', error.message))
  child.on('exit', (code, signal) => over('moduleFailed', `The process of the module ended (${signal ?? `code ${code}`})`))
  return {
    pid: child.pid,
    ask: (task, input) =>
      new Promise((resolve, reject) => {
        const number = (last += 1)
        const timer = setTimeout(() => over('noAnswer', `${task} took longer than ${patience[task] / 1_000} seconds`), patience[task])
        // The answer to a task is of the type that the protocol names: the process is ours.
        waiting.set(number, { resolve: resolve as (value: unknown) => void, reject, timer })
        if (child.connected)
          child.send({ number, task, input }, (error) => error && settle(number)?.reject(new TokenFailure('moduleFailed', error.message)))
        else settle(number)?.reject(new TokenFailure('moduleFailed', 'The process of the module ended'))
      }),
    kill: () => over('sessionLost', 'The connection was closed'),
  }
}

const failed = ({ result, message }: Failure) => new TokenFailure(reasonFor(result), message)

/** The tokens that a module sees now. Throws TokenFailure. */
export async function tokensOf(modulePath: string): Promise<TokenSeen[]> {
  const child = startProcess(modulePath, () => {})
  try {
    return await child.ask('tokens', {})
  } finally {
    child.kill()
  }
}

export type TokenAddress = { modulePath: string; label: string; serial: string; pin: string }

export type TokenConnection = {
  /** Logs in where that is not done. Throws TokenFailure with the reason. */
  open(): Promise<TokenSeen>
  ask<T extends Exclude<TaskName, 'open' | 'tokens'>>(task: T, input: Tasks[T]['asks']): Promise<Tasks[T]['answers']>
  /** Forgets how long to wait before the next try; a PIN that was refused stays refused. */
  tryAgainNow(): void
  /** Ends the process; the next use starts another. */
  drop(): void
  /** Ends the process for good: the PIN may be another one now. */
  close(): void
  /** Of the module's process. */
  pid(): number | undefined
}

const firstPause = 500
const longestPause = 20_000

export function connectToken({ modulePath, label, serial, pin }: TokenAddress): TokenConnection {
  type Opened = { child: Process; seen: TokenSeen }
  let current: Promise<Opened> | undefined
  let running: Process | undefined
  let closed = false
  let failure: { error: TokenFailure; until: number; pause: number } | undefined

  function opened(): Promise<Opened> {
    if (closed) return Promise.reject(new TokenFailure('sessionLost', 'The connection was closed'))
    if (current !== undefined) return current
    if (failure !== undefined && performance.now() < failure.until) return Promise.reject(failure.error)
    const child = startProcess(modulePath, () => {
      if (running === child) running = current = undefined
    })
    running = child
    const opening = child.ask('open', { label, serial, pin }).then(
      (seen) => {
        failure = undefined
        return { child, seen }
      },
      (error: TokenFailure) => {
        const pause = Math.min(longestPause, (failure?.pause ?? firstPause / 2) * 2)
        failure = { error, pause, until: isBlocking(error.reason) ? Infinity : performance.now() + pause }
        child.kill()
        throw error
      },
    )
    current = opening
    return opening
  }

  const drop = () => {
    running?.kill()
    running = current = undefined
  }

  return {
    open: async () => (await opened()).seen,
    async ask(task, input) {
      // Twice at most: a session that was lost, or a process that crashed, is found out by asking. A key is not made twice.
      for (let round = 1; ; round += 1) {
        const { child } = await opened()
        try {
          return await child.ask(task, input)
        } catch (error) {
          child.kill()
          if (round === 2 || task === 'generate' || (error instanceof TokenFailure && error.reason === 'noAnswer')) throw error
        }
      }
    },
    tryAgainNow() {
      if (failure !== undefined && failure.until !== Infinity) failure = undefined
    },
    drop,
    close() {
      closed = true
      drop()
    },
    pid: () => running?.pid,
  }
}
