// What a certificate is found by. Each text stands in the table of words from every place where a part of it begins, so that a prefix of any of them
// is a range of the index: `example.org` finds `mail.example.org`. What is the beginning of another word is found by that one. Serials and fingerprints have
// indexes of their own, and for templates there is a filter.

import { tailsOf } from '#core/server/search-words.ts'
import type { CertificateRecord } from './store.ts'

type Searched = Pick<CertificateRecord, 'name' | 'email' | 'holder' | 'device_name' | 'device_serial' | 'friendly_name' | 'sans'>

/** The texts that the words are made of. */
export const searchedTexts = ({ name, email, holder, device_name, device_serial, friendly_name, sans }: Searched): string[] => [name, email, holder, device_name, device_serial, friendly_name, ...sans.slice(0, 60)]

export const wordsOfCertificate = (certificate: Searched): string[] => tailsOf(...searchedTexts(certificate))
