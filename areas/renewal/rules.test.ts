import { describe, expect, test } from 'vitest'
import { namesChanged, refusalOf } from '#areas/certificates/renewal-rules.ts'
import { nextAttempt, verdictOn, windowOf, type Known } from './rules.ts'

const at = (text: string) => new Date(`${text}T00:00:00Z`)
const day = 86_400_000
const idEnding = (end: string) => `018f0000-0000-7000-8000-000000${end}`

describe('Renewal begins', () => {
  const days = (from: string, to: string, renewalDays?: number) => {
    const life = { id: idEnding('000000'), notBefore: at(from), notAfter: at(to) }
    return (life.notAfter.getTime() - windowOf(life, 'MANUAL', renewalDays).opens.getTime()) / day
  }

  test('when a third of a short life is left, and 30 days before the end of a long one', () => {
    expect(days('2026-01-01', '2026-01-31')).toBe(10)
    expect(days('2026-01-01', '2027-01-01')).toBe(30)
    expect(days('2026-01-01', '2026-04-01')).toBe(30)
  })

  test('as early as the template says, but never in the first third of the life, or each renewal would be due at once', () => {
    expect(days('2026-01-01', '2027-01-01', 90)).toBe(90)
    expect(days('2026-01-01', '2026-01-31', 365)).toBe(20)
  })

  test('at another moment for each certificate where the server renews, within a quarter of the time', () => {
    const dueOf = (end: string, mode: 'MANUAL' | 'AUTOMATIC_SAME_KEY') =>
      windowOf({ id: idEnding(end), notBefore: at('2026-01-01'), notAfter: at('2027-01-01') }, mode, 40).due
    expect(dueOf('000000', 'AUTOMATIC_SAME_KEY')).toEqual(at('2026-11-22'))
    expect(dueOf('800000', 'AUTOMATIC_SAME_KEY')).toEqual(at('2026-11-27'))
    expect(dueOf('ffffff', 'AUTOMATIC_SAME_KEY') < at('2026-12-02')).toBe(true)
    expect(dueOf('ffffff', 'MANUAL')).toEqual(at('2026-11-22'))
  })

  test('again after an hour, four, twelve, and then each day', () => {
    const hours = [1, 2, 3, 4, 5, 50].map(
      (tries) => (nextAttempt(tries, at('2026-01-01')).getTime() - at('2026-01-01').getTime()) / 3_600_000,
    )
    expect(hours).toEqual([1, 4, 12, 24, 24, 24])
  })
})

const known: Known = {
  now: at('2026-06-01'),
  status: 'active',
  revoked: undefined,
  external: false,
  notAfter: at('2026-06-20'),
  mode: 'AUTOMATIC_SAME_KEY',
  window: { opens: at('2026-05-21'), due: at('2026-05-24') },
  holder: 'Grace Hopper',
  yours: false,
  madeHere: true,
  newKey: true,
  renewedBy: undefined,
  supersededBy: undefined,
  rule: undefined,
  attempt: undefined,
  blocked: undefined,
}
const attempt = { state: 'refused' as const, reason: '', tries: 1, at: at('2026-05-30'), next: undefined, stage: undefined }
const ended: Partial<Known> = { status: 'expired', now: at('2026-07-01') }

