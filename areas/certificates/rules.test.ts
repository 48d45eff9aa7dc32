import { describe, expect, test } from 'vitest'
import { requestStatuses, requestStatusLabels } from './request-status.ts'
import { certificateStatus, daysLeft, dueNotice, normalSerial, readReference, requestStages, requestStatus, stagesWith } from './rules.ts'

const day = 86_400_000
const now = new Date('2026-11-21T12:00:00Z')
const inDays = (days: number) => new Date(now.getTime() + days * day)

describe('the status of a request', () => {
  test('is one of the seven of the specification, each with its word', () => {
    expect(requestStatuses).toEqual(['incomplete', 'error', 'denied', 'issued', 'issued_out_of_band', 'under_submission', 'revoked'])
    expect(Object.keys(requestStatusLabels)).toEqual([...requestStatuses])
  })

  test('follows from its stage', () => {
    expect(requestStages.map((stage) => `${stage} ${requestStatus(stage, false)}`)).toEqual([
      'waiting under_submission',
      'awaitingKey incomplete',
      'approved under_submission',
      'reserved under_submission',
      'issued issued',
      'denied denied',
      'withdrawn denied',
      'failed error',
    ])
  })

  test('tells a certificate of another issuer from one of ours', () => {
    expect(requestStages.filter((stage) => requestStatus(stage, false, true) === 'issued_out_of_band')).toEqual(['issued'])
  })

  test('tells in which stages a request can have it', () => {
    expect(Object.fromEntries(requestStatuses.map((status) => [status, stagesWith(status).join(' ')]))).toEqual({
      incomplete: 'awaitingKey',
      error: 'failed',
      denied: 'denied withdrawn',
      issued: 'issued',
      issued_out_of_band: 'issued',
      under_submission: 'waiting approved reserved',
      revoked: 'issued',
    })
  })

  test('is revoked only where there is a certificate', () => {
    expect(requestStages.filter((stage) => requestStatus(stage, true) === 'revoked')).toEqual(['issued'])
  })
})

describe('the status of a certificate', () => {
  const status = (from: number, to: number, revokedAt?: Date, revocationReason?: string) =>
    certificateStatus({ notBefore: inDays(from), notAfter: inDays(to), revokedAt, revocationReason }, now)
  test.each([
    [-1, 31, 'active'],
    [-1, 30, 'expiring'],
    [-1, 0, 'expiring'],
    [-2, -0.001, 'expired'],
    [0, 90, 'active'],
    [0.001, 90, 'pending'],
  ] as const)('valid from day %d to day %d is %s', (from, to, expected) => expect(status(from, to)).toBe(expected))

  test('is revoked whatever its dates say', () => {
    expect([status(-1, 90, now), status(-9, -1, now), status(1, 9, now)]).toEqual(['revoked', 'revoked', 'revoked'])
  })

  test('is on hold until it ends, and expired from then on: released or not, nobody accepts it any more', () => {
    expect([
      status(-1, 90, now, 'certificateHold'),
      status(1, 9, now, 'certificateHold'),
      status(-9, 0, now, 'certificateHold'),
      status(-9, -0.001, now, 'certificateHold'),
    ]).toEqual(['onHold', 'onHold', 'onHold', 'expired'])
  })

  test('counts the days to its end by the calendar, so that what ends the night after next does not end tomorrow', () => {
    const evening = new Date('2026-11-27T21:30:00Z')
    const left = (at: string): number => daysLeft(new Date(at), evening)
    expect([
      left('2026-11-29T02:00:00Z'),
      left('2026-11-28T00:00:00Z'),
      left('2026-11-27T23:59:59Z'),
      left('2026-11-27T01:00:00Z'),
    ]).toEqual([2, 1, 0, 0])
    expect(left('2026-11-26T23:59:59Z')).toBe(-1)
  })
})

describe('a notice before the end', () => {
  test.each([
    [31, [], undefined],
    [30, [], 30],
    [29, [30], undefined],
    [7, [30], 7],
    [6, [30, 7], undefined],
    [0.9, [30, 7], 1],
    [0.5, [30, 7, 1], undefined],
    [-1, [], undefined],
  ] as const)('%d days before, after the notices %j: %s', (days, sent, due) => expect(dueNotice(inDays(days), now, sent)).toBe(due))

  test('that was missed is not made up for: the nearest one alone is sent', () => {
    expect(dueNotice(inDays(0.5), now, [])).toBe(1)
    expect(dueNotice(inDays(0.5), now, [1])).toBeUndefined()
    expect(dueNotice(inDays(5), now, [])).toBe(7)
  })
})

describe('the address of a certificate', () => {
  const caId = '018f0000-0000-7000-8000-0000000000ca'
  const id = '018f0000-0000-7000-8000-00000000000c'
  test.each([
    [{ certId: id }, { id }],
    [{ certId: `${caId}:0A1b` }, { caId, serialHex: '0a1b' }],
    [
      { certId: '0A1b', caId: caId.toUpperCase() },
      { caId, serialHex: '0a1b' },
    ],
    [{ certId: '0a:1b' }, { caId: undefined, serialHex: '0a1b' }],
  ])('%j', (reference, read) => expect(readReference(reference)).toEqual(read))

  test.each([
    { certId: 'x' },
    { certId: '' },
    { certId: `${id}:zz` },
    { certId: '0a', caId: 'no' },
    { certId: '0'.repeat(43) },
    { certId: "' or 1=1" },
  ])('%j is none', (reference) => {
    expect(readReference(reference)).toBeUndefined()
  })

  test('takes a serial as people write it', () => {
    expect(['0x0A', 'a', '00ff', '00 ff', 'FF:00'].map(normalSerial)).toEqual(['0a', '0a', 'ff', 'ff', 'ff00'])
  })
})
