// The way out, against real little servers that misbehave on demand and a name server that lies. What must not be reached listens here, and counts who came.

import { createHash, X509Certificate } from 'node:crypto'
import { createServer as createHttp, type Server, type ServerResponse, type IncomingMessage } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { createServer as createPlain, type AddressInfo, type Server as PlainServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { opensslFolder, type OpensslFolder } from '#standards/x509/openssl-keys.fixture.ts'
import { makeLog } from '../log.ts'
import { readSettings } from '../settings.ts'
import { openNameServer, type LittleNameServer } from './dns.fixture.ts'
import { openOutward, type Outward } from './outward.ts'
import { OutwardError, type Reason } from './refusal.ts'
import { uses, type Use } from './uses.ts'

const outwardWith = (settings: Record<string, string> = {}): Outward =>
  openOutward({
    settings: readSettings({ CHANCERY_NAME_SERVERS: dns.address, ...settings }),
    log: makeLog('silent'),
    now: () => new Date(),
  })
/** As in an installation that has named its own network. */
const allowed = { CHANCERY_OUTWARD_ALLOW: '127.0.0.1', CHANCERY_OUTWARD_PORTS: '1024-65535' }

const reasonOf = async (attempt: Promise<unknown>): Promise<Reason | 'none'> => {
  try {
    await attempt
    return 'none'
  } catch (error) {
    if (error instanceof OutwardError) return error.reason
    throw error
  }
}
const messageOf = (attempt: Promise<unknown>): Promise<string> => attempt.then(String, (error: Error) => error.message)

const listening = async (server: PlainServer | Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
const closing = (server: PlainServer | Server): Promise<void> =>
  new Promise((resolve) => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close(() => resolve())
  })

let dns: LittleNameServer
let folder: OpensslFolder
let files: Record<'root' | 'otherRoot' | 'leaf' | 'expired' | 'self', { certificate: string; key: string }>

/** What the honest server does next, and what it was asked. */
let answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void
let asked: IncomingMessage[] = []
let honest: Server
let plain: Server
let ports: { https: number; http: number }

beforeAll(async () => {
  dns = await openNameServer({ 'hook.example.org': [{ type: 'A', value: '127.0.0.1' }] })
  folder = opensslFolder()
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  for (const root of ['root', 'otherRoot'])
    folder.run('req', '-x509', ...ec, '-keyout', `${root}.key`, '-out', `${root}.pem`, '-subj', `/CN=${root}`, '-days', '30')
  for (const [leaf, days] of [
    ['leaf', '30'],
    ['expired', '-1'],
  ] as const) {
    const name = ['-subj', '/CN=Hook', '-addext', 'subjectAltName=DNS:hook.example.org']
    folder.run('req', '-new', ...ec, '-keyout', `${leaf}.key`, '-out', `${leaf}.csr`, ...name)
    const by = ['-CA', 'root.pem', '-CAkey', 'root.key', '-copy_extensions', 'copyall']
    folder.run('x509', '-req', '-in', `${leaf}.csr`, ...by, '-days', days, '-out', `${leaf}.pem`)
  }
  folder.run(
    'req',
    '-x509',
    ...ec,
    '-keyout',
    'self.key',
    '-out',
    'self.pem',
    '-subj',
    '/CN=self',
    '-addext',
    'subjectAltName=DNS:hook.example.org',
  )
  const read = (name: string) => ({
    certificate: folder.run('x509', '-in', `${name}.pem`).toString(),
    key: folder.run('pkey', '-in', `${name}.key`).toString(),
  })
  files = { root: read('root'), otherRoot: read('otherRoot'), leaf: read('leaf'), expired: read('expired'), self: read('self') }
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    asked.push(incoming)
    answer(incoming, outgoing)
  }
  honest = createHttps({ cert: files.leaf.certificate, key: files.leaf.key }, handle)
  plain = createHttp(handle)
  ports = { https: await listening(honest), http: await listening(plain) }
})
beforeEach(() => {
  asked = []
  answer = (_incoming, outgoing) => outgoing.end('well')
})
afterAll(async () => {
  await Promise.all([closing(honest), closing(plain)])
  await dns.close()
  folder.remove()
})

