// PINs, PUKs, passphrases and management keys are in no row, no event, no mail, no line of the log and no answer: they are looked for as they are, in hex and in
// base64.

import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { inTenant } from '#core/server/database.ts'
import { refusal } from '#core/testing/house.ts'
import { smartcards } from '../contract.ts'
import { connectClient, inReader, newCard, openDesk, type DeskFixture } from './desk.fixture.ts'

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

/** What the log is told from now on, also what its level leaves out. */
function logged(): () => string {
  const told: string[] = []
  const plain = (_key: string, value: unknown) => (value instanceof Error ? `${value.message} ${value.stack ?? ''}` : value)
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const)
    vi.spyOn(at.house.house.log, level).mockImplementation((...line: unknown[]) => void told.push(JSON.stringify(line, plain)))
  return () => told.join('\n')
}

const formsOf = (secret: Buffer): string[] => [
  secret.toString('latin1'),
  secret.toString('hex'),
  secret.toString('base64').replace(/=+$/, ''),
]

test('what opens a card stands nowhere in the clear, in all its life', async () => {
  const log = logged()
  const answers: unknown[] = []
  const card = newCard()
  const secrets: Buffer[] = []
  const note = () => secrets.push(Buffer.from(card.state.puk.value), Buffer.from(card.state.management.key, 'hex'))
  const pins = ['74021936', '83105729', '92640851']
  const passphrase = 'seven herons over the weir'
  const [first = '', second = '', third = ''] = pins
  answers.push(await at.register(card), await at.issue({ new_pin: first }))
  note()
  answers.push(await at.desk.call(calls.changePin, { card_id: inReader, old_pin: first, new_pin: second }))
  answers.push(String(await refusal(at.desk.call(calls.changePin, { card_id: inReader, old_pin: '51937402', new_pin: second }))))
  answers.push(await at.desk.call(calls.unblock, { card_id: inReader, new_pin: third }))
  note()
  const move = { card_id: { serial: String(card.state.serial) } }
  answers.push(await at.desk.call(calls.suspend, { ...move, reason: 'Left at home' }), await at.desk.call(calls.resume, move))
  // The holder has it at home, where they set a passphrase and unblock it by that.
  at.client.insert(undefined)
  const owner = await at.holder.session()
  const home = await connectClient(at.holder, 'home')
  home.insert(card)
  answers.push(await owner.call(calls.changePassphrase, { ...move, new_passphrase: passphrase }))
  answers.push(await owner.call(calls.resetPinByPassphrase, { card_id: inReader, pin: first, passphrase }))
  note()
  home.link.close()
  await home.ended
  at.client.insert(card)
  const reissue = () => at.desk.call(calls.reissue, { card_id: inReader, card_pin: first, replaceNow: true })
  answers.push(String(await refusal(reissue())))
  await at.approveAll()
  answers.push(await reissue())
  note()
  const [{ id = '' } = {}] = (await at.desk.call(calls.search, {})).rows
  answers.push(await at.desk.call(calls.view, { id }), await at.desk.call(calls.readers, {}))
  answers.push(await at.desk.call(calls.unregister, { card_id: inReader }))
  const text = `${JSON.stringify(answers)}\n${log()}\n${await wholeDatabase()}`
  expect(text).toContain(String(card.state.serial))
  const sought = [...secrets, ...[...pins, '51937402', passphrase].map((pin) => Buffer.from(pin))]
  expect(new Set(sought.map((secret) => secret.toString('hex'))).size).toBeGreaterThanOrEqual(9)
  expect(sought.flatMap(formsOf).filter((form) => text.includes(form))).toEqual([])
})
