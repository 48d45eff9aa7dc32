// What the API says about values that do not fit a call's shape, in a program's terms: the field by its name, the kind that is wanted, what is allowed. A
// shape's own words win. (What a person reads in a form the console says for itself.)

import type * as z from 'zod'
import { notAnId, type FieldFault } from '#core/contract/faults.ts'
import { nearestTo } from '#core/contract/nearest.ts'
import { unstorableFields } from './storable.ts'

type Issue = z.core.$ZodIssue
type RawIssue = z.core.$ZodRawIssue

const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a time',
}

const formats: Record<string, string> = {
  uuid: 'Send an id (a UUID)',
  datetime: 'Send a time such as 2026-01-31T12:00:00Z',
  date: 'Send a date such as 2026-01-31',
  email: 'Send an e-mail address such as name@example.org',
  url: 'Send an address such as https://example.org/',
  base64: 'Send base64',
  ipv4: 'Send an IPv4 address',
  ipv6: 'Send an IPv6 address',
}

const kindOf = (value: unknown): string => kinds[value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value] ?? 'that'
const mostNamed = 40
const named = (values: readonly unknown[]): string =>
  values
    .slice(0, mostNamed)
    .map((value) => (value === '' ? 'an empty text' : String(value)))
    .join(', ') + (values.length > mostNamed ? ` and ${values.length - mostNamed} more` : '')
const counted = (count: number | bigint, word: string): string => `${count} ${word}${Number(count) === 1 ? '' : 's'}`

/** Which of the library's checks failed, in words. */
function faultOf(issue: RawIssue): string {
  const { input } = issue
  const name = (issue.path ?? []).map(String).join('.')
  if (input === undefined && name !== '')
    return issue.code === 'invalid_value' && issue.values.length > 1
      ? `${name} is required: one of ${named(issue.values)}`
      : `${name} is required`
  switch (issue.code) {
    case 'invalid_type': {
      const wanted = `Send ${kinds[issue.expected] ?? `a value of the kind ${issue.expected}`}`
      if (typeof input === 'number' && !Number.isFinite(input)) return 'This number is too large'
      return input === undefined || (issue.expected === 'int' && typeof input === 'number') ? wanted : `${wanted}, not ${kindOf(input)}`
    }
    case 'invalid_value':
      return issue.values.length === 1 ? `Send ${named(issue.values)}` : `Send one of ${named(issue.values)}`
    case 'invalid_union':
      return faultOfUnion(issue)
    case 'invalid_format':
      return formats[issue.format] ?? 'This is not written as it should be'
    case 'too_small':
      return issue.origin === 'string'
        ? `Use at least ${counted(issue.minimum, 'character')}`
        : issue.origin === 'array'
          ? `Send at least ${counted(issue.minimum, 'item')}`
          : `Send ${issue.minimum} or more`
    case 'too_big':
      return issue.origin === 'string'
        ? `Use at most ${counted(issue.maximum, 'character')}`
        : issue.origin === 'array'
          ? `Send at most ${counted(issue.maximum, 'item')}`
          : `Send ${issue.maximum} or less`
    default:
      return 'Check this value'
  }
}

/** Of the kinds that would do, the one that was meant is the one whose kind is right and something else is wrong. */
function faultOfUnion({ errors, options }: { errors: Issue[][]; options?: unknown }): string {
  if (Array.isArray(options)) return `Send one of ${named(options)}`
  const meant = errors.find(
    ([first]) => first !== undefined && first.path.length === 0 && first.code !== 'invalid_type' && first.code !== 'invalid_value',
  )?.[0]
  if (meant !== undefined) return meant.message
  const wanted = errors.flatMap(([first]) =>
    first?.code === 'invalid_value'
      ? [named(first.values)]
      : first?.code === 'invalid_type'
        ? [kinds[first.expected] ?? first.expected]
        : [],
  )
  return wanted.length === 0 ? 'Check this value' : `Send ${wanted.join(', or ')}`
}

const faultsOf = (issue: Issue): FieldFault[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ field: [...issue.path.map(String), key].join('.'), says: `There is no field ${key} here` }))
    : [
        {
          field: issue.path.map(String).join('.'),
          says: issue.message,
          ...(issue.code === 'invalid_format' && issue.format === 'uuid' ? { code: notAnId } : {}),
        },
      ]

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a library's shape says of itself, of all kinds of shapes together. */
type Definition = {
  type?: unknown
  /** Of an object. */
  shape?: unknown
  catchall?: unknown
  /** Of a list. */
  element?: unknown
  /** Of a record, whose names are data. */
  valueType?: unknown
  /** Of a choice. */
  options?: unknown
  /** Of a shape around another one: optional, with a default. */
  innerType?: unknown
  /** Of a value that is read by one shape and made into another. */
  in?: unknown
}