const trusted = () => ({ trust: { roots: [files.root.certificate] } })
const hook = (path = '/') => `https://hook.example.org:${ports.https}${path}`
const post = (outward: Outward, more: Partial<Parameters<Outward['request']>[0]> = {}) =>
  outward.request({ use: 'webhook', url: hook(), method: 'POST', body: '{}', tls: trusted(), ...more })

/** Every spelling of an inside address that is known to have got past somebody. PORT is that of a listener. */
const inside = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0x7f.1',
  '0',
  '0.0.0.0',
  '00.00.00.00',
  '127.0.0.1.',
  'localhost',
  'LOCALHOST',
  'localhost.',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:7f00:0001::1]',
  '[::ffff:0:127.0.0.1]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[2001:0:7f00:1::1]',
  '[fe80::5efe:127.0.0.1]',
  '[2001:db8::5efe:7f00:1]',
  '[fd12:3456::5efe:808:808]',
  '[fec0::5efe:808:808]',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '[::ffff:a9fe:a9fe]',
  '[fd00:ec2::254]',
  '168.63.129.16',
  '192.0.0.192',
  '100.100.100.200',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '192.88.99.1',
  '[fe80::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[4000::1]',
  '[64:ff9b::a00:1]',
  '[2002:a00:1::]',
]

