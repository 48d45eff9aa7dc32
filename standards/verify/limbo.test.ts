import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readVerification } from './from-text.ts'
import { verifyCertificate } from './verify.ts'

interface Case {
  id: string
  leaf: string
  intermediates: string[]
  roots: string[]
  crls: string[]
  time: string
  purpose: string
  name: string
  expected: 'valid' | 'invalid'
}

const cases = JSON.parse(readFileSync(new URL('vectors/x509-limbo.json', import.meta.url), 'utf8')) as Case[]

const PROFILE = 'a rule for those who make certificates, which lint says; RFC 5280 section 6 does not ask for it, and clients accept it'
/** Where we differ, and why. */
const DIFFERENCES: { readonly [id: string]: string } = {
  'crl::crlnumber-missing': PROFILE,
  'crl::crlnumber-critical': PROFILE,
  'rfc5280::aki::critical-aki': PROFILE,
  'rfc5280::aki::leaf-missing-aki': PROFILE,
  'rfc5280::aki::intermediate-missing-aki': PROFILE,
  'rfc5280::aki::cross-signed-root-missing-aki': PROFILE,
  'rfc5280::ski::critical-ski': PROFILE,
  'rfc5280::ski::root-missing-ski': PROFILE,
  'rfc5280::ski::intermediate-missing-ski': PROFILE,
  'rfc5280::nc::permitted-dns-match-noncritical': PROFILE,
  'rfc5280::pc::ica-noncritical-pc': PROFILE,
  'rfc5280::san::noncritical-with-empty-subject': PROFILE,
  'rfc5280::san::underscore-dns': PROFILE,
  'rfc5280::serial::too-long': PROFILE,
  'rfc5280::serial::zero': PROFILE,
  'rfc5280::serial::negative': PROFILE,
  'rfc5280::root-non-critical-basic-constraints': PROFILE,
  'rfc5280::nc::invalid-dnsname-leading-period':
    'a leading dot in a constraint for hosts is taken for "below only", as it is for mailboxes and as OpenSSL and Go do',
  'rfc5280::ca-as-leaf':
    'the key of a TLS server has to be for signatures, key encipherment or key agreement (RFC 5280 4.2.1.12), and this one is for certificates only',
  'pathlen::validation-ignores-pathlen-in-leaf':
    'the key of a TLS server has to be for signatures, key encipherment or key agreement (RFC 5280 4.2.1.12), and this one is for certificates only',
}

describe('the x509-limbo suite', () => {
  test.each(cases.filter(({ id }) => DIFFERENCES[id] === undefined).map((each) => [each.id, each] as const))('%s', (_id, each) => {
    expect(verdictOn(each)).toBe(each.expected)
  })

  test.each(Object.entries(DIFFERENCES))('%s differs: %s', (id) => {
    const each = cases.find((one) => one.id === id)
    expect([each?.expected, each && verdictOn(each)].toSorted()).toEqual(['invalid', 'valid'])
  })
})

function verdictOn({ leaf, time, ...rest }: Case): 'valid' | 'invalid' {
  const reading = readVerification({ ...rest, leaf: [leaf], time: time.replace('+00:00', 'Z') }, new Date('2026-06-15T00:00:00Z'))
  return 'faults' in reading ? 'invalid' : verifyCertificate(reading.input).verdict
}
