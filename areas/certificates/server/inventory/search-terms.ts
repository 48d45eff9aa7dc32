// Makes the search terms of a certificate. The table of words holds each text from every place where a part of it begins, so that a search is a prefix of the
// index: `example.org` finds `mail.example.org`. A term that is the beginning of another one is left out. Organisations and the SHA-1 fingerprint are terms
// with a mark before them, so that only a search for that mark finds them. Serials and SHA-256 fingerprints have indexes of their own, templates a filter.

import { hash } from 'node:crypto'
import { joinedDigits, searchTerms, tailsOf, wholeWord } from '#core/server/search-terms.ts'
import { readPastedName, type PastedAttribute } from '#standards/x509/pasted-name.ts'
import type { CertificateRecord } from '../store.ts'

type Searched = Pick<
  CertificateRecord,
  'name' | 'email' | 'holder' | 'device_name' | 'device_serial' | 'friendly_name' | 'sans' | 'subject' | 'owner' | 'owner_user_id' | 'tags'
>

/** The texts that most of the words are made of. */
export const searchedTexts = ({
  name,
  email,
  holder,
  device_name,
  device_serial,
  friendly_name,
  sans,
  owner,
  tags,
}: Searched): string[] => [name, email, holder, device_name, device_serial, friendly_name, ...sans.slice(0, 60), owner, ...tags]

/** Ends with what no tag has, so that it finds this one and none that begins like it. */
export const tagTerm = (tag: string): string => `${wholeWord(`tag:${tag}`)};`
export const ownerTerm = (userId: string): string => `owner:${userId};`

/** By these the filters find. */
export const givenTerms = ({ owner_user_id, tags }: Pick<Searched, 'owner_user_id' | 'tags'>): string[] => [
  ...tags.map(tagTerm),
  ...(owner_user_id === null ? [] : [ownerTerm(owner_user_id)]),
]

/** Of a subject, whose other attributes all certificates of a country share, or stand among the names. */
const marked = new Set(['O', 'OU'])
const markedTerm = ({ keyword, value }: PastedAttribute): string => wholeWord(`${keyword}=${value}`)
const hasMarked = /(?:^|[,+])OU?=/

export const organisationTerms = (subject: string): string[] =>
  hasMarked.test(subject)
    ? [
        ...new Set(
          readPastedName(subject)
            .attributes.filter(({ keyword, value }) => marked.has(keyword) && value !== '')
            .map(markedTerm),
        ),
      ].slice(0, 20)
    : []

/** So many of its digits tell a SHA-1 fingerprint from all others. */
const digitsOfSha1 = 20
/** Half of a name may look like fewer. */
const fewestOfSha1 = 8
const sha1Word = (digits: string): string => `sha1:${digits.slice(0, digitsOfSha1)}`

/** The word that a fingerprint or its beginning stands for; undefined for what is none. */
export const sha1Term = (digits: string): string | undefined =>
  digits.length < fewestOfSha1 || digits.length > 40 ? undefined : sha1Word(digits)

/** But for the fingerprint, which is made of the bytes. */
export const termsOfNames = (certificate: Searched): string[] => [
  ...tailsOf(...searchedTexts(certificate)),
  ...organisationTerms(certificate.subject),
  ...givenTerms(certificate),
]

const sha1Of = ({ certificate }: Pick<CertificateRecord, 'certificate'>): string => sha1Word(hash('sha1', certificate))

export const termsOfCertificate = (certificate: Searched & Pick<CertificateRecord, 'certificate'>): string[] => [
  ...new Set([...termsOfNames(certificate), sha1Of(certificate)]),
]

/** Those that certificates did not have before migration 0013. */
export const laterTerms = (certificate: Pick<CertificateRecord, 'subject' | 'certificate'>): string[] => [
  ...organisationTerms(certificate.subject),
  sha1Of(certificate),
]

/** The words typed to find certificates; a number pasted as some tool shows it is one of them, and so is each name in a pasted subject. */
export function certificateTerms(text: string): string[] {
  const { attributes, rest } = readPastedName(text)
  return [...new Set([...termsOfSubject(attributes), ...searchTerms(joinedDigits(rest))])].filter((term) => term !== '').slice(0, 5)
}

/** What names it and whose it is. Its country and the like only where nothing else is said: they are no words, and a subject is still found without them. */
function termsOfSubject(attributes: readonly PastedAttribute[]): string[] {
  const filled = attributes.filter(({ value }) => value !== '')
  const telling = filled.filter(({ keyword }) => keyword === 'CN' || marked.has(keyword))
  return telling.length === 0
    ? filled.flatMap(({ value }) => searchTerms(joinedDigits(value)))
    : telling.map((one) => (one.keyword === 'CN' ? wholeWord(one.value) : markedTerm(one)))
}
