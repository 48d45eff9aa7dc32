// What is said before TLS where a protocol begins in the clear: SMTP (RFC 3207), IMAP and POP3 (RFC 2595), FTP (RFC 4217), LDAP (RFC 4511 4.14), XMPP (RFC 6120 5),
// PostgreSQL and MySQL. Pure: each dialogue says what comes next to what was heard; nothing but the wish to go on encrypted is ever said.

import type { StartTlsKind } from './kinds.ts'

/** What to do with what was heard since the last thing was said: wait for the rest of it, give up, or go on, by saying something where `say` is there. */
export type Heard = 'wait' | 'refused' | { say?: Uint8Array }
/** `first` is said at once. After the last step has gone on, TLS begins. */
export type Dialogue = { first?: Uint8Array; steps: readonly ((heard: Buffer) => Heard)[] }

/** More than any server says before TLS. All of it is read again with each piece that comes, so it is little. */
export const mostHeard = 16_384

const say = (text: string) => ({ say: Buffer.from(text, 'latin1') })

/** A reply of SMTP or FTP: its last line has a space behind the code. */
function reply(heard: Buffer): { code: string; text: string } | undefined {
  const text = heard.toString('latin1')
  const [, code] = /(?:^|\n)(\d{3})(?: [^\n]*)?\r?\n$/.exec(text) ?? []
  return code === undefined ? undefined : { code, text }
}
const replied = (code: string, then: (text: string) => Heard) => (heard: Buffer) => {
  const answer = reply(heard)
  return answer === undefined ? 'wait' : answer.code === code ? then(answer.text) : 'refused'
}
/** A line that begins so; lines before it say something else. */
const line = (begin: string, refusal: RegExp, then: Heard) => (heard: Buffer) => {
  const lines = heard.toString('latin1').split('\n').slice(0, -1)
  return lines.some((one) => one.startsWith(begin)) ? then : lines.some((one) => refusal.test(one)) ? 'refused' : 'wait'
}
/** Looks for one thing behind the first place of another, never from each place anew: what the server sends is not to be trusted with that. */
const holds = (begin: string, end: RegExp, refusal: RegExp, then: Heard) => (heard: Buffer) => {
  const text = heard.toString('utf8')
  const at = text.indexOf(begin)
  return at >= 0 && end.test(text.slice(at)) ? then : refusal.test(text) ? 'refused' : 'wait'
}

const ldapName = Buffer.from('1.3.6.1.4.1.1466.20037', 'ascii')
/** LDAPMessage 1 with an ExtendedRequest of that name. */
export const ldapRequest = Buffer.concat([
  Buffer.from([0x30, ldapName.length + 7, 0x02, 0x01, 0x01, 0x77, ldapName.length + 2, 0x80, ldapName.length]),
  ldapName,
])

/** An ExtendedResponse to message 1 whose result is success, and nothing behind it: what follows would be from before the encryption. */
export function ldapAgrees(answer: Buffer): boolean {
  const long = (at: number) =>
    (answer[at] ?? 0) === 0x84 && answer.length >= at + 5
      ? { length: answer.readUInt32BE(at + 1), next: at + 5 }
      : { length: answer[at] ?? 0, next: at + 1 }
  if (answer.length < 14 || answer[0] !== 0x30) return false
  const message = long(1)
  const at = message.next
  if (
    answer.length !== at + message.length ||
    answer.subarray(at, at + 3).compare(Buffer.from([0x02, 0x01, 0x01])) !== 0 ||
    answer[at + 3] !== 0x78
  )
    return false
  const response = long(at + 4)
  return answer.subarray(response.next, response.next + 3).compare(Buffer.from([0x0a, 0x01, 0x00])) === 0
}

function ldapHeard(heard: Buffer): Heard {
  if (ldapAgrees(heard)) return {}
  const length = heard[1] === 0x84 ? (heard.length < 6 ? Infinity : heard.readUInt32BE(2) + 6) : (heard[1] ?? Infinity) + 2
  return heard.length >= length || (heard.length > 0 && heard[0] !== 0x30) ? 'refused' : 'wait'
}

/** SSLRequest of the frontend protocol: its length and 1234.5679. */
const postgresRequest = Buffer.from('0000000804d2162f', 'hex')

const mysqlCapability = { protocol41: 0x200, ssl: 0x800, secureConnection: 0x8000 }
/** Handshake version 10: its text ends with NUL, then 4 bytes of thread, 8 of salt, 1 of filler, and the low half of what the server can. */
function mysqlHeard(heard: Buffer): Heard {
  if (heard.length < 5) return 'wait'
  if (heard[4] !== 10) return 'refused'
  if (heard.length < heard.readUIntLE(0, 3) + 4) return 'wait'
  const at = heard.indexOf(0, 5) + 14
  if (at < 14 || at + 2 > heard.length || (heard.readUInt16LE(at) & mysqlCapability.ssl) === 0) return 'refused'
  const request = Buffer.alloc(36)
  request.writeUIntLE(32, 0, 3)
  request[3] = (heard[3] ?? 0) + 1
  request.writeUInt32LE(mysqlCapability.protocol41 | mysqlCapability.ssl | mysqlCapability.secureConnection, 4)
  request.writeUInt32LE(0x100_0000, 8)
  // utf8mb4_general_ci
  request[12] = 45
  return { say: request }
}

const escaped = (text: string): string => text.replaceAll(/[^A-Za-z0-9.:-]/g, '')

/** `name` is the server's, as XMPP is asked for it. */
export function dialogueOf(kind: StartTlsKind, { name, port }: { name: string; port: number }): Dialogue {
  switch (kind) {
    case 'smtp':
      return {
        steps: [
          replied('220', () => say('EHLO scan.invalid\r\n')),
          replied('250', (text) => (/^250[- ]STARTTLS\b/im.test(text) ? say('STARTTLS\r\n') : 'refused')),
          replied('220', () => ({})),
        ],
      }
    case 'ftp':
      return { steps: [replied('220', () => say('AUTH TLS\r\n')), replied('234', () => ({}))] }
    case 'imap':
      return { steps: [line('* OK', /^\* (?:BYE|PREAUTH)/, say('a1 STARTTLS\r\n')), line('a1 OK', /^a1 |^\* BYE/, {})] }
    case 'pop3':
      return { steps: [line('+OK', /^-/, say('STLS\r\n')), line('+OK', /^-/, {})] }
    case 'ldap':
      return { first: ldapRequest, steps: [ldapHeard] }
    case 'postgresql':
      return {
        first: postgresRequest,
        steps: [(heard) => (heard.length === 0 ? 'wait' : heard[0] === 0x53 && heard.length === 1 ? {} : 'refused')],
      }
    case 'mysql':
      return { steps: [mysqlHeard] }
    case 'xmpp': {
      // RFC 6120 4.2: servers speak to each other at 5269 in a namespace of their own.
      const namespace = port === 5269 ? 'jabber:server' : 'jabber:client'
      const head = `<?xml version='1.0'?><stream:stream to='${escaped(name)}' xmlns='${namespace}' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>`
      return {
        first: Buffer.from(head),
        steps: [
          holds(
            '<starttls',
            /<\/(?:\w+:)?features>/,
            /<\/(?:\w+:)?features>|<\/(?:\w+:)?stream>/,
            say("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"),
          ),
          holds('<proceed', />/, /<failure\b|<\/(?:\w+:)?stream>/, {}),
        ],
      }
    }
  }
}
