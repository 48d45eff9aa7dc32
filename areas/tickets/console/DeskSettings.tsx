// Business hours, targets and answers that are written often.

import { ActionIcon, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { NumberField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { DraftOf, OutputOf } from '#core/contract/contract.ts'
import { tickets } from '../contract.ts'
import { choiceWords, priorities, type Priority } from '../rules.ts'

type Settings = OutputOf<typeof tickets.calls.config>
type Target = { response: number; resolution: number }
type Values = {
  /** Of each day, such as "09:00-12:00 13:00-17:00". */
  week: string[]
  holidays: string
  /** In hours. */
  targets: Record<Priority, Target>
  answers: { name: string; text: string }[]
}

const days = [
  { label: 'Monday' },
  { label: 'Tuesday' },
  { label: 'Wednesday' },
  { label: 'Thursday' },
  { label: 'Friday' },
  { label: 'Saturday' },
  { label: 'Sunday' },
] as const

const times = (targets: Record<Priority, Target>, change: (value: number) => number): Record<Priority, Target> => {
  const one = ({ response, resolution }: Target) => ({ response: change(response), resolution: change(resolution) })
  return { Low: one(targets.Low), Normal: one(targets.Normal), High: one(targets.High), Urgent: one(targets.Urgent) }
}

const valuesOf = ({ week, holidays, targets, answers }: Settings): Values => ({
  week: week.map((hours) => hours.map(({ from, to }) => `${from}-${to}`).join(' ')),
  holidays: holidays.join('\n'),
  targets: times(targets, (minutes) => minutes / 60),
  answers,
})

const wordsOf = (text: string): string[] => text.split(/[\s,;]+/).filter((word) => word !== '')

/** What cannot be read goes to the server as it is, which names the field. */
const draftOf = ({ week, holidays, targets, answers }: Values, version: number): DraftOf<typeof tickets.calls.saveConfig> => ({
  week: week.map((text) =>
    wordsOf(text.replaceAll(/\s*[-–]\s*/g, '-')).map((hours) => {
      const [from = '', to = ''] = hours.split('-')
      return { from, to }
    }),
  ),
  holidays: wordsOf(holidays),
  targets: times(targets, (hours) => Math.round(hours * 60)),
  answers: answers.map(({ name, text }) => ({ name, text })),
  version,
})

export function DeskSettings() {
  const query = useCall(tickets.calls.config, {})
  return (
    <Page title={t('Times and answers')} intro={t('By when tickets are answered and done, and answers that are written often.')} narrow>
      <Loaded query={query}>
        {(settings) => (
          <Form
            key={settings.version}
            call={tickets.calls.saveConfig}
            initial={valuesOf(settings)}
            toInput={(values: Values) => draftOf(values, settings.version)}
            submit={t('Save settings')}
            onDone={() => undefined}
          >
            {(form) => (
              <Stack gap="md">
                <Section
                  title={t('Business hours')}
                  intro={t(
                    'By the clock of {zone}, such as 09:00-12:00 13:00-17:00. Empty: closed. Only these hours count, and only while a ticket waits for support.',
                    { zone: settings.zone },
                  )}
                >
                  <SimpleGrid cols={{ base: 1, sm: 2 }}>
                    {days.map(({ label }, at) => (
                      <TextField key={label} {...form.field(`week.${at}`)} label={t(label)} />
                    ))}
                  </SimpleGrid>
                  <TextAreaField
                    {...form.field('holidays')}
                    label={t('Holidays')}
                    hint={t('One day a line, such as 2026-12-25')}
                    rows={3}
                  />
                </Section>
                <Section
                  title={t('Targets')}
                  intro={t('In business hours; 0 is no target. Tickets that are open keep the targets that they began with.')}
                >
                  <SimpleGrid cols={{ base: 1, sm: 2 }}>
                    {priorities.flatMap((priority) => [
                      <NumberField
                        key={`${priority} response`}
                        {...form.field(`targets.${priority}.response`)}
                        label={t('{priority}: answer within', { priority: t(choiceWords[priority].label) })}
                        min={0}
                      />,
                      <NumberField
                        key={`${priority} resolution`}
                        {...form.field(`targets.${priority}.resolution`)}
                        label={t('{priority}: done within', { priority: t(choiceWords[priority].label) })}
                        min={0}
                      />,
                    ])}
                  </SimpleGrid>
                </Section>
                <Section title={t('Canned answers')} intro={t('[requester] becomes who asked, [number] the number of the ticket.')}>
                  <Stack gap="sm">
                    {form.values.answers.length === 0 && <Text c="dimmed">{t('No answers yet.')}</Text>}
                    {form.values.answers.map((_answer, at) => (
                      <div key={at} role="group" aria-label={t('Answer {number}', { number: at + 1 })}>
                        <Group align="end" wrap="nowrap">
                          <div style={{ flex: 1 }}>
                            <TextField {...form.field(`answers.${at}.name`)} label={t('Name')} required />
                          </div>
                          <ActionIcon
                            variant="subtle"
                            color="gray"
                            mb={4}
                            aria-label={t('Remove answer {number}', { number: at + 1 })}
                            onClick={() => form.set('answers', form.values.answers.toSpliced(at, 1))}
                          >
                            <IconTrash size={16} stroke={1.8} aria-hidden />
                          </ActionIcon>
                        </Group>
                        <TextAreaField {...form.field(`answers.${at}.text`)} label={t('Text')} rows={3} required />
                      </div>
                    ))}
                    <Group>
                      <Button
                        variant="light"
                        leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
                        onClick={() => form.set('answers', [...form.values.answers, { name: '', text: '' }])}
                      >
                        {t('Add answer')}
                      </Button>
                    </Group>
                  </Stack>
                </Section>
              </Stack>
            )}
          </Form>
        )}
      </Loaded>
    </Page>
  )
}
