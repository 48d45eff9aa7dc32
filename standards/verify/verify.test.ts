import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { octetString, utf8String } from '../der/writer.ts'
import type { Extension } from '../x509/extension-types.ts'
import type { GeneralName } from '../x509/general-names.ts'
import { nameOf } from '../x509/names.ts'
import { OIDS } from '../x509/oids.ts'
import {
  AT,
  authority,
  ca,
  directory,
  dns,
  email,
  excluded,
  ip,
  leaf,
  newKey,
  permitted,
  purposes,
  resigned,
  sans,
  uri,
  usage,
  type Made,
} from './estate.fixture.ts'
import { referenceName } from './names.ts'
import { verifyCertificate, type VerificationInput } from './verify.ts'

const root = authority({ name: 'Root' })
const middle = authority({ name: 'Middle', issuer: root })
const end = leaf({ name: 'End', issuer: middle })

type Question = Partial<Omit<VerificationInput, 'leaf' | 'roots' | 'intermediates' | 'name'>> & { name?: string }

/** The codes of all faults of the likeliest path, each with the place of its certificate; empty for a valid one. */
function faultsOf([first, ...rest]: readonly Made[], question: Question = {}): string[] {
  if (first === undefined) throw new Error('A path begins with a certificate')
  const { verdict, rejected, gaveUp } = ask([first, ...rest], question)
  if (verdict === 'valid') return []
  return [...(rejected[0]?.faults ?? []).map(({ at, code }) => `${code}@${at}`), ...(gaveUp === undefined ? [] : [gaveUp.code])].sort()
}

function ask([first, ...rest]: readonly Made[], { name, ...question }: Question = {}) {
  if (first === undefined) throw new Error('A path begins with a certificate')
  const last = rest.at(-1) ?? first
  return verifyCertificate({
    at: AT,
    ...question,
    leaf: first.certificate,
    intermediates: rest.slice(0, -1).map(({ certificate }) => certificate),
    roots: [last.certificate],
    name: name === undefined ? undefined : referenceName(name),
  })
}

