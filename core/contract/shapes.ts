// Shapes that many contracts use: ids, one-line texts, pages of a list.

import * as z from 'zod'
import { isStorableMoment } from '#standards/storable/storable.ts'

/** Read in small letters, so that one id has one spelling and can be compared. */
export const Id = z.uuid().toLowerCase()

// Control characters below code 32 and code 127 are refused everywhere; line breaks and tabs only in long texts.
// oxlint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u001f\u007f]/
// oxlint-disable-next-line no-control-regex
const controlCharacterButLines = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** One line of text that somebody typed: trimmed, non-empty, no control characters. */
export const Line = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'Enter a value')
    .max(most, `Use at most ${most} characters`)
    .refine((text) => !controlCharacter.test(text), 'Remove the control characters')

export const OptionalLine = (most: number) => z.union([z.literal(''), Line(most)]).default('')

/** Longer text: line breaks and tabs are allowed. */
export const Paragraph = (most: number) =>
  z
    .string()
    .max(most, `Use at most ${most} characters`)
    .refine((text) => !controlCharacterButLines.test(text), 'Remove the control characters')

/** A row holds no other, and no other could be read back. */
export const Instant = z.iso
  .datetime({ offset: true })
  .refine((text) => isStorableMoment(new Date(text)), 'Choose a moment from the year 1 to the year 9999')

/** A list's total is exact up to here; of more it says that there are more. Who counts asks for one beyond it. */
export const countedUpTo = 10_000

/** The part of a list that a screen shows. A call that sorts by columns names them: `sort: sortedBy('name', 'notAfter')`. */
export const pageSizes = [10, 25, 50, 100] as const
export const PageQuery = z.object({
  page: z.number().int().min(1).max(10_000).default(1),
  size: z.number().int().min(1).max(200).default(25),
  sort: z.never('This list has one order: leave this out').optional(),
  direction: z.enum(['asc', 'desc']).default('asc'),
  text: z.string().max(200).default(''),
})

/** What of a list's query says which part of it is shown, and in which order, and not what is in it. */
export const pageFields: readonly string[] = Object.keys(PageQuery.omit({ text: true }).shape)

export const sortedBy = <C extends string>(...columns: [C, ...C[]]) => z.enum(columns).optional()

/** `total` is exact up to the cap the call states; `more` says that there are at least that many. */
export const pageOf = <T extends z.ZodType>(row: T) =>
  z.object({ rows: z.array(row), total: z.number().int(), more: z.boolean().default(false) })

/** Rows chosen one by one, at most. */
export const mostChosen = 10_000

/** What is selected in a list: some rows by id, or all that match its query but some. */
export const SelectionShape = z.object({
  selectAll: z.boolean().default(false),
  inclusionList: z.array(Id).max(mostChosen, `Choose at most ${mostChosen} rows one by one`).default([]),
  exclusionList: z.array(Id).max(mostChosen, `Leave out at most ${mostChosen} rows one by one`).default([]),
})
