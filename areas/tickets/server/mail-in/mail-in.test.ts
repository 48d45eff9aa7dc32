// Answers by mail, through a real LMTP connection: whose they are, and what is never taken.

import { createTransport } from 'nodemailer'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Viewer } from '#core/server/serve.ts'
import { workWaiting } from '#core/server/slots.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { tickets } from '../../contract.ts'
import { mailDoorOf } from './lmtp.ts'
import { isAuthentic, plainText, readMail, withoutQuote } from './read-mail.ts'

const house = await useHouse({ settings: { CHANCERY_MAIL_IN_PORT: '0', CHANCERY_MAIL_FROM: 'desk@chancery.example' } })
const { add, addMessage, messages, searchHeldMail, releaseHeldMail, read } = tickets.calls
let acme: TestTenancy
let ada: TestPerson
let agent: TestPerson
let ticketId: number

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  ada = await acme.person({ permissions: ['ticketAdd', 'ticketView'], username: 'ada.mail' })
  agent = await acme.person({ permissions: ['ticketAdd', 'ticketView', 'ticketEdit'], username: 'agent.mail' })
  ticketId = (await ada.call(add, { title: 'No reader', category: 'Bug', description: 'It is not found' })).ticketId
})

type Outbox = { outbox: { tenant_id: string; recipient: string; reply_to: string; queued_at: Date } }

/** The newest letter to an address says where it is answered. */
const letterTo = (address: string): Promise<string> =>
  withTenancy(house.house, acme.id, async ({ db }) => {
    const { reply_to } = await db
      .withTables<Outbox>()
      .selectFrom('outbox')
      .select('reply_to')
      .where('recipient', '=', address)
      .orderBy('queued_at', 'desc')
      .executeTakeFirstOrThrow()
    return reply_to
  })

const addressOf = ({ username }: TestPerson): string => `${username}@example.org`

const passed = { 'Authentication-Results': 'mx.example.org; dmarc=pass header.from=example.org' }

async function send(from: string, to: string, { headers = {}, ...more }: Record<string, unknown> = {}): Promise<string> {
  const port = mailDoorOf(house.house)?.port ?? 0
  const transport = createTransport({ lmtp: true, host: '127.0.0.1', port, secure: false, ignoreTLS: true } as object)
  const envelope = { from, to: [to] }
  return transport
    .sendMail({ envelope, from, to, subject: 'Re: anything', text: 'Thank you', headers: { ...passed, ...Object(headers) }, ...more })
    .then(
      ({ rejected }) => (rejected.length === 0 ? 'taken' : 'refused'),
      (error: { responseCode?: number }) => String(error.responseCode),
    )
}

const texts = async (who: TestPerson) =>
  (await who.call(messages, { ticketId })).ticketMessages.map(({ messageContent, sender }) => [sender, messageContent])
const held = async () => (await agent.call(searchHeldMail, {})).rows.map(({ reason, sender }) => [reason, sender])

const heldAtBell = () =>
  withTenancy(house.house, acme.id, async ({ db }) => {
    const [counted] = house.house.offers(workWaiting).filter(({ needs }) => needs === 'ticketEdit')
    return (await counted?.count(db, { tenantId: acme.id } as Viewer))?.['heldMail']
  })

