import { describe, expect, test } from 'vitest'
import {
  addressFault,
  dnsFault,
  emailFault,
  isAllowedDomain,
  lookalikeFault,
  reservedAddressFault,
  uriFault,
  uriHost,
  isAllowedAddress,
  networkFault,
} from './names.ts'

describe('a DNS name', () => {
  test.each(['example.org', 'a.b.example.org', 'xn--bcher-kva.example', 'localhost', '1.example.org', 'EXAMPLE.org'])(
    '%s is well formed',
    (name) => {
      expect(dnsFault(name)).toBeUndefined()
    },
  )

  test.each([
    ['bad name_!!', 'spaces'],
    ['bücher.example', 'xn--'],
    ['under_score.example', 'underscore'],
    ['-a.example', 'no part of one'],
    ['a-.example', 'no part of one'],
    ['a..example', 'empty part'],
    ['.example', 'empty part'],
    ['example.', 'without the dot'],
    ['192.0.2.1', 'IP address'],
    ['*.example.org', 'wildcard'],
    [`${'a'.repeat(64)}.example`, 'no part of one'],
    [`${'a.'.repeat(130)}example`, '253'],
    ['', 'Enter'],
    ['a\u0000.example', 'ASCII'],
  ])('%s is refused', (name, says) => {
    expect(dnsFault(name)).toContain(says)
  })

  test('may be a wildcard of a whole label below a domain where wildcards are allowed', () => {
    const wildcard = true
    expect(dnsFault('*.example.org', { wildcard })).toBeUndefined()
    expect(dnsFault('*.org', { wildcard })).toContain('top-level')
    expect(dnsFault('a*.example.org', { wildcard })).toContain('whole first part')
    expect(dnsFault('a.*.example.org', { wildcard })).toContain('whole first part')
  })
})

describe('the allowed domains', () => {
  test('allow any name where there are none', () => expect(isAllowedDomain('x.test', [])).toBe(true))

  test.each([
    ['example.org', ['example.org'], true],
    ['www.example.org', ['example.org'], false],
    ['www.example.org', ['*.example.org'], true],
    ['a.b.example.org', ['*.example.org'], true],
    ['example.org', ['*.example.org'], false],
    ['evilexample.org', ['*.example.org'], false],
    ['example.org.evil.test', ['*.example.org', 'example.org'], false],
    ['*.example.org', ['*.example.org'], true],
    ['*.example.org', ['example.org'], false],
    ['WWW.Example.ORG', ['*.example.org'], true],
  ] as const)('%s under %s: %s', (name, patterns, allowed) => {
    expect(isAllowedDomain(name, patterns)).toBe(allowed)
  })
})

test.each([
  '192.0.2.1',
  '0.0.0.0',
  '255.255.255.255',
  '2001:db8::1',
  '::',
  '::1',
  '1:2:3:4:5:6:7:8',
  '::ffff:192.0.2.1',
  '64:ff9b::192.0.2.33',
])('%s is an IP address', (address) => {
  expect(addressFault(address)).toBeUndefined()
})

test.each([
  '256.0.0.1',
  '1.2.3',
  '1.2.3.4.5',
  '01.2.3.4',
  '1.2.3.4/24',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  'fe80::1%eth0',
  'g::1',
  '1.2.3.4:80',
  '',
  '1:2:3:4:5:6:7::8:9',
])('%s is no IP address', (address) => {
  expect(addressFault(address)).toBeDefined()
})

test.each(['ada@example.org', "o'neil+x@mail.example.org", 'A.B@example.org'])('%s is an e-mail address', (address) =>
  expect(emailFault(address)).toBeUndefined(),
)

test.each([
  'ada',
  '@example.org',
  'ada@',
  'ada@exa mple.org',
  'a..b@example.org',
  '.a@example.org',
  'a@b@example.org',
  'ada@example.org\n',
  'Ada <ada@example.org>',
])('%j is no e-mail address', (address) => {
  expect(emailFault(address)).toBeDefined()
})

test('a URI is checked by its host, past its user and port', () => {
  expect(uriHost('https://www.example.org:8443/a?b#c')).toBe('www.example.org')
  expect(uriHost('https://example.org@evil.test/')).toBe('evil.test')
  for (const uri of [
    'https://evil.test\\.example.org/',
    'https://evil.test\\@www.example.org/',
    'https://evil.test%2f.example.org/',
    'https://a@b@www.example.org/',
    'https://evil.test;.example.org/',
    'https://[::1]/',
    'https://*.example.org/',
  ])
    expect([uri, uriHost(uri)]).toEqual([uri, undefined])
  expect(uriFault('urn:uuid:1')).toContain('host')
  expect(uriFault('https://exa mple.org')).toContain('spaces')
  expect(uriFault('https://ada:secret@www.example.org/')).toBe(
    'A URI in a certificate names no user and no password, because everybody can read it',
  )
})

test.each([
  '0.0.0.0',
  '0.1.2.3',
  '127.0.0.1',
  '169.254.1.1',
  'fe80::1',
  'FEBF::1',
  '224.0.0.1',
  '239.255.255.250',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  'ff02::1',
  '::ffff:192.0.2.1',
])('%s is an address that no certificate names', (address) => {
  expect(reservedAddressFault(address)).toContain('is a reserved address')
})

test.each(['10.0.0.1', '192.168.1.1', '128.0.0.1', '223.255.255.254', '1.127.0.1', '2001:db8::1', 'fd00::1', '2001:ff02::1'])(
  '%s may be named',
  (address) => {
    expect(reservedAddressFault(address)).toBeUndefined()
  },
)

test('letters of two alphabets in one word are told apart from a name in another alphabet', () => {
  expect(lookalikeFault('www.n\u043erthwind.example')).toContain('mixes letters')
  for (const name of ['www.northwind.example', 'Zo\u00eb \u0141', '\u0410\u043d\u043d\u0430 Smith', '\u7530\u4e2d'])
    expect(lookalikeFault(name)).toBeUndefined()
})

test.each(['javascript://www.example.org/%0aalert(1)', 'file://www.example.org/etc/passwd'])(
  '%s has a host and names no service',
  (uri) => {
    expect(uriFault(uri)).toContain('names no service')
  },
)

describe('a network', () => {
  test.each(['10.0.0.0/8', '192.0.2.1/32', '0.0.0.0/0', '2001:db8::/32', '::/0', 'fd00::1/128', '::ffff:0:0/96'])('is %s', (text) => {
    expect(networkFault(text)).toBeUndefined()
  })

  test.each([
    '10.0.0.0',
    '10.0.0.1/8',
    '10.0.0.0/33',
    '10.0.0/8',
    '10.0.0.0/8/9',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '2001:db8::1/32',
    '2001:db8::/129',
    'example.org/8',
    '',
    '/',
  ])('is not %j', (text) => {
    expect(networkFault(text)).toContain(
      text === '10.0.0.1/8' || text === '2001:db8::1/32' ? 'write the first address' : 'is not a network',
    )
  })

  test('holds the addresses that share its first bits, however they are written', () => {
    expect(['10.255.0.1', '11.0.0.1', '::ffff:10.0.0.1', 'no address'].map((address) => isAllowedAddress(address, ['10.0.0.0/8']))).toEqual(
      [true, false, false, false],
    )
    expect(
      ['2001:db8::', '2001:DB8:0:0::7', '2001:db7:ffff::', '1.2.3.4', '2001:db8::192.0.2.1'].map((address) =>
        isAllowedAddress(address, ['2001:db8::/32']),
      ),
    ).toEqual([true, true, false, false, true])
  })
})
