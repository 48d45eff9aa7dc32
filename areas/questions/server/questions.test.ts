import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { mail } from '#areas/mail/contract.ts'
import { users } from '#areas/users/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { questions } from '../contract.ts'
import { findQuestions, judgeAnswers } from '../service.ts'

const house = await useHouse()
let acme: TestTenancy
beforeAll(async () => {
  acme = await house.tenancy('Acme')
})

const { read, set, requestReset, validateLink, reset } = questions.calls
const salt = randomBytes(32).toString('base64')
/** As the specification says it, recomputed without our code. */
const hash = (answer: string, by = salt) =>
  pbkdf2Sync(answer.toLowerCase(), Buffer.from(by, 'base64'), 100, 16, 'sha256').toString('base64')
const three = (answers = ['Elm Row', 'Brighton', 'Is Fern there?'], by = salt) => [
  { question: 'firstStreet', answer_hash: hash(answers[0] ?? '', by) },
  { question: 'firstHoliday', answer_hash: hash(answers[1] ?? '', by) },
  { customQuestion: 'What did I always ask?', answer_hash: hash(answers[2] ?? '', by) },
]
const first = { client_salt: salt, questions: three() }
const person = () => acme.person({ permissions: ['selfServicePortal'] })
const judge = ({ id: userId }: TestPerson, answers = three()) =>
  judgeAnswers(house.house, { tenantId: acme.id, userId }, { client_salt: salt, answers })

/** The newest link that was mailed to somebody. */
async function linkOf({ username }: TestPerson): Promise<string> {
  const { rows } = await acme.administrator.call(mail.calls.outbox, { text: `${username}@example.org` })
  const found = rows.find(({ subject }) => subject === 'Reset your secret questions')
  const { text } = await acme.administrator.call(mail.calls.read, { id: found?.id ?? '' })
  return /resetquestions\/([\w-]+)/.exec(text)?.[1] ?? ''
}

describe('Secret questions', () => {
  test('are none with version -1 at first, then stand with salt and version but without answers', async () => {
    const page = await (await person()).session()
    expect(await page.call(read, {})).toEqual({ clientSalt: '', questions: [], version: -1 })
    await page.call(set, first)
    expect(await page.call(read, {})).toEqual({
      clientSalt: salt,
      questions: [{ question: 'firstStreet' }, { question: 'firstHoliday' }, { customQuestion: 'What did I always ask?' }],
      version: 2,
    })
  })

  test('are set the first time once, though five ask at once', async () => {
    const page = await (await person()).session()
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => page.call(set, first)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(page.call(set, first)).rejects.toMatchObject({ status: 409, code: 'setAlready' })
  })

  test('are not set by a token, or in a session that was proved long ago', async () => {
    const ada = await person()
    await expect(ada.call(set, first)).rejects.toMatchObject({ status: 403 })
    const page = await ada.session()
    house.clock.advance(301_000)
    await expect(page.call(set, first)).rejects.toMatchObject({ code: 'proof_needed' })
  })

  test('are refused with field and fault where they are too few, twice the same, unknown, or share an answer', async () => {
    const page = await (await person()).session()
    const [street, holiday, own] = three()
    const refused = async (list: unknown[], field: string, says: string) =>
      expect(page.call(set, { client_salt: salt, questions: list as typeof first.questions })).rejects.toMatchObject({
        status: 400,
        fields: expect.arrayContaining([{ field, says }]),
      })
    await refused([street, holiday], 'questions', 'Choose at least 3 questions')
    await refused([street, street, own], 'questions.1.question', 'Choose each question once')
    await refused([street, holiday, { ...own, question: 'firstPet' }], 'questions.2.question', 'Choose a question')
    await refused([street, { ...holiday, question: '__proto__' }, own], 'questions.1.question', 'There is no such question')
    await refused(
      [street, { ...holiday, answer_hash: street?.answer_hash }, own],
      'questions.1.answer_hash',
      'Give each question an answer of its own',
    )
    await refused(
      [street, holiday, { ...own, answer_hash: 'short' }],
      'questions.2.answer_hash',
      'Enter an answer of at least 3 characters',
    )
    await expect(page.call(set, { client_salt: 'AAAA', questions: three() })).rejects.toMatchObject({ fields: [{ field: 'client_salt' }] })
  })
})

