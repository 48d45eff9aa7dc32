// What a shape says about values that do not fit it, field by field and in the person's words. A shape's own message wins; what it leaves
// to the library is said here, so that nobody reads "Invalid input: expected string".

import * as z from 'zod'
import { t } from '../text.ts'

const formats: Record<string, string> = {
  email: 'Enter an e-mail address such as name@example.org',
  url: 'Enter an address that starts with https://',
  uuid: 'Choose one of the list',
  datetime: 'Enter a date and a time',
  date: 'Enter a date',
  ipv4: 'Enter an IPv4 address',
  ipv6: 'Enter an IPv6 address',
}

const absent = (value: unknown) => value === undefined || value === null || value === ''

/** Nobody types an id. */
const wanted = ({ inst }: { inst?: unknown }): string => (inst instanceof z.ZodUUID ? 'Choose one of the list' : 'Enter a value')

z.config({
  customError(issue) {
    const text = issue.origin === 'string'
    switch (issue.code) {
      case 'invalid_type':
        return absent(issue.input)
          ? wanted(issue)
          : issue.expected === 'number' || issue.expected === 'int'
            ? 'Enter a whole number'
            : 'Check this value'
      case 'invalid_format':
        return absent(issue.input) ? wanted(issue) : (formats[issue.format ?? ''] ?? 'Check how this is written')
      case 'invalid_value':
        return 'Choose one of the list'
      case 'too_small':
        return absent(issue.input)
          ? 'Enter a value'
          : t(
              text
                ? 'Use at least {least} characters'
                : issue.origin === 'array'
                  ? '{least, plural, one {Add at least one} other {Add at least #}}'
                  : 'Use {least} or more',
              { least: Number(issue.minimum) },
            )
      case 'too_big':
        return t(text ? 'Use at most {most} characters' : issue.origin === 'array' ? 'At most {most} are possible' : 'Use {most} or less', {
          most: Number(issue.maximum),
        })
      default:
        return 'Check this value'
    }
  },
})

/** Errors by path; only the first of each field. */
export function shapeErrors(shape: z.ZodType, value: unknown): Record<string, string> {
  const read = shape.safeParse(value)
  if (read.success) return {}
  const errors: Record<string, string> = {}
  for (const issue of read.error.issues) errors[issue.path.join('.')] ??= t(issue.message)
  return errors
}
