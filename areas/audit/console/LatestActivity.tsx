// The newest events of the tenancy, as they happen. Their rows come after the page: the names of all events would be a sixth of what it loads.

import { lazy, Suspense } from 'react'
import { useMay } from '#core/console/bootstrap.ts'
import { HomeCard } from '#core/console/kit/HomeCard.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { audit } from '../contract.ts'
import classes from './LatestActivity.module.css'

const ActivityRows = lazy(async () => ({ default: (await import('./ActivityRows.island.tsx')).ActivityRows }))

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
            <Suspense fallback={<Reserved rows={Math.min(rows.length, mostShown)} />}>
              <ActivityRows rows={rows.slice(0, mostShown)} />
            </Suspense>
            {may('audit', 'View') && <TextLink to={to(audit.screens.dashboard)}>{t('Open the audit log')}</TextLink>}
          </HomeCard>
        )
      }
    </Loaded>
  )
}

/** The height of the rows, so that nothing moves when they come. */
const Reserved = ({ rows }: { rows: number }) => (
  <ul className={classes['rows']} aria-hidden>
    {Array.from({ length: rows }, (_, at) => (
      <li key={at} className={classes['row']}>
        &nbsp;
      </li>
    ))}
  </ul>
)
