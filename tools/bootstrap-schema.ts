// Writes docs/bootstrap.schema.json, the schema of the file that `npm run bootstrap` reads, out of the set-up contract.

import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { SetupDraft } from '#areas/setup/contract.ts'

export const schemaFile = fileURLToPath(new URL('../docs/bootstrap.schema.json', import.meta.url))

export const bootstrapSchema = () => ({
  title: 'What npm run bootstrap sets up',
  ...z.toJSONSchema(SetupDraft, { io: 'input', unrepresentable: 'any' }),
})

if (process.argv[1]?.endsWith('bootstrap-schema.ts') === true)
  writeFileSync(schemaFile, `${JSON.stringify(bootstrapSchema(), undefined, 2)}\n`)
