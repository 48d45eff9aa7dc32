// Bars, side by side where there are several series. Each is a link to the list that it counts, with its number and words, so that a reader hears the same as is
// seen; the table below says it once more. Colours are the tones of the product, in light and dark.

import { Link } from 'react-router'
import { inSentence, t } from '../text.ts'
import { ChartDetails, ChartKey } from './chart-parts.tsx'
import type { Bar, BarGroup } from './chart-points.ts'
import classes from './charts.module.css'

type BarChartProps = {
  label: string
  /** What the places on the axis are: "Week from". */
  axis: string
  groups: readonly BarGroup[]
  /** The name of each so-manieth place stands below it. */
  every?: number
}

export function BarChart({ label, axis, groups, every = 1 }: BarChartProps) {
  const most = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ count }) => count)))
  const series = groups[0]?.bars ?? []
  return (
    <div className={classes['frame']}>
      {series.length > 1 && <ChartKey series={series} />}
      <ol
        className={classes['bars']}
        aria-label={label}
        data-series={series.length}
        data-crowded={groups.length / every > crowded || undefined}
      >
        {groups.map(({ key, name: at, short, bars }, place) => (
          <li key={key} className={classes['bar']}>
            <div className={classes['pair']}>
              {bars.map((bar) => (
                <OneBar
                  key={bar.name}
                  bar={bar}
                  share={bar.count / most}
                  says={t('{name}, {axis} {at}: {count}', { name: bar.name, axis: inSentence(axis), at, count: bar.text })}
                />
              ))}
            </div>
            <div className={classes['axis']} aria-hidden>
              <span>{place % every === 0 ? short : ''}</span>
            </div>
          </li>
        ))}
      </ol>
      <ChartDetails label={label} axis={axis} groups={groups} />
    </div>
  )
}

/** So many names fit below the bars on a telephone; more of them stand upright. */
const crowded = 6

function OneBar({ bar, share, says }: { bar: Bar; share: number; says: string }) {
  const fill = (
    <span
      className={classes['fill']}
      data-tone={bar.tone}
      {...(bar.count === 0 ? { 'data-empty': true } : {})}
      style={{ height: `${Math.round(share * 82)}%` }}
    />
  )
  if (bar.count === 0 || bar.path === '')
    return (
      <span className={classes['link']} role="img" aria-label={says}>
        {bar.count > 0 && <span className={classes['value']}>{bar.text}</span>}
        {fill}
      </span>
    )
  return (
    <Link to={bar.path} className={classes['link'] ?? ''} aria-label={says} title={says}>
      <span className={classes['value']}>{bar.text}</span>
      {fill}
    </Link>
  )
}
