// What the other parts of the standard say: identifiers, states, CAA, renewal information, and what answers a challenge.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openToolFolder } from '../tool-folder.fixture.ts'
import { ariIdOf, ariRetrySeconds, readAriId, renewalWindow, serialHexOf } from './ari.ts'
import { caaNames, judgeCaa, readIssueValue, type CaaRecord } from './caa.ts'
import { challengeTypes } from './challenge-types.ts'
import {
  challengesFor,
  checkHttpAnswer,
  checkPersistRecords,
  checkTlsAnswer,
  checkTxtRecords,
  dnsAccountRecordName,
  dnsRecordValue,
  keyAuthorization,
  reverseName,
} from './challenges.ts'
import { readIdentifier, sameIdentifiers, type Identifier } from './identifiers.ts'
import { AcmeError, presentProblem, problemOf, readProblem } from './problem.ts'
import { authorizationSteps, orderStatus, orderSteps, type AuthorizationStatus } from './states.ts'

describe('An identifier', () => {
  test.each([
    [{ type: 'dns', value: 'WWW.Example.org' }, 'www.example.org'],
    [{ type: 'dns', value: '*.example.org' }, '*.example.org'],
    [{ type: 'dns', value: 'xn--mnchen-3ya.example' }, 'xn--mnchen-3ya.example'],
    [{ type: 'dns', value: 'printer' }, 'printer'],
    [{ type: 'ip', value: '192.0.2.1' }, '192.0.2.1'],
    [{ type: 'ip', value: '2001:DB8::1' }, '2001:db8::1'],
    [{ type: 'permanent-identifier', value: 'C02XK0ABJHD5' }, 'C02XK0ABJHD5'],
  ])('%j is read', (asked, value) => expect(readIdentifier(asked).value).toBe(value))

  test.each([
    { type: 'dns', value: 'example.org.' },
    { type: 'dns', value: 'a_b.example.org' },
    { type: 'dns', value: 'www.*.example.org' },
    { type: 'dns', value: '*.org' },
    { type: 'dns', value: 'münchen.example' },
    { type: 'dns', value: '192.0.2.1' },
    { type: 'dns', value: 'host.0x7f' },
    { type: 'dns', value: '' },
    { type: 'dns', value: `${'a'.repeat(64)}.example` },
    { type: 'ip', value: '192.0.2.01' },
    { type: 'ip', value: '2001:db8:0:0::1' },
    { type: 'ip', value: 'fe80::1%eth0' },
    { type: 'ip', value: 'example.org' },
    { type: 'dns' },
    'www.example.org',
    null,
  ])('%j is malformed', (asked) => expect(() => readIdentifier(asked)).toThrow(AcmeError))

  test('of a type that is not certified here says so', () =>
    expect(() => readIdentifier({ type: 'email', value: 'a@example.org' })).toThrow(/not certified here/))

  test('is compared as one of a set', () => {
    const a: Identifier = { type: 'dns', value: 'a.example' }
    const b: Identifier = { type: 'ip', value: '192.0.2.1' }
    expect(sameIdentifiers([a, b], [b, a, a])).toBe(true)
    expect(sameIdentifiers([a], [a, b])).toBe(false)
    expect(sameIdentifiers([{ type: 'dns', value: '192.0.2.1' }], [b])).toBe(false)
  })
})

describe('The state of an order', () => {
  const now = new Date('2026-01-10T00:00:00Z')
  const later = new Date('2026-01-11T00:00:00Z')
  const order = { status: 'pending' as const, expires: later }
  const with_ = (...all: AuthorizationStatus[]) => all.map((status) => ({ status, expires: later }))

  test.each<[AuthorizationStatus[], string]>([
    [['pending'], 'pending'],
    [['valid', 'pending'], 'pending'],
    [['valid', 'valid'], 'ready'],
    [['valid', 'invalid'], 'invalid'],
    [['valid', 'deactivated'], 'invalid'],
    [['valid', 'revoked'], 'invalid'],
    [[], 'pending'],
  ])('follows from its authorisations %j', (all, status) => expect(orderStatus(order, with_(...all), now)).toBe(status))

  test('ends with its time and with that of an authorisation', () => {
    expect(orderStatus({ ...order, expires: now }, with_('valid'), now)).toBe('invalid')
    expect(orderStatus(order, [{ status: 'valid', expires: now }], now)).toBe('invalid')
  })

  test('is kept once it is written down', () =>
    expect(orderStatus({ status: 'valid', expires: now }, with_('expired'), later)).toBe('valid'))

  test('never goes back, nor does that of an authorisation', () => {
    for (const steps of [orderSteps, authorizationSteps] as Record<string, readonly string[]>[])
      for (const from of Object.keys(steps)) {
        const seen = new Set<string>()
        const walk = (state: string) => {
          for (const next of steps[state] ?? []) {
            expect(next).not.toBe(from)
            if (!seen.has(next)) walk((seen.add(next), next))
          }
        }
        walk(from)
      }
  })
})

