// What a provider answers, as all readers of providers give it.

import type { X509Certificate } from 'node:crypto'
import type { OutwardAnswer } from '#core/server/outward/request.ts'
import { readJsonOrNothing } from '#standards/json/read.ts'
import type { ProviderRecord } from './provider-store.ts'

/** A provider that did not answer as it should, in a sentence. */
export class ProviderError extends Error {
  override name = 'ProviderError'
}

/** `chain`: what stands behind the certificate, DER. */
export type Found = { place: string; certificate: Uint8Array; chain: readonly Uint8Array[] }
/** `refused`: entries that hold no certificate. `next` is where the next page begins. `says` stands with the reading at its end. */
export type ProviderPage = { found: Found[]; refused: number; next: string; done: boolean; says?: string }

export type Asked = Pick<ProviderRecord, 'tenant_id' | 'url' | 'scope' | 'roots' | 'account' | 'login' | 'cursor'> & {
  secret: string
  /** The domains of which the tenancy has proved control. */
  domains: readonly string[]
  /** Ends all that is asked for one page. */
  signal: AbortSignal
}

/** A page of a cluster has some hundred secrets, each with all that is said about who wrote it. */
const mostValues = 100_000

export const jsonOf = ({ body }: Pick<OutwardAnswer, 'body'>): unknown => readJsonOrNothing(body.toString('utf8'), { values: mostValues })

/** Trust beside the public roots, as a request takes it. */
export const tlsOf = ({ roots }: Pick<Asked, 'roots'>) => (roots === '' ? {} : { tls: { trust: { roots: [roots] } } })

/** DNS names of a certificate with its common name, in small letters. */
export const dnsNamesOf = ({ subjectAltName = '', subject = '' }: Partial<Pick<X509Certificate, 'subjectAltName' | 'subject'>>): string[] =>
  [
    ...subjectAltName.split(', ').flatMap((one) => /^DNS:(.+)$/.exec(one)?.[1] ?? []),
    ...subject.split('\n').flatMap((one) => /^CN=(.+)$/.exec(one)?.[1] ?? []),
  ].map((name) => name.toLowerCase())
