// Ctrl+K: to any screen, recent place, saved view or record by a few letters, and to what a pasted text means.

import { Button, Kbd, Modal, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { useNavigate } from 'react-router'
import { satisfies } from '#core/contract/permissions.ts'
import { useViewer } from '../bootstrap.ts'
import { preferencesStore } from '../preferences.ts'
import { roomsStore, useLists, useOffers } from '../rooms.ts'
import { signOut } from '../session.ts'
import { searchSources, type FoundRecord } from '../slots.ts'
import { t } from '../text.ts'
import { pageActions } from './page-actions.ts'
import {
  actionPlaces,
  allRecords,
  beginnings,
  helpPlaces,
  recentPlaces,
  recognisedPlaces,
  recordPlaces,
  screenPlaces,
  viewPlaces,
  type Destination,
} from './palette-places.ts'
import { isExact, ranked, recognise, soughtText } from './palette-rank.ts'
import classes from './Palette.module.css'

const debounceMilliseconds = 200
const shownPerGroup = 10
const shownActions = 6
const shownPageActions = 2
const shownRecords = 10

type PaletteProps = {
  /** What was typed, also before the palette was there, and whether Enter has followed. */
  text: string
  entered: boolean
  onText: (text: string) => void
  /** From now on what is typed comes here. */
  onThere: () => void
  onClose: () => void
  onHelp: (area?: string) => void
  onKeys: () => void
}

export function Palette({ text, entered, onText, onThere, onClose, onHelp, onKeys }: PaletteProps) {
  const navigate = useNavigate()
  const [at, setAt] = useState(0)
  const listId = useId()
  const chosen = useRef<HTMLLIElement>(null)
  const { found, searching } = useDestinations(text, onHelp, onKeys)
  const [pressed, setPressed] = useState(entered)
  const groups = [...new Set(found.map((place) => place.group))]
  const active = found[Math.min(at, found.length - 1)]

  // In braces: what an effect returns is called when it ends, and Chromium answers this with a promise.
  useEffect(() => {
    chosen.current?.scrollIntoView({ block: 'nearest' })
  }, [at])

  const go = (place: Destination | undefined): void => {
    if (place === undefined) return
    onClose()
    if (place.run === undefined) void navigate(place.path, { state: place.state })
    else place.run()
  }
  // What looks like a record is waited for, and what nothing else fits: Enter opens it when it is there.
  const waits = searching && (found.length === 0 || isSought(text))
  useEffect(() => {
    if (!pressed || waits) return
    setPressed(false)
    go(active)
    // Each time that Enter was pressed and the records are there, and not when something else is drawn anew.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [pressed, waits])
  const press = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && found.length > 0) {
      event.preventDefault()
      setAt((Math.min(at, found.length - 1) + step + found.length) % found.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      setPressed(true)
    }
  }

  return (
    <Modal.Root opened onClose={onClose} size={600} yOffset={80} padding={0} returnFocus={false} transitionProps={{ duration: 0 }}>
      <Modal.Overlay backgroundOpacity={0.45} />
      <Modal.Content aria-label={t('Search or jump to...')} radius={8}>
        <Modal.Body>
          <TextInput
            data-autofocus
            size="lg"
            variant="unstyled"
            leftSection={<IconSearch size={18} stroke={1.8} aria-hidden />}
            placeholder={t('Search or jump to...')}
            aria-label={t('Search or jump to...')}
            role="combobox"
            aria-expanded={found.length > 0}
            aria-controls={listId}
            aria-autocomplete="list"
            {...(active === undefined ? {} : { 'aria-activedescendant': `${listId}-${active.id}` })}
            value={text}
            maxLength={20_000}
            onChange={(event) => {
              onText(event.currentTarget.value)
              setAt(0)
              setPressed(false)
            }}
            onFocus={(event) => {
              event.currentTarget.setSelectionRange(text.length, text.length)
              onThere()
            }}
            onKeyDown={press}
            // A one-line field drops the line breaks of a pasted PEM, so it is read from the clipboard.
            onPaste={(event) => {
              const pasted = event.clipboardData.getData('text')
              if (recognise(pasted)?.kind !== 'pem') return
              event.preventDefault()
              onText(pasted)
              setAt(0)
            }}
          />
          <div className={classes['frame']}>
            <ul role="listbox" id={listId} aria-label={t('Results')} className={classes['list']}>
              {groups.map((group) => (
                <li key={group} role="presentation">
                  <div className={classes['group']} id={`${listId}-${group}`}>
                    {group}
                  </div>
                  <ul role="group" aria-labelledby={`${listId}-${group}`} className={classes['list']}>
                    {found
                      .filter((place) => place.group === group)
                      .map((place) => (
                        <li
                          key={place.id}
                          id={`${listId}-${place.id}`}
                          role="option"
                          aria-selected={place === active}
                          ref={place === active ? chosen : undefined}
                          className={classes['option']}
                          onPointerMove={() => setAt(found.indexOf(place))}
                          onClick={() => go(place)}
                        >
                          <span className={classes['label']}>{place.label}</span>
                          {place.detail !== undefined && <span className={classes['detail']}>{place.detail}</span>}
                        </li>
                      ))}
                  </ul>
                </li>
              ))}
            </ul>
            <Text role="status" c="dimmed" px="md" py={found.length === 0 ? 'md' : 0} size="sm">
              {found.length > 0 ? '' : searching ? t('Searching...') : t('Nothing matches “{text}”', { text: text.slice(0, 60) })}
            </Text>
          </div>
          <div className={classes['foot']}>
            <span>
              <Kbd>↑</Kbd> <Kbd>↓</Kbd> {t('to choose')}
            </span>
            <span>
              <Kbd>Enter</Kbd> {t('to open')}
            </span>
            <span>
              <Kbd>Esc</Kbd> {t('to close')}
            </span>
            <Button
              variant="subtle"
              size="compact-xs"
              onClick={() => {
                onClose()
                onKeys()
              }}
            >
              {t('Keyboard shortcuts')}
            </Button>
          </div>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

function useDestinations(text: string, onHelp: (area?: string) => void, onKeys: () => void): { found: Destination[]; searching: boolean } {
  const rooms = roomsStore()
  const viewer = useViewer()
  const { permission } = viewer
  const lists = useLists().map((list) => list.name)
  const listKeys = lists.join()
  const { recent, recentRecords, views } = preferencesStore()
  const { records, searching } = useRecords(text)
  const [onPage] = useState(pageActions)
  const files = useHelp()
  const found = useMemo(() => {
    const asked = text.trim()
    const recognised = recognisedPlaces(recognise(asked), rooms, permission, listKeys.split(','))
    const actions = actionPlaces(onPage, { signOut: () => void signOut(), help: onHelp, keys: onKeys })
    if (asked === '') {
      const offered = [...actions.slice(0, Math.min(onPage.length, shownPageActions)), ...beginnings(rooms, viewer)]
      const first = offered.filter((place, at) => isFirst(place, offered.slice(0, at))).slice(0, shownActions)
      return [
        ...recentPlaces({ recent, recentRecords }, viewer),
        ...first,
        ...screenPlaces(rooms, viewer).filter((place) => place.jump !== true && isFirst(place, first)),
        ...viewPlaces(views),
      ]
    }
    const screens = ranked(screenPlaces(rooms, viewer), asked).slice(0, shownPerGroup)
    const exact = records.filter((record) => isExact(record, asked)).slice(0, shownRecords)
    const others = [...ranked(records, asked), ...records].filter((record) => !exact.includes(record))
    const shown = [...new Set(others)].slice(0, shownRecords - exact.length)
    return [
      ...recordPlaces(exact, rooms.records, true),
      ...recognised,
      ...screens,
      ...ranked(actions, asked).filter((place) => isFirst(place, screens)),
      ...recordPlaces(inKinds(shown), rooms.records, false),
      ...(records.length > shownRecords ? allRecords(rooms, permission, asked, records.length) : []),
      ...ranked(viewPlaces(views), asked).slice(0, shownPerGroup),
      ...ranked(helpPlaces(files, onHelp), asked).slice(0, shownPerGroup),
    ]
  }, [text, rooms, viewer, permission, listKeys, recent, recentRecords, views, records, onPage, files, onHelp, onKeys])
  return { found, searching }
}

/** Whether none of the others leads to the same place or has the same name. */
const isFirst = (place: Destination, others: readonly Destination[]): boolean =>
  !others.some((other) => (place.path !== '' && other.path === place.path) || other.label.toLowerCase() === place.label.toLowerCase())

const noFiles: { area: string; text: string }[] = []

/** The help of the rooms whose screens this person may see, read when the palette is first opened. */
function useHelp() {
  const { consoleModules, screens } = roomsStore()
  const { permission } = useViewer()
  const { data = noFiles } = useQuery({
    queryKey: ['palette help'],
    staleTime: Infinity,
    queryFn: async () => {
      const mine = consoleModules.filter(
        ({ area, help }) =>
          help !== undefined &&
          screens.some((screen) => screen.area === area && screen.needs !== 'public' && satisfies(permission.View, screen.needs)),
      )
      const read = await Promise.allSettled(mine.map(async ({ area, help }) => ({ area, text: (await help?.())?.default ?? '' })))
      return read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    },
  })
  return data
}

const none: readonly FoundRecord[] = []

/** Whether a text is of a record and of nothing else: a number, an address, the name of a host. */
const isSought = (text: string): boolean =>
  ['serial', 'email', 'address'].includes(recognise(text)?.kind ?? '') || /^[\w*-]+(?:\.[\w-]+)+$/.test(text.trim())

/** Those of a kind together, in the order of their first. */
const inKinds = (records: readonly FoundRecord[]): FoundRecord[] => [...Map.groupBy(records, ({ type }) => type).values()].flat()

/** Records of every kind that the viewer may see, asked 200 ms after the last key. */
function useRecords(text: string): { records: readonly FoundRecord[]; searching: boolean } {
  const sources = useOffers(searchSources)
  const sought = soughtText(text)
  const [settled] = useDebouncedValue(sought, debounceMilliseconds)
  const wanted = settled.length >= 2 && settled.length <= 200 && recognise(settled)?.kind !== 'pem'
  const { data = none, isFetching } = useQuery({
    queryKey: ['palette', settled],
    enabled: wanted && sources.length > 0,
    queryFn: async ({ signal }) => {
      const answers = await Promise.allSettled(sources.map((find) => find(settled, signal)))
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    },
  })
  return { records: wanted ? data : none, searching: isFetching || settled !== sought }
}
