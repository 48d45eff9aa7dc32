// Scans of networks, and below the same path the networks that may be scanned.

import { Button, Group, Modal, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconNetwork, IconPlus, IconRadar } from '@tabler/icons-react'
import { useEffect, useState, type JSX } from 'react'
import { useParams } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { NumberField, TagsField, TextField } from '#core/console/kit/fields.tsx'
import { Form, type FormKit } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { changed, useCall, useSend } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { discovery } from '../contract.ts'
import { defaultPorts, isRunning, portProtocols, providerKinds } from '../rules.ts'
import { Files, Providers } from './Providers.tsx'
import { runWord } from './words.ts'

type Source = OutputOf<typeof discovery.calls.sources>['sources'][number]
type Network = OutputOf<typeof discovery.calls.networks>['networks'][number]

export function Scans() {
  const { provider } = useParams()
  const sees = useMay()('networkScanReport')
  if (!sees)
    return (
      <Page title={t('Scans')}>
        <EmptyState icon={IconRadar} title={t('Nothing to show')} text={t('Who may see what scans found also sees the scans.')} />
      </Page>
    )
  const Shown = screens[provider ?? ''] ?? Sources
  return <Shown />
}

const lookMilliseconds = 2_000
const screens: Readonly<Record<string, () => JSX.Element>> = {
  allowed: Networks,
  file: Files,
  ...Object.fromEntries(providerKinds.map((kind) => [kind, () => <Providers key={kind} kind={kind} />])),
}

