// Requests byte by byte: what is plain is answered on the connection, and everything else by Node as if nobody had looked.

import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ShortAnswer } from './serve.ts'
import { openSocketWay, type SocketWay } from './socket-way.ts'

let server: Server
let way: SocketWay
let counted: string[]
let release: (() => void) | undefined
const sockets: Socket[] = []

const answer = (text: string): ShortAnswer => ({ headers: { 'content-type': 'text/x-short' }, body: Buffer.from(text) })
/** So many bytes that some answers fill what the machine keeps for a client that does not read. */
const large = (name: string) => name.padEnd(60_000, name)
const shortWay = () => undefined
const door = {
  name: 'echo',
  path: '/short/:name',
  needs: 'public',
  shortWay,
  handle: async () => ({ body: '' }),
  beginning: '/short/',
} as const

beforeEach(async () => {
  counted = []
  release = undefined
  server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => void chunks.push(chunk))
    incoming.on('end', () => outgoing.end(`node ${incoming.method} ${incoming.url} ${Buffer.concat(chunks).toString()}`))
  })
  way = openSocketWay(server, {
    doors: [
      { ...door, method: 'POST', bodyLimit: 100, line: 'POST /short/' },
      { ...door, method: 'GET', line: 'GET /short/' },
    ],
    ask(_door, rest, body) {
      if (rest === 'unknown') return undefined
      if (rest === 'broken') return Promise.reject(new Error('broken'))
      if (rest === 'later') return new Promise((resolve) => (release = () => resolve(answer(`later ${body.toString()}`))))
      if (rest.startsWith('large-')) return answer(large(rest))
      return answer(`short ${rest} ${body.toString()}`)
    },
    answered: (_door, status) => void counted.push(String(status)),
    failed: (error) => void counted.push(String(error)),
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterEach(async () => {
  way.close()
  for (const socket of sockets.splice(0)) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

/** A connection, and what has come back on it so far. */
async function open() {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  let received = ''
  let closed = false
  socket.setEncoding('latin1').on('data', (text: string) => (received += text))
  socket.on('close', () => (closed = true)).on('error', () => undefined)
  await new Promise((resolve) => socket.once('connect', resolve))
  return { socket, send: (text: string) => void socket.write(text), received: () => received, closed: () => closed }
}

const request = (line: string, body = '', more = '') =>
  `${line} HTTP/1.1\r\nHost: localhost\r\n${body === '' ? '' : `Content-Length: ${body.length}\r\n`}${more}\r\n${body}`

describe('A plain request', () => {
  test('is answered on the connection, one after the other', async () => {
    const { send, received } = await open()
    send(request('POST /short/a', 'one'))
    await expect
      .poll(received)
      .toMatch(
        /^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*content-type: text\/x-short\r\n(?:.+\r\n)*Content-Length: 11\r\nDate: .+ GMT\r\n\r\nshort a one$/,
      )
    send(request('GET /short/b%2F', '', 'Connection: Keep-Alive\r\n'))
    await expect.poll(received).toMatch(/\r\n\r\nshort b%2F $/)
    expect(received()).toContain('x-content-type-options: nosniff\r\n')
    expect(counted).toEqual(['200', '200'])
  })

  test('is read for what it says, whatever the one before on the connection said', async () => {
    const { send, received } = await open()
    const asked = [
      request('POST /short/a', 'one'),
      request('POST /short/a', 'two'),
      request('POST /short/b', 'two'),
      request('POST /short/b', 'four'),
      request('GET /short/b'),
      request('POST /short/b', 'four', 'Accept: x\r\n'),
      request('POST /short/b', 'five'),
    ]
    const answers = ['short a one', 'short a two', 'short b two', 'short b four', 'short b ', 'short b four', 'short b five']
    for (const [at, bytes] of asked.entries()) {
      send(bytes)
      await expect
        .poll(() =>
          received()
            .split(/HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*\r\n/)
            .slice(1),
        )
        .toEqual(answers.slice(0, at + 1))
    }
    // The same beginning before a body of another length is wrong, or the beginning of more.
    send(request('POST /short/b', 'five').replace('five', 'fi'))
    send('xx')
    await expect.poll(received).toContain('node POST /short/b fixx')
  })

  test('waits for an answer that is still being made', async () => {
    const { send, received } = await open()
    send(request('POST /short/later', 'one'))
    await expect.poll(() => release).toBeDefined()
    expect(received()).toBe('')
    release?.()
    await expect.poll(received).toMatch(/later one$/)
  })

  test('whose answer fails is cut off, and counted as failed', async () => {
    const { send, closed } = await open()
    send(request('POST /short/broken', 'one'))
    await expect.poll(closed).toBe(true)
    expect(counted).toEqual(['Error: broken'])
  })

  test('is answered although its sender has said that nothing more comes', async () => {
    const { socket, received, closed } = await open()
    socket.end(request('POST /short/later', 'one'))
    await expect.poll(() => release).toBeDefined()
    release?.()
    await expect.poll(closed).toBe(true)
    expect(received()).toMatch(/later one$/)
  })
})

describe('Answers to many', () => {
  test('who ask at the same moment go each to whoever asked', async () => {
    const many = await Promise.all(Array.from({ length: 300 }, open))
    for (const round of ['one', 'two']) {
      for (const [at, { send }] of many.entries()) send(request('POST /short/a', `${round}-${at}`))
      await expect.poll(() => many.every(({ received }, at) => received().endsWith(`\r\n\r\nshort a ${round}-${at}`))).toBe(true)
    }
    expect(counted).toHaveLength(600)
  })

  test('leave alone what one of them, who does not read, has not taken yet', async () => {
    const [slow, other] = [await open(), await open()]
    slow.socket.setNoDelay(true).pause()
    let answered = 0
    // Until the server waits for this client, and so does not read what it asks. It reads in the order of arrival: by the other's answer it would have.
    for (let asked = 1, others = 1; asked - answered < 4; asked += 1, others += 1) {
      slow.send(request(`GET /short/large-${asked}`))
      other.send(request(`GET /short/large-x${asked}`))
      await expect.poll(() => other.received().length, { interval: 1 }).toBeGreaterThan(others * 60_000)
      answered = counted.length - others
    }
    slow.socket.resume()
    const bodies = () =>
      slow
        .received()
        .split(/HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*\r\n/)
        .slice(1)
    await expect.poll(() => bodies().length).toBeGreaterThan(answered)
    for (const [at, body] of bodies().slice(0, answered).entries())
      expect(body === large(`large-${at + 1}`), `answer ${at + 1} of ${answered}`).toBe(true)
  })

  test('are sent before a connection ends, or is handed to Node', async () => {
    const [ending, more] = [await open(), await open()]
    ending.socket.end(request('POST /short/a', 'last'))
    more.send(request('POST /short/a', 'one'))
    more.send(request('PUT /other', 'two'))
    await expect.poll(ending.closed).toBe(true)
    expect(ending.received()).toMatch(/short a last$/)
    await expect.poll(more.received).toMatch(/(?:short a|node POST \/short\/a) one[^]*node PUT \/other two/)
  })
})

describe('Handed to Node with all its bytes is', () => {
  test.each([
    ['a path that is none of ours', request('POST /other', 'one'), 'node POST /other one'],
    ['what the endpoint cannot answer at once', request('POST /short/unknown', 'one'), 'node POST /short/unknown one'],
    [
      'a header that is not known to be harmless',
      request('POST /short/a', 'one', 'Origin: https://example.org\r\n'),
      'node POST /short/a one',
    ],
    ['a connection that is to be closed', request('POST /short/a', 'one', 'Connection: close\r\n'), 'node POST /short/a one'],
    [
      'a body in chunks',
      'POST /short/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n',
      'node POST /short/a one',
    ],
    ['a body longer than the endpoint reads', request('POST /short/a', 'x'.repeat(101)), `node POST /short/a ${'x'.repeat(101)}`],
    ['a POST without a body', request('POST /short/a', '', 'Content-Length: 0\r\n'), 'node POST /short/a '],
    ['a GET with a body', request('GET /short/a', 'one'), 'node GET /short/a one'],
    ['a very long head', request(`GET /short/${'a'.repeat(3_000)}`), `node GET /short/${'a'.repeat(3_000)} `],
  ])('%s', async (_what, bytes, expected) => {
    const { send, received } = await open()
    send(request('POST /short/first', 'x'))
    await expect.poll(received).toMatch(/short first x$/)
    send(bytes)
    await expect.poll(received).toContain(expected)
    expect(counted).toEqual(['200'])
  })

  test.each([
    ['a second length', request('POST /short/a', 'one', 'Content-Length: 5\r\n')],
    ['a length that is no number', 'POST /short/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3x\r\n\r\none'],
    ['no host', 'POST /short/a HTTP/1.1\r\nContent-Length: 3\r\n\r\none'],
    ['a line feed alone', 'POST /short/a HTTP/1.1\nHost: localhost\r\nContent-Length: 3\r\n\r\none'],
    ['a blank in the path', request('GET /short/a b')],
    ['a blank before a colon', request('POST /short/a', 'one', 'Accept : x\r\n')],
  ])('%s, which Node refuses', async (_what, bytes) => {
    const { send, received } = await open()
    send(bytes)
    await expect.poll(received).toMatch(/^HTTP\/1\.1 400 /)
    expect(counted).toEqual([])
  })

  test('a request in two packets', async () => {
    const { send, received } = await open()
    send('POST /short/a HTTP/1.1\r\nHost: localhost\r\nContent-Le')
    // By then the first packet was read: the server answers in the order of arrival.
    const other = await open()
    other.send(request('POST /short/b', 'x'))
    await expect.poll(other.received).toMatch(/short b x$/)
    send('ngth: 3\r\n\r\none')
    await expect.poll(received).toContain('node POST /short/a one')
  })

  test('a second request that comes before the answer, after the answer to the first', async () => {
    const { send, received } = await open()
    send(request('POST /short/later', 'one'))
    await expect.poll(() => release).toBeDefined()
    send(request('POST /short/a', 'two'))
    send(request('POST /short/a', 'three'))
    release?.()
    await expect.poll(received).toMatch(/later one[^]*node POST \/short\/a two[^]*node POST \/short\/a three/)
  })

  test('two requests in one packet', async () => {
    const { send, received } = await open()
    send(request('POST /short/a', 'one') + request('POST /short/b', 'two'))
    await expect.poll(received).toMatch(/node POST \/short\/a one[^]*node POST \/short\/b two/)
  })
})

test('connections that ask nothing now are closed with the server', async () => {
  const { send, received, closed } = await open()
  send(request('POST /short/a', 'one'))
  await expect.poll(received).toMatch(/short a one$/)
  way.close()
  await expect.poll(closed).toBe(true)
})
