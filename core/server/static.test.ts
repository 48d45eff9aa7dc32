// The built console as browsers and strangers ask for it, out of a folder of the test's own.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PageFiles } from '#core/contract/pages.ts'
import { sendRaw } from '#core/testing/raw.ts'
import { serveStatic } from './static.ts'

const pages: PageFiles[] = [
  { path: '/login', shell: 'public', files: ['/assets/Login-1.js'] },
  { path: '/search/:searchType?', shell: 'console', files: ['/assets/Search-1.js'] },
  { path: '/search/certificate', shell: 'console', files: ['/assets/shell-1.css', '/assets/Search-1.js', '/assets/List-1.js'] },
  { path: '/home', shell: 'console', files: ['/assets/Home-1.js'], asks: '/api2/HomePage' },
]

let folder: string
let port: number
let unbuilt: number
const servers: Server[] = []

async function serve(from: string): Promise<number> {
  const files = serveStatic(from)
  const server = createServer((incoming, outgoing) => {
    for (const [name, value] of [
      ['content-security-policy', "default-src 'none'"],
      ['x-content-type-options', 'nosniff'],
      ['x-frame-options', 'DENY'],
    ] as const)
      outgoing.setHeader(name, value)
    if (!files(incoming, outgoing, new URL(incoming.url ?? '/', 'http://localhost').pathname)) outgoing.writeHead(404).end('nothing')
  })
  servers.push(server)
  return new Promise((resolve) => {
    server.listen(0, 'localhost', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chancery-static-'))
  mkdirSync(join(folder, 'console/assets'), { recursive: true })
  writeFileSync(join(folder, 'secret.txt'), 'not for anybody')
  writeFileSync(join(folder, 'console/pages.json'), JSON.stringify(pages))
  writeFileSync(
    join(folder, 'console/index.html'),
    '<!doctype html><head></head><style nonce="__CSP_NONCE__"></style><script src="/assets/app-1.js"></script>',
  )
  writeFileSync(join(folder, 'console/assets/app-1.js'), 'plain script')
  writeFileSync(join(folder, 'console/assets/app-1.js.br'), 'packed script')
  writeFileSync(join(folder, 'console/favicon.svg'), '<svg/>')
  port = await serve(join(folder, 'console'))
  unbuilt = await serve(join(folder, 'nowhere'))
})
afterAll(() => {
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true, force: true })
})

const get = (path: string, headers: Record<string, string> = { accept: 'text/html' }) =>
  fetch(`http://localhost:${port}${path}`, { headers })

