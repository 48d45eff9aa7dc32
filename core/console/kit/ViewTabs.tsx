// The views of a list as tabs below its title: the product's own, and beside them those that the person has saved. A view is an address of the list, so each tab is a link.

import { Link, useLocation } from 'react-router'
import { usePreference } from '../preferences.ts'
import { t } from '../text.ts'
import classes from './ViewTabs.module.css'

/** `query` is what the list's address holds; `to` leads to another list. */
export type ListView = { key: string; label: string } & (
  | { query: Readonly<Record<string, string>>; to?: never }
  | { to: string; query?: never }
)

export function ViewTabs({ listKey, label, views }: { listKey: string; label: string; views: readonly ListView[] }) {
  const own = usePreference('views')[listKey] ?? []
  const { pathname, search } = useLocation()
  const here = plain(search)
  const tabs = [
    ...views.map((view) => ({
      key: view.key,
      label: view.label,
      to: view.to ?? withQuery(pathname, new URLSearchParams(view.query)),
      open: view.to === undefined && plain(`?${new URLSearchParams(view.query)}`) === here,
    })),
    ...own.map(({ name, path, query }) => ({
      key: `own ${name}`,
      label: name,
      to: path + query,
      open: path === pathname && plain(query) === here,
    })),
  ]
  const open = tabs.findLast((tab) => tab.open)
  return (
    <nav className={classes['tabs']} aria-label={t('Views of {label}', { label: label.toLowerCase() })}>
      {tabs.map((tab) => (
        <Link key={tab.key} to={tab.to} className={classes['tab'] ?? ''} {...(tab === open ? { 'aria-current': 'page' as const } : {})}>
          {tab.label}
        </Link>
      ))}
    </nav>
  )
}

const withQuery = (path: string, query: URLSearchParams): string => (query.size === 0 ? path : `${path}?${query}`)

/** What a view is known by: not the page that is turned to, nor how many rows it has. */
function plain(search: string): string {
  const query = new URLSearchParams(search)
  query.delete('page')
  query.delete('size')
  query.sort()
  return query.toString()
}
