import { beforeAll, describe, expect, test } from 'vitest'
import { mail } from '#areas/mail/contract.ts'
import { tenancy as tenancyRoom } from '#areas/tenancy/contract.ts'
import { users } from '#areas/users/contract.ts'
import { visitors } from '#areas/visitors/contract.ts'
import { audited } from '#core/testing/events.ts'
import { refusal, useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { passes } from '../contract.ts'

// An hour in which it is another day in Sydney than in London.
const house = await useHouse({ now: new Date('2026-11-23T15:00:00Z'), background: true })
let acme: TestTenancy
let clerk: TestPerson
let holder: TestPerson
let stranger: TestPerson
const { list, search, days, ofPerson, accounts, availability, assignPositive, assignGuest } = passes.calls
const { giveBack, misplace, activate, setExpiry, printBatch, prints, addStock } = passes.calls
const today = { validDate: '2026-11-23T00:00:00Z', expirationDate: '2026-11-23T00:00:00Z' }
const guest = { givenName: 'Gil', lastName: 'Guest' }

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  clerk = await acme.person({ permissions: ['smartcardTemporary'] })
  holder = await acme.person({ permissions: [], givenName: 'Hal', familyName: 'Holder' })
  stranger = (await house.tenancy('Globex')).administrator
})

const printed = async (quantity: number, cardType: 'positive' | 'guest' = 'guest') =>
  (await clerk.call(printBatch, { quantity, cardType })).passNumbers
const one = async (cardType: 'positive' | 'guest' = 'guest') => (await printed(1, cardType))[0] ?? ''
const statusOf = async (type: 'positive' | 'guest', passNumber: string) => (await clerk.call(availability, { type, passNumber }))[0]

