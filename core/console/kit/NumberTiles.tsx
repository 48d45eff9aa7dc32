// Numbers beside each other, each a link to the list that it counts; where there is none to see, only the number.

import { Link } from 'react-router'
import { formatNumber } from '../text.ts'
import classes from './NumberTiles.module.css'

/** `path` is left out where the viewer may not see the list, or nothing is in it. */
export type NumberTile = { key: string; count: number; says: string; path?: string | undefined }

export function NumberTiles({ label, tiles }: { label: string; tiles: readonly NumberTile[] }) {
  return (
    <ul className={classes['tiles']} aria-label={label}>
      {tiles.map(({ key, count, says, path }) => (
        <li key={key}>
          {path === undefined || count === 0 ? (
            <div className={classes['tile']}>
              <Inner count={count} says={says} />
            </div>
          ) : (
            <Link to={path} className={classes['tile'] ?? ''}>
              <Inner count={count} says={says} />
            </Link>
          )}
        </li>
      ))}
    </ul>
  )
}

function Inner({ count, says }: Pick<NumberTile, 'count' | 'says'>) {
  return (
    <>
      <span className={classes['number']}>{formatNumber(count)}</span> <span className={classes['says']}>{says}</span>
    </>
  )
}
