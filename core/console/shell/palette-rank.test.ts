import { expect, test } from 'vitest'
import { ranked, recognise } from './palette-rank.ts'

const labels = (text: string, ...names: string[]) =>
  ranked(
    names.map((label) => ({ label })),
    text,
  ).map(({ label }) => label)

test('a whole word stands before the beginning of one, that before any part', () => {
  expect(labels('cert', 'Concert hall', 'Certificates', 'My cert', 'Device')).toEqual(['My cert', 'Certificates', 'Concert hall'])
})

test('among equals the shorter label stands first', () => {
  expect(labels('user', 'New user for a device', 'User roles', 'User')).toEqual(['User', 'User roles', 'New user for a device'])
})

test('a text of more words fits where the label has them in that order', () => {
  expect(labels('new us', 'New user', 'User new')).toEqual(['New user'])
})

test('no text has a special meaning', () => {
  expect(labels('(.*', 'New user')).toEqual([])
})

test.each([
  ['-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----', 'pem'],
  ['0x4F2A9C001122', 'serial'],
  ['4f:2a:9c:00:11:22:33', 'serial'],
  ['grace@harbour.example', 'email'],
  ['192.0.2.7', 'address'],
  ['2001:db8::1', 'address'],
  ['2001:0db8:0000:0000:0000:0000:0000:0001', 'address'],
  ['#42', 'ticket'],
])('%s is taken for what it is', (text, kind) => {
  expect(recognise(text)?.kind).toBe(kind)
})

test.each(['printer', 'deadbeef', 'Harbour Trust', '12', 'a:b'])('%s is only a text', (text) => {
  expect(recognise(text)).toBeUndefined()
})
