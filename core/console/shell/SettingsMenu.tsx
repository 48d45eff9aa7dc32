// The navigation of the second level that all settings have: their pages by subject, with a search over what people call them. It stands beside the page, or
// behind a button above it where there is no room.

import { TextInput, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconSearch } from '@tabler/icons-react'
import { useEffect, useId, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { roomsStore, screenKey } from '../rooms.ts'
import { t } from '../text.ts'
import { useCurrentScreen } from './current-screen.ts'
import { openTab, rootOf, type MenuItem, type MenuSection, type MenuTab } from './navigation.ts'
import { foundSettings } from './settings-search.ts'
import classes from './SettingsMenu.module.css'

export function SettingsMenu({ section }: { section: MenuSection }) {
  const [text, setText] = useState('')
  const [open, setOpen] = useState(false)
  const navigate = useNavigate()
  const listId = useId()
  const { pathname } = useLocation()
  const pages = section.items.flatMap(({ tabs }) => tabs)
  const current = useCurrentPage(pages)
  const screens = roomsStore((rooms) => rooms.screens)
  const found = foundSettings(section.items, text, (of) => screens.find((screen) => screenKey(screen) === of), t)
  const best = found[0]?.tabs[0]
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => setOpen(false), [pathname])
  // What it returns is a promise in browsers of today, and an effect takes what is returned for its end.
  useEffect(() => void list.current?.querySelector('[aria-current]')?.scrollIntoView?.({ block: 'nearest' }), [pathname])

  return (
    <nav className={classes['menu']} aria-label={t('Settings')} data-open={open || undefined}>
      <UnstyledButton className={classes['opener']} aria-expanded={open} aria-controls={listId} onClick={() => setOpen(!open)}>
        <span>{t('All settings')}</span>
        <IconChevronDown size={16} aria-hidden />
      </UnstyledButton>
      <div className={classes['body']} id={listId}>
        <TextInput
          type="search"
          aria-label={t('Search the settings')}
          placeholder={t('Search the settings')}
          leftSection={<IconSearch size={15} stroke={1.8} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && text !== '') setText('')
            if (event.key !== 'Enter' || text.trim() === '' || best === undefined) return
            setText('')
            void navigate(best.path)
          }}
        />
        <div className={classes['list']} ref={list}>
          {found.map((item) => (
            <Subject key={item.key} item={item} current={current} />
          ))}
          <p role="status" className={classes['nothing']}>
            {found.length === 0 ? t('No setting matches “{text}”', { text: text.trim().slice(0, 60) }) : ''}
          </p>
        </div>
      </div>
    </nav>
  )
}

/** One page that is called as its subject needs no heading above it. */
function Subject({ item, current }: { item: MenuItem; current: MenuTab | undefined }) {
  const id = useId()
  const bare = item.tabs.length === 1 && item.tabs[0]?.label === item.label
  return (
    <div className={classes['subject']}>
      {!bare && (
        <p id={id} className={classes['heading']}>
          {t(item.label)}
        </p>
      )}
      <ul {...(bare ? {} : { 'aria-labelledby': id })}>
        {item.tabs.map((tab) => (
          <li key={tab.path}>
            <Link
              to={tab.path}
              className={classes['page'] ?? ''}
              {...(tab.path === current?.path ? { 'aria-current': 'page' as const } : {})}
            >
              {t(tab.label)}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The page that is open, or below which the open one stands. */
function useCurrentPage(pages: readonly MenuTab[]): MenuTab | undefined {
  const screen = useCurrentScreen()
  const screens = roomsStore((rooms) => rooms.screens)
  const address = useLocation()
  const root = screen === undefined ? undefined : rootOf(screen, screens)
  return openTab(pages, address) ?? pages.find(({ of }) => root !== undefined && of === screenKey(root))
}