describe('What is said of a certificate', () => {
  test.each<[string, Partial<Known>]>([
    ['It was renewed on 2026-05-25 by the certificate 0abc.', { renewedBy: { serialHex: '0abc', at: at('2026-05-25') } }],
    ['It was issued elsewhere, and its issuer renews it.', { external: true, mode: 'NONE' }],
    [
      'It was revoked on 2026-05-02 (key compromise), and what is revoked is not renewed.',
      { revoked: { reason: 'keyCompromise', at: at('2026-05-02') }, status: 'revoked' },
    ],
    [
      'It has been on hold since 2026-05-02, and is not renewed until it is released. Whoever may revoke certificates here can release it.',
      { revoked: { reason: 'certificateHold', at: at('2026-05-02') }, status: 'onHold' },
    ],
    [
      'It ended on 2026-06-20 and was not renewed: it had been on hold since 2026-05-02.',
      { ...ended, revoked: { reason: 'certificateHold', at: at('2026-05-02') } },
    ],
    [
      'It is not renewed, because the newer certificate 0def of the same template has the same key and names, and is valid for longer.',
      { supersededBy: { serialHex: '0def' } },
    ],
    ['It is not renewed: its template says so.', { mode: 'NONE' }],
    ['The rule "Everyday" of auto-enrolment asks for the next one 30 days before the end.', { rule: { name: 'Everyday', renewDays: 30 } }],
    ['It is renewed with the same key by itself on 2026-05-24.', { now: at('2026-05-22') }],
    [
      'It is renewed with a new key by itself on 2026-05-24, and can be renewed by hand from 2026-05-21 on.',
      { now: at('2026-05-01'), mode: 'AUTOMATIC_NEW_KEY' },
    ],
    ['It has been due since 2026-05-24 and is renewed with the same key within minutes.', {}],
    [
      "It can be renewed from 2026-05-21 on, with a new key of the holder's own. Grace Hopper is told by mail on 2026-05-24 to send a request of it.",
      { now: at('2026-05-01'), mode: 'AUTOMATIC_NEW_KEY', madeHere: false },
    ],
    [
      "It can be renewed now, with a new key of the holder's own. Grace Hopper is told by mail within minutes to send a request of it.",
      { mode: 'AUTOMATIC_NEW_KEY', madeHere: false },
    ],
    ['It can be renewed by hand from 2026-05-21 on. Grace Hopper is told by mail then.', { mode: 'MANUAL', now: at('2026-05-01') }],
    ['It can be renewed now, by hand. Grace Hopper is told by mail.', { mode: 'MANUAL' }],
    ['Grace Hopper was told on 2026-05-30 to renew it by hand.', { mode: 'MANUAL', attempt: { ...attempt, state: 'awaitingHolder' } }],
    [
      'Grace Hopper was told on 2026-05-30 to send a request with a new key.',
      { mode: 'AUTOMATIC_NEW_KEY', attempt: { ...attempt, state: 'awaitingKey' } },
    ],
    ['You were told on 2026-05-30 to renew it by hand.', { mode: 'MANUAL', yours: true, attempt: { ...attempt, state: 'awaitingHolder' } }],
    ['It can be renewed by hand from 2026-05-21 on. You are told by mail then.', { mode: 'MANUAL', yours: true, now: at('2026-05-01') }],
    [
      'It can be renewed now, with a new key of your own. You are told by mail within minutes to send a request of it.',
      { mode: 'AUTOMATIC_NEW_KEY', madeHere: false, yours: true },
    ],
    [
      'Its renewal was granted on 2026-05-30. You have yet to collect the new key.',
      { yours: true, attempt: { ...attempt, state: 'waiting', stage: 'awaitingKey' } },
    ],
    [
      'It ended on 2026-06-20 and was not renewed: you were told to renew it by hand and did not.',
      { ...ended, mode: 'MANUAL', yours: true, attempt: { ...attempt, state: 'lapsed' } },
    ],
    ['It is not renewed: its template says so.', { mode: 'NONE', attempt: { ...attempt, state: 'awaitingHolder' } }],
    ['It is not renewed: its template says so.', { mode: 'NONE', attempt: { ...attempt, state: 'denied' } }],
    [
      'Its renewal has waited for approval since 2026-05-30.',
      { mode: 'NONE', attempt: { ...attempt, state: 'waiting', stage: 'waiting' } },
    ],
    [
      'The rule "Everyday" of auto-enrolment asks for the next one 30 days before the end.',
      { mode: 'MANUAL', rule: { name: 'Everyday', renewDays: 30 }, attempt: { ...attempt, state: 'awaitingHolder' } },
    ],
    [
      'Grace Hopper was told on 2026-05-30 to renew it by hand. But it cannot be renewed as things are: the template Web is disabled.',
      {
        mode: 'MANUAL',
        attempt: { ...attempt, state: 'awaitingHolder' },
        blocked: { kind: 'template', says: 'The template Web is disabled' },
      },
    ],
    [
      'You were told on 2026-05-30 to renew it by hand. It takes a new key: this key was compromised.',
      {
        mode: 'MANUAL',
        yours: true,
        attempt: { ...attempt, state: 'awaitingHolder' },
        blocked: { kind: 'key', says: 'This key was compromised' },
      },
    ],
    ['Its renewal has waited for approval since 2026-05-30.', { attempt: { ...attempt, state: 'waiting', stage: 'waiting' } }],
    [
      'Its renewal was granted on 2026-05-30. Grace Hopper has yet to collect the new key.',
      { attempt: { ...attempt, state: 'waiting', stage: 'awaitingKey' } },
    ],
    [
      'Its renewal has been under way since 2026-05-30, and waits: the token "east" is out of reach.',
      { attempt: { ...attempt, state: 'waiting', stage: 'reserved', reason: 'The token "east" is out of reach.' } },
    ],
    [
      'It is not renewed: on 2026-05-30 the renewal was denied or withdrawn (Not this year). It is not asked for again by itself.',
      { attempt: { ...attempt, state: 'denied', reason: 'Not this year' } },
    ],
    [
      'It is not renewed yet. The last of 3 attempts on 2026-05-30 00:00 UTC failed: the template Web is disabled. The next is on 2026-06-02 00:00 UTC.',
      { attempt: { ...attempt, tries: 3, reason: 'The template Web is disabled', next: at('2026-06-02') } },
    ],
    [
      'It takes a new key: the key is RSA 1024. It can be renewed from 2026-05-21 on. Grace Hopper is told by mail on 2026-05-24.',
      { now: at('2026-05-01'), blocked: { kind: 'key', says: 'The key is RSA 1024' } },
    ],
    [
      'It takes a new key: the key is RSA 1024. You are told by mail within minutes.',
      { yours: true, blocked: { kind: 'key', says: 'The key is RSA 1024' } },
    ],
    ['It is not renewed: the key is RSA 1024.', { newKey: false, blocked: { kind: 'key', says: 'The key is RSA 1024' } }],
    ['It is not renewed: the template Web is gone.', { blocked: { kind: 'template', says: 'The template Web is gone' } }],
    [
      'It could not be renewed as things are: the template Web is gone. There is time until 2026-05-21.',
      { now: at('2026-05-01'), blocked: { kind: 'template', says: 'The template Web is gone' } },
    ],
    ['It ended on 2026-06-20 and was not renewed: its template says so.', { ...ended, mode: 'NONE' }],
    [
      'It ended on 2026-06-20 and was not renewed: Grace Hopper was told to renew it by hand and did not.',
      { ...ended, mode: 'MANUAL', attempt: { ...attempt, state: 'lapsed' } },
    ],
    [
      'It ended on 2026-06-20 and was not renewed: Grace Hopper was told to send a request with a new key and did not.',
      { ...ended, mode: 'AUTOMATIC_NEW_KEY', attempt: { ...attempt, state: 'lapsed' } },
    ],
    [
      'It ended on 2026-06-20 and was not renewed: its renewal has waited for approval since 2026-05-30.',
      { ...ended, attempt: { ...attempt, state: 'waiting', stage: 'waiting' } },
    ],
    [
      'It ended on 2026-06-20 and was not renewed: an attempt on 2026-05-30 00:00 UTC failed: the authority East ended on 2026-05-01.',
      { ...ended, attempt: { ...attempt, state: 'lapsed', reason: 'The authority East ended on 2026-05-01' } },
    ],
    [
      'It ended on 2026-06-20 and was not renewed: the account of Grace Hopper, who holds it, is disabled.',
      { ...ended, blocked: { kind: 'holder', says: 'The account of Grace Hopper, who holds it, is disabled' } },
    ],
    ['It ended on 2026-06-20 and was not renewed: nobody renewed it by hand, and nobody was told to.', { ...ended, mode: 'MANUAL' }],
  ])('%s', (says, change) => {
    expect(verdictOn({ ...known, ...change }).says).toBe(says)
  })
})

