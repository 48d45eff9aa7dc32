// The views of a list as tabs below its title, in place of those of its entry (`Page`'s `views`): the product's own, those of the screens beside it, and those
// that the person has saved. A view is an address, so each tab is a link.

import { useLocation } from 'react-router'
import { usePreference } from '../preferences.ts'
import { inSentence, t } from '../text.ts'
import { LinkTabs } from './TabRow.tsx'

/** `query` is what the address holds besides, and tells two views of one list apart. */
export type ListView = { key: string; label: string; to: string; query?: Readonly<Record<string, string>> }

export function ViewTabs({ listKeys, label, views }: { listKeys: readonly string[]; label: string; views: readonly ListView[] }) {
  const saved = usePreference('views')
  const own = listKeys.flatMap((key) => saved[key] ?? [])
  const { pathname, search } = useLocation()
  const here = plain(search)
  const tabs = [
    ...views.map(({ key, label: word, to, query = {} }) => ({
      key,
      label: word,
      to: withQuery(to, new URLSearchParams(query)),
      open: to === pathname && plain(`?${new URLSearchParams(query)}`) === here,
    })),
    ...own.map(({ name, path, query }) => ({
      key: `own ${name}`,
      label: name,
      to: path + query,
      open: path === pathname && plain(query) === here,
    })),
  ]
  return <LinkTabs label={t('Views of {label}', { label: inSentence(label) })} tabs={tabs} open={tabs.findLast((tab) => tab.open)?.key} />
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
