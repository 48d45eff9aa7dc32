// Whatever comes in is answered with a fault of ours and the headers of ours, and never with a 5xx.

import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { roles } from '#areas/roles/contract.ts'
import { users } from '#areas/users/contract.ts'
import { contract } from '#core/contract/contract.ts'
import type { WireFault } from '#core/contract/faults.ts'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { sendRaw } from '#core/testing/raw.ts'
import { serve } from './serve.ts'

let house: TestHouse
let grace: TestPerson

beforeAll(async () => {
  house = await openTestHouse({ moreRooms: [endless] })
  grace = (await house.tenancy('Acme')).administrator
})
afterAll(() => house.close())

/** An answer without an end. */
let reading = 0
const endless = serve(
  contract({ area: 'endless', title: 'Endless', endpoints: { endless: { method: 'GET', path: '/endless', needs: 'public' } } }),
  {},
  {
    endpoints: {
      endless: {
        async handle() {
          async function* body() {
            reading += 1
            try {
              for (;;) yield new Uint8Array(1 << 18)
            } finally {
              reading -= 1
            }
          }
          return { body: body() }
        },
      },
    },
  },
)

const json = { 'content-type': 'application/json' }
const search = users.calls.search.path
const addRole = roles.calls.add.path

type Sent = { status: number; headers: Headers; body: WireFault; text: string }

async function send(path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Sent> {
  const response = await grace.fetch(path, init)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: text === '' ? { code: '', message: '' } : JSON.parse(text) }
}

const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
  send(path, { method: 'POST', body, headers })

function expectFault(answer: Sent, status: number, code: string): void {
  expect([answer.status, answer.body.code]).toEqual([status, code])
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('x-frame-options')).toBe('DENY')
  expect(answer.headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/)
  expect(answer.headers.get('x-request-id')).toBe(answer.body.reference)
  expect(answer.text).not.toMatch(/\bat .+\.ts:\d+|node_modules|stack/i)
}

