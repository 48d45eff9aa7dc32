// On an authority's page: its revocation lists with their age and size, and how it publishes them.

import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useState } from 'react'
import { mostCrlShards } from '#areas/authorities/rules.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { Copy } from '#core/console/kit/Copy.tsx'
import { DateTime, relativeTime } from '#core/console/kit/DateTime.tsx'
import { NumberField, RadioField, SwitchField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { revocation } from '../contract.ts'
import { answerMinutesLimits, deltaList, listHoursLimits, wholeList } from '../rules.ts'
import { ListState } from './ListState.tsx'
import { OcspSigner } from './OcspSigner.tsx'

type View = OutputOf<typeof revocation.calls.publication>
type PublishedList = View['lists'][number]

const nameOf = ({ part }: PublishedList): string =>
  part === wholeList ? t('Whole list') : part === deltaList ? t('Delta list') : t('Part {number}', { number: part })
const sizeOf = (bytes: number): string =>
  bytes < 1_000_000
    ? t('{size} kB', { size: formatNumber(Math.ceil(bytes / 1000)) })
    : t('{size} MB', { size: formatNumber(Math.round(bytes / 100_000) / 10) })
/** In the largest unit that leaves nothing over. */
const durationOf = (minutes: number): string =>
  minutes % 1440 === 0
    ? t('{count, plural, one {# day} other {# days}}', { count: minutes / 1440 })
    : minutes % 60 === 0
      ? t('{count, plural, one {# hour} other {# hours}}', { count: minutes / 60 })
      : t('{count, plural, one {# minute} other {# minutes}}', { count: minutes })
/** A list of a thousand parts is not looked at one by one. */
const shownAtFirst = 10

export function Publication({ caId }: { caId: string }) {
  const may = useMay()
  const query = useCall(revocation.calls.publication, { caId }, { refetchMilliseconds: 30_000 })
  if (!may(revocation.calls.publication.needs, 'View')) return null
  return (
    <Section
      title={t('Revocation lists and OCSP')}
      intro={t(
        'OCSP answers are new at once, everywhere. Lists are made when something that they tell of is revoked, and once in each period.',
      )}
    >
      <Loaded query={query}>{(view) => <Shown view={view} />}</Loaded>
    </Section>
  )
}

function Shown({ view }: { view: View }) {
  const may = useMay()
  const [all, showAll] = useState(false)
  const make = useSend(revocation.calls.makeList)
  const stale = view.lists.filter(({ state }) => state === 'ending' || state === 'ended')
  const shown = all ? view.lists : view.lists.slice(0, shownAtFirst)
  return (
    <Stack gap="lg">
      {stale.length > 0 && (
        <Alert color="red" icon={<IconAlertTriangle size={18} aria-hidden />} title={t('Lists near their end')}>
          {t(
            'No new list has followed: {names}. Relying parties refuse certificates when a list has ended. Publish now; if that fails, look at the key of the authority.',
            { names: stale.slice(0, 5).map(nameOf).join(', ') },
          )}
        </Alert>
      )}
      <FaultAlert fault={make.fault} />
      <Table.ScrollContainer minWidth={640}>
        <Table aria-label={t('Lists of this authority')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('List')}</Table.Th>
              <Table.Th>{t('Entries')}</Table.Th>
              <Table.Th>{t('Size')}</Table.Th>
              <Table.Th>{t('Made')}</Table.Th>
              <Table.Th>{t('Valid until')}</Table.Th>
              <Table.Th>{t('State')}</Table.Th>
              <Table.Th>{t('Address')}</Table.Th>
              <Table.Th>{t('Actions')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((list) => (
              <Table.Tr key={list.part}>
                <Table.Th scope="row">{nameOf(list)}</Table.Th>
                <Table.Td>{formatNumber(list.entries)}</Table.Td>
                <Table.Td>{list.number === undefined ? t('none yet') : sizeOf(list.bytes)}</Table.Td>
                <Table.Td>
                  <DateTime at={list.thisUpdate} />
                </Table.Td>
                <Table.Td>
                  <DateTime at={list.nextUpdate} />
                  {list.nextUpdate !== undefined && (
                    <Text size="xs" c="dimmed">
                      {relativeTime(list.nextUpdate)}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <ListState state={list.state} due={list.due} />
                </Table.Td>
                <Table.Td>
                  <Copy value={list.url} label={t('Address: {name}', { name: nameOf(list) })} />
                </Table.Td>
                <Table.Td>
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={t('Publish now: {name}', { name: nameOf(list) })}
                    onClick={() => void make.run({ caId: view.caId, part: list.part }).catch(() => {})}
                  >
                    {t('Publish now')}
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {shown.length < view.lists.length && (
        <Group>
          <Text c="dimmed">{t('{count} more parts', { count: view.lists.length - shown.length })}</Text>
          <Button variant="subtle" size="compact-sm" onClick={() => showAll(true)}>
            {t('Show all')}
          </Button>
        </Group>
      )}
      <Facts
        items={[
          { label: t('Whole lists are valid for'), value: durationOf(view.settings.listHours * 60) },
          view.settings.delta && { label: t('Delta lists are valid for'), value: durationOf(view.settings.deltaMinutes * 2) },
          { label: t('OCSP answers are valid for'), value: durationOf(view.settings.answerMinutes) },
        ]}
      />
      <OcspSigner view={view} />
      {may(revocation.calls.setPublication.needs, 'View') && <Settings view={view} />}
    </Stack>
  )
}

function Settings({ view: { caId, settings, onToken } }: { view: View }) {
  return (
    <Form
      call={revocation.calls.setPublication}
      initial={{ caId, ...settings }}
      submit={t('Save settings')}
      invalidates={['revocation']}
      guard={false}
      onDone={() => {}}
    >
      {(form) => (
        <>
          <NumberField
            {...form.field('shards')}
            label={t('Parts of the list')}
            hint={t(
              '0 for one list. With parts, each new certificate names one of them, so that relying parties fetch less. Certificates keep their part for ever: there can be more parts later, not fewer.',
            )}
            min={settings.shards}
            max={mostCrlShards}
          />
          <SwitchField
            {...form.field('delta')}
            label={t('Publish delta lists')}
            hint={t(
              'Revocations come on a small list at once and on the whole list once a day. Who does not read delta lists hears of them a day later.',
            )}
          />
          <NumberField
            {...form.field('deltaMinutes')}
            label={t('A delta list is made every')}
            hint={t('It is valid for twice as long.')}
            suffix={t(' minutes')}
            min={5}
            max={1440}
          />
          <NumberField
            {...form.field('listHours')}
            label={t('A whole list is valid for')}
            hint={t(
              'From 4 hours to a year (8760 hours). The next one is made when half of this is over, and once a day however long it is.',
            )}
            suffix={t(' hours')}
            min={listHoursLimits.least}
            max={listHoursLimits.most}
          />
          <NumberField
            {...form.field('answerMinutes')}
            label={t('An OCSP answer is valid for')}
            hint={t('From 10 minutes to a week (10080 minutes). Who keeps an answer so long hears of a revocation only then.')}
            suffix={t(' minutes')}
            min={answerMinutesLimits.least}
            max={answerMinutesLimits.most}
          />
          <RadioField
            {...form.field('responderId')}
            label={t('In OCSP answers the responder is named')}
            options={[
              { value: 'byKey', label: t('by the hash of its key (usual)') },
              { value: 'byName', label: t('by its name') },
            ]}
          />
          <RadioField
            {...form.field('signedBy')}
            label={t('OCSP answers are signed by')}
            hint={t(
              "A signer of its own is quick where the authority's key is slow, and goes on while that key is out of reach. Its certificate lives a month and is renewed by itself.",
            )}
            options={[
              { value: 'authority', label: t('the key of the authority') },
              { value: 'signer', label: t('a signer of its own') },
              ...(onToken
                ? [{ value: 'signerOnToken' as const, label: t('a signer of its own, with its key on the token of the authority') }]
                : []),
            ]}
          />
        </>
      )}
    </Form>
  )
}
