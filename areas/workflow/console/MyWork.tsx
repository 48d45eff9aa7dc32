// What waits for the person, kind by kind, and what can be done about it where it stands.

import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconInbox } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { relativeTime, withDates } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { queryClient } from '#core/console/query-client.ts'
import { offersTo, useOffers } from '#core/console/rooms.ts'
import { dispatch } from '#core/console/send.ts'
import { workKinds, type WorkKind } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { toast } from '#core/console/toasts.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { workflow } from '../contract.ts'
import { countedTo } from '../rules.ts'
import classes from './workflow.module.css'

type Item = OutputOf<typeof workflow.calls.items>['workflowItems'][number]

const everyMinute = 60_000

export function MyWork() {
  const offers = useOffers(workKinds)
  const { data: kinds } = useQuery({
    queryKey: ['workflow', 'kinds', offers.length],
    staleTime: Infinity,
    queryFn: async () => (await Promise.all(offersTo(workKinds).map((load) => load()))).flat(),
  })
  const query = useCall(workflow.calls.items, {}, { refetchMilliseconds: everyMinute })
  return (
    <Page title={t('My work')} intro={t('What waits for you. What is due first, or has waited longest, stands first.')}>
      <Loaded query={query}>
        {({ workflowItems, counts }) =>
          counts.every(({ count }) => count === 0) ? (
            <EmptyState
              icon={IconInbox}
              title={t('Nothing waits for you')}
              text={t('What others ask you to decide stands here as soon as they ask.')}
            />
          ) : (
            <Waiting items={workflowItems} counts={counts} kinds={kinds ?? []} />
          )
        }
      </Loaded>
    </Page>
  )
}

type WaitingProps = { items: readonly Item[]; counts: readonly { kind: string; count: number }[]; kinds: readonly WorkKind[] }

/** All kinds in one list, so that what has waited longest stands first whatever it is. */
function Waiting({ items, counts, kinds }: WaitingProps) {
  const kindOf = (name: string) => kinds.find(({ kind }) => kind === name)
  const titleOf = (name: string): string => t(kindOf(name)?.title ?? name)
  const unread = counts.filter(({ count }) => count < 0)
  const more = counts.flatMap(({ kind, count }) => {
    const shown = items.filter((item) => item.kind === kind).length
    return count > shown ? [{ kind, count, shown }] : []
  })
  return (
    <Section title={t('Waiting for me')}>
      {unread.map(({ kind }) => (
        <Text key={kind} c="dimmed">
          {t('{kind}: this could not be read just now. The rest is complete.', { kind: titleOf(kind) })}
        </Text>
      ))}
      <ul className={classes['items']}>
        {items.map((item) => (
          <li key={`${item.kind} ${item.id}`} className={classes['item']}>
            <OneItem item={item} kind={kindOf(item.kind)} />
          </li>
        ))}
      </ul>
      {more.map(({ kind, count, shown }) => (
        <Text key={kind} size="sm" c="dimmed">
          {count >= countedTo
            ? t('{kind}: more than {count} wait. The next come as these are done.', { kind: titleOf(kind), count: shown })
            : t('{kind}: {count} more come as these are done.', { kind: titleOf(kind), count: count - shown })}
        </Text>
      ))}
    </Section>
  )
}

function OneItem({ item, kind }: { item: Item; kind: WorkKind | undefined }) {
  const [open, setOpen] = useState<string>()
  const [reason, setReason] = useState('')
  const [busy, setBusy] = useState(false)
  const actions = item.actions.flatMap((action) => {
    const known = kind?.actions[action.name]
    return known === undefined ? [] : [{ ...action, ...known }]
  })
  const asked = actions.find(({ name }) => name === open)

  const title = withDates(item.title)

  const act = async (action: (typeof actions)[number]): Promise<void> => {
    if (action.asks !== undefined && !(await askBefore(action, title))) return
    setBusy(true)
    const said = action.reasonField === undefined || reason.trim() === '' ? {} : { [action.reasonField]: reason.trim() }
    try {
      await dispatch(action.call, { ...action.input, ...said })
      toast({ kind: 'success', title: t('{action}: {title}', { action: t(action.done), title }) })
    } catch (error) {
      toastFault(error, t(action.call.failed ?? 'This was not done'))
    } finally {
      setBusy(false)
      setOpen(undefined)
      // Also after a refusal: what stands here may be another's by now.
      for (const area of [action.call.area, 'workflow', 'home']) void queryClient.invalidateQueries({ queryKey: [area] })
    }
  }

  return (
    <Stack gap={8}>
      <Group justify="space-between" gap="xs" align="start">
        <div className={classes['what']}>
          <TextLink to={item.link}>{title}</TextLink>
          <Text size="sm" c="dimmed">
            {kind !== undefined && `${t(kind.one)} · `}
            {item.requestedBy === undefined
              ? relativeTime(item.since)
              : t('{person}, {when}', { person: item.requestedBy, when: relativeTime(item.since) })}
          </Text>
        </div>
        <Group gap="xs">
          {actions.map((action) => (
            <Button
              key={action.name}
              size="xs"
              variant={action.danger === true ? 'default' : 'light'}
              loading={busy && open === undefined}
              aria-label={t('{action}: {title}', { action: t(action.label), title })}
              aria-expanded={action.danger === true || action.needsReason ? open === action.name : undefined}
              onClick={() =>
                action.danger === true || action.needsReason ? setOpen(open === action.name ? undefined : action.name) : void act(action)
              }
            >
              {t(action.label)}
            </Button>
          ))}
        </Group>
      </Group>
      {asked !== undefined && (
        <Group align="end" gap="xs">
          <Textarea
            className={classes['reason']}
            label={t('Why')}
            description={t('Who asked reads it.')}
            maxLength={2000}
            autosize
            minRows={1}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Button size="xs" color="red" loading={busy} disabled={asked.needsReason && reason.trim() === ''} onClick={() => void act(asked)}>
            {t('Send')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

const askBefore = ({ label, asks = '' }: { label: string; asks?: string }, title: string): Promise<boolean> =>
  confirm({
    title: t('{action}: {title}', { action: t(label), title }),
    consequence: t(asks),
    action: t(label),
    keep: t('Not now'),
  })
