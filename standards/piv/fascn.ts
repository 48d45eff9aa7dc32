// The federal agency smart credential number (TIG SCEPACS 2.3, section 2): 40 characters of four bits and a parity bit, 25 bytes. Others than federal agencies
// write 9999 for agency and system, and the number is the same on all their cards.

export type Fascn = {
  agency: string
  system: string
  credential: string
  series: string
  issue: string
  person: string
  category: string
  organisation: string
  association: string
}

const notFederal: Fascn = {
  agency: '9999',
  system: '9999',
  credential: '999999',
  series: '0',
  issue: '1',
  person: '0000000000',
  category: '3',
  organisation: '0000',
  association: '1',
}

const start = 0b1011
const separator = 0b1101
const end = 0b1111

/** Four bits, the least first, and a bit that makes the number of ones odd. */
function bitsOf(value: number): number[] {
  const bits = [0, 1, 2, 3].map((place) => (value >> place) & 1)
  const ones = bits.reduce((sum, bit) => sum + bit, 0)
  return [...bits, ones % 2 === 0 ? 1 : 0]
}

export function encodeFascn(number: Fascn = notFederal): Uint8Array {
  const { agency, system, credential, series, issue, person, category, organisation, association } = number
  const digits = (text: string) => [...text].map(Number)
  const values = [
    start,
    ...[agency, system, credential, series, issue].flatMap((field) => [...digits(field), separator]),
    ...digits(person + category + organisation + association),
    end,
  ]
  const check = values.reduce((sum, value) => sum ^ value, 0)
  const bits = [...values, check].flatMap(bitsOf)
  if (bits.length !== 200 || values.some((value) => !(value >= 0 && value <= 15)))
    throw new RangeError('A FASC-N has 32 digits in its nine fields')
  return Uint8Array.from({ length: 25 }, (_, index) => bits.slice(index * 8, index * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0))
}
