// Cards on real printers: `ippeveprinter`, which is IPP Everywhere, keeps what it prints, and it is compared with the face by picture; CUPS with queues that hold,
// abort and forget. DNS-SD, without which `ippeveprinter` does not start, has a bus and a daemon of its own that speak to nobody.

import { createCanvas, loadImage } from '@napi-rs/canvas'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ippPrinters, readPrinter } from '#apps/agent/ipp-printers.ts'
import { printing } from '#areas/printing/contract.ts'
import { smartcards } from '#areas/smartcards/contract.ts'
import { openDesk, type DeskFixture } from '#areas/smartcards/server/desk.fixture.ts'
import { openClientLink, type ClientLink } from '#core/agent-link/client.ts'
import { hostPrinters } from '#core/agent-link/printers.ts'
import { freePort } from '#core/testing/free-port.ts'
import { refusal, type TestPerson } from '#core/testing/house.ts'
import { until } from '#core/testing/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'chancery-print-'))
const spool = join(folder, 'spool')
const bus = `unix:path=${join(folder, 'bus')}`
const environment = { ...process.env, DBUS_SYSTEM_BUS_ADDRESS: bus }
const run = promisify(execFile)
const started: ChildProcess[] = []
const [everywhere, queue] = [await freePort(), await freePort()]
const { addBatch, printBatch, status, setFace, preview, printCard, calibrate } = printing.calls
let at: DeskFixture
let clerk: TestPerson
let link: ClientLink
let cardTemplateId: string

const start = (program: string, ...args: string[]): ChildProcess => {
  const child = spawn(program, args, { env: environment, stdio: 'ignore' })
  started.push(child)
  return child
}
const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    request({ host: '127.0.0.1', port, path: '/' }, (answer) => {
      answer.resume()
      resolve(true)
    })
      .on('error', () => resolve(false))
      .end()
  })

async function startEverywhere(): Promise<void> {
  mkdirSync(spool)
  const policy =
    '<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/><allow user="*"/></policy>'
  writeFileSync(join(folder, 'bus.conf'), `<busconfig><type>system</type><listen>${bus}</listen><auth>EXTERNAL</auth>${policy}</busconfig>`)
  start('dbus-daemon', '--nofork', '--config-file', join(folder, 'bus.conf'))
  await until('the bus', () => existsSync(join(folder, 'bus')))
  writeFileSync(join(folder, 'avahi.conf'), '[server]\nallow-interfaces=lo\nuse-ipv6=no\n[publish]\npublish-workstation=no\n')
  start('avahi-daemon', '--no-drop-root', '--no-chroot', '--no-rlimits', '-f', join(folder, 'avahi.conf'))
  const formats = 'application/pdf,image/pwg-raster'
  // It ends where the daemon of DNS-SD is not there yet.
  const words = ['-p', String(everywhere), '-d', spool, '-k', '-f', formats, '-n', 'localhost', 'Lab card printer']
  let printer = start('ippeveprinter', ...words)
  const isThere = async () => {
    if (printer.exitCode !== null || printer.signalCode !== null) printer = start('ippeveprinter', ...words)
    return answers(everywhere)
  }
  await until('the printer of IPP Everywhere', isThere, { state: () => ({ exitCode: printer.exitCode }), every: 100 })
}

