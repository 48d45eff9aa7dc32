// Numbers beside each other, each a link to the list that it counts; where there is none to see, only the number.

import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { formatNumber } from '../text.ts'
import classes from './NumberTiles.module.css'

/** `path` is left out where the viewer may not see the list; what counts nothing is no link either. `more`: there are more than were counted. */
export type NumberTile = { key: string; count: number; more?: boolean; says: ReactNode; path?: string | undefined }

export function NumberTiles({ label, tiles }: { label: string; tiles: readonly NumberTile[] }) {
  return (
    <ul className={classes['tiles']} aria-label={label}>
      {tiles.map(({ key, path, ...inner }) => (
        <li key={key}>
          {path === undefined || inner.count === 0 ? (
            <div className={classes['tile']}>
              <Inner {...inner} />
            </div>
          ) : (
            <Link to={path} className={classes['tile'] ?? ''}>
              <Inner {...inner} />
            </Link>
          )}
        </li>
      ))}
    </ul>
  )
}

function Inner({ count, more = false, says }: Pick<NumberTile, 'count' | 'more' | 'says'>) {
  return (
    <>
      <span className={classes['number']}>{formatNumber(count) + (more ? '+' : '')}</span> <span className={classes['says']}>{says}</span>
    </>
  )
}
