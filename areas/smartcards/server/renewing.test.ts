// Cards in a reader after they were issued: renewed, replaced for a while, unblocked by their holder, given back.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { questions } from '#areas/questions/contract.ts'
import { hashAnswer, makeClientSalt } from '#areas/questions/rules.ts'
import { tenancy } from '#areas/tenancy/contract.ts'
import { runNow } from '#core/server/jobs.ts'
import { refusal } from '#core/testing/house.ts'
import { INS } from '#standards/piv/apdu.ts'
import type { CardMaking } from '#standards/piv/card/state.ts'
import { factory } from '#standards/piv/identifiers.ts'
import { smartcards } from '../contract.ts'
import { connectClient, inReader, newCard, openDesk, type DeskFixture } from './desk.fixture.ts'

let at: DeskFixture
beforeAll(async () => {
  at = await openDesk()
})
afterAll(() => at.close())

const { calls } = smartcards
const statusOf = async (certificateId: string | undefined) =>
  (await at.desk.call(certificates.calls.info, { certId: certificateId ?? '' })).certificate.status

async function issued(card = newCard()) {
  const { cardId, serial } = await at.register(card)
  const { certificateIds } = await at.issue()
  return { card, cardId, serial, certificateId: certificateIds[0] }
}

const approving = async <T>(work: () => Promise<T>): Promise<T> => {
  const refused = await refusal(work())
  expect(refused).toMatchObject({ code: 'waitsForApproval' })
  await at.approveAll()
  return work()
}

describe('renewed', () => {
  test('by its PIN it gets new keys, and the certificates of before are revoked afterwards', async () => {
    const { card, cardId, certificateId } = await issued()
    const before = card.state.keys['9A']?.pkcs8
    const { expires } = await at.desk.call(calls.view, { id: cardId })
    const reissue = (card_pin: string) => at.desk.call(calls.reissue, { card_id: inReader, card_pin, replaceNow: true })
    expect(await refusal(reissue('111222'))).toMatchObject({ status: 403, code: 'wrongPin' })
    const made = await approving(() => reissue('246813'))
    expect(card.state.keys['9A']?.pkcs8).not.toBe(before)
    expect(card.state.pin).toEqual({ value: '246813', most: 3, left: 3 })
    const view = await at.desk.call(calls.view, { id: cardId })
    expect(view).toMatchObject({ status: 'ISSUED', expires, slots: [{ certificateId: made.certificateIds[0], status: 'active' }] })
    expect(view.operations.map(({ kind, state }) => `${kind} ${state}`)).toEqual(['reissue done', 'issue done'])
    await runNow(at.house.house, smartcards.jobs.orphans)
    expect(await statusOf(certificateId)).toBe('revoked')
    expect(await statusOf(made.certificateIds[0])).toBe('active')
  })

  test('with two keys it asks for both approvals at once, and says before and meanwhile which keys are gone', async () => {
    const cardTemplateId = await at.addTemplate(
      (['9A', '9C'] as const).map((slot) => ({ slot, algorithm: 'P-256', templateId: at.templateId })),
    )
    const { cardId, serial } = await at.register(newCard())
    expect(await refusal(at.tryIssue({ cardTemplateId }))).toMatchObject({
      code: 'waitsForApproval',
      message: expect.stringContaining('9A, 9C'),
    })
    await at.approveAll()
    await at.tryIssue({ cardTemplateId })
    const outlook = () => at.desk.call(calls.beforeReissue, { serial })
    const awaited = async () => (await at.desk.call(calls.view, { id: cardId })).awaited.map(({ slot }) => slot)
    expect([(await outlook()).waiting, await awaited()]).toEqual([['9A', '9C'], []])
    const reissue = () => at.desk.call(calls.reissue, { card_id: inReader, card_pin: '246813', replaceNow: true })
    expect(await refusal(reissue())).toMatchObject({
      code: 'waitsForApproval',
      message: expect.stringContaining('Renew the certificates again when it is granted'),
    })
    expect([(await outlook()).waiting, await awaited()]).toEqual([[], ['9A', '9C']])
    await at.approveAll()
    expect((await reissue()).certificateIds).toHaveLength(2)
    expect(await awaited()).toEqual([])
    const stranger = await at.pki.tenancy.person({ permissions: [] })
    expect(await refusal(stranger.call(calls.beforeReissue, { serial }))).toMatchObject({ code: 'notYours' })
    await runNow(at.house.house, smartcards.jobs.orphans)
  })

  test('those of before can be revoked first', async () => {
    const { certificateId } = await issued()
    const reissue = () => at.desk.call(calls.reissue, { card_id: inReader, card_pin: '246813', forceRevoke: true, replaceNow: true })
    expect(await refusal(reissue())).toMatchObject({ code: 'waitsForApproval' })
    expect(await statusOf(certificateId)).toBe('revoked')
    await at.approveAll()
    await reissue()
  })

  test('only by its holder or the card desk, and not where it is suspended', async () => {
    const { serial } = await issued()
    const stranger = await at.pki.tenancy.person({ permissions: [] })
    const client = await connectClient(stranger, 'elsewhere')
    const copy = newCard({ serial: Number(serial) })
    client.insert(copy)
    expect(await refusal(stranger.call(calls.reissue, { card_id: inReader, card_pin: '123456' }))).toMatchObject({ code: 'notYours' })
    expect(copy.state.pin.left).toBe(3)
    client.link.close()
    await client.ended
    await at.desk.call(calls.suspend, { card_id: { serial }, reason: 'Away' })
    expect(await refusal(at.desk.call(calls.reissue, { card_id: inReader, card_pin: '246813', replaceNow: true }))).toMatchObject({
      code: 'wrongStatus',
    })
  })
})