describe('A pass', () => {
  test('is printed, given to a person, and taken back, each of it on record', async () => {
    const passNumber = await one('positive')
    const given = await clerk.call(assignPositive, { ...today, passNumber, userID: holder.id })
    expect(given).toMatchObject({
      passNumber,
      status: 'issued',
      userID: holder.id,
      givenName: 'Hal',
      validDate: '2026-11-23T00:00:00.000Z',
      expirationDate: '2026-11-23T23:59:59.000Z',
    })
    expect(await clerk.call(ofPerson, { userId: holder.id })).toMatchObject([{ passNumber }])
    expect(await clerk.call(accounts, {})).toContainEqual({
      userID: holder.id,
      givenName: 'Hal',
      lastName: 'Holder',
      cardType: 'positive',
      passNumbers: [passNumber],
    })
    expect((await clerk.call(search, { text: 'holder' })).rows).toMatchObject([{ passNumber, lastName: 'Holder' }])
    expect(await clerk.call(giveBack, { passNumber })).toMatchObject({ status: 'available', givenName: '' })
    await expect(clerk.call(giveBack, { passNumber })).rejects.toMatchObject({ status: 409, code: 'notIssued' })
    expect(await clerk.call(ofPerson, { userId: holder.id })).toEqual([])
    const events = (await audited(house, acme.id)).filter(({ about }) => about === given.id)
    expect(events.map(({ name }) => name)).toEqual(['assigned', 'returned'])
  })

  test('has five digits, and zeros in front can be left out', async () => {
    const passNumber = await one()
    expect(passNumber).toMatch(/^0\d{4}$/)
    const typed = String(Number(passNumber))
    expect(await statusOf('guest', typed)).toBe('available')
    expect(await clerk.call(assignGuest, { ...today, ...guest, passNumber: typed })).toMatchObject({ passNumber })
    expect(await statusOf('guest', typed)).toBe('issued')
    expect((await clerk.call(search, { text: typed })).rows).toMatchObject([{ passNumber }])
    for (const wrong of ['', '123456', '12a', '-1', '٤٢'])
      await expect(clerk.call(assignGuest, { ...today, ...guest, passNumber: wrong })).rejects.toMatchObject({
        status: 400,
        fields: [{ field: 'passNumber' }],
      })
  })

  test('answers 201 where it is given or printed, and 200 where it is taken back', async () => {
    const post = (path: string, body: object) =>
      clerk.fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    const print = await post(printBatch.path, { quantity: 1, cardType: 'guest' })
    expect(print.status).toBe(201)
    const { passNumbers } = (await print.json()) as { passNumbers: string[] }
    const passNumber = passNumbers[0] ?? ''
    expect((await post(assignGuest.path, { ...today, ...guest, passNumber })).status).toBe(201)
    expect((await post(giveBack.path, { passNumber })).status).toBe(200)
  })

  test('goes to one of 32 clerks who give it at once', async () => {
    const passNumber = await one()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 32 }, (_, at) =>
        clerk.call(assignGuest, { ...today, givenName: 'Guest', lastName: `Number ${at}`, passNumber }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(new Set(outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : [])))).toEqual(
      new Set(['notAvailable']),
    )
  })

  test('of one kind is not given as the other, and one that is not there not at all', async () => {
    const passNumber = await one('positive')
    expect(await statusOf('guest', passNumber)).toBe('otherKind')
    await expect(clerk.call(assignGuest, { ...today, ...guest, passNumber })).rejects.toMatchObject({ status: 409, code: 'otherKind' })
    expect(await statusOf('guest', '99999')).toBe('unknown')
    await expect(clerk.call(assignGuest, { ...today, ...guest, passNumber: '99999' })).rejects.toMatchObject({ code: 'missingPass' })
    await expect(clerk.call(assignPositive, { ...today, passNumber, userID: stranger.id })).rejects.toMatchObject({ code: 'unknownPerson' })
  })

  test('that is lost is not given until it was found', async () => {
    const passNumber = await one()
    await clerk.call(assignGuest, { ...today, ...guest, passNumber })
    expect(await clerk.call(misplace, { passNumber, reason: 'stolen' })).toMatchObject({ status: 'misplaced', lastName: 'Guest' })
    await expect(clerk.call(misplace, { passNumber, reason: 'lost' })).rejects.toMatchObject({ code: 'misplacedAlready' })
    await expect(clerk.call(assignGuest, { ...today, ...guest, passNumber })).rejects.toMatchObject({ code: 'notAvailable' })
    expect((await clerk.call(list, { status: 'misplaced' })).map((pass) => pass.passNumber)).toEqual([passNumber])
    expect(await clerk.call(activate, { passNumber, status: 'active' })).toMatchObject({ status: 'available', lastName: '', reason: '' })
    expect(await clerk.call(activate, { passNumber, status: 'inactive', reason: 'Worn' })).toMatchObject({
      status: 'inactive',
      reason: 'Worn',
    })
    await expect(clerk.call(assignGuest, { ...today, ...guest, passNumber })).rejects.toMatchObject({ code: 'notAvailable' })
  })

  test('that somebody has is taken back before it goes out of use', async () => {
    const passNumber = await one()
    await clerk.call(assignGuest, { ...today, ...guest, passNumber })
    await expect(clerk.call(activate, { passNumber, status: 'inactive' })).rejects.toMatchObject({ status: 409, code: 'isIssued' })
  })

  test('of another tenancy is not there', async () => {
    const passNumber = await one()
    await expect(stranger.call(giveBack, { passNumber })).rejects.toMatchObject({ status: 404, code: 'missingPass' })
    await expect(stranger.call(ofPerson, { userId: holder.id })).rejects.toMatchObject({ status: 404 })
    expect(await stranger.call(list, {})).toEqual([])
    const [print] = (await clerk.call(prints, {})).rows
    expect((await stranger.fetch(`${passes.endpoints.printList.path}?id=${print?.id}`)).status).toBe(404)
  })
})