function Sources() {
  const may = useMay()
  const query = useCall(discovery.calls.sources, {})
  const [edited, setEdited] = useState<Source | 'new'>()
  const runs = query.data?.sources.some(({ lastRun }) => lastRun !== undefined && isRunning(lastRun.state)) === true
  useEffect(() => {
    if (!runs) return undefined
    const timer = setInterval(() => changed('discovery'), lookMilliseconds)
    return () => clearInterval(timer)
  }, [runs])
  const add = may('infrastructureConfig') ? (
    <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setEdited('new')}>
      {t('New scan')}
    </Button>
  ) : undefined
  return (
    <Page
      title={t('Scans')}
      intro={t(
        'Each looks at networks that this tenancy may scan, by a TLS handshake, after STARTTLS where a protocol wants it, and nothing else.',
      )}
      actions={add}
    >
      <Loaded query={query}>
        {({ sources }) =>
          sources.length === 0 ? (
            <EmptyState
              icon={IconRadar}
              title={t('No scans yet')}
              text={t('Have a network allowed first, then add a scan of it.')}
              action={add}
            />
          ) : (
            <Stack gap="lg">
              {sources.map((source) => (
                <SourceCard key={source.id} source={source} onEdit={() => setEdited(source)} />
              ))}
            </Stack>
          )
        }
      </Loaded>
      {edited !== undefined && <SourceDialog source={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </Page>
  )
}

function SourceCard({ source, onEdit }: { source: Source; onEdit: () => void }) {
  const may = useMay()
  const run = useSend(discovery.calls.run)
  const stop = useSend(discovery.calls.stop)
  const pause = useSend(discovery.calls.pause)
  const remove = useSend(discovery.calls.removeSource)
  const { lastRun } = source
  const going = lastRun !== undefined && isRunning(lastRun.state)
  const askAndRemove = async () => {
    const sure = await confirm({
      title: t('Delete {name}?', { name: source.name }),
      consequence: t('Its runs are deleted with it. What was found stays.'),
      action: t('Delete scan'),
      keep: t('Keep scan'),
      danger: true,
    })
    if (sure) await remove.run({ id: source.id }).catch((error: unknown) => toastFault(error, t('The scan was not deleted')))
  }
  return (
    <Section title={source.name}>
      <FaultAlert fault={run.fault ?? pause.fault ?? stop.fault} />
      <Facts
        items={[
          { label: t('Looks at'), value: source.targets.join(', ') },
          { label: t('Ports'), value: source.ports.map((port) => portText(port, source.startTls)).join(', ') },
          { label: t('Leaves out'), value: source.exclusions.join(', ') },
          { label: t('Probes'), value: formatNumber(source.probes) },
          {
            label: t('Runs'),
            value:
              source.everyHours === 0
                ? t('By hand')
                : t('{hours, plural, one {Every hour} other {Every # hours}}', { hours: source.everyHours }),
          },
          {
            label: t('Last run'),
            value:
              lastRun === undefined ? (
                t('Never')
              ) : (
                <>
                  <Status of={lastRun.state === 'paused' ? 'waiting' : going ? 'issuing' : lastRun.state} label={runWord(lastRun.state)} />{' '}
                  <DateTime at={lastRun.startedAt} />
                </>
              ),
          },
        ]}
      />
      {lastRun !== undefined && (
        <div>
          <Progress
            value={lastRun.total === 0 ? 0 : (lastRun.position / lastRun.total) * 100}
            aria-label={t('Progress of {name}', { name: source.name })}
          />
          <Text size="sm" c="dimmed" mt={4}>
            {t(
              '{position, number} of {total, number} places gone through, {answered, number} answered, {fresh, number} new, {changes, number} changed',
              {
                position: lastRun.position,
                total: lastRun.total,
                answered: lastRun.answered,
                fresh: lastRun.fresh,
                changes: lastRun.changed,
              },
            )}
            {lastRun.refused > 0 &&
              ` · ${t('{count, plural, one {One was} other {# were}} never tried: closed by the rules of this installation', { count: lastRun.refused })}`}
            {lastRun.says !== '' && ` · ${t(lastRun.says)}`}
          </Text>
        </div>
      )}
      {may('infrastructureConfig') && (
        <Group mt="sm" gap="sm">
          {going ? (
            <>
              <Button
                variant="default"
                loading={pause.pending}
                disabled={lastRun.state === 'stopping'}
                onClick={() => void pause.run({ runId: lastRun.id, paused: lastRun.state !== 'paused' }).catch(() => undefined)}
              >
                {lastRun.state === 'paused' ? t('Go on with {name}', { name: source.name }) : t('Pause {name}', { name: source.name })}
              </Button>
              <Button color="red" loading={stop.pending} onClick={() => void stop.run({ runId: lastRun.id }).catch(() => undefined)}>
                {t('Stop {name}', { name: source.name })}
              </Button>
            </>
          ) : (
            <Button loading={run.pending} onClick={() => void run.run({ id: source.id }).catch(() => undefined)}>
              {t('Run {name}', { name: source.name })}
            </Button>
          )}
          <Button variant="default" onClick={onEdit}>
            {t('Edit {name}', { name: source.name })}
          </Button>
          <Button variant="light" color="red" onClick={() => void askAndRemove()}>
            {t('Delete {name}', { name: source.name })}
          </Button>
        </Group>
      )}
    </Section>
  )
}

type Values = { name: string; targets: string[]; exclusions: string[]; ports: string[]; names: string[]; rate: number; everyHours: number }

/** A port is a number, with the protocol behind a stroke where the number does not say it. */
const portText = (port: number, told: Source['startTls']): string => {
  const protocol = told.find((one) => one.port === port)?.protocol
  return protocol === undefined ? String(port) : `${port}/${protocol}`
}

type Told = Source['startTls'][number]
const toDraft = ({ ports, ...values }: Values) => ({
  ...values,
  ports: ports.map((one) => Number(one.split('/')[0])),
  startTls: ports.flatMap((one): Told[] => {
    const [port, protocol] = one.split('/')
    return protocol === undefined ? [] : [{ port: Number(port), protocol: protocol.trim().toLowerCase() as Told['protocol'] }]
  }),
})

function SourceDialog({ source, onClose }: { source: Source | undefined; onClose: () => void }) {
  const initial: Values = {
    name: source?.name ?? '',
    targets: source?.targets ?? [],
    exclusions: source?.exclusions ?? [],
    ports: (source?.ports ?? defaultPorts).map((port) => portText(port, source?.startTls ?? [])),
    names: source?.names ?? [],
    rate: source?.rate ?? 200,
    everyHours: source?.everyHours ?? 0,
  }
  const quiet = {
    ...(source?.quietFrom === undefined ? {} : { quietFrom: source.quietFrom }),
    ...(source?.quietTo === undefined ? {} : { quietTo: source.quietTo }),
  }
  const shared = { initial, guard: false as const, cancel: { label: t('Cancel'), onClick: onClose }, onDone: onClose }
  const fields = (form: FormKit<Values>) => (
    <>
      <TextField {...form.field('name')} label={t('Name')} autoFocus required />
      <TagsField {...form.field('targets')} label={t('Looks at')} hint={t('Subnets such as 10.1.2.0/24, or single addresses')} required />
      <TagsField {...form.field('exclusions')} label={t('Leaves out')} />
      <TagsField
        {...form.field('ports')}
        label={t('Ports')}
        hint={t('Such as 443, or 2525/smtp where the number does not say the protocol: {protocols}', {
          protocols: portProtocols.join(', '),
        })}
      />
      <TagsField
        {...form.field('names')}
        label={t('Names in the handshake')}
        hint={t('Beside none, for servers that show each name a certificate of its own')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberField {...form.field('rate')} label={t('Connections a second')} min={1} max={500} />
        <NumberField
          {...form.field('everyHours')}
          label={t('Hours between two runs')}
          hint={t('0 to run it by hand alone')}
          min={0}
          max={8_760}
        />
      </SimpleGrid>
    </>
  )
  return (
    <Modal opened onClose={onClose} size="lg" title={source === undefined ? t('New scan') : t('Edit {name}', { name: source.name })}>
      {source === undefined ? (
        <Form call={discovery.calls.addSource} {...shared} toInput={toDraft} submit={t('Add scan')}>
          {fields}
        </Form>
      ) : (
        <Form
          call={discovery.calls.changeSource}
          {...shared}
          toInput={(values: Values) => ({ id: source.id, version: source.version, ...quiet, ...toDraft(values) })}
          submit={t('Save scan')}
        >
          {fields}
        </Form>
      )}
    </Modal>
  )
}

const networkLooks = { proposed: 'pending', allowed: 'active', refused: 'denied' } as const

function Networks() {
  const may = useMay()
  const query = useCall(discovery.calls.networks, {})
  const decide = useSend(discovery.calls.decideNetwork)
  const decideAsked = useSend(discovery.calls.decideAsked)
  const asked = query.data?.asked ?? []
  const remove = useSend(discovery.calls.removeNetwork)
  const [adding, setAdding] = useState(false)
  const add = may('configureTeSA') ? (
    <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setAdding(true)}>
      {t('Ask for a network')}
    </Button>
  ) : undefined
  const word = { proposed: t('Waits for a decision'), allowed: t('Allowed'), refused: t('Refused') }
  const buttons = (row: Network, mayDecide: boolean) => (
    <Group gap="xs">
      {mayDecide && row.state !== 'allowed' && (
        <Button size="xs" onClick={() => void decide.run({ id: row.id, allowed: true }).catch(() => undefined)}>
          {t('Allow {cidr}', { cidr: row.cidr })}
        </Button>
      )}
      {mayDecide && row.state !== 'refused' && (
        <Button size="xs" variant="default" onClick={() => void decide.run({ id: row.id, allowed: false }).catch(() => undefined)}>
          {t('Refuse {cidr}', { cidr: row.cidr })}
        </Button>
      )}
      {may('configureTeSA') && (
        <Button size="xs" variant="subtle" color="red" onClick={() => void remove.run({ id: row.id }).catch(() => undefined)}>
          {t('Remove {cidr}', { cidr: row.cidr })}
        </Button>
      )}
    </Group>
  )
  return (
    <Page
      title={t('Allowed networks')}
      intro={t('Nothing outside of these is scanned. The management tenancy decides, and is told of what you ask for.')}
      actions={add}
    >
      <FaultAlert fault={decide.fault ?? remove.fault ?? decideAsked.fault} />
      {asked.length > 0 && (
        <Section title={t('Asked for by other tenancies')}>
          <SmallTable
            label={t('Asked for by other tenancies')}
            rows={asked}
            rowId={({ id }) => id}
            columns={[
              { label: t('Network'), cell: ({ cidr }) => cidr },
              { label: t('Tenancy'), cell: ({ tenancy }) => tenancy },
              { label: t('Asked by'), cell: ({ proposedBy }) => proposedBy },
              { label: t('Asked'), cell: ({ proposedAt }) => <DateTime at={proposedAt} /> },
              {
                label: t('Decide'),
                plain: true,
                cell: ({ id, cidr }) => (
                  <Group gap="xs">
                    <Button size="xs" onClick={() => void decideAsked.run({ networkId: id, allowed: true }).catch(() => undefined)}>
                      {t('Allow {cidr}', { cidr })}
                    </Button>
                    <Button
                      size="xs"
                      variant="default"
                      onClick={() => void decideAsked.run({ networkId: id, allowed: false }).catch(() => undefined)}
                    >
                      {t('Refuse {cidr}', { cidr })}
                    </Button>
                  </Group>
                ),
              },
            ]}
          />
        </Section>
      )}
      <Loaded query={query}>
        {({ networks, mayDecide }) =>
          networks.length === 0 ? (
            <EmptyState icon={IconNetwork} title={t('No networks yet')} text={t('Ask for the networks that belong to you.')} action={add} />
          ) : (
            <SmallTable
              label={t('Allowed networks')}
              rows={networks}
              rowId={({ id }) => id}
              columns={[
                { label: t('Network'), cell: ({ cidr }) => cidr },
                { label: t('Status'), aside: true, cell: ({ state }) => <Status of={networkLooks[state]} label={word[state]} /> },
                { label: t('Note'), cell: ({ note }) => note },
                { label: t('Asked by'), cell: ({ proposedBy }) => proposedBy },
                { label: t('Decided by'), cell: ({ decidedBy }) => decidedBy },
                { label: t('Decide'), plain: true, cell: (row) => buttons(row, mayDecide) },
              ]}
            />
          )
        }
      </Loaded>
      {adding && (
        <Modal opened onClose={() => setAdding(false)} title={t('Ask for a network')}>
          <Form
            call={discovery.calls.proposeNetwork}
            initial={{ cidr: '', note: '' }}
            guard={false}
            submit={t('Ask for it')}
            cancel={{ label: t('Cancel'), onClick: () => setAdding(false) }}
            onDone={() => setAdding(false)}
          >
            {(form) => (
              <>
                <TextField {...form.field('cidr')} label={t('Network')} hint={t('Such as 10.1.0.0/16')} autoFocus required />
                <TextField {...form.field('note')} label={t('Note')} />
              </>
            )}
          </Form>
        </Modal>
      )}
    </Page>
  )
}
