import { expect, test } from 'vitest'
import { beforeUpgrade } from '#core/testing/upgrade.ts'

const id = (end: string) => `018f0000-0000-7000-8000-${end.padStart(12, '0')}`
const [acme, template] = [id('a'), id('c')]

test('A card that waits while the server is upgraded keeps its request and photo, whoever owns the database', async () => {
  const database = await beforeUpgrade(['printing/0003-requests.sql', 'printing/0004-earlier-cards.sql'])
  const request = (n: string, person: string, state: string, made: string, ended = 'null') =>
    database.ask(`insert into card_requests (tenant_id, id, user_id, card_template_id, state, deliver_to, by_name, made_at, ended_at)
      values ('${acme}', '${id(n)}', '${id(person)}', '${template}', '${state}', '', 'ada', ${made}, ${ended})`)
  const photo = (n: string) =>
    database.ask(
      `insert into card_request_photos (tenant_id, request_id, type, bytes) values ('${acme}', '${id(n)}', 'image/jpeg', '\\x00')`,
    )
  const card = (n: string, person: string, state = 'waiting') =>
    database.ask(`insert into printed_cards (tenant_id, id, n, user_id, card_template_id, card_serial, state, printer, attempt, says, changed_at)
      values ('${acme}', '${id(n)}', ${Number(n)}, '${id(person)}', '${template}', '', '${state}', '', 0, '', now() - interval '1 hour')`)
  const [before, between] = [`now() - interval '2 hours'`, `now() - interval '30 minutes'`]
  // 1: open, with a photo. 2: withdrawn since. 3: by name, with the photo of a request that was fulfilled before. 4: by name, asked for only since.
  await request('101', '201', 'open', before)
  await photo('101')
  await request('102', '202', 'withdrawn', before, between)
  await request('103', '203', 'fulfilled', `now() - interval '9 days'`, `now() - interval '8 days'`)
  await photo('103')
  await request('104', '204', 'open', between)
  await photo('104')
  for (const [n, person] of [['1', '201'], ['2', '202'], ['3', '203'], ['4', '204']] as const) await card(n, person) // prettier-ignore
  await card('5', '201', 'printed')
  expect(await database.upgrade()).toEqual(['printing/0003-requests.sql', 'printing/0004-earlier-cards.sql'])
  expect(await database.ask('select n, request_id, photo_request_id from printed_cards order by n')).toEqual([
    { n: 1, request_id: id('101'), photo_request_id: id('101') },
    { n: 2, request_id: id('102'), photo_request_id: null },
    { n: 3, request_id: null, photo_request_id: id('103') },
    { n: 4, request_id: null, photo_request_id: null },
    { n: 5, request_id: null, photo_request_id: null },
  ])
  expect(
    await database.ask(
      `select relname from pg_class where relname in ('printed_cards', 'card_requests', 'card_request_photos') and not relforcerowsecurity`,
    ),
  ).toEqual([])
})
