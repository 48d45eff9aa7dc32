import { expect, test } from 'vitest'
import {
  isLongerThan,
  mayReopen,
  mentionsIn,
  movesFrom,
  numberIn,
  pagesOf,
  readStatus,
  statuses,
  statusLook,
  visibleTo,
  wireStatus,
} from './rules.ts'

test('every status has the specified word and badge colour', () => {
  expect(statuses.map((status) => [wireStatus(status), statusLook[status].label, statusLook[status].colour])).toEqual([
    ['TICKET_STATUS_OPEN', 'Open', 'primary'],
    ['TICKET_STATUS_REVIEWED', 'Reviewed', 'info'],
    ['TICKET_STATUS_IN_PROGRESS', 'In Progress', 'warning'],
    ['TICKET_STATUS_CLOSED', 'Closed', 'success'],
    ['TICKET_STATUS_REOPENED', 'Reopened', 'secondary'],
  ])
})

test('a status is read with the prefix, without it, and as filters write it', () => {
  for (const status of statuses)
    expect([wireStatus(status), status.toUpperCase(), status].map(readStatus)).toEqual([status, status, status])
  for (const text of ['', 'Closed', 'TICKET_STATUS_', 'constructor']) expect(readStatus(text)).toBeUndefined()
})

test('a closed ticket can only be reopened, and nothing becomes open again', () => {
  expect(movesFrom('closed')).toEqual(['reopened'])
  expect(statuses.flatMap(movesFrom)).not.toContain('open')
})

test('lengths count characters as people see them, not how they are encoded', () => {
  expect(isLongerThan('😀'.repeat(10_000), 10_000)).toBe(false)
  expect(isLongerThan('😀'.repeat(10_001), 10_000)).toBe(true)
})

test('internal notes are left out for all but those who handle tickets', () => {
  const messages = [{ internal: true }, { internal: false }]
  expect(visibleTo({ handles: false }, messages)).toEqual([{ internal: false }])
  expect(visibleTo({ handles: true }, messages)).toEqual(messages)
})

test('a mention is a username after an @, not the end of an address', () => {
  expect(mentionsIn('Ask @ada.lovelace. (@Grace) and @ada.lovelace, not ada@example.org or @')).toEqual(['ada.lovelace', 'grace'])
  expect(mentionsIn('@'.repeat(100_000))).toEqual([])
})

test('a ticket is named by its number in several ways', () => {
  expect(['ticket 12', '#12', ' 12 ', 'Ticket #12'].map(numberIn)).toEqual([12, 12, 12, 12])
  expect(['ticket', '12a', '12345678901'].map(numberIn)).toEqual([undefined, undefined, undefined])
})

test('the requester opens a closed ticket again for fourteen days', () => {
  const closed = new Date('2026-06-01T12:00:00Z')
  expect(mayReopen(closed, new Date('2026-06-15T12:00:00Z'))).toBe(true)
  expect(mayReopen(closed, new Date('2026-06-15T12:00:01Z'))).toBe(false)
})

test('pages are the total by the limit, rounded up', () => {
  expect([0, 10, 11].map((total) => pagesOf(total, 10))).toEqual([0, 1, 2])
})
