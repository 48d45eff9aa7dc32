// Writes elements as text. What is in them is escaped here and nowhere else; prefixes are the caller's, who declares them.

/** An element that was written. A type of its own, so that no plain text gets in among elements unescaped. */
export type Written = { readonly xml: string }

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** Characters that no document may have are left out: a name that somebody chose must not spoil an answer. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, (mark) => escapes[mark] ?? '')

type Content = string | number | boolean | Written | readonly Written[]

/** `name` with its prefix, such as `s:Body`. */
export function element(name: string, content: Content = [], attributes: Readonly<Record<string, string>> = {}): Written {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  const inside = typeof content === 'object' ? [content].flat().map(({ xml }) => xml) : [escaped(String(content))]
  return { xml: `<${name}${written.join('')}>${inside.join('')}</${name}>` }
}
