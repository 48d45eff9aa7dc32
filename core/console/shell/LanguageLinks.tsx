// The other languages, each under its own name, for a page that one reads before signing in.

import { chooseLanguage } from '../choose-language.ts'
import { usePreference } from '../preferences.ts'
import { languages } from '../text.ts'
import classes from './LanguageLinks.module.css'

export function LanguageLinks() {
  const locale = usePreference('locale')
  return languages
    .filter((one) => one.locale !== locale)
    .map((one) => (
      <button key={one.locale} type="button" lang={one.locale} className={classes['link']} onClick={() => chooseLanguage(one.locale)}>
        {one.name}
      </button>
    ))
}