function definitionOf(shape: unknown): Definition {
  const definition: Definition = isFields(shape) && isFields(shape['def']) ? shape['def'] : {}
  const within = definition.innerType ?? definition.in
  return within === undefined ? definition : definitionOf(within)
}

/** Finds what was sent under names that the shape does not know, however deep. Passed by in silence, a misspelt filter would look as if it held. */
function* unknownFields(shape: unknown, sent: unknown, also: readonly string[] = [], path: readonly string[] = []): Generator<FieldFault> {
  const definition = definitionOf(shape)
  if (Array.isArray(definition.options)) return yield* unknownFields(optionOf(definition.options, sent), sent, also, path)
  if (Array.isArray(sent)) {
    if (definition.element !== undefined)
      for (const [at, one] of sent.entries()) yield* unknownFields(definition.element, one, [], [...path, String(at)])
    return
  }
  if (!isFields(sent)) return
  const fields = isFields(definition.shape) ? definition.shape : undefined
  const others = fields === undefined ? definition.valueType : takesMore(definition) ? definition.catchall : undefined
  if (fields === undefined && others === undefined) return
  for (const [name, value] of Object.entries(sent)) {
    if (fields !== undefined && Object.hasOwn(fields, name)) yield* unknownFields(fields[name], value, [], [...path, name])
    else if (others !== undefined) yield* unknownFields(others, value, [], [...path, name])
    else if (!also.includes(name)) yield unknownField([...path, name.slice(0, longestNamed)], name, Object.keys(fields ?? {}))
  }
}

const takesMore = ({ catchall }: Definition): boolean => catchall !== undefined && definitionOf(catchall).type !== 'never'

/** Finds which shape of a choice was meant: the one that reads the value, or else the one whose fixed values fit, such as a kind. */
const optionOf = (options: readonly unknown[], sent: unknown): unknown =>
  options.find((option) => reads(option, sent)) ?? options.find((option) => hasFixedValues(option, sent))

const reads = (shape: unknown, sent: unknown): boolean => isShape(shape) && shape.safeParse(sent).success
const isShape = (shape: unknown): shape is z.ZodType => isFields(shape) && typeof shape['safeParse'] === 'function'

function hasFixedValues(option: unknown, sent: unknown): boolean {
  const { shape } = definitionOf(option)
  if (!isFields(shape) || !isFields(sent)) return false
  const fixed = Object.entries(shape).filter(([, inner]) => definitionOf(inner).type === 'literal')
  return fixed.length > 0 && fixed.every(([name, inner]) => reads(inner, sent[name]))
}

function unknownField(path: readonly string[], name: string, known: readonly string[]): FieldFault {
  const meant = nearestTo(name, known)
  return {
    field: path.join('.'),
    says: `There is no field ${name.slice(0, longestNamed)} here.${meant === undefined ? ` There are ${known.join(', ')}` : ` Did you mean ${meant}?`}`,
  }
}

const under = (within: string, faults: FieldFault[]): FieldFault[] =>
  within === '' ? faults : faults.map(({ field, ...fault }) => ({ ...fault, field: field === '' ? within : `${within}.${field}` }))

/** One thing at a time: what does not fit in two ways is said once, the first way. */
const firstOfEach = (faults: readonly FieldFault[]): FieldFault[] =>
  [...Map.groupBy(faults, ({ field }) => field).values()].flatMap(([first]) => first ?? [])

const mostFaults = 50
/** Of a name that was sent so much is told back. */
const longestNamed = 60

export type Shaped<S extends z.ZodType> = { data: z.output<S>; fields?: never } | { fields: FieldFault[]; data?: never }

/** Reads whatever comes from outside, of calls and endpoints alike. `within`: where the value stands in what was sent, such as `query`. */
export function readShape<S extends z.ZodType>(shape: S, value: unknown, within = ''): Shaped<S> {
  const unstorable = unstorableFields(value)
  const result = unstorable.length > 0 ? undefined : shape.safeParse(value, { error: faultOf })
  if (result?.success === true) return { data: result.data }
  const faults = result === undefined ? unstorable : firstOfEach(result.error.issues.flatMap(faultsOf)).slice(0, mostFaults)
  return { fields: under(within, faults) }
}

/** The same where nothing may be sent that is not read, but what stands in `also`. */
export function readExactly<S extends z.ZodType>(shape: S, value: unknown, within = '', also: readonly string[] = []): Shaped<S> {
  const unknown: FieldFault[] = []
  // No more are looked for than are told: to find what was meant by each of a million names would hold up everybody else.
  for (const fault of unknownFields(shape, value, also)) if (unknown.push(fault) === mostFaults) break
  return unknown.length > 0 ? { fields: under(within, unknown) } : readShape(shape, value, within)
}
