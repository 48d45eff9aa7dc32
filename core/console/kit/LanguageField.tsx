import { NativeSelect } from '@mantine/core'
import { chooseLanguage } from '../choose-language.ts'
import { usePreference } from '../preferences.ts'
import { isLocale, languages, t } from '../text.ts'

export function LanguageField() {
  const locale = usePreference('locale')
  return (
    <NativeSelect
      label={t('Language')}
      description={t('Kept in this browser. Mail comes in the language that you used last. Names that people gave stay as they are.')}
      value={locale}
      data={languages.map((one) => ({ value: one.locale, label: one.name }))}
      onChange={({ currentTarget: { value } }) => isLocale(value) && chooseLanguage(value)}
    />
  )
}
