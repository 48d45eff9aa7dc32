// The news of a tenancy beside what people will see of it.

import { SimpleGrid, Stack, Text } from '@mantine/core'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DateField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Markdown } from '#core/console/kit/Markdown.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { change, settings } from './news-calls.ts'

type Values = { version: string; markdownString: string; from: string | undefined; until: string | undefined }

const draftOf = ({ version, markdownString, from, until }: Values): DraftOf<typeof change> => ({
  version,
  markdownString,
  ...(from === undefined ? {} : { from }),
  ...(until === undefined ? {} : { until }),
})

export function EditNews() {
  const query = useCall(settings, {})
  return (
    <Page title={t('News')} intro={t('Everybody in this tenancy sees it on the home page, once for each version.')}>
      <Loaded query={query}>
        {({ version, markdownString, from, until, changedBy, changedAt }) => (
          <Stack gap="sm">
            {changedAt !== undefined && (
              <Text size="sm" c="dimmed">
                {t('Last changed by {person}', { person: changedBy })} · <DateTime at={changedAt} />
              </Text>
            )}
            <Form
              key={`${version} ${changedAt}`}
              call={change}
              initial={{ version, markdownString: t(markdownString), from, until } satisfies Values}
              toInput={draftOf}
              submit={t('Save news')}
              onDone={() => undefined}
            >
              {(form) => (
                <>
                  <SimpleGrid cols={{ base: 1, sm: 3 }}>
                    <TextField
                      {...form.field('version')}
                      label={t('Version')}
                      hint={t('With a higher number everybody is shown it once more.')}
                      required
                    />
                    <DateField {...form.field('from')} label={t('First day')} hint={t('Empty: from now on')} />
                    <DateField {...form.field('until')} label={t('Last day')} hint={t('Empty: until the next news')} />
                  </SimpleGrid>
                  <SimpleGrid cols={{ base: 1, md: 2 }}>
                    <TextAreaField
                      {...form.field('markdownString')}
                      label={t('Text')}
                      hint={t('Markdown: headings, lists, **bold**, links. No HTML and no pictures.')}
                      rows={14}
                      required
                    />
                    <Section title={t('Preview')}>
                      <Markdown text={form.values.markdownString} />
                    </Section>
                  </SimpleGrid>
                </>
              )}
            </Form>
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}
