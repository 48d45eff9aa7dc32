// What is asked for certificates beside the network: the secrets of a cluster, and files that somebody uploads.

import { Alert, Button, Group, List, Modal, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconBox, IconPlus } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { NumberField, PasswordField, TextAreaField, TextField } from '#core/console/kit/fields.tsx'
import { Form, type FormKit } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { changed, useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { discovery } from '../contract.ts'
import { isOpen, isReading, mostFileText, type ProviderKind } from '../rules.ts'
import { wordsOf } from './provider-words.ts'
import { runWord } from './words.ts'

type Provider = OutputOf<typeof discovery.calls.providers>['providers'][number]

const lookMilliseconds = 2_000

export function Providers({ kind }: { kind: ProviderKind }) {
  const may = useMay()
  const query = useCall(discovery.calls.providers, { kind })
  const [edited, setEdited] = useState<Provider | 'new'>()
  const going = query.data?.providers.some(({ state }) => isReading(state)) === true
  useEffect(() => {
    if (!going) return undefined
    const timer = setInterval(() => changed('discovery'), lookMilliseconds)
    return () => clearInterval(timer)
  }, [going])
  const words = wordsOf(kind)
  const add = may('infrastructureConfig') ? (
    <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setEdited('new')}>
      {words.make}
    </Button>
  ) : undefined
  return (
    <Page title={words.title} intro={words.intro} actions={add}>
      <Loaded query={query}>
        {({ providers }) =>
          providers.length === 0 ? (
            <EmptyState icon={IconBox} title={words.none} text={words.first} action={add} />
          ) : (
            <Stack gap="lg">
              {providers.map((row) => (
                <ProviderCard key={row.id} row={row} onEdit={() => setEdited(row)} />
              ))}
            </Stack>
          )
        }
      </Loaded>
      {edited !== undefined && (
        <ProviderDialog kind={kind} row={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Page>
  )
}

function ProviderCard({ row, onEdit }: { row: Provider; onEdit: () => void }) {
  const may = useMay()
  const read = useSend(discovery.calls.readProvider)
  const pause = useSend(discovery.calls.pauseProvider)
  const stop = useSend(discovery.calls.stopProvider)
  const remove = useSend(discovery.calls.removeProvider)
  const { id, name, kind, state } = row
  const words = wordsOf(kind)
  const going = isReading(state)
  const open = isOpen(state)
  const askAndRemove = async () => {
    const sure = await confirm({
      title: t('Delete {name}?', { name }),
      consequence: t('It is not read any more, and its secret is deleted. What was found stays.'),
      action: t('Delete provider'),
      keep: t('Keep provider'),
      danger: true,
    })
    if (sure) await remove.run({ id }).catch((error: unknown) => toastFault(error, t('The provider was not deleted')))
  }
  return (
    <Section title={name}>
      <FaultAlert fault={read.fault ?? pause.fault ?? stop.fault} />
      <Facts
        items={[
          { label: t('Address'), value: row.url },
          { label: words.scope, value: row.scope === '' ? words.noScope : row.scope },
          ...(kind === 'kubernetes' || kind === 'ct' ? [] : [{ label: words.account, value: row.account }]),
          {
            label: t('Runs'),
            value:
              row.everyHours === 0 ? t('By hand') : t('{hours, plural, one {Every hour} other {Every # hours}}', { hours: row.everyHours }),
          },
          {
            label: t('Last reading'),
            value:
              state === 'new' ? (
                t('Never')
              ) : (
                <>
                  <Status of={going ? 'issuing' : state === 'paused' ? 'waiting' : state} label={runWord(state)} />{' '}
                  {row.startedAt !== undefined && <DateTime at={row.startedAt} />}
                </>
              ),
          },
        ]}
      />
      {state !== 'new' && (
        <Text size="sm" c="dimmed">
          {t('{found, number} found, {fresh, number} new, {changes, number} changed, {refused, number} without a certificate', {
            found: row.found,
            fresh: row.fresh,
            changes: row.changed,
            refused: row.refused,
          })}
          {row.says !== '' && ` · ${t(row.says)}`}
        </Text>
      )}
      {may('infrastructureConfig') && (
        <Group mt="sm" gap="sm">
          {open ? (
            <>
              <Button
                variant="default"
                loading={pause.pending}
                disabled={state === 'stopping'}
                onClick={() => void pause.run({ id, paused: going }).catch(() => undefined)}
              >
                {going ? t('Pause {name}', { name }) : t('Go on with {name}', { name })}
              </Button>
              <Button color="red" loading={stop.pending} onClick={() => void stop.run({ id }).catch(() => undefined)}>
                {t('Stop {name}', { name })}
              </Button>
            </>
          ) : (
            <Button loading={read.pending} onClick={() => void read.run({ id }).catch(() => undefined)}>
              {t('Run {name}', { name })}
            </Button>
          )}
          <Button variant="default" onClick={onEdit} disabled={open}>
            {t('Edit {name}', { name })}
          </Button>
          <Button variant="light" color="red" onClick={() => void askAndRemove()}>
            {t('Delete {name}', { name })}
          </Button>
        </Group>
      )}
    </Section>
  )
}

type Values = {
  name: string
  url: string
  scope: string
  roots: string
  account: string
  login: string
  everyHours: number
  secret: string
}
const toDraft = ({ secret, ...values }: Values) => ({ ...values, ...(secret === '' ? {} : { secret }) })

function ProviderDialog({ kind, row, onClose }: { kind: ProviderKind; row: Provider | undefined; onClose: () => void }) {
  const words = wordsOf(kind)
  const attempt = useSend(discovery.calls.tryProvider)
  const [tried, setTried] = useState<OutputOf<typeof discovery.calls.tryProvider>>()
  const initial: Values = {
    name: row?.name ?? '',
    url: row?.url ?? '',
    scope: row?.scope ?? '',
    roots: row?.roots ?? '',
    account: row?.account ?? '',
    login: row?.login ?? '',
    everyHours: row?.everyHours ?? 24,
    secret: '',
  }
  const tryIt = async (values: Values) => {
    setTried(undefined)
    const answer = await attempt.run({ kind, ...(row === undefined ? {} : { id: row.id }), ...toDraft(values) }).catch(() => undefined)
    setTried(answer)
  }
  const shared = { initial, guard: false as const, cancel: { label: t('Cancel'), onClick: onClose }, onDone: onClose }
  const fields = (form: FormKit<Values>) => (
    <>
      <TextField {...form.field('name')} label={t('Name')} autoFocus required />
      <TextField {...form.field('url')} label={t('Address')} hint={words.urlHint} required />
      {kind !== 'kubernetes' && <TextField {...form.field('account')} label={words.account} hint={words.accountHint} required />}
      {kind !== 'ct' && (
        <PasswordField
          {...form.field('secret')}
          label={words.secret}
          hint={row === undefined ? words.secretHint : t('Empty keeps the one that is there')}
          required={row === undefined}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextField {...form.field('scope')} label={words.scope} hint={words.scopeHint} required={words.needsScope} />
        <NumberField
          {...form.field('everyHours')}
          label={t('Hours between two runs')}
          hint={t('0 to run it by hand alone')}
          min={0}
          max={8_760}
        />
      </SimpleGrid>
      {kind === 'azure' && (
        <TextField
          {...form.field('login')}
          label={t('Where the client signs in')}
          hint={t('Empty for https://login.microsoftonline.com')}
        />
      )}
      <TextAreaField {...form.field('roots')} label={t('Certificates to trust besides the public ones')} rows={3} />
      <Group>
        <Button variant="default" loading={attempt.pending} onClick={() => void tryIt(form.values)}>
          {t('Try it')}
        </Button>
      </Group>
      <FaultAlert fault={attempt.fault} />
      {tried !== undefined && (
        <Alert
          title={
            tried.more
              ? t('It answers: {found, number} certificates in the first part, and there is more', { found: tried.found })
              : t('It answers: {found, number} certificates', { found: tried.found })
          }
        >
          {tried.says !== '' && <Text size="sm">{t(tried.says)}</Text>}
          {tried.places.length > 0 && (
            <List size="sm">
              {tried.places.map((place) => (
                <List.Item key={place}>{place}</List.Item>
              ))}
            </List>
          )}
          <Text size="sm" c="dimmed">
            {t('Nothing of it was kept.')}
          </Text>
        </Alert>
      )}
    </>
  )
  return (
    <Modal opened onClose={onClose} size="lg" title={row === undefined ? words.make : t('Edit {name}', { name: row.name })}>
      {row === undefined ? (
        <Form call={discovery.calls.addProvider} {...shared} toInput={(values: Values) => ({ kind, ...toDraft(values) })} submit={t('Add')}>
          {fields}
        </Form>
      ) : (
        <Form
          call={discovery.calls.changeProvider}
          {...shared}
          toInput={(values: Values) => ({ id: row.id, version: row.version, ...toDraft(values) })}
          submit={t('Save provider')}
        >
          {fields}
        </Form>
      )}
    </Modal>
  )
}

type FileValues = { text: string | undefined; files: { name: string; content: string }[] }

export function Files() {
  const may = useMay()
  const [answer, setAnswer] = useState<OutputOf<typeof discovery.calls.uploadFound>>()
  const [left, setLeft] = useState<readonly string[]>([])
  const initial: FileValues = { text: '', files: [] }
  const filesOf = ({ text, files }: FileValues) => [...files, ...(text ? [{ name: t('Pasted text'), content: text }] : [])]
  return (
    <Page
      title={t('Files')}
      intro={t('Certificates in files are listed as findings, each under the name of its file and its fingerprint.')}
    >
      {answer !== undefined && (
        <Alert
          mb="md"
          title={t('{found, number} found, {fresh, number} new, {changes, number} changed', {
            found: answer.found,
            fresh: answer.fresh,
            changes: answer.changed,
          })}
        >
          {' '}
          {/* prettier-ignore */}
          {answer.faults.length > 0 && (
            <List size="sm" mb="sm">
              {answer.faults.map(({ file, says }) => (
                <List.Item key={`${file} ${says}`}>{`${file}: ${t(says)}`}</List.Item>
              ))}
            </List>
          )}
          <LinkButton to={to(discovery.screens.report, {})}>{t('Open findings')}</LinkButton>
        </Alert>
      )}
      {may('infrastructureConfig') ? (
        <Form
          call={discovery.calls.uploadFound}
          initial={initial}
          guard={false}
          toInput={(values: FileValues) => ({ files: filesOf(values) })}
          submit={t('List as findings')}
          onDone={(told) => {
            changed('discovery')
            setAnswer(told)
          }}
        >
          {(form) => (
            <>
              <PemInput
                {...form.field('text')}
                label={t('Certificates')}
                hint={t('PEM, DER or PKCS#7, one or many. Paste them here, or drop or choose files')}
                most={mostFileText}
                onFiles={(taken) => {
                  form.set(
                    'files',
                    taken.flatMap(({ name, content }) => (content === undefined ? [] : [{ name, content }])),
                  )
                  setLeft(taken.flatMap(({ says }) => says ?? []))
                }}
              />
              {form.values.files.length > 0 && <Text size="sm">{form.values.files.map(({ name }) => name).join(', ')}</Text>}
              {left.map((says) => (
                <Text key={says} size="sm" c="red">
                  {t(says)}
                </Text>
              ))}
            </>
          )}
        </Form>
      ) : (
        <EmptyState icon={IconBox} title={t('Nothing to show')} text={t('Who configures the infrastructure uploads files here.')} />
      )}
    </Page>
  )
}