describe('An inside address', () => {
  test('is reached by no use and in no spelling, as a whole address and as a host', async () => {
    let came = 0
    const trap = createPlain((socket) => {
      came += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => trap.listen(0, '::', resolve))
    const port = (trap.address() as AddressInfo).port
    const outward = outwardWith({ CHANCERY_OUTWARD_PORTS: `${port}` })
    const public_ = (Object.keys(uses) as Use[]).filter((use) => uses[use].reaches === 'public')
    for (const host of inside) {
      const reached: [string, string][] = []
      for (const use of public_) {
        if (uses[use].schemes.length > 0) {
          const url = `${uses[use].schemes[0]}//${host}:${port}/`
          reached.push([`request ${use}`, await reasonOf(outward.request({ use, url }))])
          reached.push([`refusal ${use}`, (await outward.refusal({ use, url }))?.reason ?? 'none'])
        }
        reached.push([`connect ${use}`, await reasonOf(outward.connect({ use, host, port }))])
      }
      for (const [how, reason] of reached) expect([host, how, reason]).toEqual([host, how, expect.stringMatching(/^(address|name|url)$/)])
    }
    expect(came).toBe(0)
    await closing(trap)
  })

  test.each([
    ['a private address', [{ type: 'A', value: '10.0.0.1' }]],
    ['loopback by IPv6', [{ type: 'AAAA', value: '::1' }]],
    ['the mapped form', [{ type: 'AAAA', value: '::ffff:7f00:1' }]],
    ['what DNS64 makes of a private address', [{ type: 'AAAA', value: '64:ff9b::a00:1' }]],
    ['the address of a metadata service', [{ type: 'A', value: '169.254.169.254' }]],
    [
      'one public and one private address',
      [
        { type: 'A', value: '93.184.215.14' },
        { type: 'A', value: '10.0.0.1' },
      ],
    ],
    [
      'a public IPv4 and a private IPv6 address',
      [
        { type: 'A', value: '93.184.215.14' },
        { type: 'AAAA', value: 'fd00::1' },
      ],
    ],
    [
      'a chain of names with a private end',
      [
        { type: 'CNAME', value: 'cdn.example.net' },
        { type: 'CNAME', value: 'inside.example.net' },
        { type: 'A', value: '192.168.1.1' },
      ],
    ],
  ] as const)('is not reached by a name with %s', async (_what, zone) => {
    dns.names.set('evil.example.org', zone)
    const outward = outwardWith()
    expect(await reasonOf(outward.request({ use: 'webhook', url: 'https://evil.example.org/' }))).toBe('address')
    expect(await reasonOf(outward.connect({ use: 'directory', host: 'evil.example.org', port: 636, tls: {} }))).toBe('address')
    expect((await outward.refusal({ use: 'webhook', url: 'https://evil.example.org/' }))?.message).toBe(
      'This address cannot be reached from here',
    )
  })

  test('is not reached by a name that changes after it was looked at', async () => {
    let questions = 0
    const first = () => (questions += 1) === 1
    dns.names.set('rebinds.example.org', () => (first() ? [{ type: 'A', value: '127.0.0.1' }] : [{ type: 'A', value: '127.0.0.2' }]))
    let came = 0
    const trap = createPlain((socket) => {
      came += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.2', resolve))
    const { port } = trap.address() as AddressInfo
    // The first address is allowed and nobody listens there; the second one is not, and somebody does.
    expect(await reasonOf(outwardWith(allowed).connect({ use: 'syslog', host: 'rebinds.example.org', port }))).toBe('unanswered')
    expect(dns.asked.filter((question) => question === 'A rebinds.example.org')).toHaveLength(1)
    expect(came).toBe(0)
    await closing(trap)
  })

  test('is reached where the installation has allowed its network, and not where it has denied it', async () => {
    expect((await post(outwardWith(allowed))).body.toString()).toBe('well')
    expect(await reasonOf(post(outwardWith({ ...allowed, CHANCERY_OUTWARD_DENY: '127.0.0.0/8' })))).toBe('address')
    expect(asked).toHaveLength(1)
  })

  test('of a metadata service stays closed when all networks are allowed', async () => {
    const outward = outwardWith({ CHANCERY_OUTWARD_ALLOW: '0.0.0.0/0, ::/0' })
    for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '[64:ff9b::a9fe:a9fe]', '[fd00:ec2::254]', '168.63.129.16'])
      expect([host, (await outward.refusal({ use: 'webhook', url: `https://${host}/` }))?.reason]).toEqual([host, 'address'])
  })

  test('with a port of this installation stays closed when its network is allowed', async () => {
    const outward = outwardWith({
      ...allowed,
      CHANCERY_PORT: '18080',
      CHANCERY_AGENT_PORT: '18090',
      CHANCERY_MAIL_IN_PORT: '18024',
      DATABASE_URL: 'postgres://127.0.0.1:15432/chancery',
    })
    outward.closePort(ports.http)
    for (const port of [18_080, 18_090, 18_024, 15_432, ports.http])
      expect([port, await reasonOf(outward.connect({ use: 'syslog', host: '127.0.0.1', port }))]).toEqual([port, 'address'])
  })

  test('of this machine itself is closed, whatever kind of address it is', async () => {
    const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address.replace(/%.*$/, '')))
    expect(own).not.toEqual([])
    for (const host of own)
      expect([host, (await outwardWith().refusal({ use: 'syslog', host, port: 6514 }))?.reason]).toEqual([host, 'address'])
  })

  test('is scanned only in a network that was named, and this machine never', async () => {
    const outward = outwardWith()
    const wanted = (host: string, networks?: string[]) =>
      outward.refusal({ use: 'scan', host, port: 443, ...(networks ? { networks } : {}) })
    expect(await wanted('10.1.2.3', ['10.1.0.0/16'])).toBeUndefined()
    expect(await wanted('fd00:1::5', ['fd00:1::/64'])).toBeUndefined()
    for (const [host, networks] of [
      ['10.2.0.1', ['10.1.0.0/16']],
      ['93.184.215.14', ['10.1.0.0/16']],
      ['10.1.2.3', undefined],
      ['10.1.2.3', ['all']],
      ['127.0.0.1', ['127.0.0.0/8']],
      ['169.254.169.254', ['169.254.0.0/16']],
      ['169.254.1.1', ['0.0.0.0/0']],
    ] as const)
      expect([host, (await wanted(host, networks === undefined ? undefined : [...networks]))?.reason]).toEqual([host, 'address'])
  })
})

