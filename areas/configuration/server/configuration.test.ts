import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { tickets } from '#areas/tickets/contract.ts'
import { contract } from '#core/contract/contract.ts'
import { offer } from '#core/contract/slots.ts'
import { serve } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { configuration } from '../contract.ts'
import { requestSizeLimit } from '../rules.ts'
import { readSecret, readValue } from '../service.ts'
import { valueKeys, type SecretKey, type ValueKey } from '../values.ts'

const secretKey: SecretKey = { key: 'probe.secret', label: 'Secret', hint: '', kind: 'secret', most: 40 }
const switchKey = { key: 'probe.switch', label: 'Switch', hint: '', kind: 'switch', initial: false } as const satisfies ValueKey
const textKey = { key: 'probe.text', label: 'Text', hint: '', kind: 'text', initial: 'at first', most: 10 } as const satisfies ValueKey
const probe = serve(
  contract({ area: 'probe', title: 'Probe', events: { seen: { says: 'Seen', body: z.object({}) } } }),
  {},
  { offers: [offer<ValueKey>(valueKeys, secretKey, switchKey, textKey)] },
)

const house = await useHouse({ moreRooms: [probe] })
const { values, change, installation } = configuration.calls
let management: TestTenancy
let acme: TestTenancy
let ada: TestPerson

beforeAll(async () => {
  management = await house.tenancy('Management')
  acme = await house.tenancy('Acme')
  ada = acme.administrator
})

const read = async (key: string, by = ada) => (await by.call(values, {})).values.find((one) => one.key === key)
const within = <T>(work: Parameters<typeof withTenancy<T>>[2]) => withTenancy(house.house, acme.id, work)

describe('A value', () => {
  test('is set by its key, read by its room, taken back, and each of it on record', async () => {
    expect(await read('probe.text')).toMatchObject({ kind: 'text', value: 'at first', initial: 'at first' })
    await ada.call(change, { key: 'probe.text', value: 'later' })
    expect(await read('probe.text')).toMatchObject({ value: 'later', setAt: expect.any(String) })
    expect(await within((tenancy) => readValue(tenancy, textKey))).toBe('later')
    expect(await read('probe.text', management.administrator)).toMatchObject({ value: 'at first' })
    await ada.call(change, { key: 'probe.switch', value: true })
    expect(await within((tenancy) => readValue(tenancy, switchKey))).toBe(true)
    await ada.call(change, { key: 'probe.text' })
    expect(await within((tenancy) => readValue(tenancy, textKey))).toBe('at first')
    const bodies = (await audited(house, acme.id))
      .filter(({ area }) => area === 'configuration')
      .map(({ body }): unknown => JSON.parse(body))
    expect(bodies).toMatchObject([{ key: 'probe.text', value: 'later', reset: false }, { key: 'probe.switch' }, { reset: true }])
  })

  test.each([
    ['probe.text', 'longer than ten'],
    ['probe.text', 5],
    ['probe.text', ''],
    ['probe.switch', 'true'],
    ['requestSizeLimit', 0],
    ['requestSizeLimit', 63],
    ['requestSizeLimit', 64.5],
    ['requestSizeLimit', 10_241],
  ])('of %s is not %s', async (key, value) => {
    await expect(ada.call(change, { key, value })).rejects.toMatchObject({ status: 400, fields: [{ field: 'value' }] })
  })

  test.each(['__proto__', 'constructor', 'toString', 'nobody.declared'])('has no key %s', async (key) => {
    await expect(ada.call(change, { key, value: 'x' })).rejects.toMatchObject({ status: 400, code: 'unknownKey' })
  })

  test('of ten megabytes is refused before it is read', async () => {
    await expect(ada.call(change, { key: 'probe.text', value: 'x'.repeat(10_000_000) })).rejects.toMatchObject({ status: 413 })
  })
})

describe('A secret', () => {
  test('can be replaced and is answered by no call and no event, while its room reads it', async () => {
    await ada.call(change, { key: 'probe.secret', value: 'hunter2-hunter2' })
    await ada.call(change, { key: 'probe.secret', value: 'correct horse' })
    expect(await within((tenancy) => readSecret(tenancy, house.house, secretKey))).toBe('correct horse')
    const answer = JSON.stringify([await ada.call(values, {}), await audited(house, acme.id)])
    expect(answer).not.toMatch(/hunter2|correct horse/)
    expect(await read('probe.secret')).not.toHaveProperty('value')
    await ada.call(change, { key: 'probe.secret' })
    expect(await within((tenancy) => readSecret(tenancy, house.house, secretKey))).toBeUndefined()
  })
})

describe('The largest request', () => {
  const ticketOf = (bytes: number) => ({ title: 'Long', category: 'Other' as const, description: 'x'.repeat(bytes) })
  const outcome = (by: TestPerson, bytes: number) =>
    by.call(tickets.calls.add, ticketOf(bytes)).then(
      () => 200,
      ({ status }: { status: number }) => status,
    )

  test('of a tenancy refuses what is longer there, and nothing elsewhere', async () => {
    const before = await outcome(ada, 100_000)
    expect(before).not.toBe(413)
    await ada.call(change, { key: requestSizeLimit.key, value: 64 })
    expect(await outcome(ada, 100_000)).toBe(413)
    expect(await outcome(ada, 60_000)).toBe(before)
    expect(await outcome(management.administrator, 100_000)).toBe(before)
    await ada.call(change, { key: requestSizeLimit.key })
    expect(await outcome(ada, 100_000)).toBe(before)
  })
})

describe('The infrastructure', () => {
  test('of a tenancy lists where it is reached, and nothing of another tenancy', async () => {
    const { incoming, outgoing } = await ada.call(configuration.calls.infrastructure, {})
    expect(incoming.map(({ purpose }) => purpose)).toEqual(['console', 'pki', 'agent'])
    expect(incoming[0]?.address).toMatch(/^http:/)
    expect(outgoing).toEqual([])
  })
})

describe('The installation', () => {
  test('is shown to people of its management tenancy, with the names of its settings and no secret', async () => {
    const facts = await management.administrator.call(installation, {})
    expect(facts.general).toContainEqual({ name: 'database', value: 'Embedded', setBy: 'DATABASE_URL' })
    await expect(ada.call(installation, {})).rejects.toMatchObject({ status: 403, code: 'notYours' })
  })
})