describe('a path', () => {
  test('leads from a certificate over its issuers to a trusted root', () => {
    const { verdict, path, rejected, work } = ask([end, middle, root], { purpose: 'serverAuth', name: 'www.example.org' })
    expect(verdict).toBe('valid')
    expect(path?.certificates).toEqual([end.certificate, middle.certificate, root.certificate])
    expect(path?.faults).toEqual([])
    expect(rejected).toEqual([])
    expect(work.signatureChecks).toBe(2)
  })

  test('may be a trusted root alone', () => {
    expect(faultsOf([root])).toEqual([])
  })

  test.each<[string, readonly Made[], string[]]>([
    ['without its middle', [end, root], ['noIssuer@0']],
    [
      'to a root that is not trusted',
      [leaf({ name: 'x', issuer: middle }), middle, root, authority({ name: 'Other' })],
      ['untrustedRoot@2'],
    ],
    ['signed by another key of the right name', [leaf({ name: 'x', issuer: { ...middle, key: newKey() } }), middle, root], ['signature@0']],
    ['whose root is of the right name with another key', [end, middle, authority({ name: 'Root' })], ['signature@1']],
    [
      'over a certificate that is no authority',
      [leaf({ name: 'x', issuer: end }), end, middle, root],
      ['keyCertSign@1', 'notAnAuthority@1'],
    ],
    ['with a changed signature', [resigned(end, newKey()), middle, root], ['signature@0']],
  ])('%s is refused', (_what, path, faults) => {
    expect(faultsOf(path)).toEqual(faults)
  })

  test('says of each fault the certificate, the clause and a sentence', () => {
    const late = authority({ name: 'Late', issuer: root, to: new Date('2026-02-01T00:00:00Z') })
    const [shown] = ask([leaf({ name: 'x', issuer: late }), late, root]).rejected
    expect(shown).toMatchObject({
      complete: true,
      faults: [{ at: 1, code: 'expired', clause: 'RFC 5280 6.1.3 (a)(2)', says: 'It expired on 2026-02-01 00:00 UTC.' }],
    })
  })

  test('is found among several, whatever stands in the way', () => {
    const renewed = authority({ name: 'Middle', issuer: root, key: middle.key, to: new Date('2026-02-01T00:00:00Z') })
    const crossed = authority({ name: 'Middle', issuer: authority({ name: 'Nobody' }), key: middle.key })
    const sameName = authority({ name: 'Middle', issuer: root })
    const { verdict, path, rejected } = verifyCertificate({
      at: AT,
      leaf: end.certificate,
      roots: [root.certificate],
      intermediates: [renewed, crossed, sameName, middle].map(({ certificate }) => certificate),
    })
    expect(verdict).toBe('valid')
    expect(path?.certificates[1]).toEqual(middle.certificate)
    expect(rejected.flatMap(({ faults }) => faults.map(({ code }) => code))).not.toContain('signature')
  })

  test('goes over a cross-certificate when its own root is not trusted', () => {
    const other = authority({ name: 'Other' })
    const crossed = authority({ name: 'Root', issuer: other, key: root.key })
    const { verdict, path } = verifyCertificate({
      at: AT,
      leaf: end.certificate,
      roots: [other.certificate],
      intermediates: [root, crossed, middle].map(({ certificate }) => certificate),
    })
    expect(verdict).toBe('valid')
    expect(path?.certificates).toEqual([end, middle, crossed, other].map(({ certificate }) => certificate))
  })

  test('goes over a renewed key of the same name', () => {
    const second = newKey()
    const rollover = authority({ name: 'Root', issuer: root, key: second })
    const under = leaf({ name: 'x', issuer: rollover })
    expect(faultsOf([under, rollover, root])).toEqual([])
  })

  test('compares names without case and runs of spaces', () => {
    const odd = authority({ name: nameOf(['O', 'VERIFY '], ['CN', 'middle']), issuer: root, key: middle.key })
    expect(faultsOf([end, odd, root])).toEqual([])
  })

  test('ends where two authorities certify each other', () => {
    const [one, two] = [newKey(), newKey()]
    const a = authority({ name: 'A', issuer: { ...authority({ name: 'B', key: two }) }, key: one })
    const b = authority({ name: 'B', issuer: { ...authority({ name: 'A', key: one }) }, key: two })
    expect(faultsOf([leaf({ name: 'x', issuer: a }), a, b, root])).toEqual(['noIssuer@2'])
  })
})

describe('a path of keys of each kind', () => {
  const kinds: Readonly<Record<string, () => KeyObject>> = {
    'RSA 2048': () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
    'P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
    secp256k1: () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey,
    brainpoolP256r1: () => generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' }).privateKey,
    Ed448: () => generateKeyPairSync('ed448').privateKey,
    'ML-DSA-65': () => generateKeyPairSync('ml-dsa-65').privateKey,
    'SLH-DSA-SHA2-128f': () => generateKeyPairSync('slh-dsa-sha2-128f').privateKey,
  }
  test.each(Object.keys(kinds))('%s is valid, and not with another signature', (kind) => {
    const made = kinds[kind] ?? newKey
    const anchor = authority({ name: 'Root', key: made() })
    const under = leaf({ name: 'x', issuer: anchor, key: made() })
    expect(faultsOf([under, anchor])).toEqual([])
    expect(faultsOf([resigned(under, made()), anchor])).toEqual(['signature@0'])
  })
})

