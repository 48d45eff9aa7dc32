// Every text of the console passes through `t`: the English message is its own id, in ICU message format. The build compiles what holds a
// value (build/messages-plugin.ts), so that the browser has no parser. Contract texts and shape messages pass through the same function.

/// <reference types="vite/types/importMeta.d.ts" />
/// <reference types="./translations.d.ts" />

import { setupI18n } from '@lingui/core'
import { compileMessage, type CompiledMessage } from '@lingui/message-utils/compileMessage'
import type { Pair, sentenceFinder } from '#core/contract/sentences.ts'
import { readBuilt } from './built-message.ts'

export type TextValues = Record<string, string | number | Date>

/** Each language by its own name. `en-x-pseudo` is English with accents and 40 % more room, while developing: it shows what is not translated and what does not fit. */
const locales = { 'en-GB': 'English', de: 'Deutsch', 'en-x-pseudo': 'Pseudo' } as const
export type Locale = keyof typeof locales
export const isLocale = (name: unknown): name is Locale => typeof name === 'string' && Object.hasOwn(locales, name)

/** The languages that a person can choose. */
export const languages: readonly { locale: Locale; name: string }[] = (['en-GB', 'de'] as const).map((locale) => ({
  locale,
  name: locales[locale],
}))

/** The language that comes first among those that the browser asks for. */
export const localeOf = (asked: readonly string[]): Locale =>
  asked.map((tag) => ({ en: 'en-GB', de: 'de' } as const)[tag.slice(0, 2).toLowerCase()]).find((one) => one !== undefined) ?? 'en-GB'

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

/** What a sentence of the server is in this language; nothing in English, which it speaks. */
let find: (sentence: string) => string | undefined = () => undefined

/** `messages`: the translation by the English message. English is its own. `pairs`: those that a sentence of the server can be known by. */
export function setLocale(locale: Locale, { messages = {}, pairs = [], finder }: Partial<Translation> = {}): void {
  pseudo = locale === 'en-x-pseudo'
  compiled.clear()
  i18n.loadAndActivate({ locale: pseudo ? 'en-GB' : locale, messages })
  const whole = (text: string): string | undefined => (Object.hasOwn(messages, text) ? i18n._(text) : undefined)
  find = finder?.(pairs, whole, (message, values) => i18n._(message, values)) ?? (() => undefined)
}

type Translation = { messages: Record<string, string>; pairs: readonly Pair[]; finder: typeof sentenceFinder }

/** A translation comes by itself, so that nobody loads a language that is not theirs. */
const translations: Partial<Record<Locale, () => Promise<Translation>>> = {
  de: async () => {
    const [{ messages, pairs }, { sentenceFinder: finder }] = await Promise.all([
      import('virtual:translations/de'),
      import('#core/contract/sentences.ts'),
    ])
    return { messages, pairs, finder }
  },
}

export const loadLocale = async (locale: Locale): Promise<void> => setLocale(locale, await translations[locale]?.())

/**
 * `t('{count, plural, one {# certificate} other {# certificates}}', { count })`. A sentence that the server has filled already, an answer's or one that
 * it stored, is known by the message that it was made of.
 */
export const t = (message: string, values?: TextValues): string =>
  (values === undefined ? find(message) : undefined) ?? i18n._(message, values)

/** A label within a sentence. German keeps its capitals, since its nouns are written so wherever they stand. */
export const inSentence = (label: string): string => (i18n.locale.startsWith('de') ? label : label.toLowerCase())

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
