// Due times against an oracle that walks minute by minute and knows nothing of spans.

import { describe, expect, test } from 'vitest'
import { wallTime } from '#core/contract/wall-time.ts'
import { addBusiness, businessTime, duesOf, type Calendar, type ClockEvent, type Policy } from './clock.ts'

const office = [[9 * 60, 17 * 60]] as const
const week = (days: number, hours: readonly (readonly [number, number])[]) =>
  Array.from({ length: 7 }, (_, at) => (at < days ? hours.map(([from, to]) => ({ from, to })) : []))
const berlin: Calendar = { zone: 'Europe/Berlin', week: week(5, office), holidays: ['2026-12-25', '2026-05-01'] }
const always: Calendar = { zone: 'Europe/Berlin', week: week(7, [[0, 1440]]), holidays: [] }
const nights: Calendar = {
  zone: 'America/New_York',
  week: week(7, [
    [60, 150],
    [22 * 60, 1440],
  ]),
  holidays: [],
}
const apia: Calendar = { zone: 'Pacific/Apia', week: week(6, [[0, 12 * 60]]), holidays: ['2026-01-02'] }
const chatham: Calendar = { zone: 'Pacific/Chatham', week: week(7, [[2 * 60 + 15, 3 * 60 + 30]]), holidays: [] }
const calendars: Record<string, Calendar> = { berlin, always, nights, apia, chatham }