describe('CAA', () => {
  const ask = { wildcard: false, identities: ['ca.example.net'], method: 'http-01', accountUrl: 'https://ca/acct/1' }
  const issue = (value: string, more: Partial<CaaRecord> = {}): CaaRecord => ({ critical: false, tag: 'issue', value, ...more })
  const allowed = (records: CaaRecord[], more: Partial<typeof ask> = {}) => judgeCaa(records, { ...ask, ...more }).allowed

  test('is asked of the name and of each above it', () =>
    expect(caaNames('*.www.example.org')).toEqual(['www.example.org', 'example.org', 'org']))

  test.each<[string, CaaRecord[], boolean, Partial<typeof ask>?]>([
    ['no record at all', [], true],
    ['this authority', [issue('ca.example.net')], true],
    ['this authority in capitals', [issue('CA.Example.NET', { tag: 'Issue' })], true],
    ['another', [issue('other.example')], false],
    ['nobody', [issue(';')], false],
    ['another and this', [issue('other.example'), issue('ca.example.net')], true],
    ['a critical tag that is not known', [issue('ca.example.net'), issue('x', { tag: 'future', critical: true })], false],
    ['a tag that is not known and not critical', [issue('x', { tag: 'future' })], true],
    ['only where to complain', [issue('mailto:a@example.org', { tag: 'iodef' })], true],
    ['malformed', [issue('ca.example.net; =')], false],
    ['wildcards apart', [issue('ca.example.net'), issue(';', { tag: 'issuewild' })], false, { wildcard: true }],
    ['wildcards apart, for a plain name', [issue('ca.example.net'), issue(';', { tag: 'issuewild' })], true],
    ['only wildcards', [issue('other.example', { tag: 'issuewild' })], true],
    ['no wildcards apart', [issue('other.example')], false, { wildcard: true }],
    ['this account', [issue('ca.example.net; accounturi=https://ca/acct/1')], true],
    ['another account', [issue('ca.example.net; accounturi=https://ca/acct/2')], false],
    ['two accounts at once', [issue('ca.example.net; accounturi=https://ca/acct/1; accounturi=https://ca/acct/1')], false],
    ['this method', [issue('ca.example.net; validationmethods=dns-01,http-01')], true],
    ['another method', [issue('ca.example.net; validationmethods=dns-01')], false],
    ['another method here, all of them there', [issue('ca.example.net; validationmethods=dns-01'), issue('ca.example.net')], true],
  ])('that names %s: %#', (_what, records, verdict, more) => expect(allowed(records, more)).toBe(verdict))

  test('says whom it names', () =>
    expect(judgeCaa([issue('other.example')], ask)).toMatchObject({ because: 'it names other.example, not this authority' }))

  test('reads parameters with blanks around them', () =>
    expect(readIssueValue(' ca.example.net ;  a = b ;c=')).toEqual({
      issuer: 'ca.example.net',
      parameters: [
        ['a', 'b'],
        ['c', ''],
      ],
    }))
})

