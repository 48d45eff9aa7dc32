// PINs, PUKs, passphrases and management keys are in no row, no event and no answer: they are looked for as they are, in hex and in base64.

import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTenant } from '#core/server/database.ts'
import { refusal } from '#core/testing/house.ts'
import { smartcards } from '../contract.ts'
import { inReader, newCard, openDesk, type DeskFixture } from './desk.fixture.ts'

let at: DeskFixture
beforeAll(async () => {
  at = await openDesk()
})
afterAll(() => at.close())

const { calls } = smartcards

/** All that the tenancy has in the database, as text. */
async function wholeDatabase(): Promise<string> {
  const { id } = at.pki.tenancy
  return inTenant(at.house.house.database, id, async (db) => {
    const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id'`.execute(db)
    const texts: string[] = []
    for (const { name } of tables) {
      const { rows } = await sql<{ text: string }>`select row::text as text from ${sql.table(name)} as row`.execute(db)
      texts.push(...rows.map(({ text }) => text))
    }
    return texts.join('\n')
  })
}

const formsOf = (secret: Buffer): string[] => [
  secret.toString('latin1'),
  secret.toString('hex'),
  secret.toString('base64').replace(/=+$/, ''),
]

test('what opens a card stands nowhere in the clear', async () => {
  const answers: unknown[] = []
  const card = newCard()
  const secrets: Buffer[] = []
  const note = () => secrets.push(Buffer.from(card.state.puk.value), Buffer.from(card.state.management.key, 'hex'))
  const pins = ['74021936', '83105729', '92640851']
  const [first = '', second = '', third = ''] = pins
  answers.push(await at.register(card), await at.issue({ new_pin: first }))
  note()
  answers.push(await at.desk.call(calls.changePin, { card_id: inReader, old_pin: first, new_pin: second }))
  answers.push(String(await refusal(at.desk.call(calls.changePin, { card_id: inReader, old_pin: '51937402', new_pin: second }))))
  answers.push(await at.desk.call(calls.unblock, { card_id: inReader, new_pin: third }))
  note()
  const [{ id = '' } = {}] = (await at.desk.call(calls.search, {})).rows
  answers.push(await at.desk.call(calls.view, { id }), await at.desk.call(calls.readers, {}))
  const text = `${JSON.stringify(answers)}\n${await wholeDatabase()}`
  expect(text).toContain(String(card.state.serial))
  const sought = [...secrets, ...[...pins, '51937402'].map((pin) => Buffer.from(pin))]
  expect(new Set(sought.map((secret) => secret.toString('hex'))).size).toBe(7)
  expect(sought.flatMap(formsOf).filter((form) => text.includes(form))).toEqual([])
})
