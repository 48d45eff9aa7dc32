// The week of the person who looks: written while it is a draft or was returned, shown otherwise.

import { Button, Group, Stack, Text } from '@mantine/core'
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
import { hoursText, isOpen, stateLook } from '../rules.ts'
import { Entries } from './Entries.tsx'
import { History } from './History.tsx'
import { WeekForm } from './WeekForm.tsx'
import { WeekSteps } from './WeekSteps.tsx'

const weekPath = (week: string | undefined): string => to(timesheets.screens.overview, week === undefined ? {} : { '*': `week/${week}` })

export function MyWeek({ week }: { week: string | undefined }) {
  const query = useCall(timesheets.calls.week, week === undefined ? {} : { week })
  const sheet = query.data
  return (
    <Page
      title={t('My week')}
      intro={t('Write when you worked, submit the week, and see what was decided about it.')}
      status={sheet && <Status of={stateLook[sheet.state].status} label={t(stateLook[sheet.state].label)} />}
    >
      <Loaded query={query}>{(read) => <Sheet key={`${read.week} ${read.version}`} sheet={read} />}</Loaded>
    </Page>
  )
}

function Sheet({ sheet }: { sheet: OutputOf<typeof timesheets.calls.week> }) {
  const recall = useSend(timesheets.calls.recall, { invalidates: ['workflow'] })
  const takeBack = () =>
    void recall
      .run({ week: sheet.week, version: sheet.version })
      .catch((error: unknown) => toastFault(error, t('The week was not taken back')))
  return (
    <Stack gap="md">
      <WeekSteps week={sheet.week} to={weekPath} />
      <Section title={t('Hours')} intro={t('Times are by the clock of {zone}. Break is in minutes.', { zone: sheet.zone })}>
        {isOpen(sheet.state) ? (
          <WeekForm sheet={sheet} />
        ) : (
          <Stack gap="sm">
            {sheet.affirmedEmpty ? <Text>{t('Nothing was worked.')}</Text> : <Entries entries={sheet.entries} />}
            <Group>
              <Text fw={600}>{t('{hours} hours', { hours: hoursText(sheet.minutes) })}</Text>
              {sheet.moves.includes('recall') && (
                <Button variant="default" loading={recall.pending} onClick={takeBack}>
                  {t('Take week back')}
                </Button>
              )}
            </Group>
          </Stack>
        )}
      </Section>
      <History steps={sheet.history} />
    </Stack>
  )
}
