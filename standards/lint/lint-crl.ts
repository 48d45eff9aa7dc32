// Looks a revocation list over for people who ask why it is not believed. What the reader refuses has been told by then; every rule has its source.
import type { ParsedCrl, ParsedCrlEntry } from '../crl/parse.ts'
import { hexOf } from '../der/values.ts'
import { attributeKeyword } from '../x509/names.ts'
import { describeOid } from '../x509/oids.ts'
import { finding, when, type Fault, type LintFinding, type LintRule } from './finding.ts'
import { checkNameText } from './name-text.ts'

type CrlRule = Pick<LintRule, 'code' | 'source'> & { check: (crl: ParsedCrl) => Iterable<Fault> }
type EntryRule = Pick<LintRule, 'code' | 'source'> & { says: string; fails: (entry: ParsedCrlEntry, crl: ParsedCrl) => boolean }

/** Beyond so many entries a look at each takes longer than people wait. */
const MOST_ENTRIES = 20_000

const CRL_RULES: readonly CrlRule[] = [
  {
    code: 'w_crl_version_1',
    source: 'RFC 5280 5.1.2.1',
    check: ({ version }) => when(version === 1, 'version', 'The list is of version 1, and cannot say why a certificate was revoked.'),
  },
  {
    code: 'e_signature_weak',
    source: 'RFC 6194, RFC 6151',
    check: ({ signatureAlgorithm }) =>
      when(/sha1|md5/i.test(signatureAlgorithm), 'signatureAlgorithm', `The signature algorithm ${signatureAlgorithm} is broken.`),
  },
  {
    code: 'e_name_forbidden_character',
    source: 'RFC 5280 8',
    *check({ issuer }) {
      for (const { type, value } of issuer.flat()) {
        const field = `issuer.${attributeKeyword(type)}`
        const message = checkNameText(field, value)
        if (message !== undefined) yield { field, message }
      }
    },
  },
  {
    code: 'e_crl_next_update_missing',
    source: 'RFC 5280 5.1.2.5',
    check: ({ nextUpdate }) =>
      when(nextUpdate === undefined, 'nextUpdate', 'The list does not say until when it holds, so nobody misses the next one.'),
  },
  {
    code: 'e_crl_validity_order',
    source: 'RFC 5280 5.1.2.5',
    check: ({ thisUpdate, nextUpdate }) =>
      when(nextUpdate !== undefined && nextUpdate <= thisUpdate, 'nextUpdate', 'The list ends before it begins.'),
  },
  {
    code: 'w_crl_number_missing',
    source: 'RFC 5280 5.2.3',
    check: ({ version, crlNumber }) =>
      when(version === 2 && crlNumber === undefined, 'cRLNumber', 'The list has no number, so nobody sees which of two is newer.'),
  },
  {
    code: 'w_crl_authority_key_identifier_missing',
    source: 'RFC 5280 5.2.1',
    check: ({ version, authorityKeyIdentifier }) =>
      when(
        version === 2 && authorityKeyIdentifier === undefined,
        'authorityKeyIdentifier',
        'The list does not say by which key it is signed.',
      ),
  },
  {
    code: 'e_crl_delta_base',
    source: 'RFC 5280 5.2.4',
    check: ({ crlNumber, deltaBase }) =>
      when(
        deltaBase !== undefined && crlNumber !== undefined && deltaBase > crlNumber,
        'deltaCRLIndicator',
        'The delta list builds upon a list that is newer than itself.',
      ),
  },
  {
    code: 'e_crl_extension_unknown_critical',
    source: 'RFC 5280 5.2',
    check: ({ unknownCritical }) =>
      unknownCritical.map((oid) => ({
        field: 'crlExtensions',
        message: `The critical extension ${describeOid(oid)} is not known here, so the list cannot be used.`,
      })),
  },
]

const ENTRY_RULES: readonly EntryRule[] = [
  {
    code: 'e_crl_serial_number_not_positive',
    source: 'RFC 5280 4.1.2.2',
    says: 'has a serial number that is not greater than zero',
    fails: ({ negative, serialNumber }) => negative || serialNumber.every((byte) => byte === 0),
  },
  {
    code: 'w_crl_entry_after_list',
    source: 'RFC 5280 5.1.2.4',
    says: 'was revoked after the list was made',
    fails: ({ revocationDate }, { thisUpdate }) => revocationDate > thisUpdate,
  },
  {
    code: 'e_crl_remove_outside_delta',
    source: 'RFC 5280 5.3.1',
    says: 'has the reason removeFromCRL, which only a delta list may give',
    fails: ({ reason }, { deltaBase }) => reason === 'removeFromCRL' && deltaBase === undefined,
  },
]

/** All findings on a list that could be read; those on entries name the first and how many there are. */
export function lintCrl(crl: ParsedCrl): LintFinding[] {
  const findings = CRL_RULES.flatMap((rule) => Array.from(rule.check(crl), (fault) => finding(rule, fault)))
  const seen = new Set<string>()
  const found = new Map<Pick<EntryRule, 'code' | 'source' | 'says'>, { first: string; count: number }>()
  let looked = 0
  for (const entry of crl.entries()) {
    looked += 1
    if (looked > MOST_ENTRIES) break
    const key = `${entry.negative ? '-' : ''}${hexOf(entry.serialNumber)} ${hexOf(entry.certificateIssuer ?? new Uint8Array())}`
    for (const rule of [...ENTRY_RULES.filter(({ fails }) => fails(entry, crl)), ...(seen.has(key) ? [TWICE] : [])]) {
      const known = found.get(rule)
      if (known === undefined) found.set(rule, { first: hexOf(entry.serialNumber), count: 1 })
      else known.count += 1
    }
    seen.add(key)
  }
  for (const [rule, { first, count }] of found) {
    const more = count === 1 ? '' : ` (${count} such entries)`
    findings.push(finding(rule, { field: 'revokedCertificates', message: `The entry ${first} ${rule.says}${more}.` }))
  }
  if (crl.entryCount > MOST_ENTRIES)
    findings.push(
      finding(
        { code: 'w_crl_entries_unchecked', source: 'RFC 5280 5.1.2.6' },
        { field: 'revokedCertificates', message: `Only the first ${MOST_ENTRIES} of ${crl.entryCount} entries were looked over.` },
      ),
    )
  return findings
}

const TWICE = { code: 'e_crl_entry_twice', source: 'RFC 5280 5.1.2.6', says: 'stands in the list twice' } as const