describe('An answer by mail', () => {
  test('of the agent and of the requester stands in the ticket, without what it quotes and with its file', async () => {
    const reply = await letterTo(addressOf(agent))
    expect(reply).toMatch(/^reply\+[a-z2-7]{42}@chancery\.example$/)
    const text = 'Which reader is it?\n\nOn Monday, Ada wrote:\n> It is not found\n> Regards\n'
    const attachments = [{ filename: 'log.txt', content: 'no reader' }]
    expect(await send(addressOf(agent), reply, { text, attachments, messageId: '<1@example.org>' })).toBe('taken')
    expect(await texts(ada)).toEqual([['agent.mail', 'Which reader is it?']])
    expect((await ada.call(read, { ticketId })).attachments.map(({ name }) => name)).toEqual(['log.txt'])
    // The mail server was not sure and hands it over once more.
    expect(await send(addressOf(agent), reply, { text, messageId: '<1@example.org>' })).toBe('taken')
    const html = '<style>p{color:red}</style><p>The blue one &amp; the <b>old</b> one</p>'
    expect(await send(addressOf(ada), await letterTo(addressOf(ada)), { text: undefined, html })).toBe('taken')
    expect(await texts(ada)).toEqual([
      ['agent.mail', 'Which reader is it?'],
      ['ada.mail', 'The blue one & the old one'],
    ])
    expect((await ada.call(messages, { ticketId })).ticketMessages.map(({ byMail }) => byMail)).toEqual([true, true])
    const by = (await audited(house, acme.id)).filter(({ name }) => name === 'messageAdded').map(({ actor }) => actor)
    expect(by).toEqual([addressOf(agent), addressOf(ada)])
  })

  test('of somebody else, or that our mail server calls forged, is held, and becomes a note or nothing', async () => {
    const reply = await letterTo(addressOf(agent))
    expect(await send('mallory@elsewhere.example', reply, { text: 'Let me in' })).toBe('taken')
    const headers = { 'Authentication-Results': 'mx.example.org; dmarc=fail header.from=example.org' }
    expect(await send(addressOf(agent), reply, { text: 'Forged', headers })).toBe('taken')
    // It is counted at the bell of those who handle tickets.
    expect(await heldAtBell()).toBe((await held()).length)
    expect((await held()).toSorted()).toEqual([
      ['authentication', addressOf(agent)],
      ['sender', 'mallory@elsewhere.example'],
    ])
    await expect(ada.call(searchHeldMail, {})).rejects.toMatchObject({ status: 403 })
    const { rows } = await agent.call(searchHeldMail, { text: 'mallory' })
    await agent.call(releaseHeldMail, { id: rows[0]?.id ?? '' })
    const [forged] = (await agent.call(searchHeldMail, {})).rows
    await agent.call(releaseHeldMail, { id: forged?.id ?? '', discard: true })
    expect(await held()).toEqual([])
    expect((await texts(agent)).at(-1)).toEqual(['agent.mail', 'mallory@elsewhere.example:\n\nLet me in'])
    expect((await texts(ada)).flat().join()).not.toContain('Let me in')
  })

  test('of a program, of a list or of a mail server is taken and ignored, so that two installations do not write to each other', async () => {
    const reply = await letterTo(addressOf(agent))
    const before = await texts(agent)
    for (const headers of [{ 'Auto-Submitted': 'auto-replied' }, { Precedence: 'bulk' }, { 'List-Id': '<all.example.org>' }])
      expect(await send(addressOf(agent), reply, { headers })).toBe('taken')
    expect(await send('', reply)).toBe('taken')
    expect(await texts(agent)).toEqual(before)
    expect(await held()).toEqual([])
  })

  test('to an address that no letter had is refused, also one that is 90 days old', async () => {
    const reply = await letterTo(addressOf(agent))
    expect(await send(addressOf(agent), reply.replace(/\+...../, '+aaaaa'))).toBe('550')
    expect(await send(addressOf(agent), reply.replace('chancery.example', 'other.example'))).toBe('550')
    expect(await send(addressOf(agent), 'desk@chancery.example')).toBe('550')
    house.clock.advance(91 * 86_400_000)
    expect(await send(addressOf(agent), reply)).toBe('550')
    await house.runJob(tickets.jobs.forget)
  })

  test('that is too long or comes too often waits, and nesting without end is refused', async () => {
    const late = await agent.call(addMessage, { ticketId, messageContent: 'Still there?' }).then(() => letterTo(addressOf(ada)))
    const long = `${'x'.repeat(10_000)}end`
    expect(await send(addressOf(ada), late, { text: long })).toBe('taken')
    expect(await held()).toEqual([['tooLong', addressOf(ada)]])
    const [waiting] = (await agent.call(searchHeldMail, {})).rows
    await agent.call(releaseHeldMail, { id: waiting?.id ?? '' })
    const notes = (await texts(agent)).slice(-2).map(([, text]) => text)
    expect(notes.join('')).toBe(`${addressOf(ada)}:\n\n${long}`)
    // What cannot be kept is refused, so that its sender hears of it.
    expect(await send(addressOf(ada), late, { text: 'x'.repeat(20_001) })).toBe('refused')
    const attachments = [{ filename: 'log.txt', content: 'no reader' }]
    expect(await send('mallory@elsewhere.example', late, { attachments })).toBe('refused')
    expect(await send(addressOf(ada), late, { attachments: Array.from({ length: 21 }, () => attachments[0]) })).toBe('refused')
    expect(await held()).toEqual([])
    const deep = Array.from({ length: 1_000 }, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`).join('')
    expect(await send(addressOf(ada), late, { raw: `From: ${addressOf(ada)}\r\n${deep}` })).toBe('refused')
    for (let mails = 1; mails < 20; mails += 1) await send(addressOf(ada), late, { text: `Number ${mails}` })
    expect(await send(addressOf(ada), late, { text: 'One more' })).toBe('refused')
  })
})

test('Markup becomes text in one pass, and quotes go from the end alone', () => {
  expect(plainText('a<br>b<script>alert(1)</script>&lt;c&#62;')).toBe('a\nb<c>')
  expect(plainText('<'.repeat(100_000)).length).toBeLessThan(100_001)
  expect(withoutQuote('Yes\n> no\nStill here')).toBe('Yes\n> no\nStill here')
  expect(withoutQuote('Yes\n-- \nAda, Depot')).toBe('Yes')
})

test('A sender counts where our mail server says that DMARC passed, and nobody says anything else', () => {
  const mx = 'mx.example.org; spf=pass smtp.mailfrom=example.org; dmarc=pass (p=none dis=none) header.from=example.org'
  expect(isAuthentic([mx])).toBe(true)
  expect(isAuthentic([])).toBe(false)
  expect(isAuthentic(['mx.example.org; spf=pass'])).toBe(false)
  expect(isAuthentic(['mx.example.org; dmarc=none', mx])).toBe(false)
  expect(isAuthentic(['mx.example.org; spf=none smtp.mailfrom=";dmarc=pass"@example.org'])).toBe(false)
  expect(isAuthentic(['mx.example.org; spf=none (a (b) ; dmarc=pass) smtp.mailfrom=example.org'])).toBe(false)
})

test.each([
  ['From: ada@example.org\r\n', 'ada@example.org', true],
  ['From: ada@example.org\r\nFrom: eve@example.org\r\n', '', false],
  ['From: ada@example.org, eve@example.org\r\n', '', false],
  ['', '', false],
])('Of the From header %j the sender is %j', async (from, sender, authentic) => {
  const mail = `Authentication-Results: mx.example.org; dmarc=pass\r\n${from}Subject: Re\r\n\r\nYes\r\n`
  expect(await readMail(Buffer.from(mail))).toMatchObject({ sender, authentic })
})
