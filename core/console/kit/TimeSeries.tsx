// A number over time as a line, with bands that say what is usual. Each point is a link to the list that it counts, reached by Tab; the table says it once more.

import { Link } from 'react-router'
import { inSentence, t } from '../text.ts'
import { ChartDetails, ChartKey } from './chart-parts.tsx'
import type { Tone } from './chart-points.ts'
import classes from './charts.module.css'

export type SeriesPoint = { key: string; name: string; short: string; count: number; text: string; path: string }
/** From one value to another, over the whole width: what is usual, what is too much. */
export type Band = { name: string; tone: Tone; from: number; to: number }

type TimeSeriesProps = {
  label: string
  /** What the places on the axis are: "Week from". */
  axis: string
  /** What is counted: "Issued". */
  name: string
  tone: Tone
  points: readonly SeriesPoint[]
  bands?: readonly Band[]
  every?: number
}

/** The picture's own units. Its points lie over it in per cent, so that it can be stretched. */
const [width, height] = [100, 100]

export function TimeSeries({ label, axis, name, tone, points, bands = [], every = 1 }: TimeSeriesProps) {
  const most = Math.max(1, ...points.map(({ count }) => count), ...bands.map(({ to }) => to))
  const x = (at: number) => ((at + 0.5) / Math.max(1, points.length)) * width
  const y = (count: number) => height - (Math.min(count, most) / most) * height
  return (
    <div className={classes['frame']}>
      <ChartKey series={[{ name, tone }, ...bands]} />
      <div className={classes['plot']}>
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden>
          {bands.map(({ name: band, tone: of, from, to }) => (
            <rect key={band} x={0} width={width} y={y(to)} height={y(from) - y(to)} fill={`var(--chancery-${of})`} opacity={0.14} />
          ))}
          <polyline
            points={points.map(({ count }, at) => `${x(at)},${y(count)}`).join(' ')}
            fill="none"
            stroke={`var(--chancery-${tone})`}
            strokeWidth={2}
            vectorEffect="non-scaling-stroke"
          />
        </svg>
        <ol className={classes['points']} aria-label={label}>
          {points.map(({ key, name: at, short, count, text, path }, place) => {
            const says = t('{name}, {axis} {at}: {count}', { name, axis: inSentence(axis), at, count: text })
            const dot = (
              <>
                <span className={classes['dot']} data-tone={tone} style={{ insetBlockStart: `${y(count)}%` }} />
                <span className={classes['reading']} style={{ insetBlockStart: `${y(count)}%` }} aria-hidden>
                  {text}
                </span>
              </>
            )
            return (
              <li key={key}>
                {count === 0 ? (
                  <span className={classes['column']} role="img" aria-label={says}>
                    {dot}
                  </span>
                ) : (
                  <Link to={path} className={classes['column'] ?? ''} aria-label={says} title={says}>
                    {dot}
                  </Link>
                )}
                <span className={classes['below']} aria-hidden>
                  {place % every === 0 ? short : ''}
                </span>
              </li>
            )
          })}
        </ol>
      </div>
      <ChartDetails
        label={label}
        axis={axis}
        groups={points.map(({ key, name: at, short, count, text, path }) => ({
          key,
          name: at,
          short,
          bars: [{ name, tone, count, text, path }],
        }))}
      />
    </div>
  )
}