describe('The page', () => {
  test('answers every address of the console, and is never kept', async () => {
    for (const path of ['/', '/home', '/identity/user/view/7', '/index.html']) {
      const response = await get(path)
      expect([path, response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
        'no-store',
      ])
    }
  })

  test('carries a fresh nonce each time, the same in the page and in its policy', async () => {
    const nonces = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await get('/')
        const [, inPage] = /nonce="([^"]+)"/.exec(await response.text()) ?? []
        expect(response.headers.get('content-security-policy')).toContain(`style-src 'self' 'nonce-${inPage}'`)
        return inPage
      }),
    )
    expect(new Set(nonces).size).toBe(20)
    expect(nonces[0]).toMatch(/^[\w-]{22}$/)
  })

  test.each([
    ['/search/certificate', 'chancery-session=abc', ['/assets/shell-1.css', '/assets/Search-1.js', '/assets/List-1.js']],
    ['/search/user', 'XSRF-TOKEN=a; __Host-chancery-session=abc', ['/assets/Search-1.js']],
    ['/', 'chancery-session=abc', ['/assets/Home-1.js']],
    ['/search/certificate', 'old-chancery-session=abc', ['/assets/Login-1.js']],
    ['/login', '', ['/assets/Login-1.js']],
    ['/nowhere', 'chancery-session=abc', []],
  ])('names what %s will load for a browser with the cookies "%s"', async (path, cookie, files) => {
    const text = await (await get(path, { accept: 'text/html', cookie })).text()
    const head = text.slice(0, text.indexOf('</head>'))
    expect(
      [...head.matchAll(/<link rel="(modulepreload|stylesheet)"(?: fetchpriority="low")? crossorigin href="([^"]+)">/g)].map(
        ([, rel, file]) => [rel, file],
      ),
    ).toEqual(files.map((file) => [file.endsWith('.css') ? 'stylesheet' : 'modulepreload', file]))
  })

  test.each([
    ['/home', 'chancery-session=abc', ['/api2/HomePage']],
    ['/', 'chancery-session=abc', ['/api2/HomePage']],
    ['/home', '', []],
    ['/search/user', 'chancery-session=abc', []],
  ])('has the browser ask at once what %s reads first, with the cookies "%s"', async (path, cookie, calls) => {
    const text = await (await get(path, { accept: 'text/html', cookie })).text()
    expect(
      [...text.matchAll(/<link rel="preload" as="fetch" href="([^"]+)" crossorigin="use-credentials">/g)].map(([, call]) => call),
    ).toEqual(calls)
  })

  test('keeps to itself what it knows of the other pages', async () => {
    expect((await get('/pages.json', { accept: 'application/json' })).status).toBe(404)
  })

  test('lets no foreign script, frame, form or base in', async () => {
    const policy = (await get('/')).headers.get('content-security-policy') ?? ''
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "connect-src 'self' http://127.0.0.1:8477 http://127.0.0.1:8478 http://127.0.0.1:8479 http://127.0.0.1:8480",
    ])
      expect(policy.split('; ')).toContain(rule)
    expect(policy).not.toMatch(/script-src[^;]*unsafe/)
  })

  test('is not what a program is given that asks for data, nor for a call or an asset that does not exist', async () => {
    for (const [path, accept] of [
      ['/home', 'application/json'],
      ['/api2/Nowhere', 'text/html'],
      ['/api/x', '*/*'],
      ['/assets/none.js', '*/*'],
    ])
      expect([path, (await get(path ?? '', { accept: accept ?? '' })).status]).toEqual([path, 404])
  })
})

describe('An asset', () => {
  test('is kept for ever where its name holds its content, and packed for who can unpack it', async () => {
    const plain = await get('/assets/app-1.js', { 'accept-encoding': 'gzip' })
    expect([
      await plain.text(),
      plain.headers.get('content-type'),
      plain.headers.get('cache-control'),
      plain.headers.get('content-security-policy'),
    ]).toEqual(['plain script', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable', null])
    const packed = await sendRaw(
      port,
      'GET /assets/app-1.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip, br\r\nConnection: close\r\n\r\n',
    )
    expect([packed.headers.get('content-encoding'), packed.headers.get('vary'), packed.body.includes('packed script')]).toEqual([
      'br',
      'accept-encoding',
      true,
    ])
    expect((await get('/favicon.svg')).headers.get('cache-control')).toBe('public, max-age=300')
  })

  test('says how long it is, and nothing that only a document means', async () => {
    const { headers } = await get('/assets/app-1.js')
    expect([headers.get('content-length'), headers.get('x-content-type-options'), headers.get('x-frame-options')]).toEqual([
      '12',
      'nosniff',
      null,
    ])
    expect((await get('/home')).headers.get('x-frame-options')).toBe('DENY')
  })

  test('is only what was built: no path leads out of the folder', async () => {
    for (const path of [
      '/../secret.txt',
      '/..%2fsecret.txt',
      '/assets/../../secret.txt',
      '/%2e%2e/secret.txt',
      '/assets/..%5c..%5csecret.txt',
      '/assets//etc/passwd',
      '/__proto__',
      '/constructor',
    ]) {
      const raw = await sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nConnection: close\r\n\r\n`)
      expect([path, raw.status, raw.body.includes('not for anybody')]).toEqual([path, 404, false])
    }
  })
})

test('where nothing is built, the page says how to build it', async () => {
  const response = await fetch(`http://localhost:${unbuilt}/home`)
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('npm start')])
})
