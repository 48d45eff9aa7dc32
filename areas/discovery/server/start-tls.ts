// Leads a connection to where TLS begins, by the dialogue of its protocol. A server that does not agree has no certificate to show.

import type { Socket } from 'node:net'
import { mostHeard, type Dialogue } from '#standards/start-tls/start-tls.ts'

/** The server does not speak TLS here, or did not say so in time. */
export class NoTls extends Error {
  override name = 'NoTls'
}

export function askForTls(socket: Socket, { first, steps }: Dialogue, milliseconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let [step, heard] = [0, Buffer.alloc(0)]
    const end = (refused: boolean) => {
      clearTimeout(timer)
      socket.off('data', onData)
      socket.off('close', onEnd)
      socket.off('error', onEnd)
      if (!refused) return resolve()
      socket.destroy()
      reject(new NoTls('The server does not begin TLS'))
    }
    const onEnd = () => end(true)
    const onData = (part: Buffer) => {
      heard = Buffer.concat([heard, part])
      const said = steps[step]?.(heard) ?? 'refused'
      if (said === 'wait' ? heard.length > mostHeard : said === 'refused') return end(true)
      if (said === 'wait' || said === 'refused') return
      if (said.say !== undefined) socket.write(said.say)
      ;[step, heard] = [step + 1, Buffer.alloc(0)]
      if (step === steps.length) end(false)
    }
    const timer = setTimeout(onEnd, milliseconds)
    socket.on('data', onData)
    socket.once('close', onEnd)
    socket.once('error', onEnd)
    if (first !== undefined) socket.write(first)
  })
}
