// @vitest-environment node
import { expect, test } from 'vitest'
import { readTranslation, translationFiles } from '#core/console/build/translations.ts'
import { makesSentences, sentenceFinder } from './sentences.ts'

const german = readTranslation(translationFiles(`${import.meta.dirname}/../..`, 'de'))
const pairs = Object.entries(german).filter(([english]) => makesSentences(english))
const fill = (text: string, values: Record<string, string>): string =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
const find = sentenceFinder(pairs, (text) => german[text], fill)

test('each message that the server fills is known again by the sentence, whatever its values are', () => {
  const numbers = new Set(['count', 'offset', 'line', 'bytes'])
  const wrong = pairs.flatMap(([english, other]) => {
    const names = [...english.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const values = Object.fromEntries(names.map((name, at) => [name, numbers.has(name) ? '17' : `Qx-${at}`]))
    const said = find(fill(english, values))
    return said === fill(other, values) ? [] : [`${english} => ${said}`]
  })
  expect(wrong).toEqual([])
})

test('a sentence within a sentence is said in the same language, and a name within it stays', () => {
  expect(find('Line 3: The block is empty')).toBe('Zeile 3: Der Block ist leer')
  expect(find('tbsCertificate.version: The value is cut off (byte 12)')).toBe(
    'tbsCertificate.version: Der Wert ist abgeschnitten (Byte 12)',
  )
  expect(find('There is no role Certificate officer')).toBe('Es gibt keine Rolle Certificate officer')
  expect(find('It is not renewed: the template Web is disabled. You are told by mail.')).toBe(
    'Es wird nicht erneuert: Die Vorlage Web ist deaktiviert. Sie erhalten eine E-Mail.',
  )
  expect(find('What somebody wrote of the printer, at length')).toBeUndefined()
})
