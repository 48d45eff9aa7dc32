// The picture of a subnet: each address, or each of 256 parts, as a cell. Arrow keys go from cell to cell; a cell opens its address or its part.

import { Group, Text } from '@mantine/core'
import { useRef, useState, type KeyboardEvent } from 'react'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { networks } from '../contract.ts'
import { bitsOf, type CellState } from '../rules.ts'
import classes from './SubnetMap.module.css'
import { shownWord } from './words.ts'

type Answer = OutputOf<typeof networks.calls.subnetMap>
type Cell = Answer['cells'][number]

const known = ['free', 'used', 'silent', 'reserved', 'unknown', 'conflict'] as const

/** What most needs to be seen of a cell. */
function shownOf({ conflict, seen, used, reserved, silent }: Cell): CellState {
  if (conflict > 0) return 'conflict'
  if (seen > 0) return 'unknown'
  if (used > 0) return 'used'
  if (silent > 0) return 'silent'
  return reserved > 0 ? 'reserved' : 'free'
}

const sizeOf = ({ from, prefixLength }: Cell): number => 2 ** (bitsOf(from.includes(':') ? 6 : 4) - prefixLength)
const single = (cell: Cell): boolean => sizeOf(cell) === 1
const nameOf = (cell: Cell): string => (single(cell) ? cell.from : `${cell.from}/${cell.prefixLength}`)

/** How full a part is, from 0 to 1. */
const fullness = (cell: Cell): number =>
  single(cell) ? 1 : Math.min(1, (cell.used + cell.silent + cell.reserved) / Math.min(sizeOf(cell), 256))

function says(cell: Cell): string {
  if (single(cell)) return [nameOf(cell), shownWord(shownOf(cell)), cell.name].filter((one) => one !== '').join(', ')
  return t('{cidr}: {used, number} used, {silent, number} silent, {reserved, number} reserved, {unknown, number} unknown', {
    cidr: nameOf(cell),
    used: cell.used,
    silent: cell.silent,
    reserved: cell.reserved,
    unknown: cell.seen,
  })
}

type Doing = { onZoom: (cidr: string) => void; onOpen: (address: string) => void }

export function SubnetMap({ space, cidr, ...doing }: { space: string; cidr: string } & Doing) {
  const query = useCall(networks.calls.subnetMap, { space, cidr }, { keepPrevious: true })
  return <Loaded query={query}>{(map) => <Picture key={map.cidr} map={map} {...doing} />}</Loaded>
}

function Picture({ map: { cells, cidr }, onZoom, onOpen }: { map: Answer } & Doing) {
  const box = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(0)
  const [opened, setOpened] = useState(false)
  const open = (cell: Cell) => (single(cell) ? onOpen(cell.from) : onZoom(nameOf(cell)))
  const move = (event: KeyboardEvent) => {
    const perRow = getComputedStyle(event.currentTarget).gridTemplateColumns.split(' ').length
    const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: perRow, ArrowUp: -perRow }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = Math.min(cells.length - 1, Math.max(0, at + step))
    setAt(next)
    box.current?.querySelectorAll<HTMLButtonElement>('button')[next]?.focus()
  }
  const told = cells.filter((cell) => shownOf(cell) !== 'free')
  return (
    <div>
      <Group gap="md" mb="xs">
        {known.map((state) => (
          <Text key={state} size="sm" c="dimmed">
            <span className={`${classes['cell']} ${classes['key']}`} data-shown={state} aria-hidden />
            {shownWord(state)}
          </Text>
        ))}
      </Group>
      {/* One stop of the Tab key; the arrow keys go through the cells. */}
      <div ref={box} role="toolbar" tabIndex={-1} aria-label={t('Map of {cidr}', { cidr })} className={classes['map']} onKeyDown={move}>
        {cells.map((cell, index) => (
          <button
            key={cell.from}
            type="button"
            className={classes['cell']}
            tabIndex={index === at ? 0 : -1}
            data-shown={shownOf(cell)}
            data-full={Math.ceil(fullness(cell) * 4)}
            title={says(cell)}
            aria-label={says(cell)}
            onFocus={() => setAt(index)}
            onClick={() => open(cell)}
          />
        ))}
      </div>
      <details style={{ marginBlockStart: 8 }} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
        <Text component="summary" size="sm" c="dimmed" style={{ cursor: 'pointer' }}>
          {t('As a table')}
        </Text>
        {opened && (
          <SmallTable
            label={t('Map of {cidr}', { cidr })}
            rows={told}
            rowId={({ from }) => from}
            columns={[
              { label: t('Address'), cell: nameOf },
              { label: t('Status'), cell: (cell) => shownWord(shownOf(cell)), aside: true },
              { label: t('Used'), align: 'end', cell: (cell) => formatNumber(cell.used) },
              { label: t('Silent'), align: 'end', cell: (cell) => formatNumber(cell.silent) },
              { label: t('Unknown'), align: 'end', cell: (cell) => formatNumber(cell.seen) },
            ]}
          />
        )}
      </details>
    </div>
  )
}