async function startCups(): Promise<void> {
  chmodSync(folder, 0o755)
  const own = (name: string): string => {
    mkdirSync(join(folder, name), { mode: 0o777 })
    chmodSync(join(folder, name), 0o777)
    return join(folder, name)
  }
  const files = [
    `ServerRoot ${own('root')}`,
    `RequestRoot ${own('requests')}`,
    `CacheDir ${own('cache')}`,
    `StateDir ${own('state')}`,
    `AccessLog ${join(own('log'), 'access')}`,
    `ErrorLog ${join(folder, 'log', 'error')}`,
    `PageLog ${join(folder, 'log', 'page')}`,
    'FileDevice Yes',
  ]
  writeFileSync(join(folder, 'cups-files.conf'), `${files.join('\n')}\n`)
  const all = '<Location />\nOrder allow,deny\nAllow all\n</Location>\n<Policy default>\n<Limit All>\nOrder deny,allow\n</Limit>\n</Policy>'
  writeFileSync(join(folder, 'cupsd.conf'), `Listen 127.0.0.1:${queue}\nBrowsing No\nDefaultAuthType None\nWebInterface No\n${all}\n`)
  start('cupsd', '-f', '-c', join(folder, 'cupsd.conf'), '-s', join(folder, 'cups-files.conf'))
  await until('CUPS', () => answers(queue), { every: 100 })
  await tool('lpadmin', '-p', 'plain', '-E', '-v', 'file:///dev/null')
  await tool('lpadmin', '-p', 'held', '-E', '-v', 'file:///dev/null', '-o', 'job-hold-until-default=indefinite')
  await tool('lpadmin', '-p', 'broken', '-E', '-v', 'socket://127.0.0.1:1/?contimeout=1', '-o', 'printer-error-policy=abort-job')
}
/** The tools of CUPS, which the server of CUPS answers. */
const tool = (name: string, ...args: string[]) =>
  run(name, args, { env: { ...process.env, CUPS_SERVER: `127.0.0.1:${queue}` }, timeout: 300_000 })