describe('A body', () => {
  const tooLong = `{"text":"${'a'.repeat(1024 * 1024)}"}`

  test('longer than the call accepts is refused by its announced length', async () => {
    expectFault(await post(search, tooLong), 413, 'too_large')
  })

  test('longer than the call accepts is refused as it flows in, and the answer arrives', async () => {
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < tooLong.length; at += 65_536) controller.enqueue(new TextEncoder().encode(tooLong.slice(at, at + 65_536)))
        controller.close()
      },
    })
    expectFault(await send(search, { method: 'POST', body, headers: json, duplex: 'half' }), 413, 'too_large')
  })

  test('that never ends is not read to its end', async () => {
    const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`
    const answer = await sendRaw(
      house.doors.port,
      `POST ${search} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${grace.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      ...Array<string>(64).fill(chunk),
    )
    expect([answer.status, answer.closed]).toEqual([413, true])
  })

  test.each([
    ['not JSON', '{"text":'],
    ['a lone word', 'nonsense'],
    ['wrong UTF-8', new Uint8Array([0x7b, 0x22, 0x74, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
  ])('that is %s could not be read', async (_, body) => {
    expectFault(await post(search, body), 400, 'malformed')
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json-seq',
    '',
  ])('sent as "%s" is refused', async (type) => {
    expectFault(await post(search, new TextEncoder().encode('{}'), type === '' ? {} : { 'content-type': type }), 415, 'wrong_type')
  })

  test('is JSON under each name of JSON', async () => {
    for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/problem+json'])
      expect((await post(search, '{}', { 'content-type': type })).status).toBe(200)
  })

  test.each(['[]', 'null', '7', '"text"', 'true', '[{"page":1}]'])('that is %s instead of an object is refused', async (body) => {
    expectFault(await post(search, body), 400, 'invalid')
  })

  test('nested a hundred thousand levels deep is refused', async () => {
    expectFault(await post(search, `{"text":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), 400, 'malformed')
    expectFault(await post(search, `${'{"text":'.repeat(50_000)}1${'}'.repeat(50_000)}`), 400, 'malformed')
  })

  test('with NUL characters or lone surrogates is refused on the field that has them', async () => {
    for (const text of ['\\u0000', 'a\\u0000b', '\\ud800', '\\udc00x']) {
      const answer = await post(addRole, `{"name":"Night watch","description":"${text}"}`)
      expectFault(answer, 400, 'invalid')
      expect(answer.body.fields?.[0]?.field).toBe('description')
    }
    const nested = await post(search, '{"text":[{"deep":"\\u0000"}]}')
    expect(nested.body.fields?.[0]?.field).toBe('text.0.deep')
    expectFault(await post(search, '{"te\\u0000xt":"a"}'), 400, 'invalid')
  })

  test('with keys that name an object’s prototype changes nothing', async () => {
    const before = Object.getOwnPropertyNames(Object.prototype).length
    const answer = await post(search, '{"__proto__":{"size":1,"polluted":true},"constructor":{"prototype":{"polluted":true}},"text":""}')
    expectFault(answer, 400, 'invalid')
    expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(before)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    for (const sort of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'nope', "family_name'; drop table users; --"])
      expectFault(await post(search, JSON.stringify({ sort })), 400, 'invalid')
  })

  test('with numbers beyond all reason is refused', async () => {
    for (const page of ['1e400', '-1', '0', '1.5', '99999999999999999999', '9007199254740993', '"1"', 'null'])
      expectFault(await post(search, `{"page":${page}}`), 400, 'invalid')
  })
})

describe('An address', () => {
  test('that does not exist is missing', async () => {
    for (const path of ['/api2/Nowhere-v1/Nothing', '/api', '/api2', '/assets/none.js']) expectFault(await send(path), 404, 'missing')
    expectFault(await send('/nowhere/at/all', { method: 'DELETE' }), 404, 'missing')
  })

  test('says which methods it answers', async () => {
    const answer = await send(search, { method: 'DELETE' })
    expectFault(answer, 405, 'wrong_method')
    expect(answer.headers.get('allow')).toBe('POST')
    const user = await send(users.calls.read.path, { method: 'OPTIONS' })
    expectFault(user, 405, 'wrong_method')
    expect(user.headers.get('allow')).toBe('GET, HEAD, POST, PUT, DELETE')
    for (const method of ['PROPFIND', 'LOCK', 'PURGE']) {
      const raw = await sendRaw(house.doors.port, `${method} ${search} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      expect([method, raw.status, raw.headers.get('allow')]).toEqual([method, 405, 'POST'])
    }
    expectFault(await post('/healthz', '{}'), 405, 'wrong_method')
  })

  test('answers HEAD as GET without a body', async () => {
    const get = await grace.fetch(`${users.calls.read.path}?id=${grace.id}`)
    const head = await grace.fetch(`${users.calls.read.path}?id=${grace.id}`, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, get.headers.get('content-length'), ''])
    expect((await grace.fetch('/healthz', { method: 'HEAD' })).status).toBe(200)
    expect((await grace.fetch(search, { method: 'HEAD' })).status).toBe(405)
  })

  test('with NUL or broken percent-encoding in a parameter leads nowhere', async () => {
    for (const path of [
      '/pki/ca/%00.crt',
      '/pki/ca/a%00b.pem',
      '/pki/ca/%zz.crt',
      '/pki/ca/%ff.p7c',
      '/pki/ca/%ed%a0%80.crt',
      '/pki/crl/%00.crl',
      '/pki/crl/%.crl',
      `/pki/crl/${'a'.repeat(4000)}.crl`,
    ]) {
      const raw = await sendRaw(house.doors.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n`)
      expect([path.slice(0, 30), raw.status]).toEqual([path.slice(0, 30), 404])
    }
    const ocsp = await sendRaw(house.doors.port, `GET /pki/ocsp/%00/%00 HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect(ocsp.status).toBeLessThan(500)
  })

  test('below /pki/ is a page only where a screen is, and never one for what a relying party asks', async () => {
    const pages = ['/pki/templates/licensed', '/pki/templates/licensed/', '/pki/manage/certificate-authorities', '/home']
    const none = [
      '/pki',
      '/pki/',
      '/pki/ocsp',
      '/pki/ocsp/abc/%%%',
      '/pki/ocsp/abc/%00',
      '/pki/crl/x/y/z',
      '/pki/crl/%.crl',
      '/pki/ca/none',
      '/pki/elsewhere',
      '/PKI/ocsp/abc/%%%',
      '/pki/index.html',
    ]
    const answer = async (path: string) => {
      const raw = await sendRaw(house.doors.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nConnection: close\r\n\r\n`)
      return [path, /text\/html/.test(raw.headers.get('content-type') ?? ''), raw.status === 200]
    }
    for (const path of pages) expect(await answer(path)).toEqual([path, true, true])
    for (const path of none) expect(await answer(path)).toEqual([path, false, false])
    // An OCSP answer that says malformedRequest comes with 200, as all of them do (RFC 6960 A.2).
    expect(await answer('/pki/ocsp/abc')).toEqual(['/pki/ocsp/abc', false, true])
  })

  test('below what calls alone begin with is never the console’s page: what does not exist there is 404 in JSON', async () => {
    for (const path of ['/api', '/api/none', '/api2/', '/API2/IDM-v1/None', '/user/getFavourites', '/user/none', '/User/None']) {
      const answer = await fetch(`${house.origin}${path}`, { headers: { accept: 'text/html,*/*' } })
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 404, 'application/json; charset=utf-8'])
      expect(await answer.json()).toMatchObject({ code: 'missing' })
    }
  })

  test('below /pki/ that does not exist is a page for people, with its status, and the usual answer for programs', async () => {
    for (const [path, status] of [
      ['/pki', 404],
      ['/pki/elsewhere', 404],
      ['/pki/ca/none.crt', 404],
    ] as const) {
      const page = await fetch(`${house.origin}${path}`, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
      expect([path, page.status, page.headers.get('content-type'), page.headers.get('vary')]).toEqual([
        path,
        status,
        'text/html; charset=utf-8',
        'accept',
      ])
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
      expect(await page.text()).toContain(`<p><small>Reference ${page.headers.get('x-request-id')}</small></p>`)
      for (const accept of ['*/*', 'application/pkix-crl'])
        expect((await fetch(`${house.origin}${path}`, { headers: { accept } })).headers.get('content-type')).toMatch(/^application\/json/)
    }
    expect(await (await fetch(`${house.origin}/pki/elsewhere`, { headers: { accept: 'text/html' } })).text()).toContain(
      '<h1>There is nothing at this address</h1>',
    )
    expect(await (await fetch(`${house.origin}/pki/elsewhere`, { method: 'HEAD', headers: { accept: 'text/html' } })).text()).toBe('')
  })

  test('names no other host by beginning with two slashes, and may be given whole', async () => {
    const twice = await sendRaw(house.doors.port, 'GET //elsewhere/healthz HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n')
    expect(twice.status).toBe(404)
    const whole = await sendRaw(house.doors.port, 'GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(whole.status).toBe(200)
    const star = await sendRaw(house.doors.port, 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(star.status).toBe(400)
  })

  test('with a parameter given twice, or of the wrong kind, is refused on that field', async () => {
    const twice = await send(`${users.calls.read.path}?id=${grace.id}&id=${grace.id}`)
    expectFault(twice, 400, 'invalid')
    expect(twice.body.fields).toEqual([{ field: 'id', says: 'Give this once' }])
    for (const id of ['', '7', 'not-a-uuid', '%00', '00000000-0000-0000-0000-00000000000g', '%ff', `${grace.id}%00`, '__proto__']) {
      const answer = await send(`${users.calls.read.path}?id=${id}`)
      expectFault(answer, 400, 'invalid')
      expect(answer.body.fields?.[0]?.field).toBe('id')
    }
    const inherited = await send(`${users.calls.read.path}?id=${grace.id}&__proto__=x&constructor=y`)
    expectFault(inherited, 400, 'invalid')
    expect(inherited.body.fields?.map(({ field }) => field)).toEqual(['constructor'])
  })

  test('is the same with a slash at its end', async () => {
    expect((await post(`${search}/`, '{}')).status).toBe(200)
  })

  test('of more than the headers may hold is refused before it is read', async () => {
    const long = await sendRaw(house.doors.port, `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect([long.status, long.closed]).toEqual([431, true])
    const many = await sendRaw(
      house.doors.port,
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${Array.from({ length: 2_000 }, (_, at) => `X-${at}: ${at}\r\n`).join('')}\r\n`,
    )
    expect([many.status, many.closed]).toEqual([431, true])
    const some = await sendRaw(
      house.doors.port,
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${Array.from({ length: 80 }, (_, at) => `X-${at}: ${at}\r\n`).join('')}\r\n`,
    )
    expect(some.status).toBe(200)
  })
})

describe('A connection', () => {
  test('that is no HTTP, or smuggles a second length, is refused and closed', async () => {
    for (const bytes of [
      '\u0016\u0003\u0001\u0002\u0000',
      'GET\r\n\r\n',
      `POST ${search} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'GET / HTTP/1.1\r\nHost: a\r\nBad Header: x\r\n\r\n',
    ]) {
      const raw = await sendRaw(house.doors.port, bytes)
      expect([raw.status, raw.closed]).toEqual([400, true])
    }
  })

  test('that takes nothing of its answer any more is let go, and nothing is read for it', async () => {
    const { server, port } = house.doors
    const before = server.requestTimeout
    server.requestTimeout = 300
    const socket = connect(port, 'localhost')
    socket.pause()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.write('GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await expect.poll(() => reading).toBe(1)
    await expect.poll(() => reading).toBe(0)
    server.requestTimeout = before
    socket.resume()
    await closed
  })

  test('that sends its headers too slowly is closed', async () => {
    const own = await openTestHouse()
    try {
      own.doors.server.headersTimeout = 500
      const raw = await sendRaw(own.doors.port, 'GET /healthz HTTP/1.1\r\nHost: local')
      expect([raw.status, raw.closed]).toEqual([408, true])
    } finally {
      await own.close()
    }
  })

  test('that is cut in the middle of a body harms nobody', async () => {
    const cut = new Promise<void>((resolve) => house.doors.server.once('request', (incoming) => incoming.once('close', resolve)))
    const socket = connect(house.doors.port, 'localhost')
    socket.on('error', () => {})
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    await new Promise<void>((resolve) =>
      socket.write(
        `POST ${addRole} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${grace.token}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"name":"Half a ro`,
        () => resolve(),
      ),
    )
    socket.destroy()
    await cut
    const { rows } = await grace.call(roles.calls.search, { text: 'half' })
    expect(rows).toEqual([])
    expect((await grace.fetch('/readyz')).status).toBe(200)
  })

  test('that offers another protocol is answered in HTTP/1.1', async () => {
    const raw = await sendRaw(
      house.doors.port,
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n',
    )
    expect(raw.status).toBe(200)
  })
})

describe('A header', () => {
  test('with a token that is none of ours signs nobody in', async () => {
    for (const authorization of [
      'Bearer x',
      'Bearer chy_',
      `Bearer chy_${'A'.repeat(65)}`,
      `Bearer ${grace.token.slice(0, -1)}`,
      `Bearer ${grace.token} x`,
      'Basic Z3JhY2U6eA==',
      `bearer ${'a'.repeat(5000)}`,
    ]) {
      const response = await house.fetch(search, { method: 'POST', body: '{}', headers: { ...json, authorization } })
      expect([authorization.slice(0, 20), response.status]).toEqual([authorization.slice(0, 20), 401])
    }
  })

  test('with cookies that are none of ours signs nobody in', async () => {
    for (const cookie of [
      'chancery-session=',
      'chancery-session=x',
      `chancery-session=${'A'.repeat(65)}`,
      `chancery-session=${'\u00ff'.repeat(65)}`,
      ';;;===;',
      'chancery-session',
      `${'a=b;'.repeat(500)}`,
    ]) {
      const response = await house.fetch(search, { method: 'POST', body: '{}', headers: { ...json, cookie } })
      expect([cookie.slice(0, 20), response.status]).toEqual([cookie.slice(0, 20), 401])
    }
  })

  test('with an Idempotency-Key of any kind does no harm', async () => {
    for (const key of ['', ' ', 'short', '../../etc/passwd', 'a'.repeat(5000), "'; drop table roles; --"]) {
      const answer = await send(addRole, {
        method: 'POST',
        body: JSON.stringify({ name: `Key ${key.length}` }),
        headers: { ...json, 'idempotency-key': key },
      })
      expect([key.slice(0, 10), answer.status < 500]).toEqual([key.slice(0, 10), true])
    }
  })
})
