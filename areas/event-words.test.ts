import { expect, test } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import { isWatched } from '#core/server/router.ts'
import { areaTexts, eventTexts } from './audit/event-words.ts'

const names = rooms.flatMap(({ area, contract, endpoints }) => [
  ...[
    ...Object.keys(contract.events),
    ...Object.values(contract.calls)
      .filter(isWatched)
      .map(({ name }) => name),
  ].map((name) => [area, name]),
  ...endpoints.filter(({ method }) => method !== 'GET').map(({ name }) => ['endpoint', name]),
])

test('whatever can stand in the log has words there: each event, each call that changes something, each open door', () => {
  expect(names.filter(([area = '', name = '']) => eventTexts[area]?.[name] === undefined).map((pair) => pair.join('.'))).toEqual([])
  expect(names.map(([area = '']) => area).filter((area) => areaTexts[area] === undefined)).toEqual([])
})

test('there are no words for what never stands in the log', () => {
  const known = new Set(names.map((pair) => pair.join('.')))
  const worded = Object.entries(eventTexts).flatMap(([area, texts]) => Object.keys(texts).map((name) => `${area}.${name}`))
  expect(worded.filter((name) => !known.has(name))).toEqual([])
})
