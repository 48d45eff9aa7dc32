import { expect, test } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import { isChange } from '#core/server/router.ts'
import { areaWords, eventTexts } from './audit/event-words.ts'

test('whatever can stand in the log has words there: each event, each call that changes something, each open door', () => {
  const names = rooms.flatMap(({ area, contract, endpoints }) => [
    ...[...Object.keys(contract.events), ...Object.values(contract.calls).filter(isChange).map(({ name }) => name)].map((name) => [area, name]),
    ...endpoints.filter(({ method }) => method !== 'GET').map(({ name }) => ['endpoint', name]),
  ])
  expect(names.filter(([area = '', name = '']) => eventTexts[area]?.[name] === undefined).map((pair) => pair.join('.'))).toEqual([])
  expect(names.map(([area = '']) => area).filter((area) => areaWords(area) === area)).toEqual([])
})
