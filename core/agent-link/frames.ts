// Messages on a stream as gRPC frames them: a byte that says whether it is packed, four bytes of length, the message.

import type { Http2Stream } from 'node:http2'

export const linkPath = '/chancery.agent.v1.Agent/Link'
export const contentType = 'application/grpc+proto'

/** Longer than anything an agent or a server says. */
export const mostBytes = 262_144

export function frame(message: Uint8Array): Uint8Array {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** Calls `hear` with each message; `broken` once where the stream says what gRPC does not, or more in a message than `limit` allows then. */
export function hearFrames(
  stream: Http2Stream,
  hear: (message: Uint8Array) => void,
  broken: (why: string) => void,
  limit: () => number = () => mostBytes,
): void {
  let waiting = Buffer.alloc(0)
  let isBroken = false
  const breakOff = (why: string) => {
    isBroken = true
    broken(why)
  }
  stream.on('data', (chunk: Buffer) => {
    if (isBroken) return
    waiting = Buffer.concat([waiting, chunk])
    while (waiting.length >= 5) {
      const length = waiting.readUInt32BE(1)
      if (waiting[0] !== 0) return breakOff('Packed messages are not taken')
      if (length > limit()) return breakOff('A message is too long')
      if (waiting.length < 5 + length) return
      const message = waiting.subarray(5, 5 + length)
      waiting = waiting.subarray(5 + length)
      try {
        hear(message)
      } catch (error) {
        return breakOff(error instanceof Error ? error.message : String(error))
      }
    }
  })
}
