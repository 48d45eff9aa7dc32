// The name under which a file is downloaded. It came from a stranger: it must lead into no other folder, hide no ending, and start nothing.

import type { FileType } from './file-type.ts'

// Controls, marks that turn the direction of writing (`gpj.exe` reads as `exe.jpg`), characters without a width, and what some system refuses.
// oxlint-disable-next-line no-control-regex, no-misleading-character-class
const unsafe = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb<>:"|?*%]/g
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
const longest = 120

/** Keeps what is harmless of the name, with an ending that says what the file is. */
export function safeFileName(fileName: string, { endings }: FileType): string {
  const last = fileName.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const plain = trimmed(last.replaceAll(unsafe, '').replaceAll(/\s+/g, ' '))
  const ending = endings.find((one) => plain.toLowerCase().endsWith(`.${one}`))
  const written = ending === undefined ? (endings[0] ?? 'bin') : plain.slice(plain.length - ending.length)
  const stem = ending === undefined ? plain : plain.slice(0, -ending.length - 1)
  const short = trimmed([...trimmed(stem)].slice(0, longest).join(''))
  const named = short === '' ? 'file' : short
  return `${reserved.test(`${named}.`) ? '_' : ''}${named}.${written}`
}

const trimmed = (text: string): string => text.replace(/^[\s.]+|[\s.]+$/g, '')

/** Has every browser save the file under its name (RFC 6266): old ones in ASCII, the others by RFC 8187. */
export function attachmentDisposition(name: string): string {
  // oxlint-disable-next-line no-control-regex
  const plain = name.replaceAll(/[^\u0020-\u007e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