describe('each certificate', () => {
  const before = new Date('2026-05-01T00:00:00Z')
  const after = new Date('2026-07-01T00:00:00Z')
  const critical: Extension = { type: 'unknown', oid: '1.2.3.4', critical: true, value: octetString(Uint8Array.of(1)) }
  const rsa1024 = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey
  const p224 = generateKeyPairSync('ec', { namedCurve: 'P-224' }).privateKey

  const through = (order: Partial<Parameters<typeof authority>[0]>): Made[] => {
    const through = authority({ name: 'Through', issuer: root, ...order })
    return [leaf({ name: 'x', issuer: through }), through, root]
  }
  const below = (order: Partial<Parameters<typeof leaf>[0]>): Made[] => [leaf({ name: 'x', issuer: middle, ...order }), middle, root]
  const under = (order: Partial<Parameters<typeof authority>[0]>): Made[] => {
    const anchor = authority({ name: 'Anchor', ...order })
    return [leaf({ name: 'x', issuer: anchor }), anchor]
  }

  test.each<[string, readonly Made[], string[]]>([
    ['is over', below({ to: before }), ['expired@0']],
    ['has not begun', below({ from: after }), ['notYetValid@0']],
    ['is over, of an authority', through({ to: before }), ['expired@1']],
    ['has not begun, of an authority', through({ from: after }), ['notYetValid@1']],
    ['is over, of a root', under({ to: before }), ['expired@1']],
    ['has a critical extension that nobody knows', below({ extensions: [critical] }), ['unknownCritical@0']],
    ['has such an extension, of an authority', through({ extensions: [critical] }), ['unknownCritical@1']],
    ['has such an extension, of a root', under({ extensions: [critical] }), ['unknownCritical@1']],
    [
      'has a critical extension that nothing acts upon',
      below({ extensions: [{ type: 'tlsFeature', critical: true, features: [5] }] }),
      ['unknownCritical@0'],
    ],
    [
      'is a precertificate',
      below({ extensions: [{ type: 'unknown', oid: OIDS.precertificatePoison, critical: true, value: Uint8Array.of(5, 0) }] }),
      ['unknownCritical@0'],
    ],
    ['has no basic constraints, of an authority', through({ without: ['basicConstraints'] }), ['notAnAuthority@1']],
    [
      'says that it is no authority',
      through({ extensions: [{ type: 'basicConstraints', critical: true, cA: false }] }),
      ['notAnAuthority@1'],
    ],
    ['has no basic constraints, of a root', under({ without: ['basicConstraints'] }), ['notAnAuthority@1']],
    ['may not sign certificates', through({ extensions: [usage('cRLSign')] }), ['keyCertSign@1']],
    ['may not sign certificates, of a root', under({ extensions: [usage('digitalSignature')] }), ['keyCertSign@1']],
    ['has a short key', below({ key: rsa1024 }), ['weakKey@0']],
    ['has a short key, of an authority', through({ key: rsa1024 }), ['weakKey@1']],
    ['has a short key, of a root', under({ key: rsa1024 }), ['weakKey@1']],
    ['has a key on a small curve', below({ key: p224 }), ['weakKey@0']],
  ])('that %s is refused', (_what, path, faults) => {
    expect(faultsOf(path)).toEqual(faults)
  })

  test.each<[string, readonly Made[]]>([
    ['an authority without key usage', through({ without: ['keyUsage'] })],
    ['an authority as the certificate in question', [middle, root]],
    [
      'a critical extension that is acted upon',
      below({ extensions: [{ type: 'certificatePolicies', critical: true, policies: [{ policyIdentifier: '1.2.3' }] }] }),
    ],
    ['an uncritical extension that nobody knows', below({ extensions: [{ ...critical, critical: false }] })],
    ['no key identifiers at all', through({ without: ['subjectKeyIdentifier', 'authorityKeyIdentifier'] })],
    [
      'an authority key identifier that fits nothing, which is a hint only',
      below({ extensions: [{ type: 'authorityKeyIdentifier', critical: false, keyIdentifier: Uint8Array.of(1, 2) }] }),
    ],
  ])('may have %s', (_what, path) => {
    expect(faultsOf(path)).toEqual([])
  })

  test('of a root may be of version 1, of another authority not', () => {
    const old = authority({ name: 'Old', without: ['subjectKeyIdentifier', 'authorityKeyIdentifier', 'basicConstraints', 'keyUsage'] })
    const oldMiddle = authority({
      name: 'Old',
      issuer: root,
      without: ['subjectKeyIdentifier', 'authorityKeyIdentifier', 'basicConstraints', 'keyUsage'],
    })
    expect(faultsOf([leaf({ name: 'x', issuer: old }), old])).toEqual([])
    expect(faultsOf([leaf({ name: 'x', issuer: oldMiddle }), oldMiddle, root])).toEqual(['oldVersion@1'])
  })
})

