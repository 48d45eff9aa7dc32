import { expect, test } from 'vitest'
import { noonOfYesterday, useHouse } from '#core/testing/house.ts'
import { news } from '../contract.ts'

const house = await useHouse({ now: noonOfYesterday() })
const acme = await house.tenancy('Acme')
const other = await house.tenancy('Other')
const { read, seen, settings, change } = news.calls
const { administrator: ada } = acme
const eve = await acme.person({ permissions: [] })

test('On a fresh installation it is version "5" with the welcome, shown to each person until they have seen it', async () => {
  const shown = await eve.call(read, {})
  expect(shown).toMatchObject({ version: '5', markdownString: expect.stringContaining('# Welcome'), show: true })
  for (const word of ['Performance improvements', 'Dependency audit', 'Release notes']) expect(shown.markdownString).toContain(word)
  expect(JSON.parse(shown.jsonString)).toEqual({ version: '5', markdownString: shown.markdownString })
  await eve.call(seen, { version: '5' })
  await eve.call(seen, { version: '5' })
  expect([(await eve.call(read, {})).show, (await ada.call(read, {})).show]).toEqual([false, true])
})

test('With a higher version everybody is shown it once more, with the same one nobody who has seen it, and a lower one is refused', async () => {
  const draft = { version: '6', markdownString: 'The [portal](javascript:alert(1)) moves on Sunday.' }
  await ada.call(change, draft)
  expect(await eve.call(read, {})).toMatchObject({ ...draft, show: true })
  await eve.call(seen, { version: '999999' })
  await ada.call(change, { ...draft, markdownString: 'It moves on Monday.' })
  expect(await eve.call(read, {})).toMatchObject({ markdownString: 'It moves on Monday.', show: false })
  await expect(ada.call(change, { ...draft, version: '5' })).rejects.toMatchObject({
    status: 409,
    code: 'lower',
    fields: [{ field: 'version' }],
  })
  await ada.call(change, { ...draft, version: '7' })
  expect((await eve.call(read, {})).show).toBe(true)
  expect(await ada.call(settings, {})).toMatchObject({ version: '7', changedBy: ada.username })
})

test('It is shown on its days alone', async () => {
  const today = house.clock.now().toISOString().slice(0, 10)
  const draft = { version: '8', markdownString: 'Soon' }
  await ada.call(change, { ...draft, from: '2999-01-01' })
  expect((await eve.call(read, {})).show).toBe(false)
  await ada.call(change, { ...draft, from: today, until: today })
  expect((await eve.call(read, {})).show).toBe(true)
  await expect(ada.call(change, { ...draft, from: today, until: '2001-01-01' })).rejects.toMatchObject({
    code: 'days',
    fields: [{ field: 'until' }],
  })
})

test('It is the tenancy’s own, and written by who configures it', async () => {
  expect(await other.administrator.call(read, {})).toMatchObject({ version: '5' })
  await expect(eve.call(change, { version: '9', markdownString: 'Mine' })).rejects.toMatchObject({ status: 403 })
  for (const wrong of [{ version: '0' }, { version: 'x' }, { version: '9', markdownString: ' ' }, { version: '9', from: 'tomorrow' }])
    await expect(ada.call(change, { markdownString: 'Text', ...wrong } as never)).rejects.toMatchObject({ status: 400, code: 'invalid' })
})
