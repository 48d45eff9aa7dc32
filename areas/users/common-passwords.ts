// The list of common and breached passwords, as the server and the meter in the browser read it. It is large: screens load it when it is asked for.

import { dictionary } from '@zxcvbn-ts/language-common'

const common = new Set<string>(dictionary['passwords-common'])

/** Whether a password is on the list, with or without figures and signs behind it, or is a short or common part again and again. */
export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase()
  return common.has(plain) || common.has(withoutTail(plain)) || isRepeated(plain)
}

/** `princess2024!` as `princess`. */
export const withoutTail = (plain: string): string => plain.replace(/[\d\W_]+$/u, '')

/** `passwordpassword`, `aaaaaaaaaaaa`, `123412341234`: a short or common part again and again. */
function isRepeated(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length += 1) {
    const part = text.slice(0, length)
    if (text.length % length === 0 && part.repeat(text.length / length) === text && (length < 5 || common.has(part))) return true
  }
  return false
}