describe('the path length', () => {
  function chain(...lengths: (number | undefined)[]): Made[] {
    let issuer: Made | undefined
    const made: Made[] = []
    for (const [at, length] of lengths.entries()) {
      issuer = authority({ name: `A${at}`, extensions: [ca(length)], ...(issuer === undefined ? {} : { issuer }) })
      made.unshift(issuer)
    }
    return [leaf({ name: 'x', ...(issuer === undefined ? {} : { issuer }) }), ...made]
  }

  test.each<[string, readonly (number | undefined)[], string[]]>([
    ['none below a root of 0', [0], []],
    ['one below a root of 0', [0, undefined], ['pathLength@2']],
    ['one below a root of 1', [1, undefined], []],
    ['two below a root of 1', [1, undefined, undefined], ['pathLength@3']],
    ['one below an authority of 0', [undefined, 0, undefined], ['pathLength@2']],
    ['a larger number below a smaller one', [1, 5, undefined], ['pathLength@3']],
  ])('%s', (_what, lengths, faults) => {
    expect(faultsOf(chain(...lengths))).toEqual(faults)
  })

  test('does not count a renewed key', () => {
    const anchor = authority({ name: 'Anchor', extensions: [ca(0)] })
    const renewed = authority({ name: 'Anchor', issuer: anchor, extensions: [ca(0)] })
    expect(faultsOf([leaf({ name: 'x', issuer: renewed }), renewed, anchor])).toEqual([])
  })

  test('does not count the certificate in question, be it an authority', () => {
    const anchor = authority({ name: 'Anchor', extensions: [ca(0)] })
    expect(faultsOf([authority({ name: 'Sub', issuer: anchor }), anchor])).toEqual([])
  })
})

