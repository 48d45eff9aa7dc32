// Somebody without an account at a reader: what the holder could do with the card in hand, and nothing else.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { portal } from '#areas/portal/contract.ts'
import { questions } from '#areas/questions/contract.ts'
import { hashAnswer, makeClientSalt } from '#areas/questions/rules.ts'
import { users } from '#areas/users/contract.ts'
import type { Call, DraftOf, ExactDraft, OutputOf } from '#core/contract/contract.ts'
import { CallRefused } from '#core/testing/caller.ts'
import { refusal } from '#core/testing/house.ts'
import type { VirtualCard } from '#standards/piv/card/card.ts'
import { smartcards } from '../contract.ts'
import { connectClient, inReader, newCard, openDesk, startClient, type DeskFixture } from './desk.fixture.ts'

const { calls } = smartcards
const passphrase = 'a quiet river under stones'

let at: DeskFixture
let template: string
let bareTemplate: string
let code: string
beforeAll(async () => {
  at = await openDesk()
  bareTemplate = at.cardTemplateId
  template = await at.addTemplate([
    { slot: '9A', algorithm: 'P-256', templateId: at.templateId },
    { slot: '9E', algorithm: 'P-256', templateId: at.templateId },
  ])
  const { address } = await at.pki.tenancy.administrator.call(portal.calls.renew, {})
  code = new URL(address).searchParams.get('code') ?? ''
})
afterAll(() => at.close())

