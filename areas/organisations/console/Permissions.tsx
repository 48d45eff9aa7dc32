import { Button, Group, SimpleGrid, Text } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'react-router'
import { useRoleOptions } from '#areas/roles/role-options.tsx'
import { users } from '#areas/users/contract.ts'
import { usePersonSearch } from '#areas/users/person-search.tsx'
import { useMay } from '#core/console/bootstrap.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DateField, SelectField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { organisations } from '../contract.ts'

type Shown = OutputOf<typeof organisations.calls.permissions>

export function Permissions() {
  const { orgId = '' } = useParams()
  const may = useMay()
  const parents = useCall(organisations.calls.parents, { id: orgId })
  const query = useCall(organisations.calls.permissions, { id: orgId })
  const name = parents.data?.at(-1)?.name
  return (
    <Page
      title={name === undefined ? t('Organisation permissions') : t('Permissions in {name}', { name })}
      intro={t('A role that is given here holds in this organisation and in all below it, and nowhere else.')}
    >
      <Loaded query={query}>
        {(shown) => (
          <>
            <Given id={orgId} shown={shown} />
            {shown.mayEdit && may('roleView') && <Give id={orgId} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Given({ id, shown }: { id: string; shown: Shown }) {
  const may = useMay()
  const change = useSend(organisations.calls.setPermission)
  if (shown.rows.length === 0)
    return (
      <Section title={t('Who may do what')}>
        <Text c="dimmed">{t('Nobody has a role here besides those of the whole tenancy.')}</Text>
      </Section>
    )
  return (
    <Section title={t('Who may do what')}>
      <FaultAlert fault={change.fault} />
      <SmallTable
        label={t('Who may do what')}
        rows={shown.rows}
        rowId={(row) => `${row.userId} ${row.roleId} ${row.inherited?.id ?? ''}`}
        columns={[
          {
            label: t('Person'),
            cell: (row) =>
              row.person === '' ? (
                t('Somebody')
              ) : may('userView', 'View') ? (
                <TextLink to={to(users.screens.view, { id: row.userId })}>{row.person}</TextLink>
              ) : (
                row.person
              ),
          },
          { label: t('Role'), cell: (row) => row.role },
          { label: t('Until'), cell: (row) => (row.until === undefined ? t('For good') : <DateTime at={row.until} dateOnly />) },
          {
            label: t('Given in'),
            cell: (row) =>
              row.inherited === undefined ? (
                t('This organisation')
              ) : (
                <TextLink to={to(organisations.screens.permissions, { orgId: row.inherited.id })}>{row.inherited.name}</TextLink>
              ),
          },
          {
            label: t('Actions'),
            plain: true,
            cell: (row) =>
              row.inherited === undefined &&
              shown.mayEdit && (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t('Take {role} from {person}', { role: row.role, person: row.person })}
                  onClick={() => void change.run({ id, userId: row.userId, roleId: row.roleId, given: false }).catch(() => {})}
                >
                  {t('Take away')}
                </Button>
              ),
          },
        ]}
      />
    </Section>
  )
}

type Values = { userId: string | undefined; roleId: string | undefined; until: string | undefined }

function Give({ id }: { id: string }) {
  const { options, onSearch } = usePersonSearch()
  const roles = useRoleOptions()
  const [round, setRound] = useState(0)
  const initial: Values = { userId: undefined, roleId: undefined, until: undefined }
  return (
    <Section title={t('Give a role')}>
      <Form
        key={round}
        call={organisations.calls.setPermission}
        initial={initial}
        toInput={({ userId, roleId, until }: Values) => ({
          id,
          userId: userId ?? '',
          roleId: roleId ?? '',
          given: true,
          ...(until === undefined || until === '' ? {} : { until }),
        })}
        submit={t('Give role')}
        onDone={() => setRound(round + 1)}
      >
        {(form) => (
          <Group>
            <SimpleGrid cols={{ base: 1, sm: 3 }} w="100%">
              <SelectField {...form.field('userId')} label={t('Person')} options={options} onSearch={onSearch} required />
              <SelectField {...form.field('roleId')} label={t('Role')} {...(roles ?? { options: [] })} required />
              <DateField {...form.field('until')} label={t('Until')} hint={t('Empty: for good')} />
            </SimpleGrid>
          </Group>
        )}
      </Form>
    </Section>
  )
}
