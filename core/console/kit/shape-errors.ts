// What a shape says about values that do not fit it, field by field and in the person's words. A shape's own message wins; what it leaves
// to the library is said here, so that nobody reads "Invalid input: expected string".

import * as z from 'zod'
import { t } from '../text.ts'

/** As `says`, so that they are found for translation. */
const formats: Record<string, { says: string }> = {
  email: { says: 'Enter an e-mail address such as name@example.org' },
  url: { says: 'Enter an address that starts with https://' },
  uuid: { says: 'Choose one of the list' },
  datetime: { says: 'Enter a date and a time' },
  date: { says: 'Enter a date' },
  ipv4: { says: 'Enter an IPv4 address' },
  ipv6: { says: 'Enter an IPv6 address' },
}

const words = {
  choose: { says: 'Choose one of the list' },
  enter: { says: 'Enter a value' },
  whole: { says: 'Enter a whole number' },
  check: { says: 'Check this value' },
  form: { says: 'Check how this is written' },
} as const

const absent = (value: unknown) => value === undefined || value === null || value === ''

/** Nobody types an id. */
const wanted = ({ inst }: { inst?: unknown }): string => (inst instanceof z.ZodUUID ? words.choose.says : words.enter.says)

z.config({
  customError(issue) {
    const text = issue.origin === 'string'
    switch (issue.code) {
      case 'invalid_type':
        return absent(issue.input)
          ? wanted(issue)
          : issue.expected === 'number' || issue.expected === 'int'
            ? words.whole.says
            : words.check.says
      case 'invalid_format':
        return absent(issue.input) ? wanted(issue) : (formats[issue.format ?? '']?.says ?? words.form.says)
      case 'invalid_value':
        return words.choose.says
      case 'too_small':
        return absent(issue.input)
          ? words.enter.says
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
        return words.check.says
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
