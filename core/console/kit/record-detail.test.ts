import { expect, test } from 'vitest'
import { recordDetail } from './record-detail.ts'

test('A found record says in words how it stands and since when, and shows a long number by its beginning', () => {
  expect(recordDetail({ status: 'onHold', from: '2026-01-01T00:00:00Z', detail: '7f3a52c19e0b44d1aa07' })).toBe(
    'On hold · from 1 Jan 2026 · 7f3a 52c1…',
  )
})

test('A found record without a status says what it has', () => {
  expect(recordDetail({ detail: 'ada · ada@example.org' })).toBe('ada · ada@example.org')
  expect(recordDetail({ status: 'unheard of', detail: '' })).toBe('')
})
