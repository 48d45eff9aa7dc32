import { expect, test } from 'vitest'
import { isExact, ranked, recognise, soughtText } from './palette-rank.ts'

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
  ['245e 9d2a', 'serial'],
  ['245e 9d2a…', 'serial'],
  ['245e 9d2a 0c11 93', 'serial'],
  ['24-5E-9D-2A-0C-11', 'serial'],
  ['grace@harbour.example', 'email'],
  ['192.0.2.7', 'address'],
  ['2001:db8::1', 'address'],
  ['2001:0db8:0000:0000:0000:0000:0000:0001', 'address'],
  ['10.0.0.0/8', 'address'],
  ['#42', 'ticket'],
])('%s is taken for what it is', (text, kind) => {
  expect(recognise(text)?.kind).toBe(kind)
})

test.each(['printer', 'deadbeef', 'dead beef', 'Harbour Trust', '12', 'a:b'])('%s is only a text', (text) => {
  expect(recognise(text)).toBeUndefined()
})

test('what people call a thing besides finds it, after what is called so itself', () => {
  const items = [
    { label: 'Revocations', also: 'revoke, lost card' },
    { label: 'Lost cards', also: '' },
    { label: 'Audit', also: 'who changed' },
  ]
  const found = (text: string) => ranked(items, text).map(({ label }) => label)
  expect([found('lost card'), found('who ch'), found('revoke'), found('ost')]).toEqual([
    ['Lost cards', 'Revocations'],
    ['Audit'],
    ['Revocations'],
    ['Lost cards'],
  ])
})

test('a number is sought without what stands between its digits', () => {
  expect(['245e 9d2a…', '24:5e:9d:2a:0c:11', '0x245E9D2A0C11', ' www.example.org '].map(soughtText)).toEqual([
    '245e9d2a',
    '245e9d2a0c11',
    '245e9d2a0c11',
    'www.example.org',
  ])
})

test.each([
  ['245e 9d2a', { label: 'www', detail: '245e9d2a0c11' }, true],
  ['24:5e:9d:2a:0c:11', { label: 'www', detail: '245e9d2a0c11' }, true],
  ['WWW.example.org', { label: 'www.example.org', detail: '' }, true],
  ['ada@example.org', { label: 'Ada Lovelace', detail: 'ada.lovelace · ada@example.org' }, true],
  ['ada', { label: 'Ada Lovelace', detail: 'ada.lovelace · ada@example.org' }, false],
  ['9d2a 0c11', { label: 'www', detail: '245e9d2a0c11' }, false],
])('%s is exactly %j: %s', (text, record, exact) => {
  expect(isExact(record, text)).toBe(exact)
})
