// One search over every kind of record that the viewer may see.

import { Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { Link, useSearchParams } from 'react-router'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { recordDetail } from '#core/console/kit/record-detail.ts'
import { Section } from '#core/console/kit/Section.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useTypedText } from '#core/console/kit/typed-text.ts'
import { usePreference } from '#core/console/preferences.ts'
import { useCall } from '#core/console/queries.ts'
import { roomsStore, useLists, useRecordKinds } from '#core/console/rooms.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { search } from '../contract.ts'
import classes from './Search.module.css'

const waitMilliseconds = 200

export function Everything() {
  const [address, setAddress] = useSearchParams()
  const text = address.get('text') ?? ''
  const wanted = text.trim()
  const { typed, type } = useTypedText(
    text,
    text === '',
    (next) => setAddress(next.trim() === '' ? {} : { text: next }, { replace: true, preventScrollReset: true }),
    waitMilliseconds,
  )
  const query = useCall(search.calls.records, { text: wanted === '' ? ' ' : wanted }, { enabled: wanted !== '', keepPrevious: true })
  return (
    <Page title={t('Search')}>
      <TextInput
        type="search"
        size="md"
        maw={560}
        aria-label={t('Search everything')}
        placeholder={t('Name, serial, e-mail, fingerprint')}
        leftSection={<IconSearch size={18} stroke={1.8} aria-hidden />}
        maxLength={200}
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
      />
      {wanted === '' ? (
        <>
          <Kinds />
          <SavedQueries />
        </>
      ) : (
        <Loaded query={query}>{({ records }) => <Found records={records} text={wanted} />}</Loaded>
      )}
    </Page>
  )
}

type Records = OutputOf<typeof search.calls.records>['records']

function Found({ records, text }: { records: Records; text: string }) {
  const lists = useLists()
  const kinds = useRecordKinds()
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {t('{count, plural, one {# record} other {# records}}', { count: records.length })}
      </Text>
      {records.length === 0 && (
        <EmptyState
          title={t('Nothing matches “{text}”', { text })}
          text={t('Check the spelling, or search for the beginning of a word.')}
        />
      )}
      {kinds.map(({ name, plural }) => {
        const found = records.filter((record) => record.type === name)
        if (found.length === 0) return undefined
        return (
          <Section
            key={name}
            title={t(plural)}
            actions={
              lists.some((list) => list.name === name) && (
                <TextLink to={to(searchScreen, { searchType: name }, { text })}>{t('Open as a list')}</TextLink>
              )
            }
          >
            <ul className={classes['found']}>
              {found.map((record) => (
                <li key={record.id}>
                  <Link to={record.path} className={classes['hit'] ?? ''}>
                    <span className={classes['name']}>{record.label}</span>
                    <span className={classes['detail']}>{recordDetail(record)}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </Section>
        )
      })}
    </>
  )
}

/** What there is by status, each number with the list of it. */
function Kinds() {
  const lists = useLists()
  const kinds = useRecordKinds()
  const { data } = useCall(search.calls.facets, {})
  return data?.kinds.map(({ type, status }) => {
    const counted = Object.entries(status).filter(([, count]) => count > 0)
    const kind = kinds.find(({ name }) => name === type)
    if (counted.length === 0 || kind === undefined || !lists.some(({ name }) => name === type)) return undefined
    return (
      <Section key={type} title={t(kind.plural)}>
        <ul className={classes['counts']}>
          {counted.map(([value, count]) => (
            <li key={value}>
              <Link to={to(searchScreen, { searchType: type }, { status: value })} className={classes['count'] ?? ''}>
                <Status of={value} /> <strong>{formatNumber(count)}</strong>
              </Link>
            </li>
          ))}
        </ul>
      </Section>
    )
  })
}

function SavedQueries() {
  const views = usePreference('views')
  const mine = Object.values(views).flat()
  const kinds = useRecordKinds()
  const screens = roomsStore((rooms) => rooms.screens)
  const listNamed = (path: string): string =>
    t(
      kinds.find(({ name }) => to(searchScreen, { searchType: name }) === path)?.plural ??
        screens.find((screen) => screen.path === path)?.title ??
        path,
    )
  if (mine.length === 0)
    return (
      <EmptyState
        icon={IconSearch}
        title={t('Search over everything')}
        text={t(
          'Certificates, users, roles and authorities at once. Ctrl+K does the same from anywhere. A list’s search and filters can be saved, and then stand here.',
        )}
      />
    )
  return (
    <Section title={t('Saved views')}>
      <ul className={classes['found']}>
        {mine.map((view) => (
          <li key={`${view.path} ${view.name}`}>
            <Link to={view.path + view.query} className={classes['hit'] ?? ''}>
              <span className={classes['name']}>{view.name}</span>
              <span className={classes['detail']}>{listNamed(view.path)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}
