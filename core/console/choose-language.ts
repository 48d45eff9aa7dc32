// Chooses the language of the console for this browser. The page is opened anew, because what is drawn already holds its texts.

import { preferencesStore, setPreference } from './preferences.ts'
import type { Locale } from './text.ts'

export function chooseLanguage(locale: Locale): void {
  if (preferencesStore.getState().locale === locale) return
  setPreference('locale', locale)
  location.reload()
}