describe('name constraints', () => {
  const check = (constraint: Extension, names: readonly GeneralName[], subject = nameOf(['O', 'Verify'], ['CN', 'x'])): string[] => {
    const limited = authority({ name: 'Limited', issuer: root, extensions: [constraint] })
    return faultsOf([
      leaf({ name: subject, issuer: limited, extensions: names.length === 0 ? [] : [sans(...names)], without: ['subjectAltName'] }),
      limited,
      root,
    ])
  }
  const NOT = ['nameNotPermitted@0']
  const OUT = ['nameExcluded@0']
  const ODD = ['nameUnchecked@0']
  const smtp = (text: string): GeneralName => ({ type: 'otherName', typeId: OIDS.smtpUtf8Mailbox, value: utf8String(text) })

  test.each<[string, Extension, GeneralName[], string[]]>([
    ['a host of its own', permitted(dns('example.org')), [dns('example.org')], []],
    ['a host below', permitted(dns('example.org')), [dns('a.b.example.org')], []],
    ['a host in other letters', permitted(dns('Example.ORG')), [dns('WWW.example.org')], []],
    ['a host that only ends alike', permitted(dns('example.org')), [dns('badexample.org')], NOT],
    ['a host elsewhere', permitted(dns('example.org')), [dns('example.com')], NOT],
    ['one host of two', permitted(dns('example.org')), [dns('example.org'), dns('example.com')], NOT],
    ['a host under either of two', permitted(dns('example.org'), dns('example.com')), [dns('example.org'), dns('a.example.com')], []],
    ['a host below a dot', permitted(dns('.example.org')), [dns('a.example.org')], []],
    ['the host of the dot itself', permitted(dns('.example.org')), [dns('example.org')], NOT],
    ['a wildcard within', permitted(dns('example.org')), [dns('*.example.org')], []],
    ['a wildcard that reaches further', permitted(dns('www.example.org')), [dns('*.example.org')], NOT],
    ['an excluded host', excluded(dns('example.org')), [dns('a.example.org')], OUT],
    ['a wildcard that stands for an excluded host', excluded(dns('secret.example.org')), [dns('*.example.org')], OUT],
    ['a wildcard beside an excluded host', excluded(dns('a.secret.example.org')), [dns('*.example.org')], []],
    ['a host that is not excluded', excluded(dns('example.org')), [dns('example.com')], []],
    ['every host excluded', excluded(dns('')), [dns('example.com')], OUT],
    ['a host that is none', permitted(dns('example.org')), [dns('a b.example.org')], ODD],
    ['another form than the constrained one', permitted(dns('example.org')), [email('a@example.com')], []],
    ['a mailbox at a host', permitted(email('example.org')), [email('a@example.org')], []],
    ['a mailbox at a host below', permitted(email('example.org')), [email('a@mail.example.org')], NOT],
    ['a mailbox below a domain', permitted(email('.example.org')), [email('a@mail.example.org')], []],
    ['a mailbox at the domain itself', permitted(email('.example.org')), [email('a@example.org')], NOT],
    ['one mailbox', permitted(email('ada@example.org')), [email('ada@EXAMPLE.org')], []],
    ['another mailbox', permitted(email('ada@example.org')), [email('Ada@example.org')], NOT],
    ['an excluded mailbox', excluded(email('ada@example.org')), [email('ada@example.org')], OUT],
    ['a mailbox without a host', permitted(email('example.org')), [email('ada')], ODD],
    ['a mailbox beyond ASCII', permitted(email('example.org')), [smtp('\u00e4da@example.org')], []],
    ['a mailbox beyond ASCII elsewhere', permitted(email('example.org')), [smtp('\u00e4da@example.com')], NOT],
    ['a mailbox beyond ASCII at a host as A-label', excluded(email('xn--bcher-kva.example')), [smtp('\u00e4da@b\u00fccher.example')], OUT],
    ['the host of an address', permitted(uri('example.org')), [uri('https://ada@example.org:8443/x?y')], []],
    ['the host of an address below', permitted(uri('example.org')), [uri('https://www.example.org')], NOT],
    ['an address below a domain', permitted(uri('.example.org')), [uri('https://www.example.org')], []],
    ['an address without a host', permitted(uri('example.org')), [uri('urn:x:y')], ODD],
    ['an address with an IP address', permitted(uri('example.org')), [uri('https://192.0.2.1/')], ODD],
    ['an address with an IPv6 address', excluded(uri('example.org')), [uri('https://[2001:db8::1]/')], ODD],
    ['an IP address in a range', permitted(ip('192.0.2.0/255.255.255.0')), [ip('192.0.2.77')], []],
    ['an IP address outside a range', permitted(ip('192.0.2.0/255.255.255.0')), [ip('192.0.3.1')], NOT],
    ['an IP address of the other kind', permitted(ip('192.0.2.0/255.255.255.0')), [ip('2001:db8::1')], NOT],
    ['an IPv6 address in a range', permitted(ip('2001:db8::/ffff:ffff::')), [ip('2001:db8:1::1')], []],
    ['an excluded IP address', excluded(ip('192.0.2.0/255.255.255.0')), [ip('192.0.2.1')], OUT],
    ['every IPv4 address excluded', excluded(ip('0.0.0.0/0.0.0.0')), [ip('192.0.2.1')], OUT],
    ['a directory name', permitted(directory(['O', 'Verify'])), [directory(['O', 'verify'], ['CN', 'y'])], []],
    ['a directory name elsewhere', permitted(directory(['O', 'Verify'])), [directory(['O', 'Other'])], NOT],
    [
      'a form that cannot be compared',
      permitted({ type: 'registeredID', value: '1.2.3' }),
      [{ type: 'registeredID', value: '1.2.3.4' }],
      ODD,
    ],
    ['a form that cannot be compared and does not occur', permitted({ type: 'registeredID', value: '1.2.3' }), [dns('example.org')], []],
  ])('%s', (_what, constraint, names, faults) => {
    expect(check(constraint, names)).toEqual(faults)
  })

  test('hold for the subject', () => {
    expect(check(permitted(directory(['O', 'Other'])), [])).toEqual(NOT)
    expect(check(excluded(directory(['O', 'Verify'])), [])).toEqual(OUT)
  })

  test('hold for an e-mail address in the subject', () => {
    const subject = nameOf(['CN', 'x'], ['emailAddress', 'ada@example.com'])
    expect(check(permitted(email('example.org')), [], subject)).toEqual(NOT)
    expect(check(permitted(email('example.com')), [], subject)).toEqual([])
  })

  test('that are malformed refuse the authority', () => {
    expect(check(permitted(ip('192.0.2.0/255.0.255.0')), [])).toEqual(['constraintMalformed@1'])
    expect(check({ type: 'nameConstraints', critical: true, permittedSubtrees: [{ base: dns('example.org'), maximum: 3 }] }, [])).toEqual([
      'constraintMalformed@1',
    ])
    expect(check(permitted(dns('a b')), [])).toEqual(['constraintMalformed@1'])
  })

  test('of a root hold, too', () => {
    const limited = authority({ name: 'Limited', extensions: [permitted(dns('example.com'))] })
    expect(faultsOf([leaf({ name: 'x', issuer: limited }), limited])).toEqual(NOT)
  })

  test('of several authorities hold together', () => {
    const first = authority({ name: 'First', issuer: root, extensions: [permitted(dns('example.org'))] })
    const second = authority({ name: 'Second', issuer: first, extensions: [permitted(dns('example.com'))] })
    const both = leaf({ name: 'x', issuer: second, extensions: [sans(dns('a.example.com'))] })
    expect(faultsOf([both, second, first, root])).toEqual(NOT)
  })

  test('pass over a renewed key, and not the certificate in question', () => {
    const limited = authority({ name: 'Limited', issuer: root, extensions: [excluded(directory(['O', 'Verify']))] })
    const renewed = authority({ name: 'Limited', issuer: limited })
    const elsewhere = leaf({ name: nameOf(['O', 'Other']), issuer: renewed })
    expect(faultsOf([elsewhere, renewed, limited, root])).toEqual([])
    expect(faultsOf([renewed, limited, root])).toEqual(OUT)
  })
})

