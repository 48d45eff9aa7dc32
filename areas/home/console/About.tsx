// What runs here, who helps, what it is made of.

import { Anchor, Stack, Table, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { supportAddressOf, useBootstrap } from '#core/console/bootstrap.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, type CallQuery } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { home } from '../contract.ts'
import { DocumentList } from './DocumentList.tsx'

type AboutFacts = OutputOf<typeof home.calls.about>

/** The specification's states of the version information. */
const versionState = (query: CallQuery<AboutFacts>): 'FETCHING' | 'FETCHED' | 'ERROR' =>
  query.data !== undefined ? 'FETCHED' : query.error === null ? 'FETCHING' : 'ERROR'

export function About() {
  const support = supportAddressOf(useBootstrap().tenancy)
  const query = useCall(home.calls.about, {})
  const state = versionState(query)
  const [listed, setListed] = useState(false)
  return (
    <Page
      title={t('About Chancery')}
      narrow
      actions={
        <LinkButton variant="default" to={to(home.screens.api)}>
          {t('API reference')}
        </LinkButton>
      }
    >
      <Section title={t('Version')}>
        <div data-version-state={state} aria-live="polite">
          {state === 'FETCHING' && <Text c="dimmed">{t('Fetching the version…')}</Text>}
          {state === 'ERROR' && <FaultAlert fault={query.error ?? undefined} />}
          {query.data !== undefined && (
            <Facts
              items={[
                { label: t('Chancery'), value: query.data.version, copy: query.data.version },
                { label: t('Runtime'), value: query.data.runtime },
                { label: t('Database'), value: query.data.database },
              ]}
            />
          )}
        </div>
      </Section>
      <Section title={t('Help')}>
        <Text>
          {t('Write to')} <Anchor href={`mailto:${support}`}>{support}</Anchor>
        </Text>
        <DocumentList />
      </Section>
      <Section title={t('Licences')} intro={t('Chancery is free software under the Apache License 2.0. It is built on these packages.')}>
        <Loaded query={query}>
          {({ licences }) => (
            <details onToggle={(event) => setListed(event.currentTarget.open)}>
              <summary style={{ cursor: 'pointer' }}>{t('Show the {count} packages', { count: licences.length })}</summary>
              {listed && (
                <Stack gap="xs" mt="sm">
                  <Licences licences={licences} />
                </Stack>
              )}
            </details>
          )}
        </Loaded>
      </Section>
    </Page>
  )
}

function Licences({ licences }: { licences: AboutFacts['licences'] }) {
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const shown = licences.filter(({ name, licence }) => `${name} ${licence}`.toLowerCase().includes(wanted))
  return (
    <>
      <TextInput
        type="search"
        aria-label={t('Search licences')}
        placeholder={t('Package or licence')}
        leftSection={<IconSearch size={16} stroke={1.8} aria-hidden />}
        maw={320}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed" role="status">
        {t('{count, plural, one {# package} other {# packages}}', { count: shown.length })}
      </Text>
      <Table fz="sm" verticalSpacing={4} aria-label={t('Licences')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('Package')}</Table.Th>
            <Table.Th scope="col">{t('Version')}</Table.Th>
            <Table.Th scope="col">{t('Licence')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(({ name, version, licence }) => (
            <Table.Tr key={`${name} ${version}`}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
              <Table.Td>{version}</Table.Td>
              <Table.Td>{licence}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  )
}