const isBusiness = (calendar: Calendar, at: number): boolean => {
  const { day, time } = wallTime(new Date(at), calendar.zone)
  if (calendar.holidays.includes(day)) return false
  const minutes = Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
  const hours = calendar.week[(new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7] ?? []
  return hours.some(({ from, to }) => from <= minutes && minutes < to)
}

const walk = (events: readonly ClockEvent[], which: 'response' | 'resolution'): string | undefined => {
  const target = events.findLast(({ policy }) => policy !== undefined)?.policy?.[which] ?? 0
  let [running, stopped, used, at] = [false, false, 0, events[0]?.at.getTime() ?? 0]
  let calendar: Calendar | undefined
  const rest = [...events]
  let due: number | undefined
  if (target === 0) return undefined
  for (let steps = 0; steps < 40 * 1440; steps += 1, at += 60_000) {
    while (rest[0] !== undefined && rest[0].at.getTime() <= at) {
      const { kind, policy } = rest.shift() ?? { kind: 'stop' as const, policy: undefined }
      if (policy !== undefined) ({ calendar } = policy)
      if (kind === 'policy') continue
      if (kind === 'stop') stopped = true
      if (kind === 'start' || kind === 'resume') {
        if (which === 'response' && !running) [used, due] = [0, undefined]
        ;[running, stopped] = [true, false]
      } else running = false
    }
    if (running && due === undefined && calendar !== undefined && isBusiness(calendar, at)) {
      used += 1
      if (used === target) due = at + 60_000
    }
    if (rest.length === 0 && (!running || due !== undefined)) break
  }
  return stopped || due === undefined || (which === 'response' && !running) ? undefined : new Date(due).toISOString()
}

const policy = (calendar: Calendar, response: number, resolution: number): Policy => ({ calendar, response, resolution })
const at = (text: string, kind: ClockEvent['kind'], of?: Policy): ClockEvent => ({
  at: new Date(text),
  kind,
  ...(of === undefined ? {} : { policy: of }),
})
const text = (due: Date | undefined) => due?.toISOString()

const beginnings = [
  '2026-03-27T15:59:00Z',
  '2026-03-28T23:30:00Z',
  '2026-03-29T00:59:00Z',
  '2026-10-24T22:00:00Z',
  '2026-10-25T00:30:00Z',
  '2026-12-24T22:59:00Z',
  '2026-11-01T04:10:00Z',
  '2026-03-08T06:30:00Z',
  '2026-04-04T12:40:00Z',
  '2025-12-31T23:59:00Z',
  '2026-09-26T13:00:00Z',
  '2026-02-27T22:59:00Z',
]

describe('A due time', () => {
  test.each(Object.keys(calendars).flatMap((name) => beginnings.map((begin) => [name, begin] as const)))(
    'by the calendar %s from %s is that of the oracle',
    (name, begin) => {
      const calendar = calendars[name] ?? berlin
      const events = [at(begin, 'start', policy(calendar, 61, 605))]
      const { response, resolution } = duesOf(events)
      expect([text(response), text(resolution)]).toEqual([walk(events, 'response'), walk(events, 'resolution')])
      expect(resolution && businessTime(calendar, new Date(begin), resolution)).toBe(605 * 60_000)
      expect(addBusiness(calendar, new Date(begin), 605)).toEqual(resolution)
    },
  )

  const begin = at('2026-10-23T21:59:00Z', 'start', policy(berlin, 60, 960))
  test.each<[string, ClockEvent[]]>([
    ['at 23:59 on a Friday', [begin]],
    ['while it waits for the requester', [begin, at('2026-10-26T09:10:00Z', 'pause')]],
    ['after the requester has answered', [begin, at('2026-10-26T09:10:00Z', 'pause'), at('2026-10-27T12:00:00Z', 'resume')]],
    ['after a second word of the requester', [begin, at('2026-10-26T09:00:00Z', 'resume')]],
    ['after a second answer', [begin, at('2026-10-26T09:00:00Z', 'pause'), at('2026-10-26T10:00:00Z', 'pause')]],
    ['when it is closed', [begin, at('2026-10-26T09:00:00Z', 'stop')]],
    ['when it is closed while it waits', [begin, at('2026-10-26T09:00:00Z', 'pause'), at('2026-10-28T09:00:00Z', 'stop')]],
    ['when it is opened again', [begin, at('2026-10-26T09:00:00Z', 'stop'), at('2026-10-30T15:30:00Z', 'resume')]],
    ['that had run out before the answer', [begin, at('2026-10-28T15:00:00Z', 'pause')]],
    ['that had run out and is asked again', [begin, at('2026-10-28T15:00:00Z', 'pause'), at('2026-10-29T09:00:00Z', 'resume')]],
    ['when the policy is longer', [begin, at('2026-10-26T12:00:00Z', 'policy', policy(berlin, 120, 2_000))]],
    ['when the policy is shorter than what was used', [begin, at('2026-10-27T12:00:00Z', 'policy', policy(berlin, 30, 100))]],
    ['when the calendar changes', [begin, at('2026-10-26T12:00:00Z', 'policy', policy(always, 60, 960))]],
    [
      'when the policy changes in a pause',
      [
        begin,
        at('2026-10-26T09:00:00Z', 'pause'),
        at('2026-10-26T12:00:00Z', 'policy', policy(always, 90, 700)),
        at('2026-10-27T09:00:00Z', 'resume'),
      ],
    ],
    ['without targets', [at('2026-10-23T21:59:00Z', 'start', policy(berlin, 0, 0))]],
  ])('%s is that of the oracle', (_name, events) => {
    const { response, resolution } = duesOf(events)
    expect([text(response), text(resolution)]).toEqual([walk(events, 'response'), walk(events, 'resolution')])
  })

  test('is none where there are no hours, and none of nothing', () => {
    const never: Calendar = { ...berlin, week: week(0, office) }
    expect(duesOf([at('2026-10-23T21:59:00Z', 'start', policy(never, 60, 60))])).toEqual({})
    expect(duesOf([])).toEqual({})
  })
})

test('a calendar without hours is due at no time, and no day of it is looked at', () => {
  const looked: string[] = []
  const holidays: string[] = []
  holidays.includes = (day) => looked.push(day) === 0
  const calendar: Calendar = { zone: 'Europe/Berlin', week: week(0, []), holidays }
  const from = new Date('2026-01-05T08:00:00Z')
  expect(addBusiness(calendar, from, 60)).toBeUndefined()
  expect(businessTime(calendar, from, new Date('2026-12-01T08:00:00Z'))).toBe(0)
  const policy: Policy = { calendar, response: 60, resolution: 600 }
  expect(
    duesOf([
      { at: from, kind: 'start', policy },
      { at: new Date('2026-02-05T08:00:00Z'), kind: 'policy', policy: { ...policy, response: 30 } },
    ]),
  ).toEqual({})
  expect(looked).toEqual([])
})
