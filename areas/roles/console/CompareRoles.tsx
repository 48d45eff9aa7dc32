// Two roles side by side: what only one of them grants, and how many people have each. The address names both.

import { Group, Select, Stack, Switch, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { permissions } from '#core/contract/permission-labels.ts'
import { searchScreen } from '#core/contract/search.ts'
import { compareGrants, type Compared, type Place } from '../comparison.ts'
import { roles } from '../contract.ts'
import { roleName } from '../role-name.tsx'
import { useRoleOptions } from '../role-options.tsx'

type Comparison = OutputOf<typeof roles.calls.compare>
type Role = Comparison['role']

export function CompareRoles() {
  const [address] = useSearchParams()
  const [a, b] = [address.get('a') ?? '', address.get('b') ?? '']
  const query = useCall(roles.calls.compare, { id: a, otherId: b }, { enabled: a !== '' && b !== '', keepPrevious: true })
  const held = query.data === undefined ? [] : [query.data.role, query.data.other]
  return (
    <Page title={t('Compare roles')}>
      <Stack gap="md">
        <Group gap="md" align="flex-end">
          <Choice name="a" label={t('One role')} held={held} />
          <Choice name="b" label={t('Another role')} held={held} />
        </Group>
        {a === '' || b === '' ? (
          <EmptyState title={t('Choose two roles')} text={t('Here, or tick two in the list and press Compare.')} />
        ) : (
          <Loaded query={query}>{(comparison) => <Side {...comparison} />}</Loaded>
        )}
      </Stack>
    </Page>
  )
}

function Choice({ name, label, held }: { name: 'a' | 'b'; label: string; held: readonly { id: string; name: string }[] }) {
  const [address, setAddress] = useSearchParams()
  const offered = useRoleOptions(held)
  return (
    <Select
      label={label}
      searchable
      flex={{ base: '1 1 100%', xs: '0 1 280px' }}
      value={address.get(name)}
      data={(offered?.options ?? []).map(({ value, label: text }) => ({ value, label: text }))}
      {...(offered === undefined ? {} : { onSearchChange: offered.onSearch })}
      onChange={(id) =>
        setAddress(
          (before) => {
            const after = new URLSearchParams(before)
            if (id === null) after.delete(name)
            else after.set(name, id)
            return after
          },
          { replace: true },
        )
      }
    />
  )
}

function Side({ role, other, both }: Comparison) {
  const [only, setOnly] = useState(true)
  const groups = compareGrants(role, other)
  const all = groups.flatMap(({ compared }) => compared)
  const differing = all.filter(({ differs }) => differs).length
  const shown = groups
    .map((group) => ({ ...group, compared: group.compared.filter(({ differs }) => differs || !only) }))
    .filter(({ compared }) => compared.length > 0)
  const onlyOf = (which: 'one' | 'other') => all.filter((pair) => pair[which === 'one' ? 'other' : 'one'].length === 0).length
  return (
    <>
      <Section title={t('In short')}>
        <Facts
          items={[
            { label: t('People who have {role}', { role: roleName(role.name) }), value: <People role={role} /> },
            { label: t('People who have {role}', { role: roleName(other.name) }), value: <People role={other} /> },
            { label: t('People who have both'), value: formatNumber(both) },
            { label: t('Permissions of {role} alone', { role: roleName(role.name) }), value: formatNumber(onlyOf('one')) },
            { label: t('Permissions of {role} alone', { role: roleName(other.name) }), value: formatNumber(onlyOf('other')) },
            { label: t('Permissions that both grant alike'), value: formatNumber(all.length - differing) },
          ]}
        />
      </Section>
      <Section title={t('Permissions')}>
        <Switch label={t('Only what differs')} checked={only} onChange={(event) => setOnly(event.currentTarget.checked)} />
        {shown.length === 0 ? (
          <EmptyState title={all.length === 0 ? t('Neither grants anything') : t('Both grant the same')} />
        ) : (
          <Table aria-label={t('Permissions')} fz="sm" layout="fixed">
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{t('Permission')}</Table.Th>
                {[role, other].map(({ id, name }) => (
                  <Table.Th key={id} scope="col" style={{ overflowWrap: 'anywhere' }}>
                    <TextLink to={to(roles.screens.view, { id })}>{roleName(name)}</TextLink>
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            {shown.map(({ key, label, compared }) => (
              <Table.Tbody key={key}>
                <Table.Tr>
                  <Table.Th scope="rowgroup" colSpan={3} c="dimmed">
                    {t(label)}
                  </Table.Th>
                </Table.Tr>
                {compared.map((pair) => (
                  <Row key={pair.name} {...pair} />
                ))}
              </Table.Tbody>
            ))}
          </Table>
        )}
      </Section>
    </>
  )
}

function People({ role: { id, people } }: { role: Role }) {
  const may = useMay()
  return may('search', 'View') && may('userView') && people > 0 ? (
    <TextLink to={to(searchScreen, { searchType: 'user' }, { roleId: id })}>{formatNumber(people)}</TextLink>
  ) : (
    formatNumber(people)
  )
}

const labelOf = (place: Place): string => ({ view: t('View'), menu: t('Menu'), api: t('API') })[place]

function Row({ name, one, other, differs }: Compared) {
  return (
    <Table.Tr {...(differs ? { bg: 'var(--chancery-picked)' } : {})}>
      <Table.Th scope="row" fw="normal" style={{ overflowWrap: 'anywhere' }}>
        {t(permissions[name])}
        {differs && (
          <Text size="xs" c="dimmed">
            {t('differs')}
          </Text>
        )}
      </Table.Th>
      {[one, other].map((granted, at) => (
        <Table.Td key={at}>
          {granted.length === 0 ? <span aria-label={t('not granted')}>–</span> : granted.map(labelOf).join(', ')}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}
