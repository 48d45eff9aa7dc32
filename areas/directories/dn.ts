// Distinguished names as text (RFC 4514). Pure, for the server and the console alike.

const attributeType = /^(?:[A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+)$/
/** Nothing that ends a value or is quoted, unless it is escaped; a hash begins a value in hexadecimal. */
const attributeValue = /^(?:#(?:[0-9a-f]{2})+|(?:[^\\"+,;<>\0]|\\(?:[ "#+,;<=>\\]|[0-9a-f]{2}))*)$/i

/** The parts of a text between separators that are not escaped. */
const parts = (text: string, separator: ',' | '+'): string[] => {
  const found = ['']
  for (const [piece] of text.matchAll(/\\.|[^\\]|\\$/gsu)) {
    if (piece === separator) found.push('')
    else found[found.length - 1] += piece
  }
  return found
}

export const dnTexts = {
  form: { says: 'Enter a distinguished name such as OU=People,DC=example,DC=org' },
  special: { says: 'Write a \\ before a comma, a plus sign, a quote, a semicolon, < and > inside of a name' },
} as const

/** What is wrong with the text as a distinguished name; undefined where nothing is. */
export function dnFault(text: string): keyof typeof dnTexts | undefined {
  for (const pair of parts(text, ',').flatMap((relative) => parts(relative, '+'))) {
    const at = pair.indexOf('=')
    const value = pair.slice(at + 1).trimStart()
    if (at < 0 || !attributeType.test(pair.slice(0, at).trim()) || value.trim() === '') return 'form'
    if (!attributeValue.test(value)) return 'special'
  }
  return undefined
}

/** Whom a domain of Windows lets sign in besides: `reader@corp.example` and `CORP\reader`. */
const windowsAccount = /^(?:[^\s@\\"/[\]:;|=,+*?<>]+@[^\s@\\"/[\]:;|=,+*?<>]+|[^\s@\\"/[\]:;|=,+*?<>]+\\[^\s@\\"/[\]:;|=,+*?<>]+)$/

type Named = { kind: string; bindDn: string; baseDn: string; peopleBase: string; groupRoles: readonly { group: string }[] }

/** What is wrong with the names in the settings of a directory, by field. Entra ID has none. */
export function dnFaults({ kind, bindDn, baseDn, peopleBase, groupRoles }: Named): Record<string, string> {
  if (kind === 'entra') return {}
  const named: [string, string][] = [
    ['baseDn', baseDn],
    ['peopleBase', peopleBase],
    ...groupRoles.map(({ group }, at): [string, string] => [`groupRoles.${at}.group`, group]),
  ]
  if (!(kind === 'activeDirectory' && windowsAccount.test(bindDn))) named.push(['bindDn', bindDn])
  const faults = named.flatMap(([field, text]) => {
    const fault = text === '' ? undefined : dnFault(text)
    return fault === undefined ? [] : [[field, dnTexts[fault].says] as const]
  })
  return Object.fromEntries(faults)
}
