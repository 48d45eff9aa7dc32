// SOAP 1.2 with WS-Addressing, as Windows speaks it for certificates: an envelope with an action and one element in its body, a name and a password in its header
// (WS-Security UsernameToken) where TLS protects them, and faults. Signatures of XML are not read: what they would prove is proven by TLS and by CMS.

import { attributeOf, onlyChild, readXml, XmlError, type XmlElement } from '../xml/read.ts'
import { element, type Written } from '../xml/write.ts'

export const NAMESPACES = {
  soap: 'http://www.w3.org/2003/05/soap-envelope',
  addressing: 'http://www.w3.org/2005/08/addressing',
  security: 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd',
  utility: 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd',
  instance: 'http://www.w3.org/2001/XMLSchema-instance',
} as const

const PASSWORD_TEXT = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText'

type FaultCode = 'Sender' | 'Receiver' | 'VersionMismatch' | 'MustUnderstand'
/** WS-Security 12 and WS-Trust 11 */
type FaultSubcode = 'FailedAuthentication' | 'InvalidSecurity' | 'UnsupportedSecurityToken' | 'InvalidSecurityToken'

/** Says why a message is not answered as it wants. `detail`: what the protocol has to say besides. */
export class SoapFault extends Error {
  readonly code: FaultCode
  readonly subcode: FaultSubcode | undefined
  readonly detail: Written | undefined

  constructor(message: string, code: FaultCode = 'Sender', subcode?: FaultSubcode, detail?: Written) {
    super(message)
    this.name = 'SoapFault'
    this.code = code
    this.subcode = subcode
    this.detail = detail
  }
}

export interface Envelope {
  action: string
  messageId: string | undefined
  token: { username: string; password: string } | undefined
  /** the one element in the body */
  content: XmlElement
}

/** The longest text of a header that is read. */
const LONGEST_TEXT = 1_000

/** Throws SoapFault. */
export function readEnvelope(bytes: Uint8Array): Envelope {
  const root = readRoot(bytes)
  if (root.name !== 'Envelope') throw new SoapFault('This is no SOAP envelope')
  if (root.namespace !== NAMESPACES.soap) throw new SoapFault('The envelope is not of SOAP 1.2', 'VersionMismatch')
  const parts = root.children
  const header = parts.length === 2 ? parts[0] : undefined
  const body = parts.at(-1)
  const isWhole =
    parts.length <= 2 && isSoap(body, 'Body') && (header === undefined || isSoap(header, 'Header')) && body.children.length === 1
  const content = isWhole ? body.children[0] : undefined
  if (content === undefined) throw new SoapFault('An envelope has at most one header, and one body with one element')
  for (const one of header?.children ?? []) refuseUnknown(one)
  const text = (name: string): string | undefined => {
    const found = header && onlyChild(header, NAMESPACES.addressing, name)
    return found === undefined || found.text.length > LONGEST_TEXT ? undefined : found.text.trim()
  }
  const action = text('Action')
  if (action === undefined) throw new SoapFault('The header names no action')
  return { action, messageId: text('MessageID'), token: header && readToken(header), content }
}

function readRoot(bytes: Uint8Array): XmlElement {
  try {
    return readXml(bytes)
  } catch (error) {
    if (error instanceof XmlError) throw new SoapFault(`The message is not read: ${error.message}`)
    throw error
  }
}

const isSoap = (one: XmlElement | undefined, name: string): one is XmlElement =>
  one !== undefined && one.namespace === NAMESPACES.soap && one.name === name

/** SOAP 1.2 part 1, 2.4: what must be understood and is not, must not be passed over. */
function refuseUnknown(header: XmlElement): void {
  const must = attributeOf(header, 'mustUnderstand', NAMESPACES.soap)
  if (must === undefined || must === '0' || must === 'false') return
  const isKnown = header.namespace === NAMESPACES.addressing || (header.namespace === NAMESPACES.security && header.name === 'Security')
  if (!isKnown) throw new SoapFault(`The header ${header.name.slice(0, 80)} is not understood here`, 'MustUnderstand')
}

function readToken(header: XmlElement): Envelope['token'] {
  const found = header.children.filter(({ namespace, name }) => namespace === NAMESPACES.security && name === 'Security')
  if (found.length > 1) throw new SoapFault('There are two headers of security', 'Sender', 'InvalidSecurity')
  const security = found[0]
  if (security === undefined) return undefined
  const isTime = (one: XmlElement) => one.namespace === NAMESPACES.utility && one.name === 'Timestamp'
  const [token, more] = security.children.filter((one) => !isTime(one))
  if (token === undefined) return undefined
  if (more !== undefined || token.namespace !== NAMESPACES.security || token.name !== 'UsernameToken')
    throw new SoapFault('Of the tokens of WS-Security one UsernameToken is read', 'Sender', 'UnsupportedSecurityToken')
  const username = onlyChild(token, NAMESPACES.security, 'Username')
  const password = onlyChild(token, NAMESPACES.security, 'Password')
  if (username === undefined || password === undefined || [username, password].some(({ text }) => text.length > LONGEST_TEXT))
    throw new SoapFault('The UsernameToken has no name and password', 'Sender', 'InvalidSecurityToken')
  const type = attributeOf(password, 'Type')
  // Of a digest nothing can be checked where the password itself is not kept.
  if (type !== undefined && type !== PASSWORD_TEXT)
    throw new SoapFault('The password must come as text: TLS protects it', 'Sender', 'UnsupportedSecurityToken')
  return { username: username.text, password: password.text }
}

const header = (action: string, messageId: string | undefined): Written =>
  element('s:Header', [
    element('a:Action', action, { 's:mustUnderstand': '1' }),
    ...(messageId === undefined ? [] : [element('a:RelatesTo', messageId)]),
  ])

const envelope = (action: string, messageId: string | undefined, content: Written): string =>
  element('s:Envelope', [header(action, messageId), element('s:Body', [content])], {
    'xmlns:s': NAMESPACES.soap,
    'xmlns:a': NAMESPACES.addressing,
  }).xml

export const writeEnvelope = ({
  action,
  messageId,
  content,
}: {
  action: string
  messageId: string | undefined
  content: Written
}): string => envelope(action, messageId, content)

const FAULT_ACTION = 'http://www.w3.org/2005/08/addressing/soap/fault'

export function writeFault({ code, subcode, message, detail }: SoapFault, messageId: string | undefined): string {
  const content = element('s:Fault', [
    element('s:Code', [
      element('s:Value', `s:${code}`),
      ...(subcode === undefined
        ? []
        : [element('s:Subcode', [element('s:Value', `wsse:${subcode}`, { 'xmlns:wsse': NAMESPACES.security })])]),
    ]),
    element('s:Reason', [element('s:Text', message, { 'xml:lang': 'en-US' })]),
    ...(detail === undefined ? [] : [element('s:Detail', [detail])]),
  ])
  return envelope(FAULT_ACTION, messageId, content)
}

/** An element without a value, where its schema wants it all the same. */
export const nil = (name: string): Written => element(name, [], { 'i:nil': 'true' })
