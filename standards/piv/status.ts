// Status words (SP 800-73-5 part 2 table 1, ISO/IEC 7816-4 5.1.3) as sentences.

export const STATUS = {
  ok: 0x9000,
  moreData: 0x61,
  wrongLength: 0x6700,
  chainExpected: 0x6883,
  notAllowed: 0x6982,
  blocked: 0x6983,
  conditions: 0x6985,
  wrongData: 0x6a80,
  unsupported: 0x6a81,
  notFound: 0x6a82,
  noMemory: 0x6a84,
  wrongParameters: 0x6a86,
  noReference: 0x6a88,
  wrongLe: 0x6c,
  unknownInstruction: 0x6d00,
  unknownClass: 0x6e00,
} as const

const sentences: { readonly [sw: number]: string } = {
  [STATUS.wrongLength]: 'the length is wrong',
  [STATUS.chainExpected]: 'the chain was broken off',
  [STATUS.notAllowed]: 'that needs a PIN or a key first',
  [STATUS.blocked]: 'the PIN is blocked',
  [STATUS.conditions]: 'the card cannot do that now',
  [STATUS.wrongData]: 'the data is wrong',
  [STATUS.unsupported]: 'the card does not have this function',
  [STATUS.notFound]: 'there is no such object or application',
  [STATUS.noMemory]: 'the card is full',
  [STATUS.wrongParameters]: 'the card does not have this key or algorithm',
  [STATUS.noReference]: 'there is no such key',
  [STATUS.unknownInstruction]: 'the card does not know this command',
  [STATUS.unknownClass]: 'the card does not know this kind of command',
}

/** How many tries are left, where the status word says so. */
export function triesLeft(sw: number): number | undefined {
  if (sw === STATUS.blocked) return 0
  return (sw & 0xfff0) === 0x63c0 ? sw & 0x0f : undefined
}

/** An answer of the card other than 9000. */
export class CardRefused extends Error {
  override name = 'CardRefused'
  readonly sw: number
  readonly did: string
  constructor(did: string, sw: number) {
    const tries = triesLeft(sw)
    const why =
      tries === undefined ? (sentences[sw] ?? 'no reason is known') : tries === 0 ? 'the PIN is blocked' : `the PIN is wrong, ${tries} left`
    super(`${did}: ${why} (${sw.toString(16).padStart(4, '0').toUpperCase()})`)
    this.sw = sw
    this.did = did
  }
}