/** A browser of somebody without an account: nothing but what its cookies say. */
function newBrowser() {
  const cookies = new Map<string, string>()
  const call = async <C extends Call, D extends DraftOf<C> = DraftOf<C>>(one: C, input: ExactDraft<C, D>): Promise<OutputOf<C>> => {
    const isGet = one.method === 'GET'
    const response = await fetch(at.house.origin + one.path, {
      method: one.method,
      headers: {
        ...(isGet ? {} : { 'content-type': 'application/json' }),
        cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
      },
      ...(isGet ? {} : { body: JSON.stringify(input) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const answer: unknown = await response.json()
    if (!response.ok) throw new CallRefused(response.status, Object(answer))
    return one.output.parse(answer) as OutputOf<C>
  }
  return { call }
}

async function atReader(card?: VirtualCard) {
  const browser = newBrowser()
  await browser.call(portal.calls.openSession, { code })
  const { SessionCookie } = await browser.call(calls.anonymousTicket, {})
  const client = await startClient(at.desk, { ticket: SessionCookie, machine: 'kiosk' })
  const welcome = await client.welcome
  client.insert(card)
  await expect
    .poll(async () => (await browser.call(calls.anonymousReaders, {})).readers[0]?.smartcard !== undefined)
    .toBe(card !== undefined)
  const leave = async () => {
    client.link.close()
    await client.ended
  }
  return { ...browser, client, welcome, ticket: SessionCookie, leave }
}

/** A person's own card, with secret questions and a passphrase. */
async function withCard(cardTemplateId = template) {
  const person = await at.pki.tenancy.person({ permissions: ['selfServicePortal'] })
  const home = await connectClient(person, 'home')
  const card = newCard()
  const { serial } = await at.register(card)
  await at.desk.call(calls.assign, { card_id: { serial }, user_id: person.id, card_template_id: cardTemplateId })
  at.client.insert(undefined)
  home.insert(card)
  await person.call(calls.issue, { card_id: inReader, cardTemplateId, user_ids: [person.id], new_pin: '246813' })
  const session = await person.session()
  const client_salt = makeClientSalt()
  const answers = await Promise.all(
    ['Green', 'Blue', 'Red'].map(async (word) => ({ customQuestion: `What of ${word}`, ...(await hashAnswer(word, client_salt, 2)) })),
  )
  await session.call(questions.calls.set, { client_salt, questions: answers })
  await session.call(calls.changePassphrase, { card_id: { serial }, new_passphrase: passphrase })
  home.link.close()
  await home.ended
  return { person, card, serial, secret_answers: { client_salt, answers } }
}

const block = ({ state }: VirtualCard) => void (state.pin.left = 0)

describe('with the card in hand', () => {
  test('sees the reader and the number of the card, and not whose it is; changes the PIN by the one before', async () => {
    const { card, serial } = await withCard()
    const stranger = await atReader(card)
    const { readers } = await stranger.call(calls.anonymousReaders, {})
    expect(readers[0]?.smartcard).toEqual({ atr: expect.any(String), cardType: 'CARD_TYPE_SMARTCARD', serialNumber: serial })
    const change = (old_pin: string, new_pin: string) => stranger.call(calls.anonymousChangePin, { card_id: inReader, old_pin, new_pin })
    expect(await refusal(change('999111', '357924'))).toMatchObject({ status: 403, code: 'wrongPin' })
    expect(card.state.pin).toEqual({ value: '246813', most: 3, left: 2 })
    await change('246813', '357924')
    expect(card.state.pin).toEqual({ value: '357924', most: 3, left: 3 })
    const log = await at.pki.tenancy.administrator.call(audit.calls.search, { text: serial })
    expect(JSON.stringify(log.rows)).toContain('Anonymous (public request page)')
    await stranger.leave()
  })

  test('unblocks it by the answers of its holder, who is told; the card gets another PUK', async () => {
    const { person, card, secret_answers: right } = await withCard()
    block(card)
    const puk = card.state.puk.value
    const stranger = await atReader(card)
    const asked = await stranger.call(calls.anonymousQuestions, { card_id: inReader })
    expect(asked.questions.map(({ customQuestion }) => customQuestion)).toEqual(['What of Green', 'What of Blue', 'What of Red'])
    const reset = (secret_answers: typeof right) =>
      stranger.call(calls.anonymousResetByAnswers, { card_id: inReader, new_pin: '975318', secret_answers })
    expect(await refusal(reset({ ...right, answers: right.answers.toReversed() }))).toMatchObject({ status: 403, code: 'wrongAnswers' })
    expect(card.state.pin.left).toBe(0)
    await reset(right)
    expect(card.state.pin).toEqual({ value: '975318', most: 3, left: 3 })
    expect(card.state.puk.value).not.toBe(puk)
    const { rows } = await at.pki.tenancy.administrator.call(mail.calls.outbox, { text: `${person.username}@example.org` })
    expect(rows.map(({ subject }) => subject)).toContain('Your smartcard has a new PIN')
    await stranger.leave()
  })

  test('unblocks it by its passphrase; five wrong ones close that for a day', async () => {
    const { card } = await withCard()
    block(card)
    const stranger = await atReader(card)
    const reset = (given: string) =>
      stranger.call(calls.anonymousResetByPassphrase, { card_id: inReader, pin: '864209', passphrase: given })
    for (const wrong of ['1', '2', '3', '4', '5']) expect(await refusal(reset(wrong))).toMatchObject({ code: 'wrongPassphrase' })
    expect(await refusal(reset(passphrase))).toMatchObject({ status: 429 })
    at.house.clock.advance(25 * 3_600_000)
    await stranger.leave()
    const later = await atReader(card)
    await later.call(calls.anonymousResetByPassphrase, { card_id: inReader, pin: '864209', passphrase })
    expect(card.state.pin).toEqual({ value: '864209', most: 3, left: 3 })
    await later.leave()
  })
})

describe('a client that only names the serial number of a card', () => {
  test('learns nothing of its holder, is told no secret, costs no try, and leaves no change on record', async () => {
    const { person, card, serial, secret_answers } = await withCard()
    const impostor = newCard({ serial: Number(serial) })
    const before = structuredClone(impostor.state)
    const stranger = await atReader(impostor)
    const notHere = { status: 409, code: 'notHere' }
    expect(await refusal(stranger.call(calls.anonymousQuestions, { card_id: inReader }))).toMatchObject(notHere)
    const byAnswers = { card_id: inReader, new_pin: '975318', secret_answers }
    expect(await refusal(stranger.call(calls.anonymousResetByAnswers, byAnswers))).toMatchObject(notHere)
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      const byPassphrase = { card_id: inReader, pin: '975318', passphrase: 'wrong' }
      expect(await refusal(stranger.call(calls.anonymousResetByPassphrase, byPassphrase))).toMatchObject(notHere)
    }
    expect(impostor.state).toEqual(before)
    await person.call(calls.checkPassphrase, { card_id: { serial }, passphrase })
    const change = { card_id: inReader, old_pin: '123456', new_pin: '357924' }
    expect(await refusal(stranger.call(calls.anonymousChangePin, change))).toMatchObject(notHere)
    const log = await at.pki.tenancy.administrator.call(audit.calls.search, { text: serial })
    expect(JSON.stringify(log.rows)).not.toContain('Changed the PIN of a smartcard')
    expect(card.state.pin.value).toBe('246813')
    await stranger.leave()
  })

  test('is told the same of a card that is not in use here', async () => {
    const stranger = await atReader(newCard())
    expect(await refusal(stranger.call(calls.anonymousQuestions, { card_id: inReader }))).toMatchObject({ status: 409, code: 'notHere' })
    await stranger.leave()
  })
})

test('a card without a key that signs without the PIN changes its PIN here, and is unblocked at the desk', async () => {
  const { card } = await withCard(bareTemplate)
  const stranger = await atReader(card)
  expect(await refusal(stranger.call(calls.anonymousQuestions, { card_id: inReader }))).toMatchObject({ code: 'notHere' })
  await stranger.call(calls.anonymousChangePin, { card_id: inReader, old_pin: '246813', new_pin: '357924' })
  expect(card.state.pin.value).toBe('357924')
  await stranger.leave()
})

test.each(['is suspended', 'has a holder who is switched off'])('a card that %s is left alone', async (why) => {
  const { person, card, serial } = await withCard()
  const stranger = await atReader(card)
  const { administrator } = at.pki.tenancy
  await (why === 'is suspended'
    ? at.desk.call(calls.suspend, { card_id: { serial }, reason: 'Away' })
    : administrator.call(users.calls.setEnabled, { id: person.id, enabled: false }))
  const change = { card_id: inReader, old_pin: '246813', new_pin: '357924' }
  expect(await refusal(stranger.call(calls.anonymousChangePin, change))).toMatchObject({ code: 'notHere' })
  expect(await refusal(stranger.call(calls.anonymousQuestions, { card_id: inReader }))).toMatchObject({ code: 'notHere' })
  expect(card.state.pin).toEqual({ value: '246813', most: 3, left: 3 })
  await stranger.leave()
})

describe('the session', () => {
  test('is asked for by every call', async () => {
    const nobody = newBrowser()
    const none = { status: 403, code: 'noSession' }
    expect(await refusal(nobody.call(calls.anonymousReaders, {}))).toMatchObject(none)
    expect(await refusal(nobody.call(calls.anonymousTicket, {}))).toMatchObject(none)
    expect(await refusal(nobody.call(calls.anonymousQuestions, { card_id: {} }))).toMatchObject(none)
  })

  test('has a client of its own, by a ticket that is good once; another session does not reach it', async () => {
    const { card } = await withCard()
    const stranger = await atReader(card)
    expect(stranger.welcome.secret).toBe('')
    const second = await startClient(at.desk, { ticket: stranger.ticket })
    expect(await second.ended).toContain('The ticket is over')
    const other = newBrowser()
    await other.call(portal.calls.openSession, { code })
    expect(await refusal(other.call(calls.anonymousReaders, {}))).toMatchObject({ code: 'noClient' })
    expect((await at.desk.call(calls.clients, { text: 'kiosk' })).rows).toEqual([])
    await stranger.leave()
    expect(await refusal(stranger.call(calls.anonymousReaders, {}))).toMatchObject({ code: 'noClient' })
  })

  test('ends with the address of the page, and by itself', async () => {
    const stranger = await atReader(newCard())
    at.house.clock.advance(31 * 60_000)
    expect(await refusal(stranger.call(calls.anonymousReaders, {}))).toMatchObject({ code: 'noSession' })
    await stranger.leave()
    const next = await atReader(newCard())
    await at.pki.tenancy.administrator.call(portal.calls.close, {})
    expect(await refusal(next.call(calls.anonymousReaders, {}))).toMatchObject({ code: 'noSession' })
    await next.leave()
  })
})
