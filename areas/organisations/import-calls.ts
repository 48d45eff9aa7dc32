// The calls of an import of organisations: a file is prepared, checked, run, and can be undone for a day.

import * as z from 'zod'
import { Id, Instant } from '#core/contract/shapes.ts'

const Mapping = z.record(z.string().max(40), z.number().int())
const importId = Id
const importing = { needs: 'orgAdd' } as const

/** A file of 10 MB in base64, and what stands around it. */
const bodyLimit = 14 * 1024 * 1024

export const importCalls = {
  prepareImport: {
    does: 'Reads a CSV file of organisations and keeps its rows; answers its columns, the mapping that fits them, and the first rows.',
    title: 'Prepare an import of organisations',
    method: 'POST',
    path: '/api2/IDM-v1/PrepareOrganisationImport',
    ...importing,
    input: z.object({ fileName: z.string().trim().min(1).max(200), file: z.base64().max(bodyLimit) }),
    output: z.object({
      importId,
      rows: z.number().int(),
      headers: z.array(z.string()),
      mapping: Mapping,
      sample: z.array(z.array(z.string())),
    }),
    failed: 'The file was not read',
    bodyLimit,
    ownTransactions: true,
  },
  checkImport: {
    does: 'Begins to check all rows of an import with a mapping from our columns to those of the file; answers nothing.',
    title: 'Check an import of organisations',
    method: 'POST',
    path: '/api2/IDM-v1/CheckOrganisationImport',
    ...importing,
    input: z.object({ importId, mapping: Mapping }),
    output: z.object({}),
    failed: 'The import was not checked',
  },
  readImport: {
    does: 'Says how far an import is, what it would do or did, and the first hundred rows with faults.',
    method: 'POST',
    path: '/api2/IDM-v1/ReadOrganisationImport',
    ...importing,
    reads: true,
    input: z.object({ importId }),
    output: z.object({
      status: z.enum(['uploaded', 'checking', 'checked', 'running', 'done', 'undoing', 'undone', 'cancelled']),
      rows: z.number().int(),
      position: z.number().int(),
      good: z.number().int(),
      faulty: z.number().int(),
      applied: z.number().int(),
      failed: z.number().int(),
      fresh: z.number().int(),
      changed: z.number().int(),
      same: z.number().int(),
      undoUntil: Instant.optional(),
      faults: z.array(z.object({ row: z.number().int(), column: z.string(), value: z.string(), says: z.string() })),
    }),
  },
  startImport: {
    does: 'Begins to apply a checked import, without its faulty rows where asked; answers nothing.',
    title: 'Run an import of organisations',
    method: 'POST',
    path: '/api2/IDM-v1/StartOrganisationImport',
    ...importing,
    input: z.object({ importId, skipFaulty: z.boolean().default(false) }),
    output: z.object({}),
    failed: 'The import was not started',
  },
  cancelImport: {
    does: 'Stops an import behind the rows that are being applied; answers nothing.',
    title: 'Cancel an import of organisations',
    method: 'POST',
    path: '/api2/IDM-v1/CancelOrganisationImport',
    ...importing,
    input: z.object({ importId }),
    output: z.object({}),
    failed: 'The import was not cancelled',
  },
  undoImport: {
    does: 'Begins to take back what an import did, within 24 hours; what has been used since stays. Answers nothing.',
    title: 'Undo an import of organisations',
    method: 'POST',
    path: '/api2/IDM-v1/UndoOrganisationImport',
    ...importing,
    input: z.object({ importId }),
    output: z.object({}),
    failed: 'The import was not undone',
  },
} as const
