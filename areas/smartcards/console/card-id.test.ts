import { expect, test } from 'vitest'
import { CardId } from '../shapes.ts'
import { cardIn, cardNamed } from './card-id.ts'

test('a card is named with its application, with and without a reader', () => {
  const applet_id = 'A000000308000010000100'
  expect(CardId.parse(cardNamed('17'))).toEqual({ serial: '17', applet_id })
  expect(CardId.parse(cardIn('17', { name: 'Desk reader' }))).toEqual({ serial: '17', applet_id, readerName: 'Desk reader' })
})
