// How the certificates stand, as numbers and bars. Each leads to the list that it counts.

import { Text } from '@mantine/core'
import { Link } from 'react-router'
import { to, type Query } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { Status } from '#core/console/kit/Status.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { home } from '../contract.ts'
import { Bars } from './Bars.tsx'
import classes from './home.module.css'

type Pictures = OutputOf<typeof home.calls.certificates>

const inventory = (query: Query): string => to(searchScreen, { searchType: 'certificate' }, query)
const counted = ({ count, more }: { count: number; more: boolean }): string => formatNumber(count) + (more ? '+' : '')

const usePictures = () => useCall(home.calls.certificates, {})

export function Statuses() {
  return (
    <Loaded query={usePictures()} lines={2}>
      {({ statuses }) => (
        <ul className={classes['tiles']} aria-label={t('Certificates by status')}>
          {statuses.map((one) => (
            <li key={one.status}>
              <Link to={inventory({ status: [one.status] })} className={classes['tile'] ?? ''}>
                <span className={classes['number']}>{counted(one)}</span>
                <Status of={one.status} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  )
}

const urgentWeeks = 1
const soonWeeks = 4

export function Ending() {
  return (
    <Loaded query={usePictures()}>
      {({ ending }) =>
        ending.every(({ count }) => count === 0) ? (
          <Text c="dimmed">{t('Nothing ends in the next twelve weeks.')}</Text>
        ) : (
          <Bars
            label={t('Certificates that end, by week')}
            weeks={ending.map(({ from, span, ...count }, at) => ({
              from,
              bars: [{ name: t('Ending'), tone: at < urgentWeeks ? 'bad' : at < soonWeeks ? 'warn' : 'wait', count: count.count, text: counted(count), path: inventory({ ends: span, sort: 'notAfter', direction: 'asc' }) }],
            }))}
          />
        )
      }
    </Loaded>
  )
}

const isEmpty = ({ issued, revoked }: Pictures['history'][number]): boolean => issued.count === 0 && revoked.count === 0

export function History() {
  return (
    <Loaded query={usePictures()}>
      {({ history }) =>
        history.every(isEmpty) ? (
          <Text c="dimmed">{t('Nothing was issued or revoked in the last twelve weeks.')}</Text>
        ) : (
          <Bars
            label={t('Certificates issued and revoked, by week')}
            weeks={history.map(({ from, span, issued, revoked }) => ({
              from,
              bars: [
                { name: t('Issued'), tone: 'good', count: issued.count, text: counted(issued), path: inventory({ issued: span }) },
                { name: t('Revoked'), tone: 'bad', count: revoked.count, text: counted(revoked), path: inventory({ revoked: span }) },
              ],
            }))}
          />
        )
      }
    </Loaded>
  )
}
