// The load of the OCSP bench, a process of its own: so many connections, each with one request under way, over plain sockets. An order comes in as one
// line of JSON, the report goes out as one.

import { connect } from 'node:net'
import { createInterface } from 'node:readline'

/** `requests` are DER in Base64, sent by turns. */
export type OcspLoad = { port: number; method: 'GET' | 'POST'; path: string; requests: string[]; connections: number; seconds: number }
/** Answers of HTTP 200 and of anything else, and the bytes of the last one, in Base64. */
export type OcspReport = { answered: number; refused: number; seconds: number; last: string }

async function load({ port, method, path, requests, connections, seconds }: OcspLoad): Promise<OcspReport> {
  const messages = requests.map((request) => {
    if (method === 'GET')
      return Buffer.from(`GET ${path.replace(/\/$/, '')}/${encodeURIComponent(request)} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`)
    const body = Buffer.from(request, 'base64')
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/ocsp-request\r\nContent-Length: ${body.length}\r\n\r\n`
    return Buffer.concat([Buffer.from(head), body])
  })
  let [next, answered, refused] = [0, 0, 0]
  let last: Buffer = Buffer.alloc(0)
  const began = performance.now()
  const until = began + seconds * 1000
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let received: Buffer = Buffer.alloc(0)
      const ask = () => void socket.write(messages[(next += 1) % messages.length] ?? '')
      socket.setNoDelay(true)
      socket.once('connect', ask)
      socket.once('error', reject)
      socket.once('close', () => resolve())
      socket.on('data', (data) => {
        received = received.length === 0 ? data : Buffer.concat([received, data])
        const end = received.indexOf('\r\n\r\n')
        if (end === -1) return
        const length = Number(/content-length: (\d+)/i.exec(received.toString('latin1', 0, end))?.[1])
        if (received.length < end + 4 + length) return
        if (received.toString('latin1', 9, 12) === '200') answered += 1
        else refused += 1
        last = received.subarray(end + 4, end + 4 + length)
        received = Buffer.alloc(0)
        if (performance.now() < until) ask()
        else socket.destroy()
      })
    })
  await Promise.all(Array.from({ length: connections }, one))
  return { answered, refused, seconds: (performance.now() - began) / 1000, last: last.toString('base64') }
}

for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(await load(JSON.parse(line))))
