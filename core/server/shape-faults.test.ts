import { expect, test } from 'vitest'
import * as z from 'zod'
import { Line } from '#core/contract/shapes.ts'
import { Fault } from './fault.ts'
import { readExactly } from './shape-faults.ts'
import { parseShape } from './steps/input.ts'

function said(shape: z.ZodType, value: unknown): Record<string, string> {
  try {
    parseShape(shape, value)
    return {}
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const fields = error.detail.fields ?? []
    if (new Set(fields.map(({ field }) => field)).size < fields.length) throw new Error('A field is spoken of twice', { cause: error })
    return Object.fromEntries(fields.map(({ field, says }) => [field, says]))
  }
}

test('What is missing is said to be required, by its name', () => {
  const shape = z.object({
    name: Line(20),
    count: z.number(),
    on: z.boolean(),
    kind: z.enum(['root', 'outside']),
    subject: z.object({ CN: z.string() }),
    ids: z.array(z.string()),
    at: z.union([z.literal('none'), z.number()]),
  })
  expect(said(shape, { subject: {} })).toEqual({
    name: 'name is required',
    count: 'count is required',
    on: 'on is required',
    kind: 'kind is required: one of root, outside',
    'subject.CN': 'subject.CN is required',
    ids: 'ids is required',
    at: 'at is required',
  })
  expect(said(shape, undefined)).toEqual({ '': 'Send an object' })
})

test('What is of another kind is told what to send, and what was sent', () => {
  const shape = z.object({
    name: z.string(),
    count: z.number(),
    whole: z.int(),
    on: z.boolean(),
    ids: z.array(z.string()),
    subject: z.object({}),
    none: z.string(),
  })
  expect(said(shape, { name: 7, count: '7', whole: 7.5, on: 'yes', ids: 'a', subject: [], none: null })).toEqual({
    name: 'Send text, not a number',
    count: 'Send a number, not text',
    whole: 'Send a whole number',
    on: 'Send true or false, not text',
    ids: 'Send a list, not text',
    subject: 'Send an object, not a list',
    none: 'Send text, not null',
  })
})

test('A number that is too large for any is called so, and a field is spoken of once', () => {
  const shape = z.object({ count: z.number().int(), days: z.number().int('Enter a whole number').min(1, 'At least 1') })
  expect(said(shape, { count: JSON.parse('1e400'), days: 0.5 })).toEqual({
    count: 'This number is too large',
    days: 'Enter a whole number',
  })
})

test('Of a choice it says which are allowed, and of names that nobody knows which', () => {
  expect(said(z.object({ kind: z.enum(['root', 'outside']), only: z.literal('all') }), { kind: 'sideways', only: 'some' })).toEqual({
    kind: 'Send one of root, outside',
    only: 'Send all',
  })
  expect(said(z.object({ subject: z.strictObject({ CN: z.string() }) }), { subject: { CN: 'x', cn: 'y', X: 'z' } })).toEqual({
    'subject.cn': 'There is no field cn here',
    'subject.X': 'There is no field X here',
  })
  expect(
    said(z.discriminatedUnion('by', [z.object({ by: z.literal('name') }), z.object({ by: z.literal('id') })]), { by: 'luck' }),
  ).toEqual({ by: 'Send one of name, id' })
})

test('What is written in another way, too long, too short, too small or too large says how it should be', () => {
  const shape = z.object({
    id: z.uuid(),
    at: z.iso.datetime({ offset: true }),
    mail: z.email(),
    code: z.string().regex(/^x$/),
    short: z.string().min(2),
    long: z.string().max(1),
    few: z.array(z.string()).min(1),
    small: z.number().min(5),
    large: z.number().max(5),
  })
  expect(said(shape, { id: 'x', at: 'x', mail: 'x', code: 'y', short: 'x', long: 'xx', few: [], small: 1, large: 9 })).toEqual({
    id: 'Send an id (a UUID)',
    at: 'Send a time such as 2026-01-31T12:00:00Z',
    mail: 'Send an e-mail address such as name@example.org',
    code: 'This is not written as it should be',
    short: 'Use at least 2 characters',
    long: 'Use at most 1 character',
    few: 'Send at least 1 item',
    small: 'Send 5 or more',
    large: 'Send 5 or less',
  })
})

test('Where one of several kinds would do, it says what is wrong with the one that was meant, and a shape’s own words win', () => {
  const shape = z.object({
    name: z.union([z.literal(''), Line(3)]),
    length: z.union([z.literal('none'), z.number()]),
    own: z.string('Choose a colour'),
    both: z.union([z.string(), z.number()], 'Enter 1 or more'),
  })
  expect(said(shape, { name: 'long', length: true, both: false })).toEqual({
    name: 'Use at most 3 characters',
    length: 'Send none, or a number',
    own: 'Choose a colour',
    both: 'Enter 1 or more',
  })
})

function unknownIn(shape: z.ZodType, value: unknown): Record<string, string> {
  const { fields = [] } = readExactly(shape, value)
  return Object.fromEntries(fields.map(({ field, says }) => [field, says]))
}

test('What nobody reads is refused by its name, with the name that was probably meant', () => {
  const shape = z.object({ name: z.string().optional(), subject: z.object({ CN: z.string() }).optional() })
  expect(unknownIn(shape, { nmae: 'x', subject: { CN: 'x', other: 'y' } })).toEqual({
    nmae: 'There is no field nmae here. Did you mean name?',
    'subject.other': 'There is no field other here. There are CN',
  })
})

test('What nobody reads is found in lists, in objects whose names are data, and in values that are made into others', () => {
  const One = z.object({ id: z.string() })
  const shape = z.object({
    rows: z.array(One),
    byName: z.record(z.string(), One),
    made: One.transform(({ id }) => id).default('none'),
  })
  const one = { id: 'x', extra: 1 }
  expect(Object.keys(unknownIn(shape, { rows: [{ id: 'x' }, one], byName: { any: one }, made: one }))).toEqual([
    'rows.1.extra',
    'byName.any.extra',
    'made.extra',
  ])
})

test('Of a choice, what nobody reads is found in the kind that was meant', () => {
  const shape = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('card'), serial: z.string() }),
    z.object({ kind: z.literal('person'), name: z.string() }),
  ])
  expect(unknownIn(shape, { kind: 'card', serial: '1' })).toEqual({})
  expect(Object.keys(unknownIn(shape, { kind: 'card', serial: '1', name: 'x' }))).toEqual(['name'])
  // Also where something else is wrong with it.
  expect(Object.keys(unknownIn(shape, { kind: 'person', name: 7, serail: 'x' }))).toEqual(['serail'])
  const either = z.object({ at: z.union([z.literal('none'), z.object({ hour: z.number() })]) })
  expect(unknownIn(either, { at: 'none' })).toEqual({})
  expect(Object.keys(unknownIn(either, { at: { hour: 1, minute: 2 } }))).toEqual(['at.minute'])
})

test('An object that takes all names takes them, and what stands below known names is looked at', () => {
  const shape = z.looseObject({ known: z.object({ id: z.string() }) })
  expect(Object.keys(unknownIn(shape, { known: { id: 'x', extra: 1 }, whatever: { a: 1 } }))).toEqual(['known.extra'])
})
