// Who may read the counts. The test is this machine; a proxy that the settings trust says that others ask.

import { get } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestHouse, type TestHouse } from '#core/testing/house.ts'
import { connect } from './database.ts'
import { faultOf } from './fault.ts'
import { watchReadiness } from './readiness.ts'

const token = 'a-token-for-the-watch'
let bare: TestHouse
let proxied: TestHouse

beforeAll(async () => {
  bare = await openTestHouse()
  proxied = await openTestHouse({ settings: { CHANCERY_TRUST_PROXY: '127.0.0.1,::1', CHANCERY_METRICS_TOKEN: token } })
})
afterAll(async () => {
  await bare.close()
  await proxied.close()
})

const metrics = async (house: TestHouse, headers: Record<string, string> = {}) => {
  const response = await house.fetch('/metrics', { headers })
  return { status: response.status, text: await response.text() }
}

test('the counts are there for this machine', async () => {
  await bare.fetch('/healthz')
  const { status, text } = await metrics(bare)
  expect(status).toBe(200)
  expect(text).toMatch(/^chancery_requests_total\{route="none",status="200"\} \d+$/m)
  expect(text).toMatch(/^chancery_events_undelivered 0$/m)
  expect((await metrics(proxied)).status).toBe(200)
})

test('another machine finds nothing there, as on any address that there is not, unless it has the token', async () => {
  const from = { 'x-forwarded-for': '203.0.113.7' }
  const refused = await metrics(proxied, from)
  expect([refused.status, JSON.parse(refused.text).code]).toEqual([404, 'missing'])
  expect((await metrics(proxied, { ...from, authorization: 'Bearer another-token-altogether' })).status).toBe(404)
  expect((await metrics(proxied, { ...from, authorization: `Bearer ${token}` })).status).toBe(200)
})

test('what comes through a proxy is not of this machine, whatever the proxy says and whoever named it', async () => {
  for (const header of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'x-forwarded-host', 'via', 'true-client-ip'])
    for (const house of [bare, proxied]) expect([header, (await metrics(house, { [header]: '127.0.0.1' })).status]).toEqual([header, 404])
  expect((await metrics(bare, { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.7' })).status).toBe(404)
})

test('what was asked for under another name than this machine gives itself is not of this machine', async () => {
  const statusFor = (host: string) =>
    new Promise<number | undefined>((resolve, reject) =>
      get({ host: 'localhost', port: bare.doors.port, path: '/metrics', headers: { host } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      }).on('error', reject),
    )
  for (const host of ['pki.example.org', '127.0.0.1.example.org', 'localhost.example.org:80'])
    expect([host, await statusFor(host)]).toEqual([host, 404])
  for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1:8080', '[::1]:8080'])
    expect([host, await statusFor(host)]).toEqual([host, 200])
})

test('it is not ready while the database is away, and says why as far as strangers may know', async () => {
  const away = connect({ host: '/nowhere', user: 'nobody', database: 'none' }, undefined)
  const ready = watchReadiness({ ...bare.house, database: away.database, databaseFault: () => 'The embedded database does not start' })
  expect(await ready()).toEqual({ status: 'waiting', waitingFor: 'database', says: 'The embedded database does not start' })
  const error: unknown = await away.pool.query('select 1').catch((reason: unknown) => reason)
  expect(faultOf(error)).toMatchObject({ code: 'database_away', status: 503, message: expect.stringContaining('The server keeps trying') })
  await away.close()
})

test('it is not ready while no event can be recorded, and says what it waits for', async () => {
  const ready = async () => (await bare.fetch('/readyz')).json()
  expect(await ready()).toEqual({ status: 'ready' })
  await bare.asOwner('revoke insert on events from chancery_app')
  await expect.poll(ready).toMatchObject({ status: 'waiting', waitingFor: 'audit' })
  await bare.asOwner('grant insert on events to chancery_app')
  await expect.poll(ready).toEqual({ status: 'ready' })
})

test('it is not ready while events wait for their numbers', async () => {
  const ready = async () => (await bare.fetch('/readyz')).json()
  await bare.asOwner(`revoke update (sequence) on events from chancery_auditor;
    insert into events values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), now() - interval '2 minutes', null, '', '', 'x', 'x', 'done', '', '{}', '', null)`)
  await expect.poll(ready).toMatchObject({ status: 'waiting', waitingFor: 'audit' })
  await bare.asOwner('grant update (sequence) on events to chancery_auditor')
  await expect.poll(ready).toEqual({ status: 'ready' })
})
