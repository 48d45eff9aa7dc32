// The entries of a week as a form that is filled by keyboard alone: `8`, `830` and `8:30` are times.

import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useRef } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { NumberField, SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form, type FormKit } from '#core/console/kit/Form.tsx'
import { useSend } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { timesheets } from '../contract.ts'
import { daysOf, hoursText, readTime, weekAfter } from '../rules.ts'
import { dayWord } from './week-words.ts'
import classes from './WeekForm.module.css'

type Sheet = OutputOf<typeof timesheets.calls.week>
type Line = { day: string; from: string; to: string; breakMinutes: number; activity: string; project: string; note: string }
type Values = { entries: Line[] }

const lineOf = ({ day, from, to, breakMinutes, activity, project, note }: Line): Line => ({
  day,
  from,
  to,
  breakMinutes,
  activity,
  project,
  note,
})

/** The next working day after the last entry, at the times of that one. */
function nextLine(entries: readonly Line[], days: readonly string[]): Line {
  const last = entries.at(-1)
  if (last === undefined) return { day: days[0] ?? '', from: '08:00', to: '16:30', breakMinutes: 30, activity: '', project: '', note: '' }
  const next = days[days.indexOf(last.day) + 1] ?? last.day
  return { ...last, day: next, note: '' }
}

export function WeekForm({ sheet }: { sheet: Sheet }) {
  const submit = useSend(timesheets.calls.submit, { invalidates: ['workflow'] })
  const submitAfter = useRef(false)
  const days = daysOf(sheet.week)
  const initial: Values = { entries: sheet.entries.map(lineOf) }

  const submitWeek = async ({ version }: { version: number }, { entries }: Values): Promise<void> => {
    if (!submitAfter.current) return
    submitAfter.current = false
    const nothing = entries.length === 0
    if (
      nothing &&
      !(await confirm({
        title: t('Nothing worked this week?'),
        consequence: t('The week is submitted without entries.'),
        action: t('Submit empty week'),
        keep: t('Go on writing'),
      }))
    )
      return
    await submit
      .run({ week: sheet.week, version, affirmEmpty: nothing })
      .catch((error: unknown) => toastFault(error, t('The week was not submitted')))
  }

  const copyLast = async (form: FormKit<Values>): Promise<void> => {
    try {
      const last = await send(timesheets.calls.week, { week: weekAfter(sheet.week, -1) })
      const before = daysOf(last.week)
      const copied = last.entries.map((entry) => ({ ...lineOf(entry), day: days[before.indexOf(entry.day)] ?? days[0] ?? '', note: '' }))
      form.set('entries', [...form.values.entries, ...copied])
    } catch (error) {
      toastFault(error, t('The timesheet could not be read'))
    }
  }

  return (
    <Form
      call={timesheets.calls.save}
      initial={initial}
      toInput={({ entries }: Values) => ({
        week: sheet.week,
        version: sheet.version,
        entries: entries.map((entry) => ({ ...lineOf(entry), from: readTime(entry.from), to: readTime(entry.to) })),
      })}
      submit={t('Save week')}
      onDone={submitWeek}
      onFailed={() => (submitAfter.current = false)}
      extra={
        <Button type="submit" variant="default" loading={submit.pending} onClick={() => (submitAfter.current = true)}>
          {t('Save and submit')}
        </Button>
      }
    >
      {(form) => (
        <Stack gap="sm">
          {form.values.entries.length === 0 && <Text c="dimmed">{t('No entries yet.')}</Text>}
          {form.values.entries.map((_entry, at) => (
            <div key={at} className={classes['entry']} role="group" aria-label={t('Entry {number}', { number: at + 1 })}>
              <SelectField
                {...form.field(`entries.${at}.day`)}
                label={t('Day')}
                options={days.map((value) => ({ value, label: dayWord(value) }))}
                required
              />
              <TextField {...form.field(`entries.${at}.from`)} label={t('From')} inputMode="numeric" required />
              <TextField {...form.field(`entries.${at}.to`)} label={t('To')} inputMode="numeric" required />
              <NumberField {...form.field(`entries.${at}.breakMinutes`)} label={t('Break')} min={0} />
              <TextField {...form.field(`entries.${at}.activity`)} label={t('Activity')} required />
              <TextField {...form.field(`entries.${at}.project`)} label={t('Project')} />
              <TextField {...form.field(`entries.${at}.note`)} label={t('Note')} />
              <ActionIcon
                variant="subtle"
                color="gray"
                className={classes['remove'] ?? ''}
                aria-label={t('Remove entry {number}', { number: at + 1 })}
                onClick={() => form.set('entries', form.values.entries.toSpliced(at, 1))}
              >
                <IconTrash size={16} stroke={1.8} aria-hidden />
              </ActionIcon>
            </div>
          ))}
          <Group gap="xs">
            <Button
              variant="light"
              leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
              onClick={() => form.set('entries', [...form.values.entries, nextLine(form.values.entries, days)])}
            >
              {t('Add entry')}
            </Button>
            <Button variant="default" onClick={() => void copyLast(form)}>
              {t('Copy last week')}
            </Button>
            <Text fw={600}>{t('{hours} hours saved', { hours: hoursText(sheet.minutes) })}</Text>
          </Group>
        </Stack>
      )}
    </Form>
  )
}
