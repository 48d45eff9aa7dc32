import { afterEach, describe, expect, test } from 'vitest'
import { sentenceFinder } from '#core/contract/sentences.ts'
import { sentencesOf, textsOf } from './build/extract-text.ts'
import { judgeTranslation } from './build/translations.ts'
import { inSentence, loadLocale, localeOf, setLocale, t } from './text.ts'

afterEach(() => setLocale('en-GB'))

describe('a text', () => {
  test('is its own id', () => {
    expect(t('Sign in')).toBe('Sign in')
    expect(t("You're making too many requests too quickly! Please slow down.")).toBe(
      "You're making too many requests too quickly! Please slow down.",
    )
  })

  test.each([
    [1, '1 certificate'],
    [61204, '61,204 certificates'],
  ])('with a count of %i says %s', (count, says) => {
    expect(t('{count, plural, one {# certificate} other {# certificates}}', { count })).toBe(says)
  })

  test('that is no message at all is shown as it is', () => {
    expect(t('A name with { in it')).toBe('A name with { in it')
  })

  test('within a sentence begins small, but not in German, whose nouns never do', () => {
    expect(t('Search {label}', { label: inSentence('Roles') })).toBe('Search roles')
    setLocale('de', { messages: { 'Search {label}': '{label} suchen' } })
    expect(t('Search {label}', { label: inSentence('Rollen') })).toBe('Rollen suchen')
  })

  test('in the pseudo-locale carries accents, 40 % more room and its values untouched', () => {
    setLocale('en-x-pseudo')
    const shown = t('Revoke {name}', { name: 'mail' })
    expect(shown).toMatch(/^Révöké ~+mail$/)
    expect(t('Sign in').length).toBeGreaterThanOrEqual('Sign in'.length * 1.4)
  })
})

describe('the extractor', () => {
  test('finds what t says, both sides of a choice, and the words of tables', () => {
    const code = `const a = <p>{t('Sign in')}{t(open ? 'Close' : 'Open')}</p>; const b = { label: 'Theme', intro: 'How it looks', kind: 'plain' }; t(\`Whole\`); t(name)`
    expect(textsOf('x.tsx', code).toSorted()).toEqual(['Close', 'How it looks', 'Open', 'Sign in', 'Theme', 'Whole'])
  })

  test('finds whatever holds a value, and small words that stand in a sentence', () => {
    const code = `const kinds = { dns: 'Domain {value}' }; const problems = { slow: { says: 'no answer in time' }, group: 'support' }`
    expect(textsOf('x.tsx', code).toSorted()).toEqual(['Domain {value}', 'no answer in time'])
  })

  test('takes every sentence of a contract, so that the messages of its shapes are there', () => {
    const code = `export const c = contract({ area: 'x', screens: { a: { path: '/x', needs: 'public', title: 'Ticket' } }, calls: { b: { input: z.string().min(1, 'Enter a value'), done: 'Saved' } } })`
    expect(textsOf('contract.ts', code, true).toSorted()).toEqual(['Enter a value', 'Saved', 'Ticket'])
  })
})

test('the extractor finds the sentences that are marked, with names for their values', () => {
  const code = 'say`Whole`; say`Line ${line}: ${row.what} is ${what}, not ${a + 1}`; other`No`'
  expect(sentencesOf('x.ts', code)).toEqual(['Whole', 'Line {line}: {what} is {2}, not {3}'])
})

describe('a language', () => {
  test.each([
    [['de-AT', 'en'], 'de'],
    [['fr', 'en-US', 'de'], 'en-GB'],
    [['ja'], 'en-GB'],
  ])('for a browser that asks for %j is %s', (asked, locale) => expect(localeOf(asked)).toBe(locale))

  test('is loaded when it is chosen, and counts and dates follow it', async () => {
    await loadLocale('de')
    expect(t('Sign in')).toBe('Anmelden')
    expect(t('{count, plural, one {# certificate} other {# certificates}}', { count: 61204 })).toBe('61.204 Zertifikate')
    expect(t('A name that somebody gave')).toBe('A name that somebody gave')
  })

  test('says what the server has filled already by the message that it was made of', () => {
    setLocale('de', {
      messages: { device: 'Gerät' },
      pairs: [
        ['{name} is taken', '{name} ist vergeben'],
        ['The name {name} is taken', 'Der Name {name} ist vergeben'],
        ['This template is not for a {entity}', 'Diese Vorlage ist nicht für: {entity}'],
        ['Not issued: {reason}', 'Nicht ausgestellt: {reason}'],
      ],
      finder: sentenceFinder,
    })
    expect(t('The name Ada (1.) is taken')).toBe('Der Name Ada (1.) ist vergeben')
    expect(t('device is taken')).toBe('device ist vergeben')
    expect(t('Not issued: This template is not for a device')).toBe('Nicht ausgestellt: Diese Vorlage ist nicht für: Gerät')
    expect(t('Somebody wrote this')).toBe('Somebody wrote this')
  })

  test.each([
    [{}, 'has no “{count} of {all}”'],
    [{ '{count} of {all}': '{count} von {all}', Old: 'Alt' }, 'has “Old”, which is no text'],
    [{ '{count} of {all}': '{count} von' }, 'differ in all'],
    [{ '{count} of {all}': '{count} von {all' }, 'is no message'],
  ])('that is not what it should be is found: %j', (translation, says) => {
    expect(judgeTranslation(['{count} of {all}'], translation).join('\n')).toContain(says)
  })
})
