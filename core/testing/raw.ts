// Bytes straight onto a connection, for what no well-behaved client would send.

import { connect, type Socket } from 'node:net'

type RawAnswer = { status: number; headers: Map<string, string>; body: string; closed: boolean }

/** Sends `parts` one after another and reads until the answer is whole or the other side closes. */
export async function sendRaw(port: number, ...parts: (string | Uint8Array)[]): Promise<RawAnswer> {
  const socket = connect(port, 'localhost')
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const answer = readAnswer(socket)
  for (const part of parts) {
    if (socket.destroyed) break
    await new Promise<void>((resolve) => socket.write(part, () => resolve()))
  }
  return answer.finally(() => socket.destroy())
}

function readAnswer(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let text = ''
    const settle = (closed: boolean) => resolve({ ...parseAnswer(text), closed })
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const { status, headers, body } = parseAnswer(text)
      const length = headers.get('content-length')
      const whole = length === undefined ? body.endsWith('0\r\n\r\n') : body.length >= Number(length)
      if (status > 0 && whole && headers.get('connection') !== 'close') settle(false)
    })
    socket.on('error', () => settle(true))
    socket.on('close', () => settle(true))
  })
}

function parseAnswer(text: string): Omit<RawAnswer, 'closed'> {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return { status: 0, headers: new Map(), body: '' }
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const),
  )
  return { status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4) }
}