describe('A URL', () => {
  test.each([
    ['http://hook.example.org/', 'url', 'Enter a complete address that begins with https://'],
    ['ftp://hook.example.org/', 'url', 'Enter a complete address that begins with https://'],
    ['file:///etc/passwd', 'url', 'Enter a complete address that begins with https://'],
    ['hook.example.org', 'url', 'Enter a complete address that begins with https://'],
    ['https://hook.example.org\\@10.0.0.1/', 'url', 'Enter a complete address that begins with https://'],
    ['https://hook.example.org/\r\nHost: evil', 'url', 'Enter a complete address that begins with https://'],
    ['https://hook.example.org/a b', 'url', 'Enter a complete address that begins with https://'],
    ['https://hook.example.org/\u0000', 'url', 'Enter a complete address that begins with https://'],
    ['https://me:secret@hook.example.org/', 'userinfo', 'Leave the name and the password out of the address'],
    ['https://@hook.example.org/', 'userinfo', 'Leave the name and the password out of the address'],
    ['https://hook.example.org:22/', 'port', 'Port 22 cannot be used here. Use 443, 8443'],
    ['https://hook.example.org:5432/', 'port', 'Port 5432 cannot be used here. Use 443, 8443'],
    ['https://nowhere.example.org/', 'name', 'The name nowhere.example.org cannot be found'],
    ['https://a..b/', 'name', 'The name a..b cannot be found'],
  ])('%j is refused: %s', async (url, reason, says) => {
    const outward = outwardWith()
    expect(await outward.refusal({ use: 'webhook', url })).toMatchObject({ reason, message: says })
    expect(await reasonOf(outward.request({ use: 'webhook', url }))).toBe(reason)
  })

  test('that is fine asks its own host by its own name', async () => {
    await post(outwardWith(allowed), { url: hook('/path?query=1#part'), headers: { 'X-Mark': 'yes' } })
    expect(asked[0]).toMatchObject({ method: 'POST', url: '/path?query=1' })
    expect(asked[0]?.headers).toMatchObject({ host: `hook.example.org:${ports.https}`, 'x-mark': 'yes', 'content-length': '2' })
  })

  test('of one tenancy after another address after another is slowed down, and other tenancies are not', async () => {
    const outward = outwardWith()
    const saved = (tenantId: string, number: number) => outward.refusal({ use: 'webhook', url: `https://93.184.215.${number}/`, tenantId })
    for (let number = 0; number < 60; number += 1) expect(await saved('acme', number)).toBeUndefined()
    expect((await saved('acme', 60))?.message).toBe('Too many new addresses in an hour. Try again later')
    expect(await saved('acme', 59)).toBeUndefined()
    expect(await saved('globex', 60)).toBeUndefined()
  })
})

