// Reads certificates of AWS: those of the Certificate Manager (JSON 1.1), and server certificates of IAM (Query API). The address says which of the two; an
// address of neither, such as that of a stand-in, is asked for both.

import * as z from 'zod'
import type { House } from '#core/server/house.ts'
import { decodePem } from '#standards/pem/pem.ts'
import { say } from '#standards/say/say.ts'
import { signedHeaders } from '#standards/sigv4/sigv4.ts'
import { readXml, XmlError, type XmlElement } from '#standards/xml/read.ts'
import { jsonOf, ProviderError, tlsOf, type Asked, type Found, type ProviderPage } from './provider-page.ts'

const itemsAPage = 25
/** Without these the list holds RSA keys of 1,024 and 2,048 bits alone. */
const keyTypes = ['RSA_1024', 'RSA_2048', 'RSA_3072', 'RSA_4096', 'EC_prime256v1', 'EC_secp384r1', 'EC_secp521r1']

const AcmList = z.object({
  CertificateSummaryList: z.array(z.object({ CertificateArn: z.string().min(1).max(2_048) })).max(itemsAPage),
  NextToken: z.string().max(10_000).nullish(),
})
const AcmCertificate = z.object({ Certificate: z.string(), CertificateChain: z.string().nullish() })
const Fault = z.object({ __type: z.string() })

export async function readAws(house: House, asked: Asked): Promise<ProviderPage> {
  const host = URL.canParse(asked.url) ? new URL(asked.url).hostname : ''
  const [isAcm, isIam] = [host.startsWith('acm.'), host.startsWith('iam.')]
  const [service, cursor] = asked.cursor === '' ? [isIam ? 'iam' : 'acm', ''] : [asked.cursor.slice(0, 3), asked.cursor.slice(4)]
  const page = service === 'iam' ? await iamPage(house, asked, cursor) : await acmPage(house, asked, cursor)
  if (page.next !== '' && page.next === cursor) throw new ProviderError(say`AWS answers the same page again`)
  const isBefore = service === 'acm' && page.next === '' && !isAcm
  return { ...page, next: isBefore ? 'iam:' : page.next === '' ? '' : `${service}:${page.next}`, done: page.next === '' && !isBefore }
}

type Page = Omit<ProviderPage, 'done'>

async function acmPage(house: House, asked: Asked, cursor: string): Promise<Page> {
  const list = AcmList.safeParse(
    await acm(house, asked, 'ListCertificates', {
      CertificateStatuses: ['ISSUED', 'INACTIVE', 'EXPIRED', 'REVOKED'],
      Includes: { keyTypes },
      MaxItems: itemsAPage,
      ...(cursor === '' ? {} : { NextToken: cursor }),
    }),
  )
  if (!list.success) throw new ProviderError(say`The answer of AWS is no list of certificates`)
  const found: Found[] = []
  const arns = list.data.CertificateSummaryList.map(({ CertificateArn }) => CertificateArn)
  for (const arn of arns) {
    const answer = AcmCertificate.safeParse(await acm(house, asked, 'GetCertificate', { CertificateArn: arn }))
    if (answer.success) found.push(...foundAt(arn, answer.data.Certificate, answer.data.CertificateChain ?? ''))
  }
  return { found, refused: arns.length - found.length, next: list.data.NextToken ?? '' }
}

/** Undefined for a certificate that is not issued yet, or is gone since it was listed. */
async function acm(house: House, asked: Asked, action: string, input: object): Promise<unknown> {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `CertificateManager.${action}` }
  const answer = await send(house, asked, { service: 'acm', region: asked.scope, headers, body: JSON.stringify(input) })
  if (answer.status === 200) return jsonOf(answer)
  const name = Fault.safeParse(jsonOf(answer)).data?.__type.replace(/^.*#/, '') ?? ''
  if (action === 'GetCertificate' && ['RequestInProgressException', 'ResourceNotFoundException'].includes(name)) return undefined
  throw new ProviderError(faultOf(answer.status, name))
}

