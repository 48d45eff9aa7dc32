// Registry.pol, the registry settings of a group policy ([MS-GPREG] 2.2.1): a head, then entries of key, value, type, size and data in UTF-16.

export class PolicyFileError extends Error {
  override name = 'PolicyFileError'
}

export type RegistryValue = string | number | readonly string[] | Uint8Array

export type RegistrySetting = { key: string; name: string; type: RegistryType; value: RegistryValue }

const types = { 0: 'none', 1: 'text', 2: 'expandedText', 3: 'bytes', 4: 'number', 5: 'bigEndian', 7: 'texts', 11: 'longNumber' } as const
export type RegistryType = (typeof types)[keyof typeof types] | 'other'

const mostEntries = 50_000
const [open, close, semicolon] = [0x5b, 0x5d, 0x3b]

/** Throws a PolicyFileError that says at which byte the file is wrong. */
export function readRegistryPol(bytes: Uint8Array): RegistrySetting[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 8 || view.getUint32(0, true) !== 0x67655250) throw new PolicyFileError('This is no Registry.pol: it begins otherwise')
  if (view.getUint32(4, true) !== 1) throw new PolicyFileError('This Registry.pol is of another version')
  let at = 8
  const need = (length: number): void => {
    if (at + length > bytes.length) throw new PolicyFileError(`Registry.pol is cut at byte ${bytes.length}`)
  }
  const expect = (code: number): void => {
    need(2)
    if (view.getUint16(at, true) !== code) throw new PolicyFileError(`Registry.pol is wrong at byte ${at}`)
    at += 2
  }
  const text = (): string => {
    const start = at
    for (;;) {
      need(2)
      at += 2
      if (view.getUint16(at - 2, true) === 0) return utf16(bytes.subarray(start, at - 2))
    }
  }
  const number = (): number => {
    need(4)
    at += 4
    return view.getUint32(at - 4, true)
  }
  const settings: RegistrySetting[] = []
  while (at < bytes.length) {
    if (settings.length === mostEntries) throw new PolicyFileError(`Registry.pol has more than ${mostEntries} entries`)
    expect(open)
    const key = text()
    expect(semicolon)
    const name = text()
    expect(semicolon)
    const code = number()
    expect(semicolon)
    const size = number()
    expect(semicolon)
    need(size)
    const data = bytes.subarray(at, at + size)
    at += size
    expect(close)
    const type: RegistryType = Object.hasOwn(types, code) ? types[code as keyof typeof types] : 'other'
    settings.push({ key, name, type, value: valueOf(type, data) })
  }
  return settings
}

function valueOf(type: RegistryType, data: Uint8Array): RegistryValue {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  if (type === 'number' && data.length === 4) return view.getUint32(0, true)
  if (type === 'bigEndian' && data.length === 4) return view.getUint32(0, false)
  if (type === 'text' || type === 'expandedText') return utf16(data).replace(/\0+$/, '')
  if (type === 'texts') return utf16(data).replace(/\0+$/, '').split('\0')
  return data
}

/** Half a character at the end is left out. */
const utf16 = (bytes: Uint8Array): string => new TextDecoder('utf-16le').decode(bytes.subarray(0, bytes.length - (bytes.length % 2)))

const certificateProperty = 32

/** The certificate in the `Blob` of a store in the registry: a row of properties, each with id, encoding and length. */
export function certificateOfBlob(blob: Uint8Array): Uint8Array | undefined {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
  for (let at = 0; at + 12 <= blob.length;) {
    const [id, length] = [view.getUint32(at, true), view.getUint32(at + 8, true)]
    if (at + 12 + length > blob.length) return undefined
    if (id === certificateProperty) return blob.subarray(at + 12, at + 12 + length)
    at += 12 + length
  }
  return undefined
}

/** Sections of names and values of GptTmpl.inf and GPT.INI, which are UTF-16 or plain. */
export function readInf(bytes: Uint8Array): { section: string; name: string; value: string }[] {
  const wide = bytes[0] === 0xff && bytes[1] === 0xfe
  const lines = (wide ? utf16(bytes.subarray(2)) : new TextDecoder('utf-8').decode(bytes)).split(/\r?\n/).slice(0, mostEntries)
  let section = ''
  return lines.flatMap((line) => {
    const [, heading] = /^\s*\[([^\]]{1,200})\]\s*$/.exec(line) ?? []
    if (heading !== undefined) {
      section = heading
      return []
    }
    const at = line.indexOf('=')
    const name = line.slice(0, at).trim()
    return at < 1 || line.trimStart().startsWith(';') || name === '' ? [] : [{ section, name, value: line.slice(at + 1).trim() }]
  })
}