describe('A request', () => {
  test.each([
    ['a line break in a value', { 'X-Mark': 'a\r\nHost: evil' }],
    ['NUL in a value', { 'X-Mark': 'a\u0000' }],
    ['a line break in a name', { 'X-Mark\r\nHost': 'evil' }],
    ['a colon in a name', { 'X:Mark': 'a' }],
    ['another host', { Host: 'evil.example.org' }],
    ['another length', { 'content-length': '5' }],
    ['another framing', { 'Transfer-Encoding': 'chunked' }],
    ['an upgrade', { Upgrade: 'h2c' }],
    ['letters beyond ASCII', { 'X-Mark': 'ä' }],
  ])('with %s in its headers is not sent', async (_what, headers: Record<string, string>) => {
    expect(await reasonOf(post(outwardWith(allowed), { headers }))).toBe('header')
    expect(asked).toEqual([])
  })

  test('goes past the proxy of the environment', async () => {
    const before = { ...process.env }
    onTestFinished(() => void (process.env = before))
    Object.assign(process.env, {
      HTTPS_PROXY: `http://127.0.0.1:${ports.http}`,
      ALL_PROXY: `http://127.0.0.1:${ports.http}`,
      NODE_USE_ENV_PROXY: '1',
    })
    await post(outwardWith(allowed))
    expect(asked.map(({ method }) => method)).toEqual(['POST'])
  })

  test('is not led on by a webhook', async () => {
    answer = (_incoming, outgoing) => outgoing.writeHead(307, { location: 'https://169.254.169.254/' }).end()
    expect(await messageOf(post(outwardWith(allowed)))).toBe('hook.example.org sends on to another address, and that is not followed here')
  })

  test('is led on by a validation, each step judged anew and without what was meant for the first', async () => {
    const outward = outwardWith({ ...allowed, CHANCERY_OUTWARD_PORTS: `${ports.http},${ports.https}` })
    const led = async (location: string) => {
      answer = (incoming, outgoing) => (incoming.url === '/first' ? outgoing.writeHead(302, { location }).end() : outgoing.end('the token'))
      const url = `http://hook.example.org:${ports.http}/first`
      return outward.request({ use: 'acmeHttp', url, headers: { authorization: 'secret' }, tls: { trust: 'any' } })
    }
    expect((await led('/second')).body.toString()).toBe('the token')
    expect(asked.at(-1)?.headers.authorization).toBe('secret')
    expect((await led(hook('/second'))).url).toBe(hook('/second'))
    expect(asked.at(-1)?.headers.authorization).toBeUndefined()
    asked = []
    expect(await reasonOf(led('http://169.254.169.254/latest/'))).toBe('address')
    expect(await reasonOf(led('http://[::ffff:10.0.0.1]/'))).toBe('address')
    expect(await reasonOf(led('http://hook.example.org:22/'))).toBe('port')
    expect(await reasonOf(led('gopher://hook.example.org/'))).toBe('url')
    expect(await reasonOf(led('http://me@hook.example.org/'))).toBe('userinfo')
    expect(await reasonOf(led('http://'))).toBe('redirect')
    expect(asked.map(({ url }) => url)).toEqual(Array.from({ length: 6 }, () => '/first'))
    asked = []
    expect(await reasonOf(led('/first'))).toBe('redirect')
    expect(asked).toHaveLength(11)
  })

  test('that nobody answers, or that is cut off, gets no answer, told alike', async () => {
    const closed = createPlain()
    const free = await listening(closed)
    await closing(closed)
    answer = (incoming) => incoming.socket.destroy()
    const outward = outwardWith(allowed)
    for (const url of [hook(), `https://hook.example.org:${free}/`])
      expect(await messageOf(post(outward, { url }))).toBe('hook.example.org gave no answer')
  })
})

