// A field of a decoded structure as plain text, and the two ways of showing text and names that all decoders share.
import { attributeKeyword, formatName, type Name } from './names.ts'
import { oidName } from './oids.ts'

export interface DescribedField {
  label: string
  value?: string
  /** an explanation that is not in the encoding */
  note?: string
  children?: DescribedField[]
  /** of the field's first byte, from the start of the certificate or request */
  offset?: number
}

/** A name with its attributes in the order of the encoding. */
export function describeName(label: string, name: Name): DescribedField {
  return {
    label,
    value: visible(formatName(name)),
    children: name.flat().map(({ type, value, stringType }) => ({
      label: oidName(type) ?? attributeKeyword(type),
      value: visible(value),
      note: `${type}, ${stringType}`,
    })),
  }
}

/** Control, bidirectional and invisible characters as \u{...}, so that a name cannot play tricks on the page. */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}
