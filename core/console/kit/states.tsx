// What a place shows when it has nothing to show: first use, no results, a failure, still loading.

import { Alert, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconError404, IconInbox, type Icon } from '@tabler/icons-react'
import { useEffect, useState, type ReactNode } from 'react'
import { notAnId } from '../../contract/faults.ts'
import type { CallFault } from '../call-fault.ts'
import type { CallQuery } from '../queries.ts'
import { t } from '../text.ts'
import { AskForHelp } from './AskForHelp.tsx'
import { Copy } from './Copy.tsx'
import { TextLink } from './links.tsx'

export type EmptyStateProps = {
  title: string
  /** What this is for, in one or two sentences. */
  text?: ReactNode
  /** One action: a Button or a LinkButton. */
  action?: ReactNode
  icon?: Icon
}

export function EmptyState({ title, text, action, icon: Icon = IconInbox }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      <Icon size={32} stroke={1.4} aria-hidden color="var(--chancery-quiet)" />
      <Title order={2} size="h3">
        {title}
      </Title>
      {text !== undefined && (
        <Text c="dimmed" maw={480}>
          {text}
        </Text>
      )}
      {action}
    </Stack>
  )
}

/** A failure beside the thing that failed: what happened, the call's title, a reference that can be copied. */
export function FaultAlert({ fault, action }: { fault: CallFault | undefined; action?: ReactNode }) {
  if (fault === undefined || fault.code === 'cancelled') return null
  // A fault of one field says the same for itself and for the field.
  const besides = [...new Set(fault.fields.map(({ says }) => says))].filter((says) => says !== fault.says)
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={fault.title === '' ? undefined : fault.title}
    >
      <Stack gap="xs" align="flex-start">
        <Text inherit>{fault.says}</Text>
        {fault.retrySeconds !== undefined && (
          <Text inherit>
            {fault.retrySeconds < 90
              ? t('Try again in {count, plural, one {# second} other {# seconds}}.', { count: fault.retrySeconds })
              : t('Try again in {count} minutes.', { count: Math.ceil(fault.retrySeconds / 60) })}
          </Text>
        )}
        {besides.length > 0 && (
          <ul style={{ margin: 0, paddingInlineStart: 18 }}>
            {besides.map((says) => (
              <li key={says}>{says}</li>
            ))}
          </ul>
        )}
        {fault.reference !== undefined && !fault.isExpected && <Reference id={fault.reference} />}
        {action}
      </Stack>
    </Alert>
  )
}

function Reference({ id }: { id: string }) {
  return (
    <Group gap={4}>
      <Text size="xs">{t('Reference {id}', { id })}</Text>
      <Copy value={id} label={t('Reference')} />
    </Group>
  )
}

/** Stands where a page or a list would stand, with the way to try again. */
export function ErrorState({ fault, retry }: { fault: CallFault; retry?: () => void }) {
  return (
    <Stack py="md" maw={640}>
      <FaultAlert
        fault={fault}
        action={
          <>
            {retry !== undefined && (
              <Button size="xs" variant="default" onClick={retry}>
                {t('Try again')}
              </Button>
            )}
            <AskForHelp />
          </>
        }
      />
    </Stack>
  )
}

/** So long nothing is shown of what is on its way: neither a skeleton nor, when the console starts, a page that lacks it. */
export const patienceMilliseconds = 200

/** True once `waiting` has lasted so long: what loads faster shows no skeleton. */
export function useSlow(waiting: boolean, milliseconds = patienceMilliseconds): boolean {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    if (!waiting) return setSlow(false)
    const timer = setTimeout(() => setSlow(true), milliseconds)
    return () => clearTimeout(timer)
  }, [waiting, milliseconds])
  return waiting && slow
}

export function LoadingState({ lines = 4 }: { lines?: number }) {
  const slow = useSlow(true)
  return (
    <Stack gap="sm" role="status" aria-label={t('Loading')} mih={120}>
      {slow && Array.from({ length: lines }, (_, at) => <Skeleton key={at} height={16} width={at === lines - 1 ? '60%' : '100%'} />)}
    </Stack>
  )
}

/** An id in the address that is none means the same as one that nobody has. */
const isWrongAddress = ({ code, fields }: CallFault): boolean =>
  code === 'invalid' && fields.length > 0 && fields.every((field) => field.code === notAnId)

const NothingHere = () => (
  <EmptyState
    icon={IconError404}
    title={t('Page Not Found')}
    text={t('Sorry, the page you requested was not found.')}
    action={<TextLink to="/home">{t('Go to Home')}</TextLink>}
  />
)

/** A query's answer, or what stands in its place: `<Loaded query={query}>{(card) => ...}</Loaded>`. */
export function Loaded<T>({ query, children, lines }: { query: CallQuery<T>; children: (answer: T) => ReactNode; lines?: number }) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.error !== null)
    return isWrongAddress(query.error) ? <NothingHere /> : <ErrorState fault={query.error} retry={() => void query.refetch()} />
  return <LoadingState {...(lines === undefined ? {} : { lines })} />
}