describe('An answer', () => {
  const endless = (outgoing: ServerResponse) => {
    const write = () => {
      while (!outgoing.destroyed && outgoing.write(Buffer.alloc(65_536, 'x')));
      outgoing.once('drain', write)
    }
    write()
  }

  test('without end is refused at its cap, or kept as far as that', async () => {
    answer = (_incoming, outgoing) => endless(outgoing)
    const outward = outwardWith(allowed)
    expect(await messageOf(post(outward))).toBe('The answer of hook.example.org is longer than 65536 bytes')
    expect(await post(outward, { longer: 'cut' })).toMatchObject({ status: 200, cut: true, body: { length: 65_536 } })
    expect(await post(outward, { longer: 'cut', mostBytes: 10 })).toMatchObject({ body: { length: 10 } })
    expect(await post(outward, { longer: 'cut', mostBytes: 1e9 })).toMatchObject({ body: { length: 65_536 } })
  })

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('that unpacks to more than its cap is refused: %s', async (coding, pack) => {
    answer = (_incoming, outgoing) => outgoing.writeHead(200, { 'content-encoding': coding }).end(pack(Buffer.alloc(50_000_000)))
    expect(await reasonOf(post(outwardWith(allowed)))).toBe('tooLarge')
    answer = (_incoming, outgoing) => outgoing.writeHead(200, { 'content-encoding': coding }).end(pack('small'))
    expect((await post(outwardWith(allowed))).body.toString()).toBe('small')
  })

  test.each([
    [
      'packed twice',
      (outgoing: ServerResponse) => outgoing.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(gzipSync(gzipSync('x'))),
    ],
    ['packed in an unknown way', (outgoing: ServerResponse) => outgoing.writeHead(200, { 'content-encoding': 'constructor' }).end('x')],
    ['packed wrongly', (outgoing: ServerResponse) => outgoing.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip')],
    ['with endless headers', (outgoing: ServerResponse) => outgoing.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end()],
    ['that is not HTTP', (outgoing: ServerResponse) => outgoing.socket?.end('220 mail.example.org ESMTP\r\n')],
    [
      'with two lengths',
      (outgoing: ServerResponse) => outgoing.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'),
    ],
    [
      'with both framings',
      (outgoing: ServerResponse) =>
        outgoing.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    ],
    [
      'with a megabyte beside a chunk',
      (outgoing: ServerResponse) =>
        outgoing.socket?.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(1_000_000)}\r\nx\r\n0\r\n\r\n`),
    ],
  ])('%s cannot be read', async (_what, misbehave) => {
    answer = (_incoming, outgoing) => void misbehave(outgoing)
    expect(await messageOf(post(outwardWith(allowed)))).toBe('The answer of hook.example.org cannot be read')
  })

  test.each([
    ['never comes', () => {}],
    ['comes letter by letter', (_incoming: IncomingMessage, outgoing: ServerResponse) => drip(() => outgoing.write('x'))],
    [
      'has a head letter by letter',
      (_incoming: IncomingMessage, outgoing: ServerResponse) => {
        outgoing.socket?.write('HTTP/1.1 200 OK\r\nx-long: ')
        drip(() => outgoing.socket?.write('x'))
      },
    ],
    [
      'is announced without end',
      (_incoming: IncomingMessage, outgoing: ServerResponse) => drip(() => outgoing.socket?.write('HTTP/1.1 102 Processing\r\n\r\n')),
    ],
  ])('that %s is given up when its time is over, and its connection closed', async (_what, misbehave) => {
    answer = misbehave
    const attempt = messageOf(post(outwardWith(allowed), { milliseconds: 300 }))
    await expect.poll(() => asked.length).toBe(1)
    const closed = new Promise((resolve) => asked[0]?.socket.once('close', resolve))
    expect(await attempt).toBe('hook.example.org took longer than 0.3 seconds')
    await closed
  })

  test('is waited for no longer than whoever asked wants', async () => {
    answer = () => {}
    const leaving = new AbortController()
    const attempt = messageOf(post(outwardWith(allowed), { signal: leaving.signal }))
    await expect.poll(() => asked.length).toBe(1)
    leaving.abort()
    expect(await attempt).toBe('The connection to hook.example.org was given up')
  })
})

/** Writes again and again until the test ends. */
function drip(write: () => void): void {
  const timer = setInterval(write, 20)
  onTestFinished(() => clearInterval(timer))
}

describe('A certificate', () => {
  const servedWith = async (pair: { certificate: string; key: string }, more: object = {}) => {
    const server = createHttps({ cert: pair.certificate, key: pair.key, ...more }, (_incoming, outgoing) => outgoing.end('well'))
    server.on('tlsClientError', () => {})
    onTestFinished(() => closing(server))
    return `https://hook.example.org:${await listening(server)}/`
  }

  test('of an unknown authority, for another name, expired or signed by itself is not accepted, and the sentence says why', async () => {
    const outward = outwardWith(allowed)
    const says = (url: string, trust = trusted()) => messageOf(post(outward, { url, tls: trust }))
    const begins = 'The certificate of hook.example.org was not accepted'
    expect(await messageOf(outward.request({ use: 'webhook', url: hook() }))).toMatch(new RegExp(`^${begins}: its issuer is not known$`))
    expect(await says(hook(), { trust: { roots: [files.otherRoot.certificate] } })).toMatch(/its issuer is not known$/)
    expect(await says(await servedWith(files.expired))).toBe(`${begins}: it has expired`)
    expect(await says(await servedWith(files.self))).toBe(`${begins}: it is signed by itself`)
    expect(await says(hook().replace('hook.example.org', '127.0.0.1'))).toBe(
      'The certificate of 127.0.0.1 was not accepted: it is for another name',
    )
    expect(asked).toEqual([])
  })

  test('of a root of the installation, or pinned, is accepted', async () => {
    const rootsFile = folder.write('roots.pem', `Some text\n${files.otherRoot.certificate}\n${files.root.certificate}`)
    expect((await outwardWith({ ...allowed, CHANCERY_OUTWARD_ROOTS: rootsFile }).request({ use: 'webhook', url: hook() })).status).toBe(200)
    const pin = (pem: string) => createHash('sha256').update(new X509Certificate(pem).raw).digest('hex')
    const url = await servedWith(files.self)
    const pinned = (pem: string) => post(outwardWith(allowed), { url, tls: { trust: { pins: [pin(pem)] } } })
    expect((await pinned(files.self.certificate)).status).toBe(200)
    expect(await messageOf(pinned(files.leaf.certificate))).toMatch(/it is not the one that was pinned$/)
    expect(await reasonOf(post(outwardWith(allowed), { url, tls: { trust: { pins: [] } } }))).toBe('certificate')
  })

  test('is left unchecked only by a use whose rules say so', async () => {
    const outward = outwardWith(allowed)
    await expect(post(outward, { tls: { trust: 'any' } })).rejects.toThrow(TypeError)
    const socket = await outward.connect({
      use: 'acmeTls',
      host: 'hook.example.org',
      port: ports.https,
      tls: { trust: 'any', applicationProtocols: ['acme-tls/1', 'http/1.1'] },
    })
    expect('getPeerX509Certificate' in socket && socket.getPeerX509Certificate()?.subject).toBe('CN=Hook')
    socket.destroy()
  })

  test('of the client goes along where it was given', async () => {
    const url = await servedWith(files.leaf, { requestCert: true, ca: [files.root.certificate] })
    const tls = (identity?: { certificate: string; key: string }) => ({ ...trusted(), identity })
    expect(await reasonOf(post(outwardWith(allowed), { url, tls: tls() }))).toBe('unanswered')
    expect((await post(outwardWith(allowed), { url, tls: tls(files.leaf) })).status).toBe(200)
  })
})

describe('A connection', () => {
  test('carries bytes both ways, and is closed when its time is over', async () => {
    const echo = createPlain((socket) => socket.on('error', () => {}).pipe(socket))
    onTestFinished(() => closing(echo))
    const port = await listening(echo)
    // Its time is over when the test says so, not before the bytes were there.
    const time = new AbortController()
    const timing = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(time.signal)
    const socket = await outwardWith(allowed).connect({ use: 'syslog', host: 'hook.example.org', port, milliseconds: 500 })
    expect(timing.mock.calls[0]).toEqual([500])
    timing.mockRestore()
    socket.write('hello')
    expect(String(await new Promise((resolve) => socket.once('data', resolve)))).toBe('hello')
    time.abort(new DOMException('Over', 'TimeoutError'))
    await new Promise((resolve) => socket.once('close', resolve))
    expect(socket.errored?.message).toBe('hook.example.org took longer than 0.5 seconds')
  })

  test('to who speaks no TLS, or begins and never ends, comes to nothing', async () => {
    const outward = outwardWith(allowed)
    const silent = createPlain((socket) => socket.on('error', () => {}).resume())
    onTestFinished(() => closing(silent))
    const port = await listening(silent)
    const connecting = { use: 'syslog', host: 'hook.example.org', milliseconds: 300, tls: {} } as const
    expect(await reasonOf(outward.connect({ ...connecting, port }))).toBe('tooSlow')
    expect(await reasonOf(outward.connect({ ...connecting, port: ports.http }))).not.toBe('none')
  })
})

describe('A name server', () => {
  test('is asked for every kind of record; nothing there is an empty answer', async () => {
    dns.names.set('example.org', [
      { type: 'CAA', value: '128 issue ca.example.net; validationmethods=dns-01' },
      { type: 'CAA', value: '0 iodef mailto:pki@example.org' },
    ])
    dns.names.set('_acme-challenge.example.org', [{ type: 'TXT', value: 'x'.repeat(300) }])
    const outward = outwardWith()
    expect(await outward.query({ name: 'example.org', type: 'CAA' })).toEqual([
      { critical: true, tag: 'issue', value: 'ca.example.net; validationmethods=dns-01' },
      { critical: false, tag: 'iodef', value: 'mailto:pki@example.org' },
    ])
    expect(await outward.query({ name: '_acme-challenge.example.org', type: 'TXT' })).toEqual(['x'.repeat(300)])
    expect(await outward.query({ name: 'example.org', type: 'TXT' })).toEqual([])
    expect(await outward.query({ name: 'nowhere.example.org', type: 'CAA' })).toEqual([])
  })

  test('that fails or is silent is no empty answer, and an answer that was cut short is asked for again', async () => {
    dns.names.set('broken.example.org', 'broken')
    dns.names.set('silent.example.org', 'silent')
    dns.names.set('long.example.org', { truncated: [{ type: 'CAA', value: '0 issue ;' }] })
    const outward = outwardWith()
    expect(await messageOf(outward.query({ name: 'broken.example.org', type: 'CAA' }))).toBe(
      'The name servers gave no answer about broken.example.org',
    )
    expect(await reasonOf(outward.query({ name: 'silent.example.org', type: 'CAA', milliseconds: 200 }))).toBe('tooSlow')
    expect(await outward.query({ name: 'long.example.org', type: 'CAA' })).toEqual([{ critical: false, tag: 'issue', value: ';' }])
    expect(dns.asked).toContain('CAA long.example.org by TCP')
  })

  test('that a tenancy names is judged like any target', async () => {
    const query = (outward: Outward, server: string) => reasonOf(outward.query({ name: 'example.org', type: 'TXT', servers: [server] }))
    for (const server of ['127.0.0.1', '169.254.169.253', '10.0.0.53', '[::1]:53', '::1'])
      expect([server, await query(outwardWith(), server)]).toEqual([server, 'address'])
    expect(await query(outwardWith(), dns.address)).toBe('port')
    expect(await query(outwardWith(), 'ns.example.org')).toBe('name')
    expect(await query(outwardWith(allowed), dns.address)).toBe('none')
  })
})

test('What leaves is counted by use and outcome', async () => {
  const outward = outwardWith(allowed)
  await post(outward)
  await reasonOf(post(outward, { url: 'https://10.0.0.1/' }))
  await reasonOf(post(outward, { url: 'https://10.0.0.1/' }))
  await outward.query({ name: 'example.org', type: 'TXT' })
  expect(outward.samples()).toEqual([
    { labels: { use: 'webhook', outcome: 'done' }, value: 1 },
    { labels: { use: 'webhook', outcome: 'address' }, value: 2 },
    { labels: { use: 'nameServer', outcome: 'done' }, value: 1 },
  ])
})
