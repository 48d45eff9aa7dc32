import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readDraft } from './draft-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'chancery-draft-'))
afterAll(() => rmSync(folder, { recursive: true }))

const administrator = {
  username: 'ada',
  givenName: 'Ada',
  familyName: 'Lovelace',
  emailAddress: 'ada@example.org',
  password: 'correct horse battery staple',
}

function said(text: string): string {
  const file = join(folder, 'draft.json')
  writeFileSync(file, text)
  try {
    return readDraft(file).tenancyName
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(`${folder}/`, '') : String(error)
  }
}

test('a good file is read', () => {
  expect(said(JSON.stringify({ tenancyName: 'Northwind', administrator }))).toBe('Northwind')
})

test.each([
  ['{\n  "tenancyName": "Northwind",\n  "administrator" {}\n}', /^draft\.json is not JSON: .*line 3/],
  ['{"tenancyName": "North', /^draft\.json is not JSON: .*line 1/],
  ['', /^draft\.json is not JSON: .*line 1/],
  ['[]', /^draft\.json: should hold one object/],
  ['{}', /^draft\.json: tenancyName is missing\ndraft\.json: administrator is missing$/],
  [
    JSON.stringify({ $schema: './bootstrap.schema.json', tenancyName: 'Northwind', administrator: { ...administrator, pasword: 'x' } }),
    /^draft\.json: administrator\.pasword: There is no field pasword here\. Did you mean password\?$/,
  ],
  [
    JSON.stringify({ tenancyName: 7, administrator: { ...administrator, emailAddress: 'nobody', username: undefined } }),
    /tenancyName should be a string\n.*administrator\.username is missing\n.*emailAddress: Enter an e-mail address/,
  ],
])('what is wrong with a file is said in words: %s', (text, words) => {
  expect(said(text)).toMatch(words)
})

test('a file that is not there is said to be missing', () => {
  expect(() => readDraft(join(folder, 'none.json'))).toThrow(/none\.json cannot be read: there is no such file/)
})
