// A SCEP client for tests, on our own standard: it makes the key and the request by openssl, and speaks what it is told to.

import { createPrivateKey, sign, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { OpenSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { parseCertificatesOnly } from '#standards/cms/certificates-only.ts'
import { openEnvelopedData, parseEnvelopedData, type CmsCipher } from '#standards/cms/enveloped-data.ts'
import { berToDer } from '#standards/der/ber.ts'
import { readDer, TAG, type DerValue } from '#standards/der/reader.ts'
import { octetString } from '#standards/der/writer.ts'
import { buildScepRequest, readScepMessage, type MessageType, type ScepMessage } from '#standards/scep/message.ts'
import { parseCertificate, type Certificate } from '#standards/x509/certificate.ts'

export type Holder = { certificate: Certificate; privateKey: KeyObject; keyFile: string }
/** `bytes`: as they came. */
export type Answered = { status: number; bytes: Uint8Array; message: ScepMessage; certificates: Uint8Array[]; crls: Uint8Array[] }

/** `extensions`: more lines of openssl's. A name that looks like an address is one. */
export type CsrWish = {
  subject?: string
  names?: readonly string[]
  challenge?: string
  keyFile?: string
  extensions?: readonly string[]
}

const derOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')

export const namesText = (names: readonly string[]): string =>
  names.map((name) => (/^[\d.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`)).join(',')

/** A key with a self-signed certificate and a request with a challenge, as a device makes them. */
export function deviceOf(
  tools: OpenSsl,
  { subject = '/CN=router.example.org', names = ['router.example.org'], challenge, keyFile, extensions = [] }: CsrWish = {},
) {
  const file = keyFile ?? tools.write(tools.run('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'))
  const config = tools.write(
    [
      '[req]',
      'distinguished_name=dn',
      'string_mask=utf8only',
      ...(challenge === undefined ? [] : ['attributes=attributes']),
      ...(names.length === 0 ? [] : ['req_extensions=extensions']),
      'prompt=no',
      '[dn]',
      ...subject.split('/').slice(1),
      ...(challenge === undefined ? [] : ['[attributes]', `challengePassword=${challenge}`]),
      ...(names.length === 0 ? [] : ['[extensions]', `subjectAltName=${namesText(names)}`, ...extensions]),
      '',
    ].join('\n'),
  )
  const csr = derOf(tools.run('req', '-new', '-config', config, '-key', file))
  const own = tools.run('req', '-new', '-x509', '-config', config, '-key', file, '-days', '2')
  const holder: Holder = {
    certificate: parseCertificate(derOf(own)),
    privateKey: createPrivateKey(readFileSync(file)),
    keyFile: file,
  }
  return { csr, holder }
}

/** The same in BER, as BouncyCastle and jscep write it: lengths that are not said beforehand, and strings in pieces. */
export const inBer = (der: Uint8Array): Buffer => piecewise(readDer(der))

function piecewise({ tagClass, tagNumber, constructed, encoded, content, children }: DerValue): Buffer {
  const end = Buffer.alloc(2)
  if (constructed) return Buffer.concat([Buffer.from([encoded[0] ?? 0, 0x80]), ...children.map(piecewise), end])
  if (tagClass !== 'universal' || tagNumber !== TAG.octetString || content.length < 100) return Buffer.from(encoded)
  const half = content.length >> 1
  return Buffer.concat([Buffer.from([0x24, 0x80]), octetString(content.subarray(0, half)), octetString(content.subarray(half)), end])
}

export type Sent = {
  type: MessageType | number
  content: Uint8Array
  by: Holder
  transactionId?: string
  /** Triple DES, too, which nothing here builds otherwise. */
  cipher?: CmsCipher | 'des-ede3-cbc'
  byGet?: boolean
  /** What becomes of the message in the address. */
  spell?: (base64: string) => string
  /** Whatever else is done to the bytes on their way. */
  change?: (message: Uint8Array) => Uint8Array
}

type Fetch = (path: string, init?: RequestInit) => Promise<Response>

export async function scepClient(fetchFrom: Fetch, url: string) {
  const { pathname } = new URL(url)
  const capabilities = await (await fetchFrom(`${pathname}?operation=GetCACaps`)).text()
  const answer = await fetchFrom(`${pathname}?operation=GetCACert`)
  const given = Buffer.from(await answer.arrayBuffer())
  // RFC 8894 4.2.1.1: an authority that is its own registrar gives its certificate bare.
  const isBare = answer.headers.get('content-type')?.includes('x-x509-ca-cert') === true
  const certificates = (isBare ? [given] : parseCertificatesOnly(given).certificates).map((der) => parseCertificate(der))
  const [registrar] = certificates
  if (registrar === undefined) throw new Error('GetCACert gives no certificate')
  const post = (body: Uint8Array) =>
    fetchFrom(`${pathname}?operation=PKIOperation`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-pki-message' },
      body: Buffer.from(body),
    })
  return {
    capabilities,
    certificates,
    registrar,
    pathname,
    post,
    ask: (operation: string) => fetchFrom(`${pathname}?operation=${operation}`),
    async send({
      type,
      content,
      by,
      transactionId = 'one',
      cipher,
      byGet,
      spell = (text) => text.replaceAll('=', '%3D'),
      change = (bytes) => bytes,
    }: Sent): Promise<Answered> {
      const { certificate, privateKey } = by
      const message = change(
        await buildScepRequest({
          by: {
            certificate,
            algorithm: privateKey.asymmetricKeyType === 'ec' ? 'ecdsa-with-SHA256' : 'sha256WithRSAEncryption',
            sign: (data) => sign('sha256', data, privateKey),
          },
          to: registrar,
          content,
          messageType: type,
          transactionId,
          ...(cipher === undefined ? {} : { cipher: cipher as CmsCipher }),
        }),
      )
      const response =
        byGet === true
          ? await fetchFrom(`${pathname}/pkiclient.exe?operation=PKIOperation&message=${spell(Buffer.from(message).toString('base64'))}`)
          : await post(message)
      const body = Buffer.from(await response.arrayBuffer())
      if (!response.ok) throw new Error(`${response.status}: ${body.toString()}`)
      const answer = readScepMessage(body)
      if (answer.envelope === undefined) return { status: response.status, bytes: body, message: answer, certificates: [], crls: [] }
      const inner = openEnvelopedData(parseEnvelopedData(berToDer(answer.envelope)), by)
      return { status: response.status, bytes: body, message: answer, ...parseCertificatesOnly(inner) }
    },
  }
}
