import { describe, expect, test } from 'vitest'
import { attributeOf, decodeIpp, encodeIpp, IppError, jobRequest, jobStateOf, printJobRequest } from './ipp.ts'

const asking = { printer: 'ipp://printer.example/ipp/print', requestId: 7, user: 'ada' }

test('A print job is written as RFC 8010 says, with the document behind it', () => {
  const bytes = Buffer.concat([printJobRequest(asking, { name: 'card 1', format: 'application/pdf' }), Buffer.from('%PDF')])
  expect(bytes.subarray(0, 9).toString('hex')).toBe('020000020000000701')
  // charset, its name, its value
  expect(bytes.subarray(9, 12).toString('hex')).toBe('470012')
  expect(bytes.subarray(12, 30).toString()).toBe('attributes-charset')
  expect(bytes.subarray(30, 32).toString('hex')).toBe('0005')
  expect(bytes.subarray(32, 37).toString()).toBe('utf-8')
  const read = decodeIpp(bytes)
  expect(read.data.toString()).toBe('%PDF')
  expect(attributeOf(read, 'job-name')).toEqual(['card 1'])
  expect(attributeOf(read, 'copies')).toEqual([1])
})

test('An answer tells the state of a job', () => {
  const answer = encodeIpp({
    code: 0,
    requestId: 7,
    groups: [
      {
        kind: 'job',
        attributes: [
          { name: 'job-state', kind: 'enum', values: [9] },
          { name: 'job-state-reasons', kind: 'keyword', values: ['job-completed-successfully', 'other'] },
        ],
      },
    ],
  })
  expect(jobStateOf(decodeIpp(answer))).toBe('completed')
  expect(attributeOf(decodeIpp(answer), 'job-state-reasons')).toEqual(['job-completed-successfully', 'other'])
})

describe('What is no message', () => {
  const whole = jobRequest(asking, 'getJobAttributes', 4)
  test('is refused wherever it ends', () => {
    for (let length = 0; length < whole.length; length += 1) expect(() => decodeIpp(whole.subarray(0, length))).toThrow(IppError)
  })
  test('is refused where an attribute stands in no group or a number is short', () => {
    expect(() => decodeIpp(Buffer.from('0200000000000001210001610004000000010300', 'hex'))).toThrow(IppError)
    expect(() => decodeIpp(Buffer.from('0200000000000001012100016100010103', 'hex'))).toThrow(IppError)
  })
})
