// Each authority's newest revocation list: its number, how many entries, and when the next is due.

import { Text } from '@mantine/core'
import { authorities } from '#areas/authorities/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { relativeTime } from '#core/console/kit/DateTime.tsx'
import { HomeCard } from '#core/console/kit/HomeCard.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { revocation } from '../contract.ts'
import classes from './ListFreshness.module.css'

export function ListFreshness() {
  const may = useMay()
  const query = useCall(revocation.calls.lists, {})
  return (
    <Loaded query={query}>
      {({ lists }) =>
        lists.length === 0 ? null : (
          <HomeCard>
            <ul className={classes['rows']}>
              {lists.map(({ caId, caName, number, entries, nextUpdate, due }) => (
                <li key={caId} className={classes['row']}>
                  <span>
                    {may('manageCAs', 'View') ? (
                      <TextLink underline="hover" to={to(authorities.screens.manage, { id: caId })}>
                        {caName}
                      </TextLink>
                    ) : (
                      caName
                    )}
                    <Text span display="block" size="sm" c="dimmed">
                      {number === undefined || nextUpdate === undefined
                        ? t('Not published yet')
                        : t('{entries, plural, one {# entry} other {# entries}}, next due {when}', {
                            entries,
                            when: relativeTime(nextUpdate),
                          })}
                    </Text>
                  </span>
                  <Status
                    of={number === undefined ? 'pending' : due ? 'warning' : 'active'}
                    label={number === undefined ? t('Waiting') : due ? t('Due') : t('Fresh')}
                  />
                </li>
              ))}
            </ul>
          </HomeCard>
        )
      }
    </Loaded>
  )
}
