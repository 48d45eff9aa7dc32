// The queue of conflicts: each with the devices that claim the same, side by side, so that a person sees whether they are one.

import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { IconArrowMerge, IconCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { useMay } from '#core/console/bootstrap.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { devices } from '../contract.ts'
import { typeWord } from './type-word.ts'
import { kindWord, sourceWord } from './words.ts'

type Conflict = OutputOf<typeof devices.calls.conflicts>['rows'][number]

export function Conflicts() {
  const open = useCall(devices.calls.conflicts, { state: ['open'], size: 50 })
  const decided = useCall(devices.calls.conflicts, { state: ['merged', 'apart'], size: 50 })
  return (
    <Page
      title={t('Device conflicts')}
      intro={t('Several sources told of devices that are known by the same. Decide whether they are one device.')}
    >
      <Stack gap="lg">
        <Loaded query={open}>
          {({ rows }) =>
            rows.length === 0 ? (
              <EmptyState icon={IconCheck} title={t('Nothing to decide')} text={t('Each device is known by something of its own.')} />
            ) : (
              <Stack gap="lg">
                {rows.map((conflict) => (
                  <Open key={conflict.id} conflict={conflict} />
                ))}
              </Stack>
            )
          }
        </Loaded>
        <Loaded query={decided}>{({ rows }) => (rows.length === 0 ? null : <Decided rows={rows} />)}</Loaded>
      </Stack>
    </Page>
  )
}

function Open({ conflict }: { conflict: Conflict }) {
  const may = useMay()
  const [keepId, setKeepId] = useState(conflict.devices[0]?.id ?? '')
  const merge = useSend(devices.calls.merge)
  const apart = useSend(devices.calls.keepApart)
  const decides = may('deviceEdit')
  const kind = kindWord(conflict.kind)
  return (
    <Section title={`${kind} ${conflict.value}`}>
      <FaultAlert fault={merge.fault ?? apart.fault} />
      <SmallTable
        label={t('Devices with {kind} {value}', { kind, value: conflict.value })}
        rows={conflict.devices}
        rowId={(row) => row.id}
        columns={[
          { label: t('Device'), cell: (row) => <TextLink to={to(devices.screens.view, { id: row.id })}>{row.name}</TextLink> },
          { label: t('Source'), cell: (row) => sourceWord(row.source) },
          { label: t('Device type'), cell: (row) => typeWord(row.type) },
          { label: t('Host name'), cell: (row) => row.hostname },
          { label: t('Owner'), cell: (row) => row.owner },
          ...(decides
            ? [
                {
                  label: t('Keep'),
                  plain: true,
                  cell: (row: Conflict['devices'][number]) => (
                    <Radio
                      name={conflict.id}
                      aria-label={t('Keep {name} from {source}', { name: row.name, source: sourceWord(row.source) })}
                      checked={keepId === row.id}
                      onChange={() => setKeepId(row.id)}
                    />
                  ),
                },
              ]
            : []),
        ]}
      />
      {decides && (
        <Group mt="sm">
          <Button
            leftSection={<IconArrowMerge size={16} stroke={1.8} aria-hidden />}
            loading={merge.pending}
            onClick={() => void merge.run({ conflictId: conflict.id, keepId }).catch(() => undefined)}
          >
            {t('Merge into the kept one')}
          </Button>
          <Button
            variant="default"
            loading={apart.pending}
            onClick={() => void apart.run({ conflictId: conflict.id }).catch(() => undefined)}
          >
            {t('They are different devices')}
          </Button>
        </Group>
      )}
    </Section>
  )
}

function Decided({ rows }: { rows: readonly Conflict[] }) {
  const may = useMay()
  const undo = useSend(devices.calls.undoMerge)
  return (
    <Section title={t('Decided')}>
      <FaultAlert fault={undo.fault} />
      <SmallTable
        label={t('Decided conflicts')}
        rows={rows}
        rowId={(row) => row.id}
        columns={[
          { label: t('Identifier'), cell: (row) => <Mono value={row.value} /> },
          {
            label: t('Decision'),
            aside: true,
            cell: (row) =>
              row.state === 'merged' ? <Status of="done" label={t('Merged')} /> : <Status of="disabled" label={t('Kept apart')} />,
          },
          {
            label: t('Kept'),
            cell: (row) =>
              row.kept === undefined ? '' : <TextLink to={to(devices.screens.view, { id: row.kept.id })}>{row.kept.name}</TextLink>,
          },
          { label: t('By'), cell: (row) => row.decidedBy },
          { label: t('When'), cell: (row) => row.decidedAt !== undefined && <DateTime at={row.decidedAt} /> },
          {
            label: t('Undo'),
            plain: true,
            cell: (row) =>
              row.state === 'merged' && may('deviceEdit') ? (
                <Button size="xs" variant="default" onClick={() => void undo.run({ conflictId: row.id }).catch(() => undefined)}>
                  {t('Take the merge back')}
                </Button>
              ) : (
                <Text span c="dimmed">
                  {t('Nothing to undo')}
                </Text>
              ),
          },
        ]}
      />
    </Section>
  )
}
