// The clients of the search bench, a process of its own: each has one connection and one question under way, all take the next question from one list.
// An order comes in as one line of JSON, the report goes out as one.

import { connect } from 'node:net'
import { createInterface } from 'node:readline'

export type Question = { kind: string; token: string; body: unknown; /** Rows must come. */ mustFind: boolean }
export type SearchLoad = { port: number; path: string; clients: number; questions: Question[] }
/** Milliseconds from the first byte sent to the last one received, by kind. */
export type SearchReport = { seconds: number; latencies: Record<string, number[]>; refused: string[] }

async function load({ port, path, clients, questions }: SearchLoad): Promise<SearchReport> {
  const messages = questions.map(({ kind, token, body, mustFind }) => {
    const text = JSON.stringify(body)
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: localhost:${port}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(text)}`,
    ]
    return { kind, mustFind, text, bytes: Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`) }
  })
  const report: SearchReport = { seconds: 0, latencies: {}, refused: [] }
  const began = performance.now()
  let next = 0
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      let parts: Buffer[] = []
      let [sentAt, have, needed] = [0, 0, Number.POSITIVE_INFINITY]
      let asked: (typeof messages)[number] | undefined
      const ask = () => {
        asked = messages[next]
        next += 1
        if (asked === undefined) {
          socket.end()
          resolve()
          return
        }
        ;[parts, have, needed, sentAt] = [[], 0, Number.POSITIVE_INFINITY, performance.now()]
        socket.write(asked.bytes)
      }
      socket.once('connect', ask)
      socket.once('error', reject)
      socket.on('data', (part) => {
        parts.push(part)
        have += part.length
        if (needed === Number.POSITIVE_INFINITY) {
          const first = Buffer.concat(parts)
          parts = [first]
          const end = first.indexOf('\r\n\r\n')
          if (end === -1) return
          needed = end + 4 + Number(/content-length: (\d+)/i.exec(first.toString('latin1', 0, end))?.[1])
        }
        if (have < needed || asked === undefined) return
        const answer = Buffer.concat(parts)
        ;(report.latencies[asked.kind] ??= []).push(performance.now() - sentAt)
        if (answer.toString('latin1', 9, 12) !== '200' || (asked.mustFind && !answer.includes('"certificateId"')))
          report.refused.push(`${asked.kind} ${asked.text}: ${answer.toString('utf8').slice(0, 800)}`)
        ask()
      })
    })
  await Promise.all(Array.from({ length: clients }, one))
  report.seconds = (performance.now() - began) / 1000
  return report
}

for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(await load(JSON.parse(line))))
