// The calls of a staged import, which are the same in each room that offers one: a file is prepared, checked, run, and can be undone for a day. Each step has
// the rights of whoever takes it.

import * as z from 'zod'
import type { Named } from './contract.ts'
import type { Permission } from './permission-labels.ts'
import { Id, Instant } from './shapes.ts'

const Mapping = z.record(z.string().max(40), z.number().int())
const importId = Id

/** A file of 10 MB in base64, and what stands around it. */
const bodyLimit = 14 * 1024 * 1024

/** What an import asks besides the columns; nothing where a room asks nothing. */
export const noOptions = z.object({})

const statuses = ['uploaded', 'checking', 'checked', 'running', 'done', 'undoing', 'undone', 'cancelled'] as const

/** `noun` stands in the paths: `PrepareUserImport`. */
export const importCalls = <const N extends string, const P extends Permission, O extends z.ZodObject>(noun: N, needs: P, options: O) =>
  ({
    prepareImport: {
      does: `Reads a CSV file of ${noun.toLowerCase()}s and keeps its rows; answers its columns, the mapping that fits them, and the first rows.`,
      title: 'Prepare an import',
      method: 'POST',
      path: `/api2/IDM-v1/Prepare${noun}Import`,
      needs,
      input: z.object({ fileName: z.string().trim().min(1).max(200), file: z.base64().max(bodyLimit) }),
      output: z.object({
        importId,
        rows: z.number().int(),
        headers: z.array(z.string()),
        mapping: Mapping,
        sample: z.array(z.array(z.string())),
        /** How the file was read, and names that more than one of its columns has. */
        encoding: z.string(),
        delimiter: z.string(),
        repeated: z.array(z.string()),
      }),
      failed: 'The file was not read',
      bodyLimit,
      ownTransactions: true,
    },
    checkImport: {
      does: `Begins to check all rows of an import of ${noun.toLowerCase()}s with a mapping from our columns to those of the file, or with that of the check before; answers nothing.`,
      title: 'Check an import',
      method: 'POST',
      path: `/api2/IDM-v1/Check${noun}Import`,
      needs,
      input: z.object({ importId, mapping: Mapping.optional(), options: options.optional() }),
      output: z.object({}),
      failed: 'The import was not checked',
    },
    readImport: {
      does: `Says how far an import of ${noun.toLowerCase()}s is, what it would do or did, and the first hundred rows with faults.`,
      method: 'POST',
      path: `/api2/IDM-v1/Read${noun}Import`,
      needs,
      reads: true,
      input: z.object({ importId }),
      output: z.object({
        status: z.enum(statuses),
        /** Whoever asks checked it, or began what it does. */
        own: z.boolean(),
        /** Why it does not go on, where nobody stopped it. */
        stopped: z.string().optional(),
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
        /** Of the first hundred good rows: what is written otherwise than the file says it. */
        becomes: z.array(z.object({ row: z.number().int(), value: z.string(), becomes: z.string() })),
        faults: z.array(z.object({ row: z.number().int(), column: z.string(), value: z.string(), says: z.string() })),
      }),
    },
    listImports: {
      does: `Lists the imports of ${noun.toLowerCase()}s of the last two weeks, the latest first: what became of each, and until when it can be undone.`,
      method: 'GET',
      path: `/api2/IDM-v1/${noun}Imports`,
      needs,
      input: z.object({}),
      output: z.array(
        z.object({
          importId,
          fileName: z.string(),
          by: z.string(),
          at: Instant,
          status: z.enum(statuses),
          applied: z.number().int(),
          faulty: z.number().int(),
          undoUntil: Instant.optional(),
        }),
      ),
    },
    startImport: {
      does: `Begins to apply a checked import of ${noun.toLowerCase()}s, without its faulty rows where asked; answers nothing.`,
      title: 'Run an import',
      method: 'POST',
      path: `/api2/IDM-v1/Start${noun}Import`,
      needs,
      input: z.object({ importId, skipFaulty: z.boolean().default(false) }),
      output: z.object({}),
      failed: 'The import was not started',
    },
    cancelImport: {
      does: `Stops an import of ${noun.toLowerCase()}s behind the rows that are being applied; answers nothing.`,
      title: 'Cancel an import',
      method: 'POST',
      path: `/api2/IDM-v1/Cancel${noun}Import`,
      needs,
      input: z.object({ importId }),
      output: z.object({}),
      failed: 'The import was not cancelled',
    },
    undoImport: {
      does: `Begins to take back what an import of ${noun.toLowerCase()}s did, within 24 hours; what has been used since stays. Answers nothing.`,
      title: 'Undo an import',
      method: 'POST',
      path: `/api2/IDM-v1/Undo${noun}Import`,
      needs,
      input: z.object({ importId }),
      output: z.object({}),
      failed: 'The import was not undone',
    },
  }) as const

type Shapes = ReturnType<typeof importCalls<string, Permission, z.ZodObject>>

/** The calls of some room's import, for the screen that all of them share. */
export type ImportCalls = { [K in keyof Shapes]: Shapes[K] & Named }