describe('The days of a pass', () => {
  test('begin and end in the time zone of the tenancy', async () => {
    const sydney = await house.tenancy('Sydney')
    await sydney.administrator.call(tenancyRoom.calls.change, {
      name: 'Sydney',
      bannerColour: '#1f6feb',
      supportEmail: '',
      disclaimer: '',
      toastTimeout: '',
      timeZone: 'Australia/Sydney',
    })
    expect(await sydney.administrator.call(days, {})).toEqual({ today: '2026-11-24', timeZone: 'Australia/Sydney' })
    await sydney.administrator.call(addStock, { cardType: 'guest', first: '7', last: '7' })
    const draft = { ...guest, passNumber: '7', validDate: '2026-11-24T01:00:00+11:00', expirationDate: '2026-11-24T01:00:00+11:00' }
    expect(await sydney.administrator.call(assignGuest, draft)).toMatchObject({
      passNumber: '00007',
      validDate: '2026-11-23T13:00:00.000Z',
      expirationDate: '2026-11-24T12:59:59.000Z',
    })
  })

  test.each([
    ['over', { validDate: '2026-11-21T12:00:00Z', expirationDate: '2026-11-22T12:00:00Z' }],
    ['backwards', { validDate: '2026-11-25T12:00:00Z', expirationDate: '2026-11-24T12:00:00Z' }],
    ['tooLong', { validDate: '2026-11-23T12:00:00Z', expirationDate: '2028-11-24T12:00:00Z' }],
  ])('are refused where they are %s', async (code, asked) => {
    const passNumber = await one()
    await expect(clerk.call(assignGuest, { ...guest, passNumber, ...asked })).rejects.toMatchObject({ code })
    expect(await statusOf('guest', passNumber)).toBe('available')
  })

  test('can be moved while somebody has it, and who does not return it in time is told of once', async () => {
    const passNumber = await one()
    const { id } = await clerk.call(assignGuest, { ...today, ...guest, passNumber })
    expect(await clerk.call(setExpiry, { passNumber, expirationDate: '2026-11-24T12:00:00Z' })).toMatchObject({
      expirationDate: '2026-11-24T23:59:59.000Z',
    })
    await expect(clerk.call(setExpiry, { passNumber, expirationDate: '2026-11-22T12:00:00Z' })).rejects.toMatchObject({ status: 400 })
    house.clock.advance(2 * 86_400_000)
    expect(await statusOf('guest', passNumber)).toBe('expired')
    await house.runJob(passes.jobs.expiry)
    await house.runJob(passes.jobs.expiry)
    const told = (await audited(house, acme.id)).filter(({ about, name }) => about === id && name === 'expired')
    expect(told).toHaveLength(1)
    const { facets, rows } = await clerk.call(search, { status: ['expired'], text: passNumber })
    expect(rows).toMatchObject([{ passNumber, status: 'expired' }])
    expect(facets.status).toEqual({ expired: 1 })
    expect(await clerk.call(giveBack, { passNumber })).toMatchObject({ status: 'available' })
  })
})

describe('The stock of passes', () => {
  test('gets the smallest free numbers, also where several print at once', async () => {
    const bo = (await house.tenancy('Stock')).administrator
    await bo.call(addStock, { cardType: 'positive', first: '2', last: '3' })
    const batches = await Promise.all([1, 2, 3].map(() => bo.call(printBatch, { quantity: 2, cardType: 'guest' })))
    const numbers = batches.flatMap(({ passNumbers }) => passNumbers).sort()
    expect(numbers).toEqual(['00001', '00004', '00005', '00006', '00007', '00008'])
    await expect(bo.call(addStock, { cardType: 'guest', first: '8', last: '10' })).rejects.toMatchObject({ status: 409, code: 'taken' })
    await expect(bo.call(addStock, { cardType: 'guest', first: '10', last: '9' })).rejects.toMatchObject({ code: 'backwards' })
    await expect(bo.call(addStock, { cardType: 'guest', first: '10', last: '9999' })).rejects.toMatchObject({ code: 'tooMany' })
    const [latest] = (await bo.call(prints, {})).rows
    const file = await (await bo.fetch(`${passes.endpoints.printList.path}?id=${latest?.id}`)).text()
    expect(file.split('\r\n')[0]).toBe('Number,Kind')
    expect(file).toContain(`${latest?.first},guest`)
  })
})

