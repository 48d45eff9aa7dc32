// The inventory: a tab for each kind of record, hosting the list that its room offers. Without a kind, everything is searched.

import { Suspense, useEffect } from 'react'
import { Link, Navigate, useLocation } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, LoadingState } from '#core/console/kit/states.tsx'
import { useLists, type RecordList } from '#core/console/rooms.ts'
import { t } from '#core/console/text.ts'
import { ownPages } from '#core/contract/pages.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { search } from '../contract.ts'
import { Everything } from './Everything.tsx'
import { keepAddress, lastAddress } from './last-addresses.ts'
import classes from './Search.module.css'

export function Search() {
  const may = useMay()
  const { pathname, search: query } = useLocation()
  const type = pathname.split('/')[2] ?? ''
  const lists = useLists()
  const open = lists.find(({ name }) => name === type)
  useEffect(() => keepAddress(type, query), [type, query])
  // Each list has a permission of its own; the search's holds there too.
  if (!may('search', 'View'))
    return <Navigate to={ownPages.denied} replace state={{ needs: 'search', title: search.screens.search.title }} />
  return (
    <>
      {(type === '' || open === undefined) && lists.length > 0 && (
        <nav className={classes['tabs']} aria-label={t('What to search')}>
          <Tab type="" label={t('Everything')} open={type === ''} />
          {lists.map(({ name, plural }) => (
            <Tab key={name} type={name} label={t(plural)} open={name === type} />
          ))}
        </nav>
      )}
      {type === '' ? <Everything /> : open === undefined ? <NoSuchList /> : <Hosted key={type} list={open} />}
    </>
  )
}

function Hosted({ list: { load: List } }: { list: RecordList }) {
  return (
    <Suspense fallback={<LoadingState />}>
      <List />
    </Suspense>
  )
}

function Tab({ type, label, open }: { type: string; label: string; open: boolean }) {
  return (
    <Link
      to={to(searchScreen, { searchType: type }) + lastAddress(type)}
      className={classes['tab'] ?? ''}
      {...(open ? { 'aria-current': 'page' as const } : {})}
    >
      {label}
    </Link>
  )
}

function NoSuchList() {
  return (
    <Page title={t('Search')}>
      <EmptyState
        title={t('There is no such list, or not for you')}
        text={t('Choose one of the others above, or ask your administrator for the permission to see these records.')}
      />
    </Page>
  )
}
