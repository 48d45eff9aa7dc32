// What waits for the person, kind by kind, and what can be done about it where it stands.

import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconInbox } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { relativeTime } from '#core/console/kit/DateTime.tsx'
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
            counts.map(({ kind, count }) => (
              <Kind
                key={kind}
                kind={kinds?.find((one) => one.kind === kind)}
                name={kind}
                count={count}
                items={workflowItems.filter((item) => item.kind === kind)}
              />
            ))
          )
        }
      </Loaded>
    </Page>
  )
}

function Kind({ kind, name, count, items }: { kind: WorkKind | undefined; name: string; count: number; items: readonly Item[] }) {
  if (count === 0) return null
  const title = kind === undefined ? name : t(kind.title)
  if (count < 0)
    return (
      <Section title={title}>
        <Text c="dimmed">{t('This could not be read just now. The rest is complete.')}</Text>
      </Section>
    )
  const more = count - items.length
  return (
    <Section title={title}>
      <ul className={classes['items']}>
        {items.map((item) => (
          <li key={item.id} className={classes['item']}>
            <OneItem item={item} kind={kind} />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Text size="sm" c="dimmed">
          {count >= countedTo
            ? t('More than {count} wait. The next come as these are done.', { count: items.length })
            : t('{count} more come as these are done.', { count: more })}
        </Text>
      )}
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

  const act = async (action: (typeof actions)[number]): Promise<void> => {
    setBusy(true)
    const said = action.reasonField === undefined || reason.trim() === '' ? {} : { [action.reasonField]: reason.trim() }
    try {
      await dispatch(action.call, { ...action.input, ...said })
      toast({ kind: 'success', title: t('{action}: {title}', { action: t(action.label), title: item.title }) })
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
          <TextLink to={item.link}>{item.title}</TextLink>
          <Text size="sm" c="dimmed">
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
              aria-label={t('{action}: {title}', { action: t(action.label), title: item.title })}
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
