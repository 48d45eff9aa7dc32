import { expect, it } from 'vitest'
import { finished, heard, started, stepped, type Reader } from './reader-state.ts'

const card = (serialNumber?: string) => ({
  atr: '3B80',
  cardType: 'CARD_TYPE_SMARTCARD',
  ...(serialNumber === undefined ? {} : { serialNumber }),
})
const reader = (name: string, smartcard?: Reader['smartcard']): Reader => ({
  name,
  isVirtual: true,
  ...(smartcard === undefined ? {} : { smartcard }),
})
const list = (...readers: Reader[]) => ({ type: 'list' as const, connected: true, readers })

it('marks a reader as processing while it is read, and says what card it has then', () => {
  const first = heard(undefined, list(reader('A', card('1')), reader('B')))
  const during = heard(first, { type: 'new', connected: true, readers: [reader('A', card()), reader('B')] })
  expect(during.readers.map(({ processing, smartcard }) => [processing, smartcard?.serialNumber])).toEqual([
    [true, '1'],
    [true, undefined],
  ])
  const after = heard(during, list(reader('A', card('2')), reader('B')))
  expect(after.readers.map(({ processing, smartcard }) => [processing, smartcard?.serialNumber])).toEqual([
    [false, '2'],
    [false, undefined],
  ])
})

it('keeps what is being done with a card, by the name of its reader, when the readers are told anew', () => {
  const before = heard(undefined, list(reader('A'), reader('B')))
  const running = stepped(started(before, 'A', 'Issuing Smartcard'), 'A', { n: 1, name: 'Read the card', state: 'running' })
  const [b, a] = heard(running, list(reader('B'), reader('A'))).readers
  expect(a).toMatchObject({ operation: 'Issuing Smartcard', showProgress: true, events: [{ n: 1, state: 'running' }] })
  expect(b).toMatchObject({ operation: undefined, showProgress: false, events: [] })
})

it('begins with no steps, adds each once, and keeps them at its end', () => {
  const before = heard(undefined, list(reader('A')))
  const step = (n: number, state: 'running' | 'done') => ({ n, name: `Step ${n}`, state })
  const steps = [step(1, 'running'), step(1, 'done'), step(2, 'running')]
  const told = steps.reduce((state, one) => stepped(state, 'A', one), started(before, 'A', 'Registering Smartcard'))
  expect(told?.readers[0]?.events).toEqual([step(1, 'done'), step(2, 'running')])
  expect(finished(told, 'A')?.readers[0]).toMatchObject({
    showProgress: false,
    operation: 'Registering Smartcard',
    events: [{ n: 1 }, { n: 2 }],
  })
  expect(started(told, 'A', 'Again')?.readers[0]?.events).toEqual([])
})
