// Asks a directory on an open connection to go on encrypted (RFC 4511 4.14). Nothing else has been said by then, so that nobody on the way can say it.

import type { Socket } from 'node:net'

const name = Buffer.from('1.3.6.1.4.1.1466.20037', 'ascii')
/** LDAPMessage 1 with an ExtendedRequest of that name. */
const request = Buffer.concat([Buffer.from([0x30, name.length + 7, 0x02, 0x01, 0x01, 0x77, name.length + 2, 0x80, name.length]), name])

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
    const onData = (answer: Buffer) => end(agrees(answer) ? undefined : new Error('The directory does not speak StartTLS'))
    const onClose = () => end(new Error('The connection ended'))
    const timer = setTimeout(() => end(new Error('The directory timed out')), milliseconds)
    socket.on('data', onData)
    socket.once('close', onClose)
    socket.once('error', end)
    socket.write(request)
  })
}

/** An ExtendedResponse to message 1 whose result is success, and nothing behind it: what follows would be from before the encryption. */
function agrees(answer: Buffer): boolean {
  const long = (at: number) =>
    (answer[at] ?? 0) === 0x84 ? { length: answer.readUInt32BE(at + 1), next: at + 5 } : { length: answer[at] ?? 0, next: at + 1 }
  if (answer.length < 14 || answer[0] !== 0x30) return false
  const message = long(1)
  const at = message.next
  if (
    answer.length !== at + message.length ||
    answer.subarray(at, at + 3).compare(Buffer.from([0x02, 0x01, 0x01])) !== 0 ||
    answer[at + 3] !== 0x78
  )
    return false
  const response = long(at + 4)
  return answer.subarray(response.next, response.next + 3).compare(Buffer.from([0x0a, 0x01, 0x00])) === 0
}
