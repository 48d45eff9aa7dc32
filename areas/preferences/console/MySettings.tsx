// How dates are written for this person, and the order of what is pinned to the menu.

import { ActionIcon, Stack, Text } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPinnedOff } from '@tabler/icons-react'
import { TimeZoneField } from '#areas/tenancy/TimeZoneField.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { SelectField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LanguageField } from '#core/console/kit/LanguageField.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { movePinned, preferencesStore, togglePinned, usePreference } from '#core/console/preferences.ts'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { preferences } from '../contract.ts'
import classes from './preferences.module.css'

export function MySettings() {
  const settings = useCall(preferences.calls.settings, {})
  const choices = useCall(preferences.calls.locales, {})
  return (
    <Page
      title={t('My settings')}

      narrow
    >
      <Stack gap="md">
        <Section title={t('Language')}>
          <LanguageField />
        </Section>
        <Section title={t('Dates and times')} intro={t('Kept with your account: they are the same wherever you sign in.')}>
          <Loaded query={choices}>
            {({ locales }) => (
              <Loaded query={settings}>
                {(kept) => (
                  <Form
                    call={preferences.calls.saveSettings}
                    initial={{ dateLocale: kept.dateLocale, timeZone: kept.timeZone }}
                    submit={t('Save settings')}
                    onDone={(_answer, { dateLocale = '', timeZone = '' }) => preferencesStore.setState({ dateLocale, timeZone })}
                  >
                    {(form) => (
                      <>
                        <SelectField
                          {...form.field('dateLocale')}
                          label={t('Dates are written as in')}
                          options={[
                            { value: '', label: t('The language of the console') },
                            ...locales.map(({ id, name }) => ({ value: id as typeof kept.dateLocale, label: name })),
                          ]}
                        />
                        <TimeZoneField {...form.field('timeZone')} none={t('That of this browser')} />
                        <Text size="sm" c="dimmed">
                          {t('As it is saved, now is')} <DateTime at={Date.now()} />
                        </Text>
                      </>
                    )}
                  </Form>
                )}
              </Loaded>
            )}
          </Loaded>
        </Section>
        <Section title={t('Pinned to the menu')} intro={t('A page is pinned by the pin at its top. Here is their order.')}>
          <Pinned />
        </Section>
      </Stack>
    </Page>
  )
}

function Pinned() {
  const pinned = usePreference('pinned')
  if (pinned.length === 0) return <Text c="dimmed">{t('Nothing is pinned yet.')}</Text>
  return (
    <ol className={classes['places']} aria-label={t('Pinned pages')}>
      {pinned.map((place, at) => {
        const name = t(place.label)
        return (
          <li key={place.path}>
            <TextLink to={place.path}>{name}</TextLink>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('Move {name} up', { name })}
              disabled={at === 0}
              onClick={() => movePinned(place.path, -1)}
            >
              <IconArrowUp size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('Move {name} down', { name })}
              disabled={at === pinned.length - 1}
              onClick={() => movePinned(place.path, 1)}
            >
              <IconArrowDown size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon variant="subtle" color="gray" aria-label={t('Unpin {name}', { name })} onClick={() => togglePinned(place)}>
              <IconPinnedOff size={16} aria-hidden />
            </ActionIcon>
          </li>
        )
      })}
    </ol>
  )
}
