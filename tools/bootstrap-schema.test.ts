import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bootstrapSchema, schemaFile } from './bootstrap-schema.ts'

test('the published schema of the bootstrap file is the one of the contract (npm run bootstrap-schema writes it)', () => {
  expect(JSON.parse(readFileSync(schemaFile, 'utf8'))).toEqual(JSON.parse(JSON.stringify(bootstrapSchema())))
})
