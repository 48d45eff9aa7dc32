import { beforeAll, describe, expect, test } from 'vitest'
import { users } from '#areas/users/contract.ts'
import { workflow } from '#areas/workflow/contract.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { timesheets } from '../contract.ts'
import { mondayOf, weekAfter } from '../rules.ts'

const house = await useHouse()
let acme: TestTenancy
let ada: TestPerson
let boss: TestPerson
let stranger: TestPerson

const { week: own, save, submit, recall, view, approve, giveBack, team, search, exportApproved } = timesheets.calls
const monday = weekAfter(mondayOf(house.clock.now().toISOString().slice(0, 10)), -2)
const day = (at: number): string => new Date(Date.parse(`${monday}T00:00:00Z`) + at * 86_400_000).toISOString().slice(0, 10)
const entry = (at: number, from: string, to: string, more: object = {}) => ({ day: day(at), from, to, activity: 'Field work', ...more })

/** The same person signed in: no token keeps or decides a week. */
const atPage = async (person: TestPerson): Promise<TestPerson> => ({ ...person, ...(await person.session()) })

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  const keeps = ['timesheetOverview', 'workflow'] as const
  ada = await atPage(await acme.person({ permissions: keeps, username: 'ada.hours', givenName: 'Ada', familyName: 'Hours' }))
  boss = await atPage(await acme.person({ permissions: [...keeps, 'viewTimesheets', 'searchTimesheets'], username: 'boss.hours' }))
  stranger = await atPage((await house.tenancy('Globex')).administrator)
})

const waitingFor = async (person: TestPerson, kind: string) =>
  (await person.call(workflow.calls.items, {})).workflowItems.filter((item) => item.kind === kind)

