// What of a mail becomes a message: its text without what it quotes, and its files. HTML becomes plain text; nothing of a mail is shown as markup.

import PostalMime, { addressParser, type Email } from 'postal-mime'

export type ReadMail = {
  sender: string
  subject: string
  content: string
  messageId: string
  /** Sent by a program, or to a list: nobody wrote it to us. */
  automatic: boolean
  /** Our own mail server says that the sender is who it says (DMARC). */
  authentic: boolean
  files: { name: string; bytes: Uint8Array }[]
}

const limits = { maxNestingDepth: 50, maxHeadersSize: 256 * 1024, attachmentEncoding: 'arraybuffer' } as const
const mostSubject = 200

/** Throws where it is no mail. */
export async function readMail(bytes: Uint8Array): Promise<ReadMail> {
  const email = await PostalMime.parse(bytes, limits)
  const headers = (name: string): string[] => email.headers.filter(({ key }) => key === name).map(({ value }) => value.toLowerCase())
  const senders = email.headers.filter(({ key }) => key === 'from').map(({ value }) => addressParser(value, { flatten: true }))
  const from = senders.length === 1 ? (senders[0] ?? []).map(({ address }) => address ?? '') : []
  const submitted = headers('auto-submitted')
  return {
    sender: (from.length === 1 ? (from[0] ?? '') : '').toLowerCase(),
    subject: cleaned(email.subject ?? '')
      .replaceAll('\n', ' ')
      .slice(0, mostSubject)
      .toWellFormed(),
    content: withoutQuote(cleaned(textOf(email))).trim(),
    messageId: email.messageId ?? '',
    automatic:
      submitted.some((value) => value.trim() !== 'no') ||
      headers('precedence').some((value) => /^(bulk|list|junk)/.test(value.trim())) ||
      headers('list-id').length > 0,
    authentic: from.length === 1 && isAuthentic(headers('authentication-results')),
    files: email.attachments.flatMap(({ filename, content }) =>
      typeof content === 'string' ? [] : [{ name: filename ?? 'file', bytes: new Uint8Array(content) }],
    ),
  }
}

/**
 * Whether these headers (RFC 8601, in lower case) say that DMARC passed, and none says anything else of it: a sender may have written a header of its own.
 * Leaves comments and quoted text out, because senders choose some of it.
 */
export function isAuthentic(results: readonly string[]): boolean {
  const said = results.flatMap((value) =>
    [...withoutComments(value).matchAll(/;\s*dmarc\s*(?:\/\s*1\s*)?=\s*([a-z]*)/g)].map(([, result]) => result),
  )
  return said.length > 0 && said.every((result) => result === 'pass')
}

/** Leaves comments and quoted strings (RFC 5322 3.2) out in one pass, however deep they are nested. */
function withoutComments(value: string): string {
  let bare = ''
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < value.length; at += 1) {
    const character = value.charAt(at)
    if (character === '\\') at += 1
    else if (depth === 0 && character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '(') depth += 1
    else if (character === ')') depth = Math.max(0, depth - 1)
    else if (depth === 0) bare += character
  }
  return bare
}

const textOf = ({ text, html }: Email): string => (text === undefined || text.trim() === '' ? plainText(html ?? '') : text)

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** In one pass over the text, however many `<` it has. */
export function plainText(html: string): string {
  let text = ''
  let hidden = ''
  for (let at = 0; at < html.length;) {
    const open = html.indexOf('<', at)
    const end = open === -1 ? -1 : html.indexOf('>', open)
    if (hidden === '') text += html.slice(at, open === -1 || end === -1 ? undefined : open)
    if (open === -1 || end === -1) break
    const [, slash = '', name = ''] = /^<(\/?)([a-z0-9]*)/i.exec(html.slice(open, Math.min(end, open + 20))) ?? []
    const tag = name.toLowerCase()
    if (hidden === '' && slash === '' && (tag === 'style' || tag === 'script')) hidden = tag
    else if (hidden === tag && slash !== '') hidden = ''
    else if (/^(?:br|p|div|li|tr|h\d|blockquote)$/.test(tag)) text += '\n'
    at = end + 1
  }
  return text.replaceAll(/&(?:([a-z]{2,4})|#(\d{1,7}));/gi, (whole, name: string | undefined, code: string | undefined) =>
    name !== undefined ? (entities[name.toLowerCase()] ?? whole) : characterOf(Number(code)),
  )
}

const characterOf = (code: number): string => (code > 31 && code < 0x11_0000 ? String.fromCodePoint(code) : ' ')

/** Line ends as ours, no control characters, whole code points. */
const cleaned = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
    .toWellFormed()

/** Cuts what follows a signature mark, and quoted lines at the end with the line that introduces them. */
export function withoutQuote(text: string): string {
  const all = text.split('\n')
  const mark = all.findIndex((line) => line === '-- ' || /^-{2,}\s*Original Message\s*-{2,}$/i.test(line.trim()))
  const lines = mark === -1 ? all : all.slice(0, mark)
  let end = lines.length
  while (end > 0 && /^\s*(?:>|$)/.test(lines[end - 1] ?? '')) end -= 1
  const quotes = lines.slice(end).some((line) => line.trimStart().startsWith('>'))
  if (quotes && (lines[end - 1] ?? '').trimEnd().endsWith(':')) end -= 1
  return lines.slice(0, quotes ? end : undefined).join('\n')
}
