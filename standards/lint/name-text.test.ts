import { describe, expect, test } from 'vitest'
import { checkNameText, dnsNameFault, mailAddressFault, uriFault } from './name-text.ts'

describe('text in names', () => {
  test.for(['Ada Lovelace', 'Ünïcode GmbH & Co. KG', 'شركة', '株式会社', 'می\u200cخواهم', "O'Neil-Smith (2)", ''])('%s is fine', (text) => {
    expect(checkNameText('subject.CN', text)).toBeUndefined()
  })

  test.for([
    ['\0', 'a NUL character (U+0000)'],
    ['\n', 'a control character (U+000A)'],
    ['\u0085', 'a control character (U+0085)'],
    ['\u2028', 'a control character (U+2028)'],
    ['\u202e', 'a character that changes the direction of writing (U+202E)'],
    ['\u2066', 'a character that changes the direction of writing (U+2066)'],
    ['\u200f', 'a character that changes the direction of writing (U+200F)'],
    ['\u200b', 'an invisible or invalid character (U+200B)'],
    ['\ufeff', 'an invisible or invalid character (U+FEFF)'],
    ['\ufffe', 'an invisible or invalid character (U+FFFE)'],
    ['\ud800', 'an invisible or invalid character (U+D800)'],
    ['\u{e0041}', 'an invisible or invalid character (U+E0041)'],
  ] as const)('a name with %j is refused', ([character, kind]) => {
    expect(checkNameText('subject.O', `bank${character}.com`)).toBe(`subject.O holds ${kind}.`)
  })
})

describe('DNS names', () => {
  test.for([
    'a.example',
    'localhost',
    'A-1.b2.Example',
    '*.a.example',
    'xn--bcher-kva.example',
    `${'a'.repeat(63)}.example`,
    '1.2.3.example',
    '3com.example',
  ])('%s is one', (name) => {
    expect(dnsNameFault(name)).toBeUndefined()
  })
  test.for([
    ['', 'syntax'],
    ['.', 'syntax'],
    ['a..b', 'syntax'],
    ['.a', 'syntax'],
    ['a.', 'syntax'],
    ['-a.example', 'syntax'],
    ['a-.example', 'syntax'],
    ['a b.example', 'syntax'],
    ['a@b.example', 'syntax'],
    ['http://a.example', 'syntax'],
    ['bücher.example', 'syntax'],
    ['a.example\0.b', 'syntax'],
    [`${'a'.repeat(64)}.example`, 'syntax'],
    [`${'a.'.repeat(126)}example`, 'syntax'],
    ['a.123', 'syntax'],
    ['1.2.3.4.5', 'syntax'],
    ['192.0.2.1', 'address'],
    ['::1', 'address'],
    ['*', 'wildcard'],
    ['*.example', 'wildcard'],
    ['a*.b.example', 'wildcard'],
    ['a.*.example', 'wildcard'],
    ['**.b.example', 'wildcard'],
    ['*.*.example', 'wildcard'],
    ['a_b.example', 'underscore'],
    ['xn--.example', 'syntax'],
    ['xn--a.example', 'punycode'],
    ['xn--bcher-kvb-.example', 'syntax'],
    ['ab--cd.example', 'punycode'],
    ['xn--bank-.example', 'syntax'],
  ] as const)('%s is none: %s', ([name, code]) => {
    expect(dnsNameFault(name)).toMatchObject({ code })
  })
})

describe('mail addresses', () => {
  test.for(['ada@a.example', "o'neil+tag@b.example", 'a.b.c@localhost', 'x@xn--bcher-kva.example'])('%s is one', (address) => {
    expect(mailAddressFault(address)).toBeUndefined()
  })
  test.for([
    'ada',
    '@a.example',
    'ada@',
    'a b@c.example',
    '.a@b.example',
    'a..b@c.example',
    'a.@b.example',
    'a@b@c.example',
    '"a"@b.example',
    'a@*.b.example',
    'a@192.0.2.1',
    'Ada <a@b.example>',
    `${'a'.repeat(65)}@b.example`,
    'ü@b.example',
  ])('%s is none', (address) => {
    expect(mailAddressFault(address)).toMatch(/is not a mail address/)
  })
})

describe('URIs', () => {
  test.for([
    'https://a.example/x?y#z',
    'ldap://a.example/cn=x,c=NL?cert',
    'ldap:///cn=x',
    'urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66',
    'spiffe://a.example/w',
    'http://[2001:db8::1]/',
    'tag:a,2026:b',
  ])('%s is absolute', (uri) => {
    expect(uriFault(uri)).toBeUndefined()
  })
  test.for([
    '',
    'a.example',
    '/x',
    '//a.example',
    'https:',
    'http://a b/',
    'http://a/%zz',
    'http://a\u0000/',
    'http://é/',
    '1x:y',
    'http://a:99999/',
    'http://[::1/',
  ])('%j is refused', (uri) => {
    expect(uriFault(uri)).toMatch(/\.$/)
  })
})
