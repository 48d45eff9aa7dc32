// A real little name server for a test, by UDP and TCP on loopback: it answers from a table that the test may change meanwhile, and counts what it was asked.

import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

type Record = { type: 'A' | 'AAAA' | 'CNAME' | 'TXT' | 'CAA'; value: string }
/** `truncated` answers in full by TCP alone; `broken` is SERVFAIL; `silent` says nothing. */
export type Zone = readonly Record[] | 'broken' | 'silent' | { truncated: readonly Record[] } | (() => Zone)

export type LittleNameServer = { address: string; asked: string[]; names: Map<string, Zone>; close(): Promise<void> }

const types = { A: 1, CNAME: 5, TXT: 16, AAAA: 28, CAA: 257 }

export async function openNameServer(names: { [name: string]: Zone }): Promise<LittleNameServer> {
  const zones = new Map(Object.entries(names))
  const asked: string[] = []

  function answer(question: Buffer, byTcp: boolean): Buffer | undefined {
    const labels: string[] = []
    let at = 12
    for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
      labels.push(question.subarray(at + 1, at + 1 + length).toString('latin1'))
      at += 1 + length
    }
    const name = labels.join('.').toLowerCase()
    const wanted = question.readUInt16BE(at + 1)
    asked.push(`${Object.entries(types).find(([, code]) => code === wanted)?.[0] ?? wanted} ${name}${byTcp ? ' by TCP' : ''}`)
    const asks = question.subarray(12, at + 5)
    let zone: Zone | undefined = zones.get(name)
    while (typeof zone === 'function') zone = zone()
    if (zone === 'silent') return undefined
    const header = (flags: number, answers: number) => {
      const bytes = Buffer.alloc(12)
      question.copy(bytes, 0, 0, 2)
      bytes.writeUInt16BE(flags, 2)
      bytes.writeUInt16BE(1, 4)
      bytes.writeUInt16BE(answers, 6)
      return bytes
    }
    if (zone === undefined) return Buffer.concat([header(0x8183, 0), asks])
    if (zone === 'broken') return Buffer.concat([header(0x8182, 0), asks])
    const isLong = 'truncated' in zone
    if (isLong && !byTcp) return Buffer.concat([header(0x8380, 0), asks])
    const records = ('truncated' in zone ? zone.truncated : zone).filter(({ type }) => types[type] === wanted || type === 'CNAME')
    let owner = name
    const written = records.map(({ type, value }) => {
      const record = encodeRecord(owner, type, value)
      if (type === 'CNAME') owner = value
      return record
    })
    return Buffer.concat([header(0x8180, written.length), asks, ...written])
  }

  const udp = createSocket('udp4')
  const tcp = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (data: Buffer) => {
      const reply = answer(data.subarray(2), true)
      if (reply === undefined) return
      const length = Buffer.alloc(2)
      length.writeUInt16BE(reply.length)
      socket.write(Buffer.concat([length, reply]))
    })
  })
  const port = await new Promise<number>((resolve) => tcp.listen(0, '127.0.0.1', () => resolve(portOf(tcp.address()))))
  await new Promise<void>((resolve, reject) => {
    udp.once('error', reject)
    udp.bind(port, '127.0.0.1', resolve)
  })
  udp.on('message', (question, from) => {
    const reply = answer(question, false)
    if (reply !== undefined) udp.send(reply, from.port, from.address)
  })
  return {
    address: `127.0.0.1:${port}`,
    asked,
    names: zones,
    async close() {
      await new Promise<void>((resolve) => udp.close(() => resolve()))
      await new Promise((resolve) => tcp.close(resolve))
    },
  }
}

const portOf = (address: ReturnType<ReturnType<typeof createServer>['address']>): number =>
  typeof address === 'object' && address !== null ? address.port : 0

const encodeName = (name: string): Buffer =>
  Buffer.concat([...name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)])), Buffer.of(0)])

function encodeRecord(owner: string, type: Record['type'], value: string): Buffer {
  const data = encodeValue(type, value)
  const head = Buffer.alloc(10)
  head.writeUInt16BE(types[type], 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(owner), head, data])
}

function encodeValue(type: Record['type'], value: string): Buffer {
  if (type === 'A') return Buffer.from(value.split('.').map(Number))
  if (type === 'CNAME') return encodeName(value)
  if (type === 'CAA') {
    const [flags = '0', tag = '', ...text] = value.split(' ')
    return Buffer.concat([Buffer.of(Number(flags), tag.length), Buffer.from(tag + text.join(' '))])
  }
  if (type === 'TXT') {
    const parts = value.match(/[\s\S]{1,255}/g) ?? ['']
    return Buffer.concat(parts.map((part) => Buffer.concat([Buffer.of(part.length), Buffer.from(part)])))
  }
  const [head = '', tail = ''] = value.split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const [before, after] = [groups(head), groups(tail)]
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}
