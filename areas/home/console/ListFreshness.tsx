// Each authority's newest revocation list: its number, how many entries, and when the next is due.

import { Text } from '@mantine/core'
import { to } from '#core/contract/paths.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { relativeTime } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { authorities } from '#areas/authorities/contract.ts'
import { home } from '../contract.ts'
import classes from './home.module.css'

export function ListFreshness() {
  const may = useMay()
  const query = useCall(home.calls.lists, {}, { refetchMilliseconds: 60_000 })
  return (
    <Loaded query={query}>
      {({ lists }) =>
        lists.length === 0 ? (
          <Text c="dimmed">{t('There is no authority yet that publishes one.')}</Text>
        ) : (
          <ul className={classes['rows']}>
            {lists.map(({ caId, caName, number, entries, nextUpdate, due }) => (
              <li key={caId} className={classes['row']}>
                <span>
                  {may('manageCAs', 'View') ? <TextLink underline="hover" to={to(authorities.screens.manage, { id: caId })}>{caName}</TextLink> : caName}{' '}
                  <Text span size="sm" c="dimmed">
                    {number === undefined ? t('not published yet') : t('list {number}, {entries, plural, one {# entry} other {# entries}}', { number, entries })}
                  </Text>
                </span>
                <span className={classes['state']}>
                  <Status of={number === undefined ? 'pending' : due ? 'warning' : 'active'} label={number === undefined ? t('Waiting') : due ? t('Due') : t('Fresh')} />
                  {nextUpdate !== undefined && (
                    <Text span size="sm" c="dimmed">
                      {t('next {when}', { when: relativeTime(nextUpdate) })}
                    </Text>
                  )}
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}
