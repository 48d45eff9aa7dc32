import { expect, test } from 'vitest'
import * as z from 'zod'
import { Id, Line } from '#core/contract/shapes.ts'
import { shapeErrors } from './shape-errors.ts'

test('of what is missing it says whether to choose or to enter it', () => {
  expect(shapeErrors(z.object({ authority: Id, kind: z.enum(['a', 'b']), name: Line(20) }), { name: '' })).toEqual({
    authority: 'Choose one of the list',
    kind: 'Choose one of the list',
    name: 'Enter a value',
  })
  expect(shapeErrors(z.object({ authority: Id }), { authority: '' })).toEqual({ authority: 'Choose one of the list' })
})

test('a number that is none is asked for as a whole one', () => {
  expect(shapeErrors(z.object({ days: z.number().int().min(1) }), { days: Number.NaN })).toEqual({ days: 'Enter a whole number' })
})
