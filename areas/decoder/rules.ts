// What the decoder accepts, and what a template's rules say about a request.

import { isAllowedDomain } from '#areas/templates/names.ts'
import type { KeyKindName, Rules } from '#areas/templates/rules.ts'
import { LONGEST_TEXT } from '#standards/pem/limits.ts'

export const decodedKinds = [
  'certificate',
  'csr',
  'crl',
  'pkcs7',
  'pkcs12',
  'ocspRequest',
  'ocspResponse',
  'publicKey',
  'privateKey',
  'unknown',
] as const
export type DecodedKind = (typeof decodedKinds)[number]

export const kindNames: Record<DecodedKind, string> = {
  certificate: 'Certificate',
  csr: 'Certification request',
  crl: 'Certificate revocation list',
  pkcs7: 'PKCS#7',
  pkcs12: 'PKCS#12',
  ocspRequest: 'OCSP request',
  ocspResponse: 'OCSP response',
  publicKey: 'Public key',
  privateKey: 'Private key',
  unknown: 'ASN.1 structure',
}

export const mostItems = 50
/** Fields in one answer, shared by its items. */
export const mostFields = 8_000
export const longestValue = 8_192
export const decodingMilliseconds = 5_000
export const waitingAtMost = 20
/** People whose texts are worked on at a time. */
export const threadsAtMost = 4
/** Fields inside one another; what is nested deeper is left out. */
export const deepestField = 100
/** Of one person, so that nobody takes all turns. */
export const waitingEach = 10

/** Texts in one field of a verification, and characters in all of them: the largest file, and beside it what else it takes. */
export const mostTexts = 100
export const longestTogether = LONGEST_TEXT + 2_000_000

/** What a certificate may be verified for. */
export const purposes = {
  any: 'Any purpose',
  serverAuth: 'TLS server',
  clientAuth: 'TLS client',
  emailProtection: 'E-mail (S/MIME)',
  codeSigning: 'Code signing',
  timeStamping: 'Time stamping',
  OCSPSigning: 'OCSP answers',
  smartcardLogon: 'Smartcard logon',
} as const
export type Purpose = keyof typeof purposes

export type RequestToCheck = { key: KeyKindName | undefined; keyText: string; names: readonly { type: 'dns' | 'other'; value: string }[] }

export type RuleFinding = { severity: 'error'; code: string; field: string; message: string }

/** What a request breaks of a template's rules. */
export function checkRequestRules(request: RequestToCheck, rules: Rules): RuleFinding[] {
  const findings: RuleFinding[] = []
  const breaks = (code: string, field: string, message: string) => void findings.push({ severity: 'error', code, field, message })
  if (request.key === undefined || !rules.keys.includes(request.key))
    breaks(
      'rule_key',
      'subjectPKInfo',
      rules.keys.length === 0
        ? `The rules name no kind of key that is known here, so ${request.keyText} is not allowed`
        : `${request.keyText} is not among the allowed keys: ${rules.keys.join(', ')}`,
    )
  if (request.names.length > rules.maximumNames)
    breaks('rule_names', 'subjectAltName', `There are ${request.names.length} names and at most ${rules.maximumNames} are allowed`)
  for (const { type, value } of request.names) {
    if (type !== 'dns') continue
    if (value.startsWith('*.') && !rules.wildcards)
      breaks('rule_wildcard', 'subjectAltName', `${value} is a wildcard, and wildcards are not allowed`)
    else if (rules.allowedDomains.length > 0 && !isAllowedDomain(value, rules.allowedDomains))
      breaks('rule_domain', 'subjectAltName', `${value} is not in an allowed domain: ${rules.allowedDomains.join(', ')}`)
  }
  return findings
}
