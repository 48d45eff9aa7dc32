// What may not happen to whoever asks for an authority, or for a certificate of one, while a slow key signs it.

import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { latchOf, type Latch } from '#areas/keys/server/latch.fixture.ts'
import { users } from '#areas/users/contract.ts'
import { audited } from '#core/testing/events.ts'
import { refusal, useHouse, type TestPerson } from '#core/testing/house.ts'
import { authorities } from '../contract.ts'

const { create, renew, succeed, crossCertify, life, list, view } = authorities.calls

let looker: pg.Client
let slow: string
let key: Latch

const house = await useHouse()
const acme = await house.tenancy('Acme')
const ada = await acme.person({ permissions: 'all' })
beforeAll(async () => {
  looker = new pg.Client(house.connection)
  await looker.connect()
  slow = (await ada.call(create, { kind: 'root', friendlyName: 'Slow Root', subject: { CN: 'Slow Root' }, keyAlgorithm: 'P-256' })).caId
  key = await latchOf(house, slow)
})
afterAll(async () => {
  await looker.end()
})

const states = async () =>
  (await looker.query<{ state: string }>('select state from serials where ca_id = $1 order by reserved_at', [slow])).rows.map(
    ({ state }) => state,
  )
const signing = async () => {
  await expect.poll(states, { interval: 5 }).toContain('reserved')
}
const disable = ({ id }: TestPerson) => acme.administrator.call(users.calls.setEnabled, { id, enabled: false })
const takeRoles = async ({ id }: TestPerson) =>
  acme.administrator.call(
    users.calls.change,
    users.calls.change.input.parse({ ...(await acme.administrator.call(users.calls.read, { id })), roleIds: [] }),
  )
const told = async (event: string) =>
  (await audited(house, acme.id)).filter(({ area, name }) => area === 'authorities' && name === event).length

test('an administrator who is disabled while a subordinate is signed gets none: the serial is void, and nothing signs it later', async () => {
  const mallory = await acme.person({ permissions: ['manageCAs'] })
  key.hold()
  const made = refusal(
    mallory.call(create, { kind: 'subordinate', issuerId: slow, friendlyName: 'Parting gift', subject: { CN: 'Parting gift' } }),
  )
  await signing()
  await disable(mallory)
  key.release()
  expect(await made).toMatchObject({ status: 409, code: 'conflict' })
  expect(await states()).toEqual(['signed', 'void'])
  house.clock.advance(61_000)
  await house.runJob(authorities.jobs.finish)
  expect((await ada.call(list, { text: 'Parting gift' })).rows).toEqual([])
  const [{ id: caId } = { id: '' }] = (
    await looker.query<{ id: string }>("select id from authorities where friendly_name = 'Parting gift' and given_up_at is not null")
  ).rows
  await expect(ada.call(view, { caId })).rejects.toMatchObject({ status: 404 })
  // Its name is free.
  await ada.call(create, { kind: 'root', friendlyName: 'Parting gift', subject: { CN: 'Another' } })
  expect([await told('voided'), await told('certified')]).toEqual([1, 2])
})

test('nor does one who loses the permission while a renewal or a cross-certificate is signed', async () => {
  const { caId: other } = await ada.call(create, { kind: 'root', friendlyName: 'Quick Root', subject: { CN: 'Quick Root' } })
  const { caId } = await ada.call(create, {
    kind: 'subordinate',
    issuerId: slow,
    friendlyName: 'Kept',
    subject: { CN: 'Kept' },
    validityPeriod: 1,
  })
  for (const ask of [
    (by: TestPerson) => by.call(renew, { caId, validityPeriod: 2 }),
    (by: TestPerson) => by.call(crossCertify, { caId: slow, otherCaId: other }),
  ]) {
    const mallory = await acme.person({ permissions: ['manageCAs'] })
    key.hold()
    const asked = refusal(ask(mallory))
    await signing()
    await takeRoles(mallory)
    key.release()
    expect(await asked).toMatchObject({ status: 409, code: 'conflict' })
  }
  expect((await ada.call(life, { caId })).certificates).toHaveLength(1)
  expect((await ada.call(life, { caId: slow })).given).toEqual([])
  expect(await told('furtherVoided')).toBe(2)
})