test('A pass stays issued, without a name, when the account of its holder is deleted', async () => {
  const leaver = await acme.person({ permissions: [], familyName: 'Leaver' })
  const passNumber = await one('positive')
  const until = new Date(house.clock.now().getTime() + 86_400_000).toISOString()
  await clerk.call(assignPositive, { validDate: until, expirationDate: until, passNumber, userID: leaver.id })
  await acme.administrator.call(users.calls.remove, { id: leaver.id })
  const { rows } = await clerk.call(search, { text: passNumber })
  expect(rows).toMatchObject([{ status: 'issued', givenName: '', lastName: '' }])
  expect(rows[0]).not.toHaveProperty('userID')
})

const subjects = async () => (await acme.administrator.call(mail.calls.outbox, { size: 100 })).rows.map(({ subject }) => subject)
const inDays = (days: number) => new Date(house.clock.now().getTime() + days * 86_400_000).toISOString()
const now = () => ({ validDate: inDays(0), expirationDate: inDays(0) })

describe('Who leaves', () => {
  test('has no pass that is good, and the desk is told to take it back', async () => {
    const leaver = await acme.person({ permissions: [], givenName: 'Lea', familyName: 'Leaver' })
    const passNumber = await one('positive')
    await clerk.call(assignPositive, { ...now(), passNumber, userID: leaver.id })
    await acme.administrator.call(users.calls.setEnabled, { id: leaver.id, enabled: false })
    await expect.poll(async () => clerk.call(ofPerson, { userId: leaver.id })).toMatchObject([{ passNumber, status: 'expired' }])
    expect(await subjects()).toContain('Passes to take back from somebody who left')
    expect(await refusal(clerk.call(setExpiry, { passNumber, expirationDate: inDays(2) }))).toMatchObject({
      code: 'holderGone',
    })
    await clerk.call(giveBack, { passNumber })
  })

  test('leaves no guest of theirs with a pass, nor a visitor expected', async () => {
    const host = await acme.person({ permissions: [] })
    const reception = await acme.person({ permissions: ['userView', 'manageSponsor'] })
    const times = { from: house.clock.now().toISOString(), until: new Date(house.clock.now().getTime() + 3_600_000).toISOString() }
    const plan = (name: string) => reception.call(visitors.calls.add, { name, hostId: host.id, ...times })
    const [here, expected] = [await plan('Here'), await plan('Expected')]
    const passNumber = await one()
    await clerk.call(assignGuest, { ...now(), ...guest, passNumber })
    await reception.call(visitors.calls.arrive, { id: here.id, passNumber })
    await acme.administrator.call(users.calls.setEnabled, { id: host.id, enabled: false })
    await expect.poll(() => statusOf('guest', passNumber)).toBe('expired')
    await expect.poll(async () => (await reception.call(visitors.calls.read, { id: expected.id })).state).toBe('cancelled')
    expect((await reception.call(visitors.calls.read, { id: here.id })).state).toBe('arrived')
    expect(await subjects()).toContain('Visitors without a host')
  })
})

test('A second pass of a person says which they have, and ends it as it begins', async () => {
  const person = await acme.person({ permissions: [] })
  const [first, second, third] = [await one('positive'), await one('positive'), await one('positive')]
  expect(await clerk.call(assignPositive, { ...now(), passNumber: first, userID: person.id })).toMatchObject({ ended: [] })
  expect(await clerk.call(assignPositive, { ...now(), passNumber: second, userID: person.id })).toMatchObject({ ended: [first] })
  expect([await statusOf('positive', first), await statusOf('positive', second)]).toEqual(['expired', 'issued'])
  const later = { validDate: inDays(3), expirationDate: inDays(4) }
  await clerk.call(assignPositive, { ...later, passNumber: third, userID: person.id })
  expect(await statusOf('positive', second)).toBe('issued')
})