beforeAll(async () => {
  await Promise.all([startEverywhere(), startCups()])
  at = await openDesk({ background: true })
  clerk = at.pki.tenancy.administrator
  ;({ cardTemplateId } = at)
  const { AgentPort, ServerKey } = await clerk.call(smartcards.calls.clientConfig, {})
  const { SessionCookie } = await clerk.call(smartcards.calls.ticket, {})
  const queues = ['plain', 'held', 'broken'].map((name) => readPrinter(`${name}=ipp://127.0.0.1:${queue}/printers/${name}`))
  const host = hostPrinters(ippPrinters([readPrinter(`Lab=ipp://localhost:${everywhere}/ipp/print`), ...queues]))
  const welcomed = Promise.withResolvers<void>()
  link = openClientLink({
    address: '127.0.0.1',
    port: AgentPort,
    pin: ServerKey,
    hello: { version: 'test', machine: 'lab', ticket: SessionCookie, secret: '' },
    readers: [],
    heard({ welcome, ask }, client) {
      if (welcome !== undefined) welcomed.resolve()
      if (ask !== undefined) void host.answer(ask).then((answer) => client.tell({ answer }))
    },
    ended: (why) => welcomed.reject(new Error(why)),
  })
  await welcomed.promise
  const front = {
    background: '#ffffff',
    elements: [
      { kind: 'box' as const, x: 0, y: 0, width: 85.6, height: 9, colour: '#1f4fbf' },
      { kind: 'text' as const, x: 6, y: 20, width: 56, height: 7, text: '{givenName} {familyName}', colour: '#101828' },
      { kind: 'qr' as const, x: 62, y: 28, width: 20, height: 20, text: '{userName}', colour: '#000000' },
    ],
  }
  const back = { elements: [{ kind: 'barcode' as const, x: 3, y: 20, width: 79, height: 14, text: '{userName}' }] }
  await clerk.call(setFace, { cardTemplateId, front, back })
})
afterAll(async () => {
  link?.close()
  await at?.close()
  for (const child of started) child.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

const somebody = () => at.pki.tenancy.person({ permissions: [], givenName: 'Real', familyName: 'Printer' })
const cardFor = (userId: string, printer: string) => ({ printer, userId, cardTemplateId, cardSerial: '' })
const kept = () => readdirSync(spool).filter((name) => name.endsWith('.pdf'))

/** How far two pictures are from each other, from 0 to 255. */
async function difference(left: string | Buffer, right: string | Buffer): Promise<number> {
  const [one, other] = await Promise.all([left, right].map((picture) => loadImage(picture)))
  if (one === undefined || other === undefined) throw new Error('A picture is missing')
  const bytes = [one, other].map((picture) => {
    const context = createCanvas(one.width, one.height).getContext('2d')
    context.drawImage(picture, 0, 0, one.width, one.height)
    return context.getImageData(0, 0, one.width, one.height).data
  })
  let sum = 0
  for (const [n, value] of bytes[0]?.entries() ?? []) sum += Math.abs(value - (bytes[1]?.[n] ?? 0))
  return sum / (bytes[0]?.length ?? 1)
}

test('a batch is printed once a card, at exact size, as its faces look', async () => {
  const people = [await somebody(), await somebody()]
  const { batchId } = await clerk.call(addBatch, { users: people.map(({ id: userId }) => ({ userId, cardTemplateId })) })
  const before = kept().length
  await clerk.call(printBatch, { batch_id: batchId, reader: 'Lab', printOnly: true })
  await expect.poll(async () => (await clerk.call(status, { id: batchId })).printed).toBe(2)
  const files = kept().slice(before)
  expect(files).toHaveLength(2)
  for (const [n, name] of files.entries()) {
    const file = join(spool, name)
    const { stdout } = await run('pdfinfo', [file])
    expect(stdout).toMatch(/Pages:\s+2/)
    // 85.60 by 53.98 millimetres in points.
    expect(stdout).toMatch(/Page size:\s+242\.64\d* x 153\.01\d* pts/)
    expect(stdout).toMatch(/Page rot:\s+0/)
    const pages = join(folder, `page-${n}`)
    await run('pdftoppm', ['-r', '300', '-png', file, pages])
    const person = people[n]
    const design = await clerk.call(printing.calls.face, { cardTemplateId })
    const drawn = await clerk.call(preview, { cardTemplateId, userId: person?.id, front: design.front, back: design.back })
    expect(await difference(`${pages}-1.png`, Buffer.from(drawn.frontCompressed, 'base64'))).toBeLessThan(4)
    expect(await difference(`${pages}-2.png`, Buffer.from(drawn.backCompressed, 'base64'))).toBeLessThan(4)
    const read = await run('zbarimg', ['-q', '--raw', `${pages}-2.png`])
    expect(read.stdout.trim()).toBe(person?.username)
  }
})

test('a calibration card comes out with its frame five millimetres from each edge', async () => {
  const before = new Set(kept())
  await clerk.call(calibrate, { printer: 'Lab' })
  const [name = ''] = kept().filter((one) => !before.has(one))
  await run('pdftoppm', ['-r', '254', '-png', '-f', '1', '-l', '1', join(spool, name), join(folder, 'calibration')])
  const picture = await loadImage(readFileSync(join(folder, readdirSync(folder).find((one) => /^calibration.*png$/.test(one)) ?? '')))
  const context = createCanvas(picture.width, picture.height).getContext('2d')
  context.drawImage(picture, 0, 0)
  const dark = (x: number, y: number): boolean => (context.getImageData(x, y, 1, 1).data[0] ?? 255) < 128
  // Ten dots a millimetre: the first dark dot from each edge, half way along.
  const first = (found: (n: number) => boolean): number => Array.from({ length: 120 }, (_, n) => n).find(found) ?? -1
  const [width, height] = [picture.width, picture.height]
  const edges = [
    first((n) => dark(n, 400)),
    first((n) => dark(width - 1 - n, 400)),
    first((n) => dark(600, n)),
    first((n) => dark(600, height - 1 - n)),
  ]
  for (const edge of edges) expect(Math.abs(edge - 50)).toBeLessThanOrEqual(2)
})

test('a queue of CUPS prints; one that holds is cancelled and one that aborts is not believed', async () => {
  const person = await somebody()
  await clerk.call(printCard, cardFor(person.id, 'plain'))
  expect(await refusal(clerk.call(printCard, cardFor(person.id, 'broken')))).toMatchObject({ code: 'notPrinted' })
  expect(await refusal(clerk.call(printCard, cardFor(person.id, 'held')))).toMatchObject({ code: 'notPrinted' })
  expect((await tool('lpstat', '-o')).stdout).toBe('')
})

test('a job that vanishes from the queue leaves its card unknown', async () => {
  const person = await somebody()
  const answer = refusal(clerk.call(printCard, cardFor(person.id, 'held')))
  await expect.poll(async () => (await tool('lpstat', '-o', 'held')).stdout).not.toBe('')
  await tool('cancel', '-a', '-x', 'held')
  expect(await answer).toMatchObject({ code: 'printUnknown' })
})
