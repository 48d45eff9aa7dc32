// A client for tests that speaks as Windows does: SOAP 1.2, a name and a password in its header, requests as PKCS#10, PKCS#7 or CMC in a RequestSecurityToken.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import type { OpenSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { elementsOf } from '#standards/der/fields.ts'
import { readDer } from '#standards/der/reader.ts'
import { readOctetString } from '#standards/der/values.ts'
import { explicit, integer, sequence } from '#standards/der/writer.ts'
import type { Extension } from '#standards/x509/extension-types.ts'
import { encodeExtension, extensionOid } from '#standards/x509/extensions.ts'
import { readXml, type XmlElement } from '#standards/xml/read.ts'

const enrollment = 'http://schemas.microsoft.com/windows/pki/2009/01/enrollment'
const policy = 'http://schemas.microsoft.com/windows/pki/2009/01/enrollmentpolicy'
const security = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd'
const trust = 'http://docs.oasis-open.org/ws-sx/ws-trust/200512'

export type SignIn = { password?: string; shows?: { port: number; certificate: string; keyFile: string } }
export type Said = { status: number; text: string; root: XmlElement; fault: string | undefined; error: number | undefined }

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

export const envelopeOf = (action: string, body: string, password?: string, header = ''): string =>
  `<s:Envelope xmlns:a="http://www.w3.org/2005/08/addressing" xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Header><a:Action s:mustUnderstand="1">${action}</a:Action><a:MessageID>urn:uuid:${randomUUID()}</a:MessageID><a:To s:mustUnderstand="1">https://localhost/</a:To>${header}${
    password === undefined
      ? ''
      : `<o:Security s:mustUnderstand="1" xmlns:o="${security}"><u:Timestamp xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"><u:Created>2026-01-01T00:00:00Z</u:Created></u:Timestamp><o:UsernameToken><o:Username>machine</o:Username><o:Password Type="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText">${escaped(password)}</o:Password></o:UsernameToken></o:Security>`
  }</s:Header><s:Body>${body}</s:Body></s:Envelope>`

export const policiesBody = `<GetPolicies xmlns="${policy}"><client><lastUpdate xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/><preferredLanguage>en-US</preferredLanguage></client><requestFilter xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/></GetPolicies>`
export const policiesAction = `${policy}/IPolicy/GetPolicies`
export const enrolAction = `${enrollment}/RST/wstep`

export const issueBody = (token: string, { type = `${trust}/Issue`, valueType = `${enrollment}#PKCS10`, more = '' } = {}): string =>
  `<RequestSecurityToken xmlns="${trust}"><TokenType>http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3</TokenType><RequestType>${type}</RequestType><BinarySecurityToken ValueType="${valueType}" EncodingType="${security}#base64binary" xmlns="${security}">${token}</BinarySecurityToken>${more}</RequestSecurityToken>`

export const statusBody = (requestId: string): string =>
  `<RequestSecurityToken xmlns="${trust}"><RequestType>${enrollment}/QueryTokenStatus</RequestType><RequestID xmlns="${enrollment}">${requestId}</RequestID></RequestSecurityToken>`

/** Every text under elements of this name, in order. */
export const textsOf = (root: XmlElement, name: string): string[] =>
  root.children.flatMap((child) => (child.name === name && child.children.length === 0 ? [child.text] : textsOf(child, name)))

export function windowsClient(origin: string, url: string) {
  const publicId = new URL(url).pathname.split('/').at(-1) ?? ''
  const post = async (name: 'xcep' | 'wstep', body: string | Uint8Array, { shows }: SignIn = {}): Promise<Said> => {
    const path = `/${name}/${publicId}`
    const { status, text } = shows === undefined ? await plainly(origin + path, body) : await showing(path, body, shows)
    if (!text.startsWith('<'))
      return { status, text, root: { namespace: '', name: '', attributes: [], children: [], text }, fault: text, error: undefined }
    const root = readXml(Buffer.from(text))
    const [error] = textsOf(root, 'ErrorCode')
    return {
      status,
      text,
      root,
      fault: text.includes('<s:Fault>') ? textsOf(root, 'Text')[0] : undefined,
      error: error === undefined ? undefined : Number(error) >>> 0,
    }
  }
  return {
    post,
    policies: (signIn: SignIn) => post('xcep', envelopeOf(policiesAction, policiesBody, signIn.password), signIn),
    enrol: (token: Uint8Array, signIn: SignIn, more: Parameters<typeof issueBody>[1] = {}) =>
      post('wstep', envelopeOf(enrolAction, issueBody(Buffer.from(token).toString('base64'), more), signIn.password), signIn),
    status: (requestId: string, signIn: SignIn) => post('wstep', envelopeOf(enrolAction, statusBody(requestId), signIn.password), signIn),
  }
}

async function plainly(url: string, body: string | Uint8Array): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/soap+xml; charset=utf-8' }
  const response = await fetch(url, { method: 'POST', headers, body: typeof body === 'string' ? body : Buffer.from(body) })
  return { status: response.status, text: await response.text() }
}

const showing = (path: string, body: string | Uint8Array, { port, certificate, keyFile }: NonNullable<SignIn['shows']>) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const way = { host: 'localhost', port, path, method: 'POST', cert: certificate, key: readFileSync(keyFile), rejectUnauthorized: false }
    const asking = httpsRequest(way, (response) => {
      let text = ''
      response.on('data', (piece: Buffer) => void (text += piece.toString()))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    asking.on('error', reject)
    asking.end(body)
  })

export const derOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')

/** RFC 5272: a request as Windows wraps it. */
export const pkiData = (...requests: readonly Uint8Array[]): Uint8Array =>
  sequence(sequence(), sequence(...requests.map((csr, at) => explicit(0, integer(at + 1), csr))), sequence(), sequence())

/** An extension as openssl is told to put it into a request. */
export function extensionText(extension: Extension): string {
  const fields = elementsOf(readDer(encodeExtension(extension)))
  const value = fields.at(-1)
  const hexadecimal = Buffer.from(value === undefined ? [] : readOctetString(value)).toString('hex')
  return `${extensionOid(extension)}=DER:${hexadecimal.replace(/..(?=.)/g, '$&:')}`
}

/** CMS around a request, signed with a certificate. `type`: id-data unless said. */
export function signedBy(
  tools: OpenSsl,
  content: Uint8Array,
  { certificate, keyFile }: { certificate: string; keyFile: string },
  ...more: string[]
): Buffer {
  const [input, signer, output] = [tools.write(content), tools.write(certificate), tools.write('')]
  const signing = ['-signer', signer, '-inkey', keyFile, ...(more.includes('-md') ? [] : ['-md', 'sha256']), ...more]
  tools.run('cms', '-sign', '-nodetach', '-binary', '-in', input, ...signing, '-outform', 'DER', '-out', output)
  return readFileSync(output)
}

export const pkiDataType = '1.3.6.1.5.5.7.12.2'
