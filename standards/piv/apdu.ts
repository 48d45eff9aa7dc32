// Command and response APDUs (ISO/IEC 7816-4): written and read in short and in extended form, and cut into chains where a card or a reader takes short ones only.

export type Command = {
  cla?: number
  ins: number
  p1: number
  p2: number
  data?: Uint8Array
  /** How many bytes may be answered; 0 is as many as the form allows, undefined is none. */
  le?: number
}

export type Response = { data: Uint8Array; sw: number }

export class ApduError extends Error {
  override name = 'ApduError'
}

export const INS = {
  select: 0xa4,
  getData: 0xcb,
  putData: 0xdb,
  verify: 0x20,
  changeReference: 0x24,
  resetRetry: 0x2c,
  generateKey: 0x47,
  authenticate: 0x87,
  getResponse: 0xc0,
  /** GlobalPlatform's GET DATA, which answers the production data of the chip. */
  getCardData: 0xca,
  // What Yubico added, and other makers took over.
  moveKey: 0xf6,
  metadata: 0xf7,
  serial: 0xf8,
  attest: 0xf9,
  setRetries: 0xfa,
  reset: 0xfb,
  version: 0xfd,
  importKey: 0xfe,
  setManagementKey: 0xff,
} as const

/** Says that more commands of the same chain follow. */
export const chainBit = 0x10
const shortMost = 255
const extendedMost = 65_535

/** The bytes of a command, in short form where it fits. Throws ApduError where nothing holds it. */
export function encodeCommand({ cla = 0, ins, p1, p2, data = new Uint8Array(), le }: Command): Uint8Array {
  const head = [cla, ins, p1, p2]
  if (data.length > extendedMost) throw new ApduError(`A command holds at most ${extendedMost} bytes, not ${data.length}`)
  const isShort = data.length <= shortMost && (le === undefined || le <= 256)
  if (isShort) {
    const body = data.length === 0 ? [] : [data.length, ...data]
    return Uint8Array.from([...head, ...body, ...(le === undefined ? [] : [le & 0xff])])
  }
  const body = data.length === 0 ? [] : [data.length >> 8, data.length & 0xff, ...data]
  const tail = le === undefined ? [] : [(le >> 8) & 0xff, le & 0xff]
  return Uint8Array.from([...head, 0, ...body, ...tail])
}

/** Reads the bytes of a command. Throws ApduError where a length says something else than there is. */
export function parseCommand(
  bytes: Uint8Array,
): Required<Pick<Command, 'cla' | 'ins' | 'p1' | 'p2' | 'data'>> & { le: number | undefined } {
  const [cla, ins, p1, p2] = bytes
  if (cla === undefined || ins === undefined || p1 === undefined || p2 === undefined)
    throw new ApduError('A command has at least four bytes')
  const head = { cla, ins, p1, p2 }
  const rest = bytes.subarray(4)
  const none = new Uint8Array()
  const [first = 0] = rest
  if (rest.length === 0) return { ...head, data: none, le: undefined }
  if (rest.length === 1) return { ...head, data: none, le: first === 0 ? 256 : first }
  if (first !== 0) {
    const end = 1 + first
    if (rest.length === end) return { ...head, data: rest.subarray(1), le: undefined }
    if (rest.length === end + 1) return { ...head, data: rest.subarray(1, end), le: rest[end] === 0 ? 256 : rest[end] }
    throw new ApduError('The length of the command data is not what follows')
  }
  const two = (at: number) => ((rest[at] ?? 0) << 8) | (rest[at + 1] ?? 0)
  if (rest.length === 3) return { ...head, data: none, le: two(1) === 0 ? 65_536 : two(1) }
  const end = 3 + two(1)
  if (two(1) > 0 && rest.length === end) return { ...head, data: rest.subarray(3), le: undefined }
  if (two(1) > 0 && rest.length === end + 2) return { ...head, data: rest.subarray(3, end), le: two(end) === 0 ? 65_536 : two(end) }
  throw new ApduError('The length of the command data is not what follows')
}

/** The commands of a chain (7816-4 5.1.1), each short; one command where it is short already. */
export function chainOf(command: Command): Command[] {
  const { data = new Uint8Array(), cla = 0, le, ...rest } = command
  if (data.length <= shortMost) return [command]
  const parts: Command[] = []
  for (let at = 0; at < data.length; at += shortMost) {
    const isLast = at + shortMost >= data.length
    const part = { ...rest, cla: isLast ? cla : cla | chainBit, data: data.subarray(at, at + shortMost) }
    parts.push(isLast && le !== undefined ? { ...part, le: Math.min(le, 256) } : part)
  }
  return parts
}

export function encodeResponse({ data, sw }: Response): Uint8Array {
  const bytes = new Uint8Array(data.length + 2)
  bytes.set(data)
  bytes.set([sw >> 8, sw & 0xff], data.length)
  return bytes
}

/** Throws ApduError where there is no status word. */
export function parseResponse(bytes: Uint8Array): Response {
  if (bytes.length < 2) throw new ApduError('A response has at least two bytes')
  const [high = 0, low = 0] = bytes.subarray(-2)
  return { data: bytes.subarray(0, -2), sw: (high << 8) | low }
}
