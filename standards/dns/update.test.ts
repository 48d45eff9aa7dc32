// Dynamic updates as bytes: what is signed, and which answers count. A real name server judges them in `npm run e2e:protocols`.

import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { DnsUpdateError, encodeDnsName, readUpdateAnswer, writeTxtUpdate, type TsigKey } from './update.ts'

const key: TsigKey = { name: 'acme-key', algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 7) }
const now = new Date('2026-11-23T12:00:00Z')
const record = { zone: 'example.org', name: '_acme-challenge.www.example.org', value: 'abc', ttl: 60, action: 'add' } as const
const update = writeTxtUpdate(record, key, { id: 0x1234, now })

/** An answer of a name server, signed by its own writing of RFC 8945. */
function answer({ id = 0x1234, code = 0, by = key, error = 0, sign = true, spoil = false } = {}): Buffer {
  const u16 = (...values: number[]) => Buffer.concat(values.map((value) => Buffer.of(value >> 8, value & 0xff)))
  const question = Buffer.concat([encodeDnsName('example.org'), u16(6, 1)])
  const head = (additional: number) => u16(id, 0xa800 | code, 1, 0, 0, additional)
  const time = Buffer.concat([u16(0), Buffer.from('6a000000', 'hex')])
  const unsigned = Buffer.concat([head(0), question])
  const variables = Buffer.concat([encodeDnsName(by.name), u16(255, 0, 0), encodeDnsName('hmac-sha256'), time, u16(300, error, 0)])
  const mac = createHmac('sha256', by.secret).update(u16(update.mac.length)).update(update.mac).update(unsigned).update(variables).digest()
  if (spoil) mac[0] = (mac[0] ?? 0) ^ 1
  const data = Buffer.concat([encodeDnsName('hmac-sha256'), time, u16(300, mac.length), mac, u16(id, error, 0)])
  const tsig = Buffer.concat([encodeDnsName(by.name), u16(250, 255, 0, 0, data.length), data])
  return sign ? Buffer.concat([head(1), question, tsig]) : unsigned
}

const reason = (bytes: Uint8Array): string => {
  try {
    readUpdateAnswer(bytes, update, key)
    return 'done'
  } catch (error) {
    if (error instanceof DnsUpdateError) return error.message
    throw error
  }
}

describe('An update', () => {
  test('adds one TXT record to the zone, and deletes exactly that one', () => {
    const text = update.message.toString('latin1')
    expect(update.message.readUInt16BE(2) >> 11).toBe(5)
    expect(text).toContain('\u0003abc')
    const gone = writeTxtUpdate({ ...record, action: 'delete' }, key, { id: 1, now })
    const at = gone.message.indexOf(encodeDnsName(record.name))
    const fields = at + encodeDnsName(record.name).length
    expect([gone.message.readUInt16BE(fields), gone.message.readUInt16BE(fields + 2), gone.message.readUInt32BE(fields + 4)]).toEqual([
      16, 254, 0,
    ])
  })

  test('is refused before it is sent where a name is none', () => {
    expect(() => writeTxtUpdate({ ...record, name: `${'a'.repeat(64)}.example.org` }, key, { id: 1, now })).toThrow(RangeError)
    expect(() => writeTxtUpdate({ ...record, zone: 'a..b' }, key, { id: 1, now })).toThrow(RangeError)
  })
})

describe('The answer to an update', () => {
  test('counts where it is signed with the same key, for this update', () => expect(reason(answer())).toBe('done'))

  test.each([
    ['another id', answer({ id: 7 }), 'not to this update'],
    ['no signature', answer({ sign: false }), 'without a signature'],
    ['another secret', answer({ by: { ...key, secret: Buffer.alloc(32, 8) } }), 'not that of the key'],
    ['a spoiled signature', answer({ spoil: true }), 'not that of the key'],
    ['a refusal', answer({ code: 5 }), 'REFUSED'],
    ['a bad secret of ours', answer({ code: 9, error: 16 }), 'BADSIG'],
    ['a key that it does not know', answer({ code: 9, error: 17 }), 'BADKEY'],
    ['another clock', answer({ code: 9, error: 18 }), 'BADTIME'],
    ['a code without a name', answer({ code: 13, sign: false }), 'with the code 13'],
    ['a message that is cut', answer().subarray(0, 40), 'not with a DNS message'],
    ['three bytes', Buffer.of(1, 2, 3), 'not to this update'],
    ['a query', Buffer.concat([answer().subarray(0, 2), Buffer.alloc(10)]), 'not to this update'],
  ])('with %s does not', (_what, bytes, says) => expect(reason(bytes)).toContain(says))
})