describe('Renewal information', () => {
  test('reads the name of the example in RFC 9773', () => {
    const id = readAriId('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE')
    expect(id?.keyIdentifier.toString('hex')).toBe('69885b6b87464041e1b37b847ba0ae2cde01c8d4')
    expect(id && serialHexOf(id)).toBe('87654321')
  })

  test('refuses what is no name', () => {
    for (const text of ['', '.', 'a', 'AA', 'AA.AA.AA', 'AA.', '.AA', 'A=.AA', `AA.${'AAAA'.repeat(8)}`])
      expect([text, readAriId(text)]).toEqual([text, undefined])
  })

  test('proposes the last third of a life, and the past for what is revoked', () => {
    const life = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2026-04-01T00:00:00Z') }
    const { start, end } = renewalWindow(life, life.notBefore, false)
    expect(start.toISOString()).toBe('2026-03-01T00:00:00.000Z')
    expect(end.toISOString()).toBe('2026-03-03T00:00:00.000Z')
    expect(renewalWindow(life, life.notBefore, true).end < life.notBefore).toBe(true)
    expect(ariRetrySeconds(life)).toBe(21_600)
    expect(ariRetrySeconds({ notBefore: life.notBefore, notAfter: new Date('2026-01-01T01:00:00Z') })).toBe(72)
  })
})

