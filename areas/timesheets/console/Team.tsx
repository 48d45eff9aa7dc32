// How far everybody has come with a week: who is done, who waits for a decision, who is missing.

import { Stack } from '@mantine/core'
import { useMay } from '#core/console/bootstrap.ts'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { timesheets } from '../contract.ts'
import { hoursText, stateLook } from '../rules.ts'
import { WeekSteps } from './WeekSteps.tsx'

const teamPath = (week: string | undefined): string =>
  to(timesheets.screens.overview, { '*': week === undefined ? 'team' : `team/${week}` })

export function Team({ week }: { week: string | undefined }) {
  const may = useMay()('viewTimesheets')
  const query = useCall(timesheets.calls.team, week === undefined ? {} : { week }, { enabled: may })
  return (
    <Page title={t('Team')} intro={t('Who keeps a timesheet, and how far each has come with the week.')}>
      {may ? (
        <Loaded query={query}>
          {(read) => (
            <Stack gap="md">
              <WeekSteps week={read.week} to={teamPath} />
              <Section title={t('People')}>
                <SmallTable
                  label={t('People')}
                  rows={read.people}
                  rowId={(row) => row.userId}
                  columns={[
                    {
                      label: t('Name'),
                      cell: (row) => (
                        <TextLink to={to(timesheets.screens.view, { '*': `${row.userId}/${read.week}` })}>{row.name}</TextLink>
                      ),
                    },
                    {
                      label: t('State'),
                      aside: true,
                      cell: (row) =>
                        row.state === 'missing' ? (
                          <Status of="warning" label={t('Missing')} />
                        ) : (
                          <Status of={stateLook[row.state].status} label={t(stateLook[row.state].label)} />
                        ),
                    },
                    { label: t('Hours'), align: 'end', cell: (row) => hoursText(row.minutes) },
                  ]}
                />
              </Section>
            </Stack>
          )}
        </Loaded>
      ) : (
        <EmptyState
          title={t('This is for those who see timesheets')}
          text={t('An administrator gives the permission to see timesheets with a role.')}
        />
      )}
    </Page>
  )
}
