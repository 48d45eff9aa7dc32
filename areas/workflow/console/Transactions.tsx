// What was begun and what has become of it; a row opens its steps.

import { Button, Group, Pagination, SegmentedControl, Select, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Fold } from '#core/console/kit/Fold.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { offersTo, useOffers } from '#core/console/rooms.ts'
import { workKinds } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { workflow } from '../contract.ts'
import classes from './workflow.module.css'

type Transaction = OutputOf<typeof workflow.calls.transactions>['transactions'][number]

const size = 10
const statuses = ['waiting', 'done', 'failed', 'denied'] as const satisfies readonly Transaction['status'][]
const periods = [1, 7, 30, 90, 365]
const statusLabels: Record<Transaction['status'], string> = { waiting: 'Waiting', done: 'Done', failed: 'Failed', denied: 'Denied' }

/** On a telephone the three stand in one line. */
const besideEachOther = { flex: { base: '1 1 100px', sm: '0 1 auto' }, miw: 0 } as const

export function Transactions() {
  const [address, setAddress] = useSearchParams()
  const offers = useOffers(workKinds)
  const { data: kinds = [] } = useQuery({
    queryKey: ['workflow', 'kinds', offers.length],
    staleTime: Infinity,
    queryFn: async () => (await Promise.all(offersTo(workKinds).map((load) => load()))).flat(),
  })
  const page = Math.max(1, Math.trunc(Number(address.get('page') ?? 1)) || 1)
  const kind = address.get('kind') ?? ''
  const own = address.get('own') === 'true'
  const days = Number(address.get('days') ?? 0)
  const status = statuses.find((one) => one === address.get('status'))
  const [opened] = useState(() => Date.now())
  const from = periods.includes(days) ? new Date(opened - days * 86_400_000).toISOString() : undefined
  const query = useCall(
    workflow.calls.transactions,
    {
      'paging[pageNumber]': String(page),
      'paging[offset]': '0',
      'paging[limit]': String(size),
      ...(kind === '' ? {} : { kind }),
      ...(own ? { own: 'true' } : {}),
      ...(from === undefined ? {} : { from }),
      ...(status === undefined ? {} : { status }),
    },
    { keepPrevious: true },
  )
  const change = (name: string, value: string): void =>
    setAddress(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === '') next.delete(name)
        else next.set(name, value)
        if (name !== 'page') next.delete('page')
        return next
      },
      { replace: true },
    )
  const titleOf = (name: string): string => t(kinds.find((one) => one.kind === name)?.title ?? name)
  return (
    <Page title={t('Transactions')} intro={t('What was begun here and what has become of it, the newest first.')}>
      <Group gap="sm">
        <SegmentedControl
          aria-label={t('Begun by')}
          value={own ? 'true' : ''}
          onChange={(value) => change('own', value)}
          data={[
            { value: '', label: t('Everybody') },
            { value: 'true', label: t('Begun by me') },
          ]}
        />
        <Select
          {...besideEachOther}
          aria-label={t('Kind')}
          placeholder={t('Every kind')}
          clearable
          value={kind === '' ? null : kind}
          onChange={(value) => change('kind', value ?? '')}
          data={(query.data?.kinds ?? []).map((name) => ({ value: name, label: titleOf(name) }))}
        />
        <Select
          {...besideEachOther}
          aria-label={t('Status')}
          placeholder={t('Any status')}
          clearable
          value={status ?? null}
          onChange={(value) => change('status', value ?? '')}
          data={statuses.map((value) => ({ value, label: t(statusLabels[value]) }))}
        />
        <Select
          {...besideEachOther}
          aria-label={t('Period')}
          placeholder={t('Any time')}
          clearable
          value={periods.includes(days) ? String(days) : null}
          onChange={(value) => change('days', value ?? '')}
          data={periods.map((value) => ({
            value: String(value),
            label: t('{days, plural, one {Last day} other {Last # days}}', { days: value }),
          }))}
        />
      </Group>
      <Loaded query={query}>
        {({ transactions, total, more }) =>
          total === 0 ? (
            <EmptyState
              icon={IconHistory}
              title={t('No transactions yet')}
              text={t('What somebody asks for and others decide stands here from its beginning.')}
            />
          ) : (
            <Section>
              <Text size="sm" c="dimmed" role="status">
                {more
                  ? t('More than {count} transactions', { count: total })
                  : t('{count, plural, one {# transaction} other {# transactions}}', { count: total })}
              </Text>
              <ul className={classes['items']}>
                {transactions.map((one) => (
                  <li key={`${one.kind} ${one.transactionId}`} className={classes['item']}>
                    <OneTransaction transaction={one} kind={titleOf(one.kind)} />
                  </li>
                ))}
              </ul>
              {total > size && (
                <Pagination
                  size="sm"
                  total={Math.ceil(total / size)}
                  value={page}
                  onChange={(to) => change('page', String(to))}
                  getControlProps={controlLabel}
                  getItemProps={(at) => ({ 'aria-label': t('Page {page}', { page: at }) })}
                />
              )}
              {transactions.length === 0 && page > 1 && (
                <Button variant="default" size="xs" onClick={() => change('page', '')}>
                  {t('First page')}
                </Button>
              )}
            </Section>
          )
        }
      </Loaded>
    </Page>
  )
}

const controlLabel = (control: 'first' | 'previous' | 'last' | 'next') => ({
  'aria-label': { first: t('First page'), previous: t('Previous page'), next: t('Next page'), last: t('Last page') }[control],
})

function OneTransaction({ transaction, kind }: { transaction: Transaction; kind: string }) {
  const { title, link, status, by, startedAt, endedAt, steps } = transaction
  return (
    <>
      <Group justify="space-between" gap="xs" align="start">
        <div className={classes['what']}>
          {link === undefined ? <Text>{title}</Text> : <TextLink to={link}>{title}</TextLink>}
          <Text size="sm" c="dimmed">
            {kind} · {by} · <DateTime at={startedAt} />
            {endedAt !== undefined && (
              <>
                {' – '}
                <DateTime at={endedAt} />
              </>
            )}
          </Text>
        </div>
        <Status of={status === 'waiting' ? 'pending' : status} label={t(statusLabels[status])} />
      </Group>
      <Fold label={t('Steps')} says={t('{count, plural, one {# step} other {# steps}}', { count: steps.length })}>
        <ol className={classes['steps']}>
          {steps.map(({ at, what, by: whose, outcome }) => (
            <li key={`${at} ${what}`}>
              <DateTime at={at} /> · {t(what)} · {whose}
              {outcome !== 'done' && <> · {outcome === 'refused' ? t('Refused') : t('Failed')}</>}
            </li>
          ))}
        </ol>
      </Fold>
    </>
  )
}
