// How people came in the last days, what became of them, and who waits to activate.

import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useMay, useViewer } from '#core/console/bootstrap.ts'
import { BarChart } from '#core/console/kit/BarChart.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { dayText } from '#core/console/kit/day-text.ts'
import { TextLink } from '#core/console/kit/links.tsx'
import { NumberTiles } from '#core/console/kit/NumberTiles.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { PeriodChoice, usePeriod } from '#core/console/kit/PeriodChoice.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { TaskLink } from '#core/console/kit/TaskLink.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { pathOfPlace, roomsStore, useOffers } from '#core/console/rooms.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to, type Query } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { ActivationLink } from '../ActivationLink.tsx'
import { users } from '../contract.ts'
import { creationWays } from '../creation-ways.ts'
import { creationPeriods, daysInColumn, originLabels, type CreationPeriod } from '../creation.ts'
import classes from './UserCreation.module.css'

type Creation = OutputOf<typeof users.calls.creation>

export function UserCreation() {
  const days = usePeriod(creationPeriods, 30)
  const query = useCall(users.calls.creation, { days }, { keepPrevious: true })
  return (
    <Page title={t('User creation')} intro={t('Who was added lately, how they came, and who has yet to activate the account.')}>
      <Stack gap="md">
        <Ways />
        <Group justify="space-between" gap="xs">
          <PeriodChoice periods={creationPeriods} chosen={days} />
        </Group>
        <Loaded query={query}>{(creation) => <Period creation={creation} days={days} />}</Loaded>
      </Stack>
    </Page>
  )
}

function Ways() {
  const rooms = roomsStore()
  const { View } = useViewer().permission
  const ways = useOffers(creationWays)
    .toSorted((a, b) => a.order - b.order)
    .flatMap((way) => {
      const path = pathOfPlace(rooms, View, way)
      return path === undefined ? [] : [{ ...way, path }]
    })
  if (ways.length === 0) return null
  return (
    <Section title={t('Ways to add people')}>
      <ul className={classes['ways']}>
        {ways.map(({ key, says, hint, icon, path }) => (
          <TaskLink key={key} icon={icon} says={t(says)} why={t(hint)} to={path} />
        ))}
      </ul>
    </Section>
  )
}

function Period({ creation, days }: { creation: Creation; days: CreationPeriod }) {
  const sees = useMay()('userView', 'View')
  const { from, until } = creation
  const list = (query: Query): string | undefined =>
    sees ? to(searchScreen, { searchType: 'user' }, { createdFrom: from, createdUntil: until, ...query }) : undefined
  return (
    <>
      <NumberTiles
        label={t('Users added')}
        tiles={[
          { key: 'created', count: creation.created, says: t('Created'), path: list({}) },
          { key: 'active', count: creation.active, says: t('Of those activated'), path: list({ status: 'active' }) },
          { key: 'invited', count: creation.invited, says: t('Still invited'), path: list({ status: 'invited' }) },
          { key: 'lapsed', count: creation.lapsed, says: t('Activation link lapsed'), path: list({ link: 'lapsed' }) },
          { key: 'none', count: creation.withoutLink, says: t('Invited without a link'), path: list({ link: 'none' }) },
          { key: 'disabled', count: creation.disabled, says: t('Disabled'), path: list({ status: 'disabled' }) },
        ].filter(({ key, count }) => count > 0 || !['none', 'disabled'].includes(key))}
      />
      {creation.created > 0 && (
        <Section
          title={t('Users added by day')}
          {...(daysInColumn(days) > 1 ? { intro: t('A column is {count} days.', { count: daysInColumn(days) }) } : {})}
        >
          <BarChart
            label={t('Users added by day')}
            axis={daysInColumn(days) > 1 ? t('Days from') : t('Day')}
            every={days === 7 ? 1 : 6}
            groups={creation.columns.map((column) => ({
              key: column.from,
              name: dayText(column.from, 'full'),
              short: dayText(column.from, 'short'),
              bars: [
                {
                  name: t('Created'),
                  tone: 'good' as const,
                  count: column.created,
                  text: formatNumber(column.created),
                  path: list({ createdFrom: column.from, createdUntil: column.until }) ?? '',
                },
              ],
            }))}
          />
        </Section>
      )}
      {creation.origins.length > 0 && (
        <Section title={t('How they came')}>
          <SmallTable
            label={t('How they came')}
            rows={creation.origins}
            rowId={({ origin }) => origin}
            columns={[
              {
                label: t('How'),
                cell: ({ origin }) => <Counted path={list({ origin })} text={t(originLabels[origin])} />,
              },
              { label: t('Created'), align: 'end', cell: ({ created }) => formatNumber(created) },
              { label: t('Of those activated'), align: 'end', cell: ({ active }) => formatNumber(active) },
            ]}
          />
        </Section>
      )}
      {sees && <Waiting waiting={creation.waiting} />}
    </>
  )
}

function Counted({ path, text }: { path: string | undefined; text: string }) {
  return path === undefined ? <>{text}</> : <TextLink to={path}>{text}</TextLink>
}

function Waiting({ waiting }: Pick<Creation, 'waiting'>) {
  const may = useMay()
  const invite = useSend(users.calls.invite, { invalidates: ['audit', 'mail'] })
  const [made, setMade] = useState<OutputOf<typeof users.calls.invite> & { id: string; name: string }>()
  const all = to(searchScreen, { searchType: 'user' }, { status: 'invited', sort: 'createdAt', direction: 'asc' })
  return (
    <Section
      title={t('Waiting longest to activate')}
      {...(waiting.length > 0 ? { actions: <TextLink to={all}>{t('All who are invited')}</TextLink> } : {})}
    >
      {made !== undefined && <ActivationLink key={made.id} link={made.activationLink} expiresAt={made.expiresAt} person={made.name} />}
      <FaultAlert fault={invite.fault} />
      {waiting.length === 0 ? (
        <Text c="dimmed">{t('Everybody who was invited has activated the account.')}</Text>
      ) : (
        <SmallTable
          label={t('Waiting longest to activate')}
          rows={waiting}
          rowId={({ id }) => id}
          columns={[
            { label: t('Name'), cell: ({ id, name }) => <TextLink to={to(users.screens.view, { id })}>{name}</TextLink> },
            { label: t('Created'), cell: ({ createdAt }) => <DateTime at={createdAt} /> },
            { label: t('How'), cell: ({ origin }) => t(originLabels[origin]) },
            { label: t('Activation link'), cell: (row) => <LinkState row={row} /> },
            {
              label: t('What to do'),
              plain: true,
              cell: ({ id, name }) =>
                may('userAdd') && (
                  <Button
                    variant="default"
                    size="compact-sm"
                    disabled={invite.pending}
                    aria-label={t('New link for {name}', { name })}
                    onClick={() => void invite.run({ id }).then((answer) => setMade({ ...answer, id, name }), ignore)}
                  >
                    {t('New link')}
                  </Button>
                ),
            },
          ]}
        />
      )}
    </Section>
  )
}

/** The fault stands above the table. */
const ignore = (): void => undefined

function LinkState({ row: { link, linkUntil } }: { row: Creation['waiting'][number] }) {
  if (link === 'none') return t('None')
  return (
    <>
      {link === 'good' ? t('Good until') : t('Lapsed')} <DateTime at={linkUntil} />
    </>
  )
}
