// The week of somebody, with what was decided about it and what can be decided now.

import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Navigate, useParams } from 'react-router'
import { TextAreaField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { timesheets } from '../contract.ts'
import { hoursText, stateLook } from '../rules.ts'
import { Entries } from './Entries.tsx'
import { History } from './History.tsx'
import { weekWords } from './week-words.ts'
import { WeekSteps } from './WeekSteps.tsx'

type Sheet = OutputOf<typeof timesheets.calls.view>

export function ViewTimesheet() {
  const [userId = '', week = ''] = (useParams()['*'] ?? '').split('/')
  const query = useCall(timesheets.calls.view, { userId, week }, { enabled: userId !== '' && week !== '' })
  if (userId === '' || week === '') return <Navigate to={to(timesheets.screens.overview, { '*': 'team' })} replace />
  const sheet = query.data
  return (
    <Page
      title={
        sheet === undefined ? t('Timesheet of a week') : t('{person}, {week}', { person: sheet.username, week: weekWords(sheet.week) })
      }
      status={sheet && <Status of={stateLook[sheet.state].status} label={t(stateLook[sheet.state].label)} />}
    >
      <Loaded query={query}>{(read) => <Shown key={`${read.week} ${read.version}`} sheet={read} />}</Loaded>
    </Page>
  )
}

function Shown({ sheet }: { sheet: Sheet }) {
  return (
    <Stack gap="md">
      <WeekSteps
        week={sheet.week}
        to={(week) =>
          week === undefined
            ? to(timesheets.screens.overview, { '*': 'team' })
            : to(timesheets.screens.view, { '*': `${sheet.userId}/${week}` })
        }
      />
      <Section title={t('Hours')} intro={t('Times are by the clock of {zone}. Break is in minutes.', { zone: sheet.zone })}>
        <Stack gap="sm">
          {sheet.entries.length === 0 ? (
            <Text c="dimmed">{sheet.affirmedEmpty ? t('Nothing was worked.') : t('No entries yet.')}</Text>
          ) : (
            <Entries entries={sheet.entries} />
          )}
          <Text fw={600}>{t('{hours} hours', { hours: hoursText(sheet.minutes) })}</Text>
        </Stack>
      </Section>
      {sheet.moves.length > 0 && <Decide sheet={sheet} />}
      <History steps={sheet.history} />
    </Stack>
  )
}

function Decide({ sheet: { userId, week, version, moves } }: { sheet: Sheet }) {
  const approve = useSend(timesheets.calls.approve, { invalidates: ['workflow'] })
  const [returning, setReturning] = useState(false)
  const initial = { reason: '' }
  return (
    <Section title={t('Decide')}>
      <Stack gap="sm">
        <Group gap="xs">
          {moves.includes('approve') && (
            <Button
              loading={approve.pending}
              onClick={() =>
                void approve
                  .run({ userId, week, version })
                  .catch((error: unknown) => toastFault(error, t('The timesheet was not approved')))
              }
            >
              {t('Approve timesheet')}
            </Button>
          )}
          {moves.includes('return') && !returning && (
            <Button variant="default" onClick={() => setReturning(true)}>
              {t('Return timesheet')}
            </Button>
          )}
        </Group>
        {returning && (
          <Form
            call={timesheets.calls.giveBack}
            initial={initial}
            toInput={({ reason }: typeof initial) => ({ userId, week, version, reason })}
            submit={t('Return timesheet')}
            cancel={{ label: t('Cancel'), onClick: () => setReturning(false) }}
            invalidates={['workflow']}
            guard={false}
            danger
            onDone={() => setReturning(false)}
          >
            {(form) => <TextAreaField {...form.field('reason')} label={t('Reason')} hint={t('The person reads it.')} required />}
          </Form>
        )}
      </Stack>
    </Section>
  )
}