describe('A week', () => {
  test('is kept, submitted, returned with a reason, mended, approved in the list of what waits, and exported once', async () => {
    const { version, minutes } = await ada.call(save, {
      week: monday,
      entries: [entry(0, '08:00', '12:32', { breakMinutes: 15 }), entry(0, '12:32', '16:00', { project: '=1+1' })],
    })
    expect(minutes).toBe(257 + 208)
    await ada.call(submit, { week: monday, version })
    await expect(ada.call(save, { week: monday, entries: [] })).rejects.toMatchObject({ status: 409, code: 'locked' })

    const [item] = await waitingFor(boss, 'timesheet')
    expect(item).toMatchObject({ title: `Ada Hours, ${monday} – ${day(6)}`, link: `/timesheets/manage/view/${ada.id}/${monday}` })
    const returned = giveBack.input.parse({ ...item?.actions[1]?.input, reason: 'Tuesday is missing' })
    await boss.call(giveBack, returned)
    expect(await waitingFor(ada, 'timesheetReturned')).toMatchObject([{ link: `/timesheets/manage/overview/week/${monday}` }])

    const sheet = await ada.call(own, { week: monday })
    expect(sheet).toMatchObject({
      state: 'returned',
      moves: ['submit'],
      history: [{ what: 'submit' }, { what: 'return', reason: 'Tuesday is missing' }],
    })
    await ada.call(save, { week: monday, version: sheet.version, entries: [...sheet.entries.map(withoutId), entry(1, '22:00', '02:00')] })
    await ada.call(submit, { week: monday })
    await boss.call(approve, approve.input.parse((await waitingFor(boss, 'timesheet'))[0]?.actions[0]?.input))
    expect(await waitingFor(boss, 'timesheet')).toEqual([])
    await expect(ada.call(submit, { week: monday })).rejects.toMatchObject({ status: 409, code: 'wrongState' })

    const out = await boss.call(exportApproved, { from: monday, until: monday, roundTo: 15 })
    expect(out.weeks).toBe(1)
    expect(out.csv.split('\r\n')[2]).toContain("'=1+1")
    expect(out.csv.split('\r\n')[3]).toBe(`ada.hours,${monday},${day(1)},22:00,02:00,0,240,240,Field work,,`)
    expect((await boss.call(exportApproved, { from: monday, until: monday })).weeks).toBe(0)
    expect((await boss.call(search, { text: 'ada', state: ['exported'] })).minutes).toBe(257 + 208 + 240)
    const names = (await audited(house, acme.id))
      .filter(({ area, outcome }) => area === 'timesheets' && outcome === 'done')
      .map(({ name }) => name)
    expect(names.slice(0, 7)).toEqual(['saved', 'submitted', 'returned', 'saved', 'submitted', 'approved', 'exported'])
  })

  test('has no two entries at one time, also not over the end of the week before', async () => {
    const week = weekAfter(monday, 1)
    const bad = ada.call(save, { week, entries: [{ ...entry(7, '08:00', '12:00') }, { ...entry(7, '11:59', '13:00') }] })
    await expect(bad).rejects.toMatchObject({ status: 400, code: 'overlap', fields: [{ field: 'entries.1.from' }] })
    await ada.call(save, { week, entries: [entry(13, '22:00', '06:00')] })
    const next = ada.call(save, { week: weekAfter(week, 1), entries: [entry(14, '05:59', '09:00')] })
    await expect(next).rejects.toMatchObject({ code: 'overlap', fields: [{ field: 'entries.0.from' }] })
    await ada.call(save, { week: weekAfter(week, 1), entries: [entry(14, '06:00', '09:00')] })
  })

  test('is refused with the field where a day, a time or a break is none of it', async () => {
    const saving = (one: object) => ada.call(save, { week: monday, entries: [{ ...entry(0, '08:00', '09:00'), ...one }] })
    await expect(saving({ to: '24:00' })).rejects.toMatchObject({ status: 400, fields: [{ field: 'entries.0.to' }] })
    await expect(saving({ breakMinutes: -1 })).rejects.toMatchObject({ fields: [{ field: 'entries.0.breakMinutes' }] })
    await expect(ada.call(save, { week: day(1), entries: [] })).rejects.toMatchObject({ fields: [{ field: 'week' }] })
    const free = weekAfter(monday, -3)
    await expect(ada.call(save, { week: free, entries: [entry(0, '08:00', '09:00')] })).rejects.toMatchObject({ code: 'outside' })
    const before = { ...entry(0, '08:00', '09:00', { breakMinutes: 60 }), day: free }
    await expect(ada.call(save, { week: free, entries: [before] })).rejects.toMatchObject({ code: 'nothing' })
  })

  test('of nothing is affirmed, and one whose time has not passed waits', async () => {
    const empty = weekAfter(monday, -4)
    await expect(ada.call(submit, { week: empty })).rejects.toMatchObject({ code: 'empty' })
    await ada.call(submit, { week: empty, affirmEmpty: true })
    expect(await ada.call(own, { week: empty })).toMatchObject({ state: 'submitted', affirmedEmpty: true })
    await ada.call(recall, { week: empty })
    expect(await ada.call(own, { week: empty })).toMatchObject({ state: 'draft' })
    const next = weekAfter(monday, 4)
    await ada.call(save, { week: next, entries: [{ ...entry(0, '08:00', '09:00'), day: next }] })
    await expect(ada.call(submit, { week: next })).rejects.toMatchObject({ code: 'notOver' })
  })

  test('is not overwritten by who has not seen the last change', async () => {
    const week = weekAfter(monday, -5)
    const { version } = await ada.call(save, { week, entries: [] })
    await ada.call(save, { week, version, entries: [] })
    await expect(ada.call(save, { week, version, entries: [] })).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('A decision', () => {
  test('is never about the own week, nor with a version that is old, nor of another tenancy', async () => {
    const week = weekAfter(monday, -6)
    await boss.call(submit, { week, affirmEmpty: true })
    await expect(boss.call(approve, { userId: boss.id, week })).rejects.toMatchObject({ status: 403, code: 'notYours' })
    expect((await boss.call(view, { userId: boss.id, week })).moves).toEqual([])
    await ada.call(submit, { week, affirmEmpty: true })
    const { version } = await boss.call(view, { userId: ada.id, week })
    await ada.call(recall, { week })
    await ada.call(submit, { week, affirmEmpty: true })
    await expect(boss.call(approve, { userId: ada.id, week, version })).rejects.toMatchObject({ code: 'conflict' })
    for (const call of [approve, view] as const)
      await expect(stranger.call(call, { userId: ada.id, week })).rejects.toMatchObject({ status: 404, code: 'missing' })
    await expect(ada.call(approve, { userId: boss.id, week })).rejects.toMatchObject({ status: 403 })
  })

  test('lacks nobody in the team: who has begun no timesheet is missing', async () => {
    const { people } = await boss.call(team, { week: weekAfter(monday, -9) })
    expect(people.map(({ username, state }) => [username, state])).toContainEqual(['ada.hours', 'missing'])
  })
})

test('An account that is deleted takes drafts with it, and leaves what was approved', async () => {
  const leaver = await atPage(await acme.person({ permissions: ['timesheetOverview'], username: 'leaver.hours' }))
  await leaver.call(submit, { week: monday, affirmEmpty: true })
  await boss.call(approve, { userId: leaver.id, week: monday })
  await leaver.call(save, { week: weekAfter(monday, -1), entries: [] })
  await acme.administrator.call(users.calls.remove, { id: leaver.id })
  expect((await boss.call(search, { text: 'leaver' })).rows.map(({ week, state }) => [week, state])).toEqual([[monday, 'approved']])
})

const withoutId = ({ day: on, from, to, breakMinutes, activity, project, note }: Awaited<ReturnType<typeof readOne>>) => ({
  day: on,
  from,
  to,
  breakMinutes,
  activity,
  project,
  note,
})
const readOne = async () => (await ada.call(own, { week: monday })).entries[0] ?? expect.fail('there is no entry')
