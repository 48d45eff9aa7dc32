import { readInside } from '../der/fields.ts'
// Any DER as a tree: tag, offset, length and value. Strings that hold DER themselves are opened. The output is bounded,
// because a small input can hold very many values.
import { DerError, TAG, describeTag, readDer, type DerValue } from '../der/reader.ts'
import { hexOf, isString, isUniversal, readInteger, readOid, readString, readTime } from '../der/values.ts'
import { visible, type DescribedField } from './described-field.ts'
import { describeOid } from './oids.ts'

const MAXIMUM_SHOWN_BYTES = 1024
/** Of DER within strings within DER: each string starts the reader anew, so the reader's own limit does not hold for all of them together. */
const MAXIMUM_DEPTH = 100

/** The tree of one DER value; at most `maxFields` fields, 2,000 unless said, the rest left out with a note. Throws DerError. */
export function describeDer(der: Uint8Array, maxFields = 2000): DescribedField {
  return describeValue(readDer(der), { left: maxFields }, 1)
}

function describeValue(value: DerValue, budget: { left: number }, depth: number): DescribedField {
  budget.left -= 1
  const field: DescribedField = { label: describeTag(value), offset: value.offset }
  const children = value.constructed ? value.children : wrapped(value)
  if (children === undefined) return { ...field, value: visible(primitiveText(value)), note: bytesNote(value) }
  const shown: DescribedField[] = []
  for (const child of children) {
    if (depth >= MAXIMUM_DEPTH) {
      shown.push({ label: '...', note: 'What is nested deeper is left out.' })
      break
    }
    if (budget.left <= 0) {
      shown.push({ label: '...', note: 'The rest is left out.' })
      break
    }
    shown.push(describeValue(child, budget, depth + 1))
  }
  return { ...field, note: bytesNote(value), ...(shown.length === 0 ? {} : { children: shown }) }
}

function bytesNote(value: DerValue): string {
  return `${value.content.length} ${value.content.length === 1 ? 'byte' : 'bytes'}`
}

/** The DER inside an OCTET STRING or a BIT STRING of whole bytes, if it is a constructed value or a string itself. */
function wrapped(value: DerValue): readonly DerValue[] | undefined {
  const isBits = isUniversal(value, TAG.bitString)
  if (!isBits && !isUniversal(value, TAG.octetString)) return undefined
  if (isBits && value.content[0] !== 0) return undefined
  const inside = isBits ? value.content.subarray(1) : value.content
  if (inside[0] !== 0x30 && inside[0] !== 0x04 && inside[0] !== 0x03) return undefined
  try {
    return [readInside(value, inside, { maxDepth: 16 })]
  } catch (error) {
    if (error instanceof DerError) return undefined
    throw error
  }
}

function primitiveText(value: DerValue): string {
  try {
    if (isString(value)) return readString(value).value.slice(0, MAXIMUM_SHOWN_BYTES)
    if (value.tagClass === 'universal') {
      const text = TEXTS[value.tagNumber]?.(value)
      if (text !== undefined) return text
    }
  } catch (error) {
    if (!(error instanceof DerError)) throw error
  }
  const hex = hexOf(value.content.subarray(0, MAXIMUM_SHOWN_BYTES))
  return value.content.length > MAXIMUM_SHOWN_BYTES ? `${hex}...` : hex
}

const TEXTS: { readonly [tagNumber: number]: (value: DerValue) => string | undefined } = {
  [TAG.boolean]: (value) => (value.content[0] === 0xff ? 'TRUE' : 'FALSE'),
  [TAG.integer]: (value) => (value.content.length <= 8 ? String(readInteger(value)) : undefined),
  [TAG.objectIdentifier]: (value) => describeOid(readOid(value)),
  [TAG.utcTime]: (value) => readTime(value).toISOString(),
  [TAG.generalizedTime]: (value) => readTime(value).toISOString(),
}
