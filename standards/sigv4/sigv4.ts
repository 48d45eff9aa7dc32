// Signs a request as AWS asks for it: Signature Version 4, with the body's hash.

import { createHash, createHmac } from 'node:crypto'

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
const mac = (key: Uint8Array | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
/** RFC 3986 2.3: all but the unreserved is escaped, which `encodeURIComponent` leaves for five characters. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

export type Signing = {
  method: 'GET' | 'POST'
  url: string
  /** Beside `host` and `x-amz-date`; all of them are signed. */
  headers: Readonly<Record<string, string>>
  body: string
  service: string
  region: string
  accessKey: string
  secretKey: string
  now: Date
}

/** The headers to send, without `host`. */
export function signedHeaders({ method, url, headers, body, service, region, accessKey, secretKey, now }: Signing): Record<string, string> {
  const { host, pathname, searchParams } = new URL(url)
  const at = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const sent = Object.entries({ ...headers, 'x-amz-date': at }).map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
  const signed = [...sent, ['host', host] as const].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const names = signed.map(([name]) => name).join(';')
  const query = [...searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .toSorted()
    .join('&')
  const canonical = [method, pathname, query, ...signed.map(([name, value]) => `${name}:${value}`), '', names, hash(body)].join('\n')
  const scope = `${at.slice(0, 8)}/${region}/${service}/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', at, scope, hash(canonical)].join('\n')
  const key = [at.slice(0, 8), region, service, 'aws4_request'].reduce<Uint8Array | string>(
    (before, part) => mac(before, part),
    `AWS4${secretKey}`,
  )
  const signature = mac(key, toSign).toString('hex')
  return {
    ...Object.fromEntries(sent),
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}
