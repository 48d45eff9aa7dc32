import { expect, test } from 'vitest'
import { readTyped } from './typed-filters.ts'

const filters = {
  status: {
    label: 'Status',
    many: true,
    options: [
      { value: 'active', label: 'Active' },
      { value: 'onHold', label: 'On hold' },
    ],
  },
  templateId: { label: 'Template', many: true, options: [{ value: 't1', label: 'TLS server' }] },
}

test.each([
  ['status:active', { rest: '', found: [{ name: 'status', value: 'active', says: 'Status: Active' }], wrong: [] }],
  ['www status:onhold example', { rest: 'www example', found: [{ name: 'status', value: 'onHold', says: 'Status: On hold' }], wrong: [] }],
  ['template:"tls server"', { rest: '', found: [{ name: 'templateId', value: 't1', says: 'Template: TLS server' }], wrong: [] }],
  ['sttatus:active', { rest: 'sttatus:active', found: [], wrong: [{ typed: 'sttatus', meant: 'status' }] }],
  ['temlate:x', { rest: 'temlate:x', found: [], wrong: [{ typed: 'temlate', meant: 'template' }] }],
  ['status:activ', { rest: 'status:activ', found: [], wrong: [{ typed: 'activ', filter: 'Status', meant: 'Active' }] }],
  ['status:valid', { rest: 'status:valid', found: [], wrong: [{ typed: 'valid', filter: 'Status', meant: undefined }] }],
])('The search line understands %s', (text, read) => {
  expect(readTyped(text, filters)).toEqual(read)
})

test.each(['3b:a3:24:96', 'https://example.org', 'CN:x', '2001:db8::7', 'state', 'urn:uuid:1'])(
  'What only holds a colon is searched for: %s',
  (text) => {
    expect(readTyped(text, filters)).toEqual({ rest: text, found: [], wrong: [] })
  },
)