describe('A renewal changes no names', () => {
  const extensions = {
    certificateSubjects: [{ subjectField: 'CN' as const, fieldValue: 'CommonName' }],
    certificateSans: [{ sanField: 'RFC822' as const, fieldValue: 'Email' }],
  }
  const named = (cn: string, mail: string) => ({
    draft: { subject: [{ field: 'CN' as const, value: cn }], sans: [{ sanField: 'RFC822' as const, value: mail }] },
    extensions,
  })

  test('of the holder, in whatever case they are written', () => {
    expect(namesChanged(named('Grace Hopper', 'grace@example.org'), named('Grace Hopper', 'Grace@example.org'))).toBeUndefined()
    expect(namesChanged(named('Grace Hopper', 'grace@example.org'), named('Grace Murray', 'grace@example.org'))).toEqual({
      was: 'Grace Hopper',
      is: 'Grace Murray',
    })
  })

  test('but takes what the template itself adds, drops or says otherwise', () => {
    const before = named('Grace Hopper', 'grace@example.org')
    const more = {
      draft: { ...before.draft, subject: [...before.draft.subject, { field: 'O' as const, value: 'Acme' }], sans: [] },
      extensions: {
        certificateSubjects: [...extensions.certificateSubjects, { subjectField: 'O' as const, fieldValue: 'Acme' }],
        certificateSans: [],
      },
    }
    expect(namesChanged(before, more)).toBeUndefined()
    expect(namesChanged(more, before)).toBeUndefined()
  })
})

test('What a request is refused for tells what is in the way', () => {
  expect(refusalOf([{ field: 'csr', says: 'This key was compromised.' }])).toEqual({ kind: 'key', says: 'This key was compromised' })
  expect(refusalOf([{ code: 'e_name_long', field: 'csr', says: 'Too long' }], ['e_name_long']).kind).toBe('policy')
  expect(
    refusalOf([
      { field: 'values.DNS', says: 'Not allowed' },
      { field: 'values', says: 'Too many' },
    ]),
  ).toEqual({ kind: 'names', says: 'Not allowed; Too many' })
})
