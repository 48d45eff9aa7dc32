import { afterEach, describe, expect, test } from 'vitest'
import { textsOf } from './build/extract-text.ts'
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
    setLocale('de', { 'Search {label}': '{label} suchen' })
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

  test.each([
    [{}, 'has no “{count} of {all}”'],
    [{ '{count} of {all}': '{count} von {all}', Old: 'Alt' }, 'has “Old”, which is no text'],
    [{ '{count} of {all}': '{count} von' }, 'differ in all'],
    [{ '{count} of {all}': '{count} von {all' }, 'is no message'],
  ])('that is not what it should be is found: %j', (translation, says) => {
    expect(judgeTranslation(['{count} of {all}'], translation).join('\n')).toContain(says)
  })
})
