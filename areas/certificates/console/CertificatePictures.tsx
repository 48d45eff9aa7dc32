// How the certificates stand, as numbers and bars. Each leads to the list that it counts.

import { Stack } from '@mantine/core'
import { useMay } from '#core/console/bootstrap.ts'
import { BarChart } from '#core/console/kit/BarChart.tsx'
import type { Tone } from '#core/console/kit/chart-points.ts'
import { dayText } from '#core/console/kit/day-text.ts'
import { NumberTiles } from '#core/console/kit/NumberTiles.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { TimeSeries } from '#core/console/kit/TimeSeries.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to, type Query } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { certificates } from '../contract.ts'
import { usualBand } from '../weeks.ts'
import classes from './pictures.module.css'

type Counted = OutputOf<typeof certificates.calls.pictures>

const inventory = (query: Query): string => to(searchScreen, { searchType: 'certificate' }, query)
const counted = ({ count, more }: { count: number; more: boolean }): string => formatNumber(count) + (more ? '+' : '')

/** Nothing is shown before the first certificate: until then the first steps say what to do. */
export function CertificatePictures() {
  const may = useMay()
  return may('certView') && may('search', 'View') ? <Pictures /> : null
}

function Pictures() {
  const query = useCall(certificates.calls.pictures, {})
  return (
    <Loaded query={query}>
      {(pictures) =>
        pictures.statuses.every(({ count }) => count === 0) ? null : (
          <Stack gap="md">
            <Statuses statuses={pictures.statuses} />
            <div className={classes['panels']}>
              <Ending ending={pictures.ending} />
              <History history={pictures.history} />
            </div>
          </Stack>
        )
      }
    </Loaded>
  )
}

function Statuses({ statuses }: Pick<Counted, 'statuses'>) {
  return (
    <NumberTiles
      label={t('Certificates by status')}
      tiles={statuses
        .filter(({ status, count }) => (status !== 'pending' && status !== 'onHold') || count > 0)
        .map(({ status, count, more }) => ({
          key: status,
          count,
          more,
          says: <Status of={status} {...(status === 'pending' ? { label: t('Not valid yet') } : {})} />,
          path: inventory({ status: [status] }),
        }))}
    />
  )
}

const week = (from: string) => ({ key: from, name: dayText(from, 'full'), short: dayText(from, 'short') })

const urgentWeeks = 1
const soonWeeks = 4

function Ending({ ending }: Pick<Counted, 'ending'>) {
  if (ending.every(({ count }) => count === 0)) return null
  return (
    <Section title={t('Ending soon')} intro={t('Certificates that end in each of the next twelve weeks')}>
      <BarChart
        axis={t('Week from')}
        every={3}
        label={t('Certificates that end, by week')}
        groups={ending.map(({ from, span, ...count }, at) => ({
          ...week(from),
          bars: [
            {
              name: t('Ending'),
              tone: at < urgentWeeks ? 'bad' : at < soonWeeks ? 'warn' : 'wait',
              count: count.count,
              text: counted(count),
              path: inventory({ ends: span, sort: 'notAfter', direction: 'asc' }),
            },
          ],
        }))}
      />
    </Section>
  )
}

function History({ history }: Pick<Counted, 'history'>) {
  if (history.every(({ issued, revoked }) => issued.count === 0 && revoked.count === 0)) return null
  return (
    <Section title={t('Issued and revoked')} intro={t('In each of the last twelve weeks, with what half of the weeks were like')}>
      <div className={classes['pair']}>
        <Over
          history={history}
          name={t('Issued')}
          tone="good"
          label={t('Certificates issued, by week')}
          of={({ span, issued }) => ({ ...issued, path: inventory({ issued: span }) })}
        />
        <Over
          history={history}
          name={t('Revoked')}
          tone="bad"
          label={t('Certificates revoked, by week')}
          of={({ span, revoked }) => ({ ...revoked, path: inventory({ revoked: span }) })}
        />
      </div>
    </Section>
  )
}

type Week = Counted['history'][number]
type OverProps = {
  history: readonly Week[]
  name: string
  tone: Tone
  label: string
  of: (week: Week) => Week['issued'] & { path: string }
}

function Over({ history, name, tone, label, of }: OverProps) {
  const points = history.map((one) => {
    const { path, ...count } = of(one)
    return { ...week(one.from), count: count.count, text: counted(count), path }
  })
  // The week that still runs says nothing of what is usual.
  const band = usualBand(points.slice(0, -1).map(({ count }) => count))
  return (
    <TimeSeries
      label={label}
      axis={t('Week from')}
      every={4}
      name={name}
      tone={tone}
      points={points}
      bands={band === undefined ? [] : [{ name: t('Usual'), tone: 'quiet', ...band }]}
    />
  )
}