describe('a temporary card', () => {
  test('stands for another one, which is on hold meanwhile; never are both good', async () => {
    const { serial: old, cardId: oldId, certificateId } = await issued()
    const { cardId, serial } = await at.register(newCard())
    const issue = () =>
      at.desk.call(calls.issueTemporary, {
        card_request: { card_id: inReader, cardTemplateId: at.cardTemplateId, new_pin: '246813', validity_duration: 3 },
        old_card_id: oldId,
      })
    const made = await approving(issue)
    expect(await statusOf(certificateId)).toBe('onHold')
    expect(await at.desk.call(calls.view, { id: cardId })).toMatchObject({ status: 'ISSUED', temporary: true })
    expect(await at.desk.call(calls.replacedBy, { smartcard_id: oldId })).toMatchObject({ smartcard: { serial } })
    expect(await at.desk.call(calls.replaces, { smartcard_id: cardId })).toMatchObject({ smartcard: { serial: old } })
    await at.register(newCard())
    expect(await refusal(issue())).toMatchObject({ code: 'replacedAlready' })
    await at.desk.call(calls.resume, { card_id: { serial: old } })
    expect([await statusOf(certificateId), await statusOf(made.certificateIds[0])]).toEqual(['active', 'revoked'])
    expect((await at.desk.call(calls.view, { id: cardId })).status).toBe('REVOKED')
  })

  /** A card that keeps the next thing that is written to it until it is let go. */
  function held() {
    const card = newCard()
    const [came, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isHeld = false
    const transmit: typeof card.transmit = async (command) => {
      if (isHeld && command[1] === INS.putData) {
        isHeld = false
        came.resolve()
        await free.promise
      }
      return card.transmit(command)
    }
    return { card: { ...card, transmit }, hold: () => void (isHeld = true), came: came.promise, free: free.resolve }
  }
  const issueFor = (old_card_id: string) =>
    at.desk.call(calls.issueTemporary, {
      card_request: { card_id: inReader, cardTemplateId: at.cardTemplateId, new_pin: '246813' },
      old_card_id,
    })

  test('while it is being issued, the other one is not resumed', async () => {
    const { serial: old, cardId: oldId, certificateId } = await issued()
    const { card, hold, came, free } = held()
    await at.register(card)
    await at.desk.call(calls.suspend, { card_id: { serial: old }, reason: 'Left at home' })
    expect(await refusal(issueFor(oldId))).toMatchObject({ code: 'waitsForApproval' })
    await at.approveAll()
    hold()
    const [made, refused] = await Promise.all([
      issueFor(oldId),
      came.then(() => refusal(at.desk.call(calls.resume, { card_id: { serial: old } }))).finally(free),
    ])
    expect(refused).toMatchObject({ status: 409, code: 'cardBusy' })
    expect([await statusOf(certificateId), await statusOf(made.certificateIds[0])]).toEqual(['onHold', 'active'])
    await at.desk.call(calls.resume, { card_id: { serial: old } })
    expect([await statusOf(certificateId), await statusOf(made.certificateIds[0])]).toEqual(['active', 'revoked'])
  })

  test('where its issue stopped, that is given up before the other one is resumed, and nothing of it becomes good', async () => {
    const { serial: old, cardId: oldId, certificateId } = await issued()
    const { cardId } = await at.register(newCard())
    expect(await refusal(issueFor(oldId))).toMatchObject({ code: 'waitsForApproval' })
    expect(await at.desk.call(calls.resume, { card_id: { serial: old } })).toEqual({ status: 'ISSUED' })
    expect(await statusOf(certificateId)).toBe('active')
    const { operations } = await at.desk.call(calls.view, { id: cardId })
    expect(operations.map(({ state }) => state)).toEqual(['abandoned'])
    const countActive = async () => (await at.desk.call(certificates.calls.search, { status: ['active'] })).total
    const before = await countActive()
    await at.approveAll()
    await runNow(at.house.house, smartcards.jobs.orphans)
    expect(await countActive()).toBe(before)
  })

  test('ends when its time is over, and the other stays suspended', async () => {
    const { serial: old, cardId: oldId } = await issued()
    const { cardId, serial } = await at.register(newCard())
    await at.desk.call(calls.assignTemporary, {
      card_request: { card_id: { serial }, card_template_id: at.cardTemplateId, validity_duration: 1 },
      old_card_id: { serial: old },
    })
    await approving(() => at.tryIssue())
    expect((await at.desk.call(calls.view, { id: oldId })).status).toBe('SUSPENDED')
    at.house.clock.advance(25 * 3_600_000)
    await runNow(at.house.house, smartcards.jobs.over)
    expect((await at.desk.call(calls.view, { id: cardId })).status).toBe('REVOKED')
    expect((await at.desk.call(calls.view, { id: oldId })).status).toBe('SUSPENDED')
  })
})

describe.each<[string, Partial<CardMaking>]>([
  ['a card that resets itself', {}],
  ['a plain card', { kind: 'plain', management: '3DES' }],
])('given back, %s', (_what, making) => {
  const isFactory = ({ state }: ReturnType<typeof newCard>) => [state.pin.value, state.puk.value, state.management.key]

  test('has the keys of the factory, and its certificates are revoked', async () => {
    const card = newCard(making)
    const fresh = isFactory(newCard(making))
    // A plain card tells nobody who it is until it has an identifier of its holder.
    if (making.kind === 'plain') card.state.objects['5FC102'] = plainChuid(card.state.serial)
    const { serial, certificateId, cardId } = await issued(card)
    expect(isFactory(card)).not.toEqual(fresh)
    expect(await refusal(at.desk.call(calls.clean, { card_id: inReader }))).toMatchObject({ code: 'wrongStatus' })
    const key = card.state.keys['9A']?.pkcs8
    expect(await at.desk.call(calls.unregister, { card_id: inReader })).toEqual({ status: 'UNREGISTERED' })
    expect(isFactory(card)).toEqual(fresh)
    expect(card.state.keys['9A']?.pkcs8).not.toBe(key)
    expect(await statusOf(certificateId)).toBe('revoked')
    expect(await at.desk.call(calls.view, { id: cardId })).toMatchObject({
      status: 'UNREGISTERED',
      ownKey: false,
      ownPuk: false,
      userName: '',
    })
    expect((await at.desk.call(calls.register, { card_id: inReader })).serial).toBe(serial)
    await at.issue()
    expect(isFactory(card)).not.toEqual(fresh)
  })
})

const plainChuid = (serial: number): string =>
  Buffer.concat([Buffer.from('3410', 'hex'), Buffer.alloc(12), Buffer.from([serial >> 24, serial >> 16, serial >> 8, serial])]).toString(
    'base64',
  )

test('a card that somebody else has taken over is cleaned and issued', async () => {
  const card = newCard()
  card.state.management.key = 'ab'.repeat(24)
  const { cardId } = await at.register(card)
  expect(await refusal(at.tryIssue())).toMatchObject({ code: 'notTaken' })
  expect(await at.desk.call(calls.clean, { card_id: inReader })).toEqual({ status: 'REGISTERED' })
  await at.issue()
  expect((await at.desk.call(calls.view, { id: cardId })).status).toBe('ISSUED')
})

test('of a card that is gone only the record ends', async () => {
  const { serial, certificateId } = await issued()
  at.client.insert(undefined)
  expect(await at.desk.call(calls.unregister, { card_id: { serial }, withoutCard: true })).toEqual({ status: 'UNREGISTERED' })
  expect(await statusOf(certificateId)).toBe('revoked')
})

test('a virtual card is registered and issued at once', async () => {
  at.client.insert(newCard())
  const issue = () => at.desk.call(calls.issueVirtual, { cardTemplateId: at.cardTemplateId, user_ids: [at.holder.id], new_pin: '246813' })
  expect((await approving(issue)).certificateIds).toHaveLength(1)
})

describe('a person with a card of their own', () => {
  async function withOwnCard() {
    const person = await at.pki.tenancy.person({ permissions: ['selfServicePortal'] })
    const client = await connectClient(person, 'home')
    const card = newCard()
    const { serial } = await at.register(card)
    await at.desk.call(calls.assign, { card_id: { serial }, user_id: person.id, card_template_id: at.cardTemplateId })
    at.client.insert(undefined)
    client.insert(card)
    const issue = () =>
      person.call(calls.issue, { card_id: inReader, cardTemplateId: at.cardTemplateId, user_ids: [person.id], new_pin: '246813' })
    return { person, client, card, serial, issue }
  }

  test('issues it without anybody else, after secret questions where the tenancy wants them', async () => {
    const settings = await at.pki.tenancy.administrator.call(tenancy.calls.read, {})
    const { person, client, card, serial, issue } = await withOwnCard()
    const { id: _, kind: __, ...rest } = settings
    const want = (cmsRequireSelfServiceSecretQuestionsSet: boolean) =>
      at.pki.tenancy.administrator.call(tenancy.calls.change, { ...rest, cmsRequireSelfServiceSecretQuestionsSet })
    await want(true)
    expect(await refusal(issue())).toMatchObject({ code: 'questionsFirst' })
    expect(await refusal(person.call(calls.secretQuestions, { card_serial: serial }))).toMatchObject({ status: 404 })
    const client_salt = makeClientSalt()
    const answers = await Promise.all(
      ['Green', 'Blue', 'Red'].map(async (word) => ({ customQuestion: `What of ${word}`, ...(await hashAnswer(word, client_salt, 2)) })),
    )
    await (await person.session()).call(questions.calls.set, { client_salt, questions: answers })
    await issue()
    await want(false)
    // Blocked, it opens by the answers: three wrong PINs, and then the PUK that was used is replaced.
    for (const pin of ['999111', '999111', '999111']) await refusal(person.call(calls.checkPin, { card_id: inReader, pin }))
    expect(card.state.pin.left).toBe(0)
    const puk = card.state.puk.value
    const reset = (secret: typeof answers) =>
      person.call(calls.resetPinByAnswers, { card_id: inReader, new_pin: '975318', secret_answers: { client_salt, answers: secret } })
    expect(await refusal(reset(answers.toReversed()))).toMatchObject({ status: 403, code: 'wrongAnswers' })
    expect(card.state.puk.value).toBe(puk)
    await reset(answers)
    expect(card.state.pin).toEqual({ value: '975318', most: 3, left: 3 })
    expect([card.state.puk.value !== puk, card.state.puk.value !== factory.puk, card.state.puk.left]).toEqual([true, true, 3])
    client.link.close()
    await client.ended
  })

  test('sets a passphrase and unblocks by it; five wrong ones close it for a day', async () => {
    const { person, client, card, serial, issue } = await withOwnCard()
    await issue()
    const card_id = { serial }
    const session = await person.session()
    const check = (passphrase: string) => refusal(person.call(calls.checkPassphrase, { card_id, passphrase }))
    expect(await check('anything')).toMatchObject({ code: 'noPassphrase' })
    const good = 'a quiet river under stones'
    expect(await refusal(session.call(calls.changePassphrase, { card_id, new_passphrase: 'password1234' }))).toMatchObject({ code: 'weak' })
    await session.call(calls.changePassphrase, { card_id, new_passphrase: good })
    expect(await refusal(at.desk.call(calls.checkPassphrase, { card_id, passphrase: good }))).toMatchObject({ code: 'notYours' })
    await person.call(calls.checkPassphrase, { card_id, passphrase: good })
    await person.call(calls.resetPinByPassphrase, { card_id: inReader, pin: '864209', passphrase: good })
    expect(card.state.pin.value).toBe('864209')
    for (const wrong of ['1', '2', '3', '4', '5']) expect(await check(wrong)).toMatchObject({ code: 'wrongPassphrase' })
    expect(await check(good)).toMatchObject({ status: 429 })
    at.house.clock.advance(25 * 3_600_000)
    await person.call(calls.checkPassphrase, { card_id, passphrase: good })
    client.link.close()
    await client.ended
  })

  test('a card that only names the serial number of another is told no PUK', async () => {
    const { person, client, serial, issue } = await withOwnCard()
    await issue()
    const impostor = newCard({ serial: Number(serial) })
    client.insert(impostor)
    const desk = await connectClient(at.desk, 'second')
    desk.insert(newCard({ serial: Number(serial) }))
    at.client.insert(undefined)
    expect(await refusal(at.desk.call(calls.unblock, { card_id: { serial }, new_pin: '135797' }))).toMatchObject({ code: 'notTaken' })
    expect(impostor.state.puk).toEqual({ value: factory.puk, most: 3, left: 3 })
    expect(person.id).not.toBe('')
    for (const one of [client, desk]) {
      one.link.close()
      await one.ended
    }
  })
})
