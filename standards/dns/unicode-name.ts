// How a domain name with A-labels is shown to people (RFC 5890 2.3.2.1): as U-labels where nobody takes them for another name. A label of several scripts, or one
// whose letters all look like Latin ones, stays as it is, because that is how look-alikes of known names are made (UTS 39 5.2, "Highly Restrictive").
import { domainToASCII, domainToUnicode } from 'node:url'

const alone =
  'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'
/** Scripts that one language writes together, with Latin beside them. */
const together = ['Han Hiragana Katakana Latin', 'Han Bopomofo Latin', 'Han Hangul Latin']

const sets: readonly RegExp[] = [...alone.split(' ').map((script) => [script]), ...together.map((scripts) => scripts.split(' '))].map(
  (scripts) => new RegExp(`^(?:[0-9-]|${scripts.map((script) => `\\p{Script_Extensions=${script}}`).join('|')})+$`, 'u'),
)

/** Letters of Cyrillic and Greek that look like Latin ones. A label of these alone reads as another name: `xn--80ak6aa92e` as "apple". */
const lookLatin = /^[0-9\-асԁеһіјӏорԛѕԝхуъьҽпгѵѡмкнтвαικνρυωηοτγεϲϳ]+$/u

/** The name with U-labels, and the A-labels that could mislead left as they are. A name of plain ASCII is answered as it is. */
export const unicodeName = (name: string): string => name.split('.').map(unicodeLabel).join('.')

function unicodeLabel(label: string): string {
  if (!label.toLowerCase().startsWith('xn--')) return label
  const shown = domainToUnicode(label)
  const isWhole = shown !== '' && shown !== label && domainToASCII(shown) === label.toLowerCase()
  return isWhole && !lookLatin.test(shown) && sets.some((set) => set.test(shown)) ? shown : label
}
