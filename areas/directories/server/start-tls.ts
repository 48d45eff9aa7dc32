// Asks a directory on an open connection to go on encrypted (RFC 4511 4.14). Nothing else has been said by then, so that nobody on the way can say it.

import type { Socket } from 'node:net'
import { ldapAgrees, ldapRequest } from '#standards/start-tls/start-tls.ts'

/** Throws where the directory does not agree. */
export function askForTls(socket: Socket, milliseconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (error?: Error) => {
      clearTimeout(timer)
      socket.off('data', onData)
      socket.off('close', onClose)
      socket.off('error', end)
      if (error === undefined) return resolve()
      socket.destroy()
      reject(error)
    }
    const onData = (answer: Buffer) => end(ldapAgrees(answer) ? undefined : new Error('The directory does not speak StartTLS'))
    const onClose = () => end(new Error('The connection ended'))
    const timer = setTimeout(() => end(new Error('The directory timed out')), milliseconds)
    socket.on('data', onData)
    socket.once('close', onClose)
    socket.once('error', end)
    socket.write(ldapRequest)
  })
}
