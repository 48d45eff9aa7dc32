// The newest events of the tenancy, as they happen.

import { Text } from '@mantine/core'
import { useMay } from '#core/console/bootstrap.ts'
import { relativeTime } from '#core/console/kit/DateTime.tsx'
import { HomeCard } from '#core/console/kit/HomeCard.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { audit } from '../contract.ts'
import { eventLabels } from '../event-labels.ts'
import classes from './LatestActivity.module.css'

/** As many as the cards beside it have rows. */
const mostShown = 7

export function LatestActivity() {
  const may = useMay()
  const query = useCall(audit.calls.recent, {})
  return (
    <Loaded query={query}>
      {({ rows }) =>
        rows.length === 0 ? null : (
          <HomeCard>
            <ol className={classes['rows']}>
              {rows.slice(0, mostShown).map(({ id, at, actor, area, name, outcome, times }) => (
                <li key={id} className={classes['row']}>
                  <span>
                    {eventLabels(area, name)}{' '}
                    <Text span c="dimmed">
                      {times === 1 ? actor : t('{actor}, {times} times', { actor, times: formatNumber(times) })}
                    </Text>
                  </span>
                  <Text span size="sm" c="dimmed" className={classes['state']}>
                    {outcome !== 'done' && <Status of={outcome} />}
                    <time dateTime={at}>{relativeTime(at)}</time>
                  </Text>
                </li>
              ))}
            </ol>
            {may('audit', 'View') && <TextLink to={to(audit.screens.dashboard)}>{t('Open the audit log')}</TextLink>}
          </HomeCard>
        )
      }
    </Loaded>
  )
}