async function iamPage(house: House, asked: Asked, cursor: string): Promise<Page> {
  const list = await iam(house, asked, {
    Action: 'ListServerCertificates',
    MaxItems: String(itemsAPage),
    ...(cursor === '' ? {} : { Marker: cursor }),
  })
  const names = textsOf(list, 'ServerCertificateName')
  // Each is asked for by itself, so that whoever lists more than was asked for decides how long that takes.
  if (names.length > itemsAPage) throw new ProviderError(say`The answer of AWS is no list of certificates`)
  const arns = textsOf(list, 'Arn')
  const found: Found[] = []
  for (const [at, name] of names.entries()) {
    const one = await iam(house, asked, { Action: 'GetServerCertificate', ServerCertificateName: name })
    found.push(...foundAt(arns[at] ?? name, textsOf(one, 'CertificateBody')[0] ?? '', textsOf(one, 'CertificateChain')[0] ?? ''))
  }
  const isMore = textsOf(list, 'IsTruncated')[0] === 'true'
  return { found, refused: names.length - found.length, next: isMore ? (textsOf(list, 'Marker')[0] ?? '') : '' }
}

async function iam(house: House, asked: Asked, form: Readonly<Record<string, string>>): Promise<XmlElement> {
  const body = new URLSearchParams({ ...form, Version: '2010-05-08' }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
  // IAM is of no region, and is signed for this one.
  const answer = await send(house, asked, { service: 'iam', region: 'us-east-1', headers, body })
  let root: XmlElement | undefined
  try {
    root = readXml(answer.body, { maxBytes: 1024 * 1024, maxElements: 5_000 })
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
  }
  if (answer.status !== 200) throw new ProviderError(faultOf(answer.status, root === undefined ? '' : (textsOf(root, 'Code')[0] ?? '')))
  if (root === undefined) throw new ProviderError(say`The answer of AWS is no list of certificates`)
  return root
}

async function send(
  house: House,
  { tenant_id: tenantId, account, secret, ...asked }: Asked,
  { service, region, headers, body }: { service: string; region: string; headers: Readonly<Record<string, string>>; body: string },
) {
  const url = `${asked.url.replace(/\/+$/, '')}/`
  const signing = { method: 'POST', url, headers, body, service, region, accessKey: account, secretKey: secret, now: house.now() } as const
  const headersSigned = signedHeaders(signing)
  const { signal } = asked
  return house.outward.request({ use: 'cloud', url, tenantId, method: 'POST', headers: headersSigned, body, signal, ...tlsOf(asked) })
}

const refusals = ['UnrecognizedClientException', 'InvalidClientTokenId', 'SignatureDoesNotMatch', 'IncompleteSignature']
function faultOf(status: number, name: string): string {
  if (refusals.includes(name)) return 'AWS does not accept the access key'
  if (name.startsWith('AccessDenied') || status === 403) return 'The access key may not list certificates there'
  if (/Throttling|TooManyRequests/.test(name)) return 'AWS asks for more patience: read it again later'
  return /^\w{1,60}$/.test(name) ? `AWS answered with ${name}` : `AWS answered with status ${status}`
}

const textsOf = ({ name, text, children }: XmlElement, wanted: string): string[] => [
  ...(name === wanted ? [text.trim()] : []),
  ...children.flatMap((child) => textsOf(child, wanted)),
]

function foundAt(place: string, certificate: string, chain: string): Found[] {
  const [leaf] = dersOf(certificate)
  return leaf === undefined ? [] : [{ place, certificate: leaf, chain: dersOf(chain) }]
}

function dersOf(pem: string): Uint8Array[] {
  try {
    return decodePem(pem).flatMap(({ label, bytes }) => (label === 'CERTIFICATE' ? [bytes] : []))
  } catch {
    return []
  }
}