test('a successor that is given up so leaves no link, and room for another one', async () => {
  const { caId } = await ada.call(create, { kind: 'root', friendlyName: 'Followed Root', subject: { CN: 'Followed Root' } })
  const mallory = await acme.person({ permissions: ['manageCAs'] })
  const made = refusal(mallory.call(succeed, { caId, friendlyName: 'False heir', keyAlgorithm: 'SLH-DSA-SHAKE-256s' }))
  const open = async () =>
    (
      await looker.query<{ count: number }>("select count(*)::int as count from serials where tenant_id = $1 and state = 'reserved'", [
        acme.id,
      ])
    ).rows[0]?.count
  await expect.poll(open, { interval: 5 }).toBe(3)
  await disable(mallory)
  expect(await made).toMatchObject({ status: 409, code: 'conflict' })
  expect(await open()).toBe(0)
  expect((await ada.call(life, { caId })).successor).toBeUndefined()
  const heir = await ada.call(succeed, { caId, friendlyName: 'True heir' })
  expect((await ada.call(life, { caId })).successor).toMatchObject({ caId: heir.caId, status: 'ActiveCert' })
})

test('what a crash left unsigned is given to nobody who has lost the right to it since', async () => {
  const quick = async (friendlyName: string) => (await ada.call(create, { kind: 'root', friendlyName, subject: { CN: friendlyName } })).caId
  const issuerId = await quick('Left behind')
  const mallory = await acme.person({ permissions: ['manageCAs'] })
  const below = (friendlyName: string) =>
    mallory.call(create, { kind: 'subordinate', issuerId, friendlyName, subject: { CN: friendlyName }, validityPeriod: 1 })
  const [caId, renewed] = [(await below('Never signed')).caId, (await below('Renewed')).caId]
  const { certificateId } = await mallory.call(renew, { caId: renewed, validityPeriod: 2 })
  // As a crash leaves them: reserved, recorded, and not signed.
  const unsign = (id: string) =>
    house.asOwner(
      `update serials set state = 'reserved', tbs = '\\x3000', certificate_hash = null, signed_at = null from authority_certificates h
       where h.id = '${id}' and serials.ca_id = h.issuer_id and serials.serial = h.serial;
       update authority_certificates set certificate = null, certified_at = null where id = '${id}'`,
    )
  await unsign(certificateId)
  const { rows } = await looker.query<{ id: string }>('select id from authority_certificates where ca_id = $1', [caId])
  await unsign(rows[0]?.id ?? '')
  await house.asOwner(
    `delete from authority_certificates where ca_id = '${caId}'; update authorities set certificate = null, certified_at = null where id = '${caId}'`,
  )
  await takeRoles(mallory)
  house.clock.advance(61_000)
  await house.runJob(authorities.jobs.finish)
  expect((await ada.call(list, { text: 'Never signed' })).rows).toEqual([])
  expect((await ada.call(life, { caId: renewed })).certificates).toHaveLength(1)
  const { rows: serials } = await looker.query<{ state: string }>('select state from serials where ca_id = $1 and about_id <> $1', [
    issuerId,
  ])
  expect(serials.map(({ state }) => state).sort()).toEqual(['signed', 'void', 'void'])
})

test('the request for an outside authority is not signed by recovery for one who has lost the right to it, and is for others', async () => {
  const mallory = await acme.person({ permissions: ['manageCAs'] })
  const ask = (by: TestPerson, friendlyName: string) => by.call(create, { kind: 'outside', friendlyName, subject: { CN: friendlyName } })
  const [hers, mine] = [await ask(mallory, 'Request of Mallory'), await ask(ada, 'Request of Ada')]
  await house.asOwner(`update authorities set request = null where id in ('${hers.caId}', '${mine.caId}')`)
  await disable(mallory)
  const [voided, requested] = [await told('voided'), await told('requested')]
  house.clock.advance(61_000)
  await house.runJob(authorities.jobs.finish)
  expect((await ada.call(list, { text: 'Request of' })).rows.map(({ friendlyName }) => friendlyName)).toEqual(['Request of Ada'])
  expect((await ada.call(view, { caId: mine.caId })).request).toContain('CERTIFICATE REQUEST')
  expect([(await told('voided')) - voided, (await told('requested')) - requested]).toEqual([1, 1])
  const { rows } = await looker.query<{ request: unknown }>('select request from authorities where id = $1', [hers.caId])
  expect(rows).toEqual([{ request: null }])
})
