// Says texts in the language of a person where the server itself writes to them: in mail, and on pages without the console. The words are those of the
// list of texts, and the translations the same files that the console is built with.

import { setupI18n, type I18n } from '@lingui/core'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import { join } from 'node:path'
import { readTranslation, translationFiles } from '#core/console/build/translations.ts'
import { makesSentences, sentenceFinder } from '#core/contract/sentences.ts'
import { isWorded } from '#core/contract/worded.ts'

export const languages = ['en-GB', 'de'] as const
export type Language = (typeof languages)[number]

/** How somebody reads: in which language, and how days are written. */
export type Reader = { language: Language; dateLocale: string; timeZone: string }

export const englishReader: Reader = { language: 'en-GB', dateLocale: '', timeZone: '' }

export type MessageValue = string | number | Date | Message
/** A text with its values. A date is a day, written as its reader does; a message within another is said in the same language. */
export type Message = { message: string; values?: Readonly<Record<string, MessageValue>> }

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** What a message must be given. Of one that counts, the names are not read out of its type. */
type ValuesOf<Text extends string> = Text extends `${string}, plural,${string}`
  ? [Readonly<Record<string, MessageValue>>]
  : [NamesIn<Text>] extends [never]
    ? []
    : [Readonly<Record<NamesIn<Text>, MessageValue>>]

/** `message('Hello {name}', { name })`: what it names must be there. */
export function message<Text extends string>(text: Text, ...values: ValuesOf<Text>): Message {
  const [given]: readonly (Readonly<Record<string, MessageValue>> | undefined)[] = values
  return given === undefined ? { message: text } : { message: text, values: given }
}

type Speaker = { i18n: I18n; find(sentence: string): string | undefined }

const speakers = new Map<Language, Speaker>()

function speakerOf(language: Language): Speaker {
  const known = speakers.get(language)
  if (known !== undefined) return known
  const root = join(import.meta.dirname, '../..')
  const messages = language === 'en-GB' ? {} : readTranslation(translationFiles(root, language))
  const i18n = setupI18n({ locale: language, messages: { [language]: messages } })
  i18n.setMessagesCompiler((text) => compileMessage(text))
  const find = sentenceFinder(
    Object.entries(messages).filter(([english]) => makesSentences(english)),
    (text) => messages[text],
    (text, values) => i18n._(text, values),
  )
  const made = { i18n, find }
  speakers.set(language, made)
  return made
}

/** Writes a day as this person does: as in their own place, or as their language does. */
export const dayFor = ({ language, dateLocale, timeZone }: Reader, day: Date): string =>
  new Intl.DateTimeFormat(dateLocale || language, { dateStyle: 'long', timeZone: timeZone || 'UTC' }).format(day)

export function speak(reader: Reader, { message: text, values = {} }: Message): string {
  const { i18n, find } = speakerOf(reader.language)
  const said = (name: string, value: MessageValue): string | number => {
    if (value instanceof Date) return dayFor(reader, value)
    if (typeof value === 'object') return speak(reader, value)
    return typeof value === 'string' && isWorded(name) ? (find(value) ?? value) : value
  }
  return i18n._(text, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, said(name, value)])))
}

/** The first language of ours that a browser asks for (RFC 9110 12.5.4). */
export const languageAsked = (header: string | undefined): Language =>
  (header ?? '')
    .split(',')
    .map((part) => ({ tag: part.trim().slice(0, 2).toLowerCase(), weight: Number(/;\s*q=([\d.]+)/.exec(part)?.[1] ?? 1) }))
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => ({ en: 'en-GB', de: 'de' } as const)[tag])
    .find((language) => language !== undefined) ?? 'en-GB'
