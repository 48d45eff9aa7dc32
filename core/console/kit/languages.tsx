// The language of the console, chosen for this browser. The page is opened anew, because what is drawn already holds its texts.

import { NativeSelect } from '@mantine/core'
import { preferencesStore, setPreference, usePreference } from '../preferences.ts'
import { isLocale, languages, t, type Locale } from '../text.ts'
import classes from './languages.module.css'

function choose(locale: Locale): void {
  if (preferencesStore.getState().locale === locale) return
  setPreference('locale', locale)
  location.reload()
}

export function LanguageField() {
  const locale = usePreference('locale')
  return (
    <NativeSelect
      label={t('Language')}
      description={t('Kept in this browser. Mail and names that people gave stay as they are.')}
      value={locale}
      data={languages.map((one) => ({ value: one.locale, label: one.name }))}
      onChange={({ currentTarget: { value } }) => isLocale(value) && choose(value)}
    />
  )
}

/** The other languages, each under its own name, for a page that one reads before signing in. */
export function LanguageLinks() {
  const locale = usePreference('locale')
  return languages
    .filter((one) => one.locale !== locale)
    .map((one) => (
      <button key={one.locale} type="button" lang={one.locale} className={classes['link']} onClick={() => choose(one.locale)}>
        {one.name}
      </button>
    ))
}
