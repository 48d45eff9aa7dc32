// One authority as both pictures show it: what it is, whether it is well, and its certificates by status, each number a link to its list.

import { Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import { authorities } from '#areas/authorities/contract.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import type { visualiser } from '../contract.ts'
import { countedStatuses, countTexts } from '../rules.ts'
import classes from './visualiser.module.css'

export type AuthorityNode = OutputOf<typeof visualiser.calls.graph>['nodes'][number]

export function AuthorityCard({ node }: { node: AuthorityNode }) {
  const { caId, label, kind, status, revoked, issuing, key, notAfter, certificates } = node
  const awaited = kind === 'outside' && caId !== undefined && notAfter === undefined
  const counted = countedStatuses.filter((one) => certificates[one] > 0)
  return (
    <div className={classes['card']} title={node.subject} data-outside={caId === undefined || undefined}>
      <Group gap="xs" justify="space-between" wrap="nowrap" className={classes['head'] ?? ''}>
        {caId === undefined ? (
          <Text fw={600} truncate>
            {label}
          </Text>
        ) : (
          <TextLink fw={600} truncate underline="hover" to={to(authorities.screens.manage, { id: caId })}>
            {label}
          </TextLink>
        )}
        {status !== undefined && (
          <Status of={revoked ? 'revoked' : status} {...(awaited && !revoked ? { label: t('Waiting for its certificate') } : {})} />
        )}
      </Group>
      <Text size="xs" c="dimmed" truncate>
        {caId === undefined
          ? key === ''
            ? t('Not ours')
            : t('Not ours · {key}', { key })
          : kind === 'offline'
            ? t('{key} · offline', { key })
            : issuing
              ? key
              : t('{key} · issuing off', { key })}
        {notAfter !== undefined && (
          <>
            {' · '}
            {t('until')} <DateTime at={notAfter} dateOnly />
          </>
        )}
      </Text>
      {counted.length === 0 && caId !== undefined && (
        <Text size="xs" c="dimmed">
          {t('Nothing issued to holders')}
        </Text>
      )}
      {counted.length > 0 && (
        <Group gap="xs" className={classes['counts'] ?? ''}>
          {counted.map((one) => (
            <Link key={one} data-status={one} to={to(searchScreen, { searchType: 'certificate' }, { caId: caId ?? '', status: one })}>
              {t(countTexts[one], { count: certificates[one] })}
            </Link>
          ))}
        </Group>
      )}
    </div>
  )
}
