// Every text of the console passes through `t`: the English message is its own id, in ICU message format. The build compiles what holds a
// value (build/messages-plugin.ts), so that the browser has no parser. Contract texts and shape messages pass through the same function.

/// <reference types="vite/types/importMeta.d.ts" />

import { setupI18n } from '@lingui/core'
import { compileMessage, type CompiledMessage } from '@lingui/message-utils/compileMessage'
import { readBuilt } from './built-message.ts'

export type TextValues = Record<string, string | number | Date>

/** `en-x-pseudo` is English with accents and 40 % more room, while developing: it shows what is not translated and what does not fit. */
const locales = { 'en-GB': 'English (UK)', 'en-x-pseudo': 'Pseudo (for testing)' } as const
export type Locale = keyof typeof locales
export const isLocale = (name: unknown): name is Locale => typeof name === 'string' && Object.hasOwn(locales, name)

const compiled = new Map<string, CompiledMessage>()
let pseudo = false

const i18n = setupI18n({ locale: 'en-GB', messages: { 'en-GB': {} } })
i18n.setMessagesCompiler((message) => {
  const known = compiled.get(message)
  if (known !== undefined) return known
  const made = compile(message)
  compiled.set(message, made)
  return made
})

/** What is no message is shown as it is. */
const compile = import.meta.env?.PROD
  ? readBuilt
  : (message: string): CompiledMessage => compileMessage(message, pseudo ? lengthen : undefined)

export function setLocale(locale: Locale): void {
  pseudo = locale === 'en-x-pseudo'
  compiled.clear()
  i18n.loadAndActivate({ locale: 'en-GB', messages: {} })
}

/** `t('{count, plural, one {# certificate} other {# certificates}}', { count })` */
export const t = (message: string, values?: TextValues): string => i18n._(message, values)

/** The locale that Intl formats with. */
export const formatLocale = (): string => i18n.locale

export const formatNumber = (value: number): string =>
  formatter(`number ${formatLocale()}`, () => new Intl.NumberFormat(formatLocale())).format(value)

const formatters = new Map<string, { format(value: number | Date): string }>()

/** Making one takes milliseconds, and a list needs the same in each row. */
export function formatter(key: string, make: () => { format(value: number | Date): string }): { format(value: number | Date): string } {
  const known = formatters.get(key) ?? make()
  formatters.set(key, known)
  return known
}

const accents: Record<string, string> = {
  a: 'á',
  e: 'é',
  i: 'ï',
  o: 'ö',
  u: 'ü',
  c: 'ç',
  n: 'ñ',
  s: 'š',
  y: 'ý',
  A: 'Å',
  E: 'É',
  I: 'Î',
  O: 'Ø',
  U: 'Ü',
  C: 'Ç',
  N: 'Ñ',
  S: 'Š',
}

function lengthen(text: string): string {
  if (text.trim() === '') return text
  const accented = text.replace(/[A-Za-z]/g, (letter) => accents[letter] ?? letter)
  return accented + '~'.repeat(Math.ceil(text.length * 0.4))
}