describe('A challenge', () => {
  const authorization = keyAuthorization('token', 'thumbprint')

  test('is offered where it can prove the name', () => {
    const all = [...challengeTypes]
    expect(challengesFor({ type: 'dns', value: 'a.example' }, false, all)).toEqual([
      'http-01',
      'dns-01',
      'tls-alpn-01',
      'dns-account-01',
      'dns-persist-01',
    ])
    expect(challengesFor({ type: 'dns', value: 'a.example' }, true, all)).toEqual(['dns-01', 'dns-account-01', 'dns-persist-01'])
    expect(challengesFor({ type: 'ip', value: '192.0.2.1' }, false, all)).toEqual(['http-01', 'tls-alpn-01'])
    expect(challengesFor({ type: 'permanent-identifier', value: 'x' }, false, all)).toEqual(['device-attest-01'])
    expect(challengesFor({ type: 'ip', value: '192.0.2.1' }, false, ['dns-01'])).toEqual([])
  })

  test('by file takes white space at the end, and says what it saw instead', () => {
    expect(checkHttpAnswer({ status: 200, body: `${authorization}\r\n` }, authorization)).toBeUndefined()
    expect(checkHttpAnswer({ status: 404, body: authorization }, authorization)?.detail).toContain('404')
    expect(checkHttpAnswer({ status: 200, body: '<html>\u0007' }, authorization)?.detail).toContain('"<html>?"')
    expect(checkHttpAnswer({ status: 200, body: ` ${authorization}` }, authorization)?.type).toBe('unauthorized')
  })

  test('in the DNS is one of the records', () => {
    expect(checkTxtRecords('_acme-challenge.a.example', ['old', dnsRecordValue(authorization)], authorization)).toBeUndefined()
    expect(checkTxtRecords('_acme-challenge.a.example', [], authorization)?.type).toBe('unauthorized')
    expect(checkTxtRecords('_acme-challenge.a.example', ['old'], authorization)?.detail).toContain('"old"')
  })

  test('of an account has the label of the draft', () =>
    expect(dnsAccountRecordName('https://example.com/acme/acct/ExampleAccount', 'www.example.org')).toBe(
      '_ujmmovf2vn55tgye._acme-challenge.www.example.org',
    ))

  test('asks for addresses by their reverse names', () => {
    expect(reverseName('192.0.2.1')).toBe('1.2.0.192.in-addr.arpa')
    expect(reverseName('2001:db8::1')).toBe('1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa')
  })

  test.each<[string, string, boolean, boolean?]>([
    ['the account', 'ca.example.net; accounturi=https://ca/acct/1', true],
    ['no account', 'ca.example.net', false],
    ['another account', 'ca.example.net; accounturi=https://ca/acct/10', false],
    ['the account in capitals', 'ca.example.net; accounturi=HTTPS://ca/acct/1', false],
    ['the account twice', 'ca.example.net; accounturi=https://ca/acct/1; accounturi=https://ca/acct/1', false],
    ['another authority', 'other.example; accounturi=https://ca/acct/1', false],
    ['no wildcard', 'ca.example.net; accounturi=https://ca/acct/1', false, true],
    ['wildcards', 'ca.example.net; accounturi=https://ca/acct/1; policy=wildcard', true, true],
    ['an end that is over', 'ca.example.net; accounturi=https://ca/acct/1; persistUntil=1700000000', false],
    ['an end to come', 'ca.example.net; accounturi=https://ca/acct/1; persistUntil=4000000000', true],
    ['an end that is none', 'ca.example.net; accounturi=https://ca/acct/1; persistUntil=soon', false],
    ['nothing readable', 'ca.example.net accounturi', false],
  ])('that stays and names %s: %#', (_what, record, holds, wildcard = false) => {
    const question = { identities: ['ca.example.net'], accountUrl: 'https://ca/acct/1', wildcard, now: new Date('2026-01-01T00:00:00Z') }
    expect(checkPersistRecords('_validation-persist.a.example', [record], question) === undefined).toBe(holds)
  })

  test('by TLS takes one certificate with exactly this name and the critical extension', () => {
    const tools = openToolFolder()
    const digest = Buffer.from(dnsRecordValue(authorization), 'base64url').toString('hex')
    const make = (names: string, extension: string): Buffer => {
      tools.run(
        'openssl',
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-keyout',
        tools.path('k'),
        '-subj',
        '/CN=x',
        '-days',
        '1',
        '-outform',
        'DER',
        '-out',
        tools.path('c'),
        '-addext',
        `subjectAltName=${names}`,
        ...(extension === '' ? [] : ['-addext', `1.3.6.1.5.5.7.1.31=${extension}`]),
      )
      return readFileSync(tools.path('c'))
    }
    const name: Identifier = { type: 'dns', value: 'a.example' }
    const right = `critical,DER:0420${digest}`
    const verdict = (certificate: Uint8Array, identifier = name, protocol: string | undefined = 'acme-tls/1') =>
      checkTlsAnswer({ protocol, certificate }, identifier, authorization)?.detail ?? 'fits'
    const good = make('DNS:a.example', right)
    expect(verdict(good)).toBe('fits')
    expect(verdict(good, name, 'h2')).toContain('acme-tls/1')
    expect(verdict(good, { type: 'dns', value: 'b.example' })).toContain('"a.example"')
    expect(verdict(make('IP:192.0.2.1', right), { type: 'ip', value: '192.0.2.1' })).toBe('fits')
    expect(verdict(make('DNS:a.example,DNS:b.example', right))).toContain('2 alternative names')
    expect(verdict(make('DNS:a.example', `DER:0420${digest}`))).toContain('not critical')
    expect(verdict(make('DNS:a.example', ''))).toContain('no acmeIdentifier')
    expect(verdict(make('DNS:a.example', `critical,DER:0420${'00'.repeat(32)}`))).toContain('another key authorization')
    expect(verdict(make('DNS:a.example', `critical,DER:0421${digest}`))).toContain('cannot be read')
    expect(verdict(Buffer.from('no certificate'))).toContain('cannot be read')
    expect(ariIdOf(good) === undefined || readAriId(ariIdOf(good) ?? '') !== undefined).toBe(true)
    tools.remove()
  })
})

describe('A problem document', () => {
  const identifier = { type: 'dns', value: 'a.example' }
  const problem = problemOf('rejectedIdentifier', 'Not this one', { subproblems: [problemOf('caa', 'It names nobody', { identifier })] })

  test('is what RFC 8555 shows', () =>
    expect(JSON.parse(JSON.stringify(presentProblem(problem)))).toEqual({
      type: 'urn:ietf:params:acme:error:rejectedIdentifier',
      detail: 'Not this one',
      status: 400,
      subproblems: [{ type: 'urn:ietf:params:acme:error:caa', detail: 'It names nobody', identifier }],
    }))

  test('of another server is read, whatever it is', () => {
    expect(readProblem({ type: 'urn:ietf:params:acme:error:badNonce', detail: 'again' }, 400)).toMatchObject({
      type: 'badNonce',
      detail: 'again',
    })
    expect(readProblem({ type: 'urn:ietf:params:acme:error:constructor' }, 400).type).toBe('serverInternal')
    expect(readProblem('no document', 502)).toMatchObject({ type: 'serverInternal', status: 502 })
  })
})
