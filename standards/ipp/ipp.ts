// Messages of the Internet Printing Protocol (RFC 8010), as far as printing a page and following its job needs them.

export const operations = { printJob: 0x0002, cancelJob: 0x0008, getJobAttributes: 0x0009, getPrinterAttributes: 0x000b } as const

/** Of jobs (RFC 8011 5.3.7). */
export const jobStates = { 3: 'pending', 4: 'held', 5: 'processing', 6: 'stopped', 7: 'canceled', 8: 'aborted', 9: 'completed' } as const
export type JobState = (typeof jobStates)[keyof typeof jobStates]

const groupTags = { operation: 0x01, job: 0x02, end: 0x03, printer: 0x04 } as const
const valueTags = {
  integer: 0x21,
  boolean: 0x22,
  enum: 0x23,
  text: 0x41,
  name: 0x42,
  keyword: 0x44,
  uri: 0x45,
  charset: 0x47,
  language: 0x48,
  mime: 0x49,
}
export type ValueKind = keyof typeof valueTags

export type IppAttribute = { name: string; kind: ValueKind; values: readonly (string | number | boolean)[] }
export type IppGroup = { kind: 'operation' | 'job' | 'printer'; attributes: readonly IppAttribute[] }
export type IppMessage = {
  /** The operation of a request, the status of an answer. */
  code: number
  requestId: number
  groups: readonly IppGroup[]
}

export class IppError extends Error {
  override name = 'IppError'
}

const textBytes = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  if (bytes.length > 1023) throw new IppError('A text is longer than 1023 bytes')
  return bytes
}

function valueBytes(kind: ValueKind, value: string | number | boolean): Buffer {
  if (kind === 'integer' || kind === 'enum') {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32BE(Number(value))
    return bytes
  }
  return kind === 'boolean' ? Buffer.from([value === true ? 1 : 0]) : textBytes(String(value))
}

const sized = (bytes: Buffer): Buffer[] => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return [length, bytes]
}

/** Without the document, which follows the message. */
export function encodeIpp({ code, requestId, groups }: IppMessage): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt8(2)
  head.writeUInt16BE(code, 2)
  head.writeInt32BE(requestId, 4)
  const parts: Buffer[] = [head]
  for (const { kind, attributes } of groups) {
    parts.push(Buffer.from([groupTags[kind]]))
    for (const { name, kind: valueKind, values } of attributes)
      for (const [at, value] of values.entries())
        parts.push(Buffer.from([valueTags[valueKind]]), ...sized(textBytes(at === 0 ? name : '')), ...sized(valueBytes(valueKind, value)))
  }
  parts.push(Buffer.from([groupTags.end]))
  return Buffer.concat(parts)
}

const mostAttributes = 2_000

/** Throws IppError where it is no message. `data` is what follows: the document. */
export function decodeIpp(bytes: Uint8Array): IppMessage & { data: Buffer } {
  const buffer = Buffer.from(bytes)
  if (buffer.length < 9) throw new IppError('The message is too short')
  const groups: { kind: IppGroup['kind']; attributes: { name: string; kind: ValueKind; values: (string | number | boolean)[] }[] }[] = []
  const kinds = new Map(Object.entries(groupTags).map(([name, tag]) => [tag as number, name]))
  const values = new Map(Object.entries(valueTags).map(([name, tag]) => [tag, name as ValueKind]))
  let at = 8
  let count = 0
  const take = (length: number): Buffer => {
    if (at + length > buffer.length) throw new IppError('The message ends in the middle')
    return buffer.subarray(at, (at += length))
  }
  for (;;) {
    const tag = take(1).readUInt8()
    if (tag === groupTags.end) break
    if (tag <= 0x0f) {
      const kind = kinds.get(tag)
      // Groups that nobody here knows are read and left out.
      groups.push({ kind: kind === 'job' || kind === 'printer' ? kind : 'operation', attributes: [] })
      continue
    }
    if ((count += 1) > mostAttributes) throw new IppError('The message has too many attributes')
    const name = take(take(2).readUInt16BE()).toString('utf8')
    const value = take(take(2).readUInt16BE())
    const group = groups.at(-1)
    const kind = values.get(tag)
    if (group === undefined) throw new IppError('An attribute stands in no group')
    if (kind === undefined) continue
    const read = readValue(kind, value)
    if (name !== '') group.attributes.push({ name, kind, values: [read] })
    else group.attributes.at(-1)?.values.push(read)
  }
  return { code: buffer.readUInt16BE(2), requestId: buffer.readInt32BE(4), groups, data: buffer.subarray(at) }
}

function readValue(kind: ValueKind, value: Buffer): string | number | boolean {
  if (kind === 'integer' || kind === 'enum') {
    if (value.length !== 4) throw new IppError('A number has four bytes')
    return value.readInt32BE()
  }
  return kind === 'boolean' ? value[0] === 1 : value.toString('utf8')
}

export const attributeOf = (message: IppMessage, name: string): readonly (string | number | boolean)[] =>
  message.groups.flatMap(({ attributes }) => attributes).find((one) => one.name === name)?.values ?? []

type Asking = { printer: string; requestId: number; user: string }

const operationGroup = ({ printer, user }: Asking, more: readonly IppAttribute[] = []): IppGroup => ({
  kind: 'operation',
  attributes: [
    { name: 'attributes-charset', kind: 'charset', values: ['utf-8'] },
    { name: 'attributes-natural-language', kind: 'language', values: ['en'] },
    { name: 'printer-uri', kind: 'uri', values: [printer] },
    { name: 'requesting-user-name', kind: 'name', values: [user.slice(0, 200)] },
    ...more,
  ],
})

/** The document follows what this answers. */
export const printJobRequest = (asking: Asking, { name, format }: { name: string; format: string }): Buffer =>
  encodeIpp({
    code: operations.printJob,
    requestId: asking.requestId,
    groups: [
      operationGroup(asking, [
        { name: 'job-name', kind: 'name', values: [name] },
        { name: 'document-format', kind: 'mime', values: [format] },
      ]),
      // Exactly as large as it is, and once.
      {
        kind: 'job',
        attributes: [
          { name: 'copies', kind: 'integer', values: [1] },
          { name: 'print-scaling', kind: 'keyword', values: ['none'] },
        ],
      },
    ],
  })

export const jobRequest = (asking: Asking, operation: 'getJobAttributes' | 'cancelJob', jobId: number): Buffer =>
  encodeIpp({
    code: operations[operation],
    requestId: asking.requestId,
    groups: [operationGroup(asking, [{ name: 'job-id', kind: 'integer', values: [jobId] }])],
  })

/** Successful: 0x0000 to 0x00ff. */
export const isDone = ({ code }: IppMessage): boolean => code < 0x0100
export const jobStateOf = (message: IppMessage): JobState | undefined => {
  const [state] = attributeOf(message, 'job-state')
  return Object.entries(jobStates).find(([number]) => Number(number) === state)?.[1]
}