describe('a purpose', () => {
  const check = (purpose: VerificationInput['purpose'], extensions: readonly Extension[], above: readonly Extension[] = []): string[] => {
    const issuer = authority({ name: 'Issuer', issuer: root, extensions: above })
    return faultsOf([leaf({ name: 'x', issuer, extensions }), issuer, root], purpose === undefined ? {} : { purpose })
  }
  const alone: Extension = { type: 'extKeyUsage', critical: true, purposes: ['1.3.6.1.5.5.7.3.8'] }

  test.each<[string, VerificationInput['purpose'], Extension[], Extension[], string[]]>([
    ['a server of no named purpose', 'serverAuth', [], [], []],
    ['a server', 'serverAuth', [purposes('serverAuth')], [], []],
    ['a client taken for a server', 'serverAuth', [purposes('clientAuth')], [], ['purpose@0']],
    ['any purpose taken for a server', 'serverAuth', [purposes('anyExtendedKeyUsage')], [], []],
    ['a server that may only sign lists', 'serverAuth', [usage('cRLSign')], [], ['purposeKeyUsage@0']],
    ['a server under an authority for servers', 'serverAuth', [purposes('serverAuth')], [purposes('serverAuth', 'clientAuth')], []],
    ['a server under an authority for clients', 'serverAuth', [purposes('serverAuth')], [purposes('clientAuth')], ['purposeOfIssuer@1']],
    ['a server under an authority for anything', 'serverAuth', [purposes('serverAuth')], [purposes('anyExtendedKeyUsage')], []],
    ['a client', 'clientAuth', [purposes('clientAuth')], [], []],
    ['e-mail', 'emailProtection', [purposes('emailProtection'), usage('keyEncipherment')], [], []],
    ['code of no named purpose', 'codeSigning', [], [], ['purpose@0']],
    ['code', 'codeSigning', [purposes('codeSigning')], [], []],
    ['any purpose taken for code', 'codeSigning', [purposes('anyExtendedKeyUsage')], [], ['purpose@0']],
    ['time stamps alone', 'timeStamping', [alone], [], []],
    ['time stamps, not critical', 'timeStamping', [purposes('timeStamping')], [], ['timeStampingAlone@0']],
    ['time stamps beside another', 'timeStamping', [purposes('timeStamping', 'codeSigning')], [], ['timeStampingAlone@0']],
    ['OCSP', 'OCSPSigning', [purposes('OCSPSigning')], [purposes('serverAuth')], []],
    ['OCSP of no named purpose', 'OCSPSigning', [], [], ['purpose@0']],
    ['smartcard logon', 'smartcardLogon', [purposes('microsoftSmartcardLogon', 'clientAuth')], [], []],
    ['smartcard logon by a client', 'smartcardLogon', [purposes('clientAuth')], [], ['purpose@0']],
    ['any purpose', 'any', [purposes('clientAuth'), usage('cRLSign')], [purposes('serverAuth')], []],
    ['any purpose unless said', undefined, [purposes('clientAuth')], [], []],
  ])('%s', (_what, purpose, extensions, above, faults) => {
    expect(check(purpose, extensions, above)).toEqual(faults)
  })
})

