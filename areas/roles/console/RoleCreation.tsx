// Where a new role begins, which were made lately, and which deserve a look: those nobody has, and powerful ones of many people.

import { Group, Select, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useMay } from '#core/console/bootstrap.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton, TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { PeriodChoice, usePeriod } from '#core/console/kit/PeriodChoice.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable, type SmallColumn } from '#core/console/kit/SmallTable.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { isPermission, permissions } from '#core/contract/permission-labels.ts'
import { searchScreen } from '#core/contract/search.ts'
import { roles } from '../contract.ts'
import { creationPeriods, manyPeople } from '../creation.ts'
import { roleName } from '../role-name.tsx'
import { useRoleOptions } from '../role-options.tsx'

type Looked = OutputOf<typeof roles.calls.creation>['recent']
type Row = Looked['rows'][number]

export function RoleCreation() {
  const days = usePeriod(creationPeriods, 30)
  const sees = useMay()('roleView', 'View')
  const query = useCall(roles.calls.creation, { days }, { keepPrevious: true, enabled: sees })
  return (
    <Page title={t('Role creation')} intro={t('Begin a role, and see what became of those that were made.')}>
      <Stack gap="md">
        <Beginning />
        {sees && (
          <>
            <PeriodChoice periods={creationPeriods} chosen={days} />
            <Loaded query={query}>{(creation) => <Looks {...creation} />}</Loaded>
          </>
        )}
      </Stack>
    </Page>
  )
}

function Beginning() {
  const offered = useRoleOptions()
  const [from, setFrom] = useState<string | null>(null)
  return (
    <Section title={t('Begin a role')} intro={t('You can give only what you hold yourself.')}>
      <Group align="flex-end" gap="sm">
        <LinkButton to={to(roles.screens.add)} leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}>
          {t('From nothing')}
        </LinkButton>
        {offered !== undefined && (
          <>
            <Select
              label={t('From another role')}
              placeholder={t('Choose a role')}
              searchable
              value={from}
              onChange={setFrom}
              onSearchChange={offered.onSearch}
              data={offered.options.map(({ value, label }) => ({ value, label }))}
            />
            {from !== null && (
              <LinkButton variant="default" to={to(roles.screens.add, {}, { from })}>
                {t('Copy role')}
              </LinkButton>
            )}
          </>
        )}
      </Group>
    </Section>
  )
}

function Looks({ recent, nobody, dangerous }: OutputOf<typeof roles.calls.creation>) {
  const seesPeople = useMay()('userView', 'View')
  const name: SmallColumn<Row> = {
    label: t('Name'),
    cell: (row) => <TextLink to={to(roles.screens.view, { id: row.id })}>{roleName(row.name)}</TextLink>,
  }
  const created: SmallColumn<Row> = { label: t('Created'), cell: ({ createdAt }) => <DateTime at={createdAt} /> }
  const by: SmallColumn<Row> = { label: t('Made by'), cell: ({ createdBy }) => (createdBy === '' ? t('Not known') : createdBy) }
  const people: SmallColumn<Row> = {
    label: t('People'),
    align: 'end',
    cell: (row) =>
      seesPeople && row.people > 0 ? (
        <TextLink to={to(searchScreen, { searchType: 'user' }, { roleId: row.id })}>{formatNumber(row.people)}</TextLink>
      ) : (
        formatNumber(row.people)
      ),
  }
  return (
    <>
      <Looked title={t('Made lately')} looked={recent} none={t('No role was made in this time.')} columns={[name, created, by, people]} />
      <Looked
        title={t('Powerful roles of many people')}
        intro={t(
          'At least {count} people have them, and each can change who may do what, act for the organisation, or read what few should.',
          {
            count: manyPeople,
          },
        )}
        looked={dangerous}
        none={t('No powerful role is held by many.')}
        columns={[name, people, { label: t('What makes it powerful'), plain: true, cell: (row) => <Powers names={row.dangerous} /> }]}
      />
      <Looked
        title={t('Roles that nobody has')}
        looked={nobody}
        none={t('Somebody has each of your roles.')}
        columns={[name, created, by]}
        all={to(searchScreen, { searchType: 'role' }, { held: 'nobody' })}
      />
    </>
  )
}

type LookedProps = {
  title: string
  intro?: string
  looked: Looked
  none: string
  columns: readonly SmallColumn<Row>[]
  /** The list that shows all of them. */
  all?: string
}

function Looked({ title, intro, looked: { rows, total }, none, columns, all }: LookedProps) {
  return (
    <Section title={title} {...(intro === undefined ? {} : { intro })}>
      {rows.length === 0 ? (
        <Text c="dimmed">{none}</Text>
      ) : (
        <SmallTable label={title} rows={rows} rowId={({ id }) => id} columns={columns} />
      )}
      {total > rows.length && (
        <Text size="sm" c="dimmed">
          {t('The first {shown} of {total} are shown.', { shown: rows.length, total })}{' '}
          {all !== undefined && <TextLink to={all}>{t('Show all')}</TextLink>}
        </Text>
      )}
    </Section>
  )
}

const shownPowers = 3

function Powers({ names }: { names: readonly string[] }) {
  const words = names.slice(0, shownPowers).map((name) => (isPermission(name) ? t(permissions[name]) : name))
  const more = names.length - words.length
  return more === 0 ? words.join(', ') : t('{words} and {more} more', { words: words.join(', '), more })
}
