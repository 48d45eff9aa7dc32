// Many clients in one process of their own, so that their work is not counted as the server's: requests made and written out beforehand, then
// posted over kept-alive connections, one at a time on each. Told what to do by lines of JSON, it answers in lines of JSON.

import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { deviceName, makeRequest } from './issue-requests.ts'

export type LoadOrder =
  | { does: 'prepare'; requests: number; port: number; path: string; token: string; templateId: string }
  | { does: 'run'; clients: number; seconds: number }

export type LoadReport = { issued: number; seconds: number; latencies: number[]; refused: string[]; samples: string[] }

const waiting: Buffer[] = []
let port = 0

for await (const line of createInterface({ input: process.stdin })) {
  const order: LoadOrder = JSON.parse(line)
  if (order.does === 'prepare') {
    port = order.port
    for (let made = 0; made < order.requests; made += 1) waiting.push(prepare(order))
    console.log(JSON.stringify({ ready: waiting.length }))
  } else console.log(JSON.stringify(await run(order.clients, order.seconds)))
}

function prepare({ path, token, templateId }: Extract<LoadOrder, { does: 'prepare' }>): Buffer {
  const key = randomUUID()
  const name = deviceName()
  const body = JSON.stringify({ templateId, csr: makeRequest(name), values: { CommonName: [name], DNS: [name] } })
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: localhost:${port}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Idempotency-Key: ${key}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

async function run(clients: number, seconds: number): Promise<LoadReport> {
  const report: LoadReport = { issued: 0, seconds: 0, latencies: [], refused: [], samples: [] }
  const began = performance.now()
  const until = began + seconds * 1000
  await Promise.all(Array.from({ length: clients }, () => client(report, until)))
  report.seconds = (performance.now() - began) / 1000
  return report
}

/** One connection: posts, waits for the answer, posts the next. */
function client(report: LoadReport, until: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let received = Buffer.alloc(0)
    let sentAt = 0
    const next = () => {
      const request = waiting.pop()
      if (performance.now() >= until || request === undefined) {
        socket.end()
        if (request === undefined) reject(new Error('The prepared requests are used up'))
        else resolve()
        return
      }
      sentAt = performance.now()
      socket.write(request)
    }
    socket.on('connect', next)
    socket.on('error', reject)
    socket.on('data', (part) => {
      received = received.length === 0 ? part : Buffer.concat([received, part])
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const head = received.toString('latin1', 0, headEnd)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (received.length < headEnd + 4 + length) return
      const body = received.toString('utf8', headEnd + 4, headEnd + 4 + length)
      received = Buffer.alloc(0)
      report.latencies.push(performance.now() - sentAt)
      if (head.startsWith('HTTP/1.1 200') && body.includes('"status":"issued"')) {
        report.issued += 1
        if (report.samples.length < 20) report.samples.push(body)
      } else report.refused.push(`${head.slice(0, 60)} ${body.slice(0, 300)}`)
      next()
    })
  })
}