describe('the name asked for', () => {
  const check = (name: string, names: readonly GeneralName[], subject = nameOf(['CN', 'www.example.org'])): string[] =>
    faultsOf(
      [
        leaf({ name: subject, issuer: middle, without: ['subjectAltName'], extensions: names.length === 0 ? [] : [sans(...names)] }),
        middle,
        root,
      ],
      { name },
    )
  const NO = ['nameMismatch@0']

  test.each<[string, GeneralName[], string[]]>([
    ['www.example.org', [dns('WWW.Example.org')], []],
    ['www.example.org.', [dns('www.example.org')], []],
    ['www.example.org', [dns('example.org')], NO],
    ['www.example.org', [], NO],
    ['www.example.org', [dns('*.example.org')], []],
    ['a.b.example.org', [dns('*.example.org')], NO],
    ['example.org', [dns('*.example.org')], NO],
    ['www.example.org', [dns('w*.example.org')], NO],
    ['www.example.org', [dns('www.*.org')], NO],
    ['www.example.org', [dns('*')], NO],
    ['b\u00fccher.example', [dns('xn--bcher-kva.example')], []],
    ['192.0.2.1', [ip('192.0.2.1')], []],
    ['192.0.2.1', [dns('192.0.2.1')], NO],
    ['2001:DB8:0::1', [ip('2001:db8::1')], []],
    ['[2001:db8::1]', [ip('2001:db8::2')], NO],
    ['ada@example.org', [email('ada@EXAMPLE.ORG')], []],
    ['Ada@example.org', [email('ada@example.org')], NO],
    ['\u00e4da@example.org', [{ type: 'otherName', typeId: OIDS.smtpUtf8Mailbox, value: utf8String('\u00e4da@example.org') }], []],
  ])('%s', (name, names, faults) => {
    expect(check(name, names)).toEqual(faults)
  })

  test('may be an e-mail address in the subject where there is none elsewhere', () => {
    const subject = nameOf(['CN', 'x'], ['emailAddress', 'ada@example.org'])
    expect(check('ada@example.org', [], subject)).toEqual([])
    expect(check('ada@example.org', [email('bob@example.org')], subject)).toEqual(NO)
  })

  test.each(['', 'a b', 'http://x', 'a@', '1.2.3', '300.1.1.1', '*.example.org', 'x'.repeat(300), 'fe80::1%eth0'])(
    '%j is no name',
    (text) => {
      expect(referenceName(text)).toBeUndefined()
    },
  )
})
