// The rows of the newest events, with what each event is called.

import { Text } from '@mantine/core'
import { relativeTime } from '#core/console/kit/DateTime.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { audit } from '../contract.ts'
import { eventLabels } from '../event-labels.ts'
import { actorWord } from './actor-word.ts'
import classes from './LatestActivity.module.css'

type Rows = OutputOf<(typeof audit)['calls']['recent']>['rows']

export const ActivityRows = ({ rows }: { rows: Rows }) => (
  <ol className={classes['rows']}>
    {rows.map(({ id, at, actor, area, name, outcome, times }) => (
      <li key={id} className={classes['row']}>
        <span>
          {eventLabels(area, name)}{' '}
          <Text span c="dimmed">
            {times === 1 ? actorWord(actor) : t('{actor}, {times} times', { actor: actorWord(actor), times: formatNumber(times) })}
          </Text>
        </span>
        <Text span size="sm" c="dimmed" className={classes['state']}>
          {outcome !== 'done' && <Status of={outcome} />}
          <time dateTime={at}>{relativeTime(at)}</time>
        </Text>
      </li>
    ))}
  </ol>
)
