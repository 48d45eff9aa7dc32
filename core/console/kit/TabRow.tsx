// One row of tabs, whatever they open: other addresses (`LinkTabs`), or the parts of a page (`PartTabs`). Those that find no room are behind "More".

import { UnstyledButton } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { Suspense, useId, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { Link } from 'react-router'
import { t } from '../text.ts'
import { useFittingTabs } from './fitting-tabs.ts'
import { lazyPanel, usePanel } from './panel-button.ts'
import classes from './TabRow.module.css'

type Tab = { key: string; label: string }
type LinkTab = Tab & { to: string }
type PartTab = Tab & { content: () => ReactNode }

export function LinkTabs({ label, tabs, open }: { label: string; tabs: readonly LinkTab[]; open: string | undefined }) {
  const { row, shown, more } = useRow(tabs, open, ({ to }) => ({ to }))
  return (
    <nav className={classes['row']} aria-label={label} ref={row}>
      {shown.map(({ key, label: word, to }) => (
        <Link
          key={key}
          to={to}
          className={classes['tab'] ?? ''}
          data-tab={key}
          {...(key === open ? { 'aria-current': 'page' as const } : {})}
        >
          {word}
        </Link>
      ))}
      {more}
    </nav>
  )
}

/** With what the open tab shows, below. The arrow keys go from tab to tab. */
export function PartTabs({ tabs, open, choose }: { tabs: readonly PartTab[]; open: string; choose: (key: string) => void }) {
  const id = useId()
  const { row, shown, more } = useRow(tabs, open, ({ key }) => ({ onClick: () => choose(key) }))
  return (
    <div>
      <div className={classes['row']} data-parts ref={row}>
        <div role="tablist" className={classes['list']}>
          {shown.map(({ key, label }) => (
            <UnstyledButton
              key={key}
              id={`${id}${key}`}
              role="tab"
              className={classes['tab']}
              data-tab={key}
              aria-selected={key === open}
              {...(key === open ? { 'aria-controls': `${id}part` } : { tabIndex: -1 })}
              onClick={() => choose(key)}
              onKeyDown={step}
            >
              {label}
            </UnstyledButton>
          ))}
        </div>
        {more}
      </div>
      <div key={open} role="tabpanel" id={`${id}part`} aria-labelledby={`${id}${open}`}>
        {tabs.find(({ key }) => key === open)?.content()}
      </div>
    </div>
  )
}

const steps: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at, count) => (at + 1) % count,
  Home: () => 0,
  End: () => -1,
}

function step(event: KeyboardEvent<HTMLElement>): void {
  const to = steps[event.key]
  if (to === undefined) return
  const tabs = [...(event.currentTarget.parentElement?.children ?? [])].filter((tab) => tab instanceof HTMLElement)
  const next = tabs.at(to(tabs.indexOf(event.currentTarget), tabs.length))
  event.preventDefault()
  next?.focus()
  next?.click()
}

type Opens = { to: string } | { onClick: () => void }

function useRow<T extends Tab>(tabs: readonly T[], open: string | undefined, opens: (tab: T) => Opens) {
  const row = useRef<HTMLDivElement>(null)
  const { measuring, shown } = useFittingTabs(
    row,
    tabs.map(({ key }) => key),
    open,
    tabs.map(({ label }) => label).join('\n'),
  )
  const rest = tabs.filter(({ key }) => !shown.includes(key))
  return {
    row,
    shown: tabs.filter(({ key }) => shown.includes(key)),
    more: (measuring || rest.length > 0) && <MoreTabs tabs={rest.map((tab) => ({ label: tab.label, ...opens(tab) }))} />,
  }
}

const load = () => import('./RowMenu.tsx')
const RowMenu = lazyPanel(load)

function MoreTabs({ tabs }: { tabs: readonly ({ label: string } & Opens)[] }) {
  const { panel, target, wanted } = usePanel(load)
  return (
    <>
      <UnstyledButton className={classes['tab']} data-more {...target} aria-haspopup="menu">
        {t('More')}
        <IconChevronDown size={14} aria-hidden />
      </UnstyledButton>
      {wanted && (
        <Suspense>
          <RowMenu panel={panel} actions={tabs} />
        </Suspense>
      )}
    </>
  )
}