describe('Answers', () => {
  test('are right in capitals or not, all together, and in their order', async () => {
    const ada = await person()
    await (await ada.session()).call(set, first)
    expect(await judge(ada, three(['ELM ROW', 'brighton', 'is fern there?']))).toBe('right')
    expect(await judge(ada, three(['Elm Row', 'Brighton', 'wrong']))).toBe('wrong')
    expect(await judge(ada, three().slice(0, 2))).toBe('wrong')
    expect(await judge(ada, three().toReversed())).toBe('wrong')
    expect(await judge(await person())).toBe('wrong')
  })

  test('are taken five times, then not for a day, though twenty are tried at once', async () => {
    const ada = await person()
    await (await ada.session()).call(set, first)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => judge(ada, three(['a guess', 'b guess', 'c guess']))))
    expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(5)
    expect(await judge(ada)).toBe('paused')
    house.clock.advance(86_400_000)
    expect(await judge(ada)).toBe('right')
  })

  test('of version 1 are sent in both forms and become version 2', async () => {
    const ada = await person()
    // What an older program stored: hashed as typed.
    const typed = (text: string) => pbkdf2Sync(text, Buffer.from(salt, 'base64'), 100, 16, 'sha256').toString('base64')
    const words = ['Elm Row', 'Brighton', 'Is Fern there?']
    const asTyped = three().map((one, index) => ({ ...one, answer_hash: typed(words[index] ?? '') }))
    await (await ada.session()).call(set, { client_salt: salt, questions: asTyped })
    await house.asOwner(`update secret_questions set version = 1 where user_id = '${ada.id}'`)
    const both = asTyped.map((one, index) => ({ ...one, answer_hash_updated: hash(words[index] ?? '') }))
    expect(await judge(ada, both)).toBe('right')
    expect(await inTenant(house.house.database, acme.id, (db) => findQuestions(db, acme.id, ada.id))).toMatchObject({ version: 2 })
    expect(await judge(ada, three(['elm row', 'BRIGHTON', 'is fern there?']))).toBe('right')
  })

  test('stand nowhere in the database as they were sent', async () => {
    const ada = await person()
    await (await ada.session()).call(set, first)
    const rows = await inTenant(house.house.database, acme.id, (db) =>
      db
        .withTables<{ secret_questions: { user_id: string; answers_hash: string } }>()
        .selectFrom('secret_questions')
        .selectAll()
        .where('user_id', '=', ada.id)
        .execute(),
    )
    expect(JSON.stringify(rows)).not.toContain(first.questions[0]?.answer_hash)
    expect(rows[0]?.answers_hash).toMatch(/^\$argon2id\$/)
  })
})

describe('A reset link', () => {
  const others = () => ({ client_salt: salt, questions: three(['Oak Lane', 'Whitby', 'Is it far?']) })

  test('is mailed, validated, and changes the questions once; the owner is told and each step is on record', async () => {
    const ada = await person()
    const page = await ada.session()
    await page.call(set, first)
    expect(await page.call(requestReset, { user_id: ada.id })).toEqual({})
    const link_string = await linkOf(ada)
    await page.call(validateLink, { link_string })
    await page.call(reset, { link_string, ...others() })
    expect(await judge(ada)).toBe('wrong')
    expect(await judge(ada, others().questions)).toBe('right')
    await expect(page.call(validateLink, { link_string })).rejects.toMatchObject({ status: 404, code: 'linkUsed' })
    await expect(page.call(reset, { link_string, ...others() })).rejects.toMatchObject({ status: 404, code: 'linkUsed' })
    const events = (await audited(house, acme.id)).filter(({ about }) => about === ada.id).map(({ area, name }) => `${area}.${name}`)
    expect(events).toEqual(expect.arrayContaining(['questions.set', 'questions.linkSent', 'questions.reset']))
    const { rows } = await acme.administrator.call(mail.calls.outbox, { text: `${ada.username}@example.org` })
    expect(rows.map(({ subject }) => subject)).toContain('Your secret questions were changed')
  })

  test('is worth nothing to somebody else, after 30 minutes, or once a newer one was sent', async () => {
    const [ada, eve] = [await person(), await person()]
    const page = await ada.session()
    await page.call(requestReset, { user_id: ada.id })
    const link_string = await linkOf(ada)
    const hers = await eve.session()
    await expect(hers.call(validateLink, { link_string })).rejects.toMatchObject({ code: 'linkUsed' })
    await expect(hers.call(reset, { link_string, ...others() })).rejects.toMatchObject({ code: 'linkUsed' })
    await expect(page.call(requestReset, { user_id: ada.id })).rejects.toMatchObject({ status: 429, code: 'tooSoon' })
    house.clock.advance(121_000)
    await page.call(requestReset, { user_id: ada.id })
    await expect(page.call(validateLink, { link_string })).rejects.toMatchObject({ code: 'linkUsed' })
    const newer = await linkOf(ada)
    house.clock.advance(30 * 60_000)
    await expect((await ada.session()).call(reset, { link_string: newer, ...others() })).rejects.toMatchObject({ code: 'linkUsed' })
  })

  test('is sent to another by who may edit users, in the own tenancy alone', async () => {
    const [ada, eve] = [await person(), await person()]
    await expect((await eve.session()).call(requestReset, { user_id: ada.id })).rejects.toMatchObject({ status: 403, code: 'denied' })
    const globex = await house.tenancy('Globex')
    await expect((await globex.administrator.session()).call(requestReset, { user_id: ada.id })).rejects.toMatchObject({ status: 404 })
    await (await acme.administrator.session()).call(requestReset, { user_id: ada.id })
    await (await ada.session()).call(validateLink, { link_string: await linkOf(ada) })
  })
})

test('Questions go with the account', async () => {
  const ada = await person()
  await (await ada.session()).call(set, first)
  await acme.administrator.call(users.calls.setEnabled, { id: ada.id, enabled: false })
  await acme.administrator.call(users.calls.remove, { id: ada.id })
  expect(await inTenant(house.house.database, acme.id, (db) => findQuestions(db, acme.id, ada.id))).toMatchObject({ version: -1 })
})
