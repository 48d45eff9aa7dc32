// A stream of the server's events: `for await (const step of openStream(cards.streams.issue, { cardId }))`. Neither side sees a socket.
// The first message is the input; the end is the close code 1000; anything else is a CallFault.

import type * as z from 'zod'
import type { DraftOf, Stream } from '#core/contract/contract.ts'
import { answeredFault, isWireFault, transportFault, type CallFault } from './call-fault.ts'
import { handleGlobally } from './global-faults.ts'

const normalClose = 1000

/** The socket's address: the host that served the page, unless the build names another. */
export function socketAddress(path: string, page: { protocol: string; host: string } = location): string {
  const named: string = import.meta.env?.VITE_CHANCERY_SOCKET ?? ''
  return (named === '' ? `${page.protocol === 'https:' ? 'wss:' : 'ws:'}//${page.host}` : named) + path
}

export async function* openStream<S extends Stream>(
  stream: S,
  input: DraftOf<S>,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<z.output<S['event']>, void, void> {
  const failing = stream.failed === undefined ? {} : { failed: stream.failed }
  const waiting: unknown[] = []
  let ended: { fault: CallFault | undefined } | undefined
  let wake = (): void => {}
  const end = (fault: CallFault | undefined): void => {
    ended ??= { fault }
    wake()
  }

  const socket = new WebSocket(socketAddress(stream.path))
  const cancel = (): void => end(transportFault(failing, 'cancelled'))
  if (signal?.aborted === true) cancel()
  signal?.addEventListener('abort', cancel)
  socket.addEventListener('open', () => socket.send(JSON.stringify(input ?? {})))
  socket.addEventListener('message', ({ data }) => {
    waiting.push(JSON.parse(String(data)))
    wake()
  })
  socket.addEventListener('close', ({ code }) =>
    end(code === normalClose ? undefined : transportFault(failing, 'network_error', new Error(`The stream closed with ${code}`))),
  )

  try {
    for (;;) {
      const event = waiting.shift()
      if (event !== undefined) {
        const fault = faultIn(failing, event)
        if (fault !== undefined) throw fault
        yield event as z.output<S['event']>
      } else if (ended !== undefined) {
        if (ended.fault !== undefined) throw ended.fault
        return
      } else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    socket.close(normalClose)
  }
}

function faultIn(failing: { failed?: string }, event: unknown): CallFault | undefined {
  if (typeof event !== 'object' || event === null || !('fault' in event) || !isWireFault(event.fault)) return undefined
  const fault = answeredFault(failing, event.fault.code === 'not_logged_in' ? 401 : 400, event.fault)
  // A refusal is an answer, which whoever asked shows; only what nobody expected is the browser's log's.
  if (fault.code === 'unexpected') console.error(`stream: ${fault.code}`, fault.says)
  handleGlobally(fault)
  return fault
}
