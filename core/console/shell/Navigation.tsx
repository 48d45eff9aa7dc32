// The side navigation. A group of one is a link; the group of the current screen is open. As a rail it shows the groups' icons, each
// with its items in a menu.

import { ActionIcon, UnstyledButton } from '@mantine/core'
import {
  IconActivity,
  IconCertificate,
  IconChevronRight,
  IconCreditCard,
  IconDoor,
  IconHome,
  IconId,
  IconKey,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconLifebuoy,
  IconNetwork,
  IconPin,
  IconReceipt,
  IconReportAnalytics,
  IconSettings,
  type Icon,
} from '@tabler/icons-react'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router'
import type { MenuGroup } from '#core/contract/menu.ts'
import { useViewer } from '../bootstrap.ts'
import { chunkFailed } from '../chunks.ts'
import { Hint } from '../kit/Hint.tsx'
import { setPreference, usePreference } from '../preferences.ts'
import { roomsStore, shownScreens } from '../rooms.ts'
import { t } from '../text.ts'
import { useCurrentScreen } from './current-screen.ts'
import classes from './Navigation.module.css'
import { activeItem, menuOf, sideMenuOf, type MenuItem } from './navigation.ts'

// Only the rail has menus.
const RailMenu = lazy(() => import('./RailMenu.tsx').then((file) => ({ default: file.RailMenu }), chunkFailed))

const icons: Record<MenuGroup | 'pinned', Icon> = {
  home: IconHome,
  certificates: IconCertificate,
  cards: IconCreditCard,
  people: IconId,
  devices: IconNetwork,
  pki: IconKey,
  doors: IconDoor,
  operate: IconActivity,
  reports: IconReportAnalytics,
  support: IconLifebuoy,
  billing: IconReceipt,
  settings: IconSettings,
  pinned: IconPin,
}

type Section = { group: MenuGroup | 'pinned'; label: string; items: MenuItem[] }

/** Up to this many items stand open at once; more than that and only the current group does. */
const openItems = 24

function useSections(): { sections: Section[]; active: MenuItem | undefined } {
  const rooms = roomsStore()
  const viewer = useViewer()
  const pinned = usePreference('pinned')
  const screen = useCurrentScreen()
  return useMemo(() => {
    const whole = menuOf(rooms.screens, shownScreens(rooms), viewer)
    const menu = sideMenuOf(whole)
    const pins: Section = { group: 'pinned', label: 'Pinned', items: pinned.map(asItem) }
    const [first, ...rest] = menu
    const sections: Section[] = pins.items.length === 0 ? menu : first?.group === 'home' ? [first, pins, ...rest] : [pins, ...menu]
    const place = activeItem(whole, screen, rooms.screens)
    const at = whole.findIndex(({ items }) => items.some((item) => item === place))
    const active = menu[at]?.group === 'settings' ? menu[at].items[0] : place
    return { sections, active }
  }, [rooms, viewer, pinned, screen])
}

const asItem = ({ path, label }: { path: string; label: string }): MenuItem => ({ key: path, path, label, area: '', tabs: [] })

export function Navigation({ rail, collapsible }: { rail: boolean; collapsible: boolean }) {
  const { sections, active } = useSections()
  const closed = usePreference('closedGroups')
  const many = sections.reduce((sum, section) => sum + section.items.length, 0) > openItems
  // On a page that is in no menu the group stays open from which somebody came: the menu stands still.
  const here = sections.find((section) => section.items.some((item) => item === active))?.group
  const [last, setLast] = useState(here)
  // Who comes to a page sees where it stands, also in a group that was closed; it can be closed again.
  const [shut, setShut] = useState(false)
  if (here !== undefined && here !== last) {
    setLast(here)
    setShut(false)
  }
  const list = useRef<HTMLUListElement>(null)
  const lit = active?.key
  // Shows where one is, also below groups that stand open; only when the place changes, because the menu is made anew with each preference that is saved.
  useEffect(() => void list.current?.querySelector('[aria-current]')?.scrollIntoView?.({ block: 'nearest' }), [lit])
  return (
    <>
      <ul ref={list} className={classes['list']} data-rail={rail || undefined}>
        {sections.map((section) => {
          const [only] = section.items
          const current = section.items.some((item) => item === active)
          if (rail) return <RailGroup key={section.group} section={section} current={current} active={active} />
          if (section.items.length === 1 && only !== undefined && (section.group === 'home' || only.label === section.label))
            return <Item key={section.group} item={only} active={active} icon={icons[section.group]} />
          // What a person pinned is wanted at hand.
          const open =
            section.group === (here ?? last)
              ? !shut
              : closed[section.group] === undefined
                ? !many || section.group === 'pinned'
                : closed[section.group] === false
          const GroupIcon = icons[section.group]
          return (
            <li key={section.group}>
              <UnstyledButton
                className={classes['group']}
                aria-expanded={open}
                onClick={() => {
                  if (section.group === (here ?? last)) setShut(open)
                  setPreference('closedGroups', { ...closed, [section.group]: open })
                }}
              >
                <GroupIcon size={18} stroke={1.7} aria-hidden />
                <span className={classes['word']}>{t(section.label)}</span>
                <IconChevronRight className={classes['chevron']} data-open={open || undefined} size={14} aria-hidden />
              </UnstyledButton>
              {open && (
                <ul className={classes['items']}>
                  {section.items.map((item) => (
                    <Item key={item.key} item={item} active={active} />
                  ))}
                </ul>
              )}
            </li>
          )
        })}
      </ul>
      {collapsible && (
        <div className={classes['fold']}>
          <Hint label={rail ? t('Widen the menu') : t('Narrow the menu')} position="right">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={rail ? t('Widen the menu') : t('Narrow the menu')}
              onClick={() => setPreference('railOpen', rail)}
            >
              {rail ? (
                <IconLayoutSidebarLeftExpand size={18} stroke={1.7} aria-hidden />
              ) : (
                <IconLayoutSidebarLeftCollapse size={18} stroke={1.7} aria-hidden />
              )}
            </ActionIcon>
          </Hint>
        </div>
      )}
    </>
  )
}

function Item({ item, active, icon: ItemIcon }: { item: MenuItem; active: MenuItem | undefined; icon?: Icon }) {
  const { pathname, search } = useLocation()
  // A pinned page is lit where no entry of the menu is: one place is where one is.
  const current = item === active || (active === undefined && item.area === '' && item.path === pathname + search)
  return (
    <li>
      <Link
        to={item.path}
        className={ItemIcon === undefined ? (classes['item'] ?? '') : `${classes['group']} ${classes['single']}`}
        data-current={current || undefined}
        {...(current ? { 'aria-current': 'page' as const } : {})}
      >
        {ItemIcon !== undefined && <ItemIcon size={18} stroke={1.7} aria-hidden />}
        <span className={classes['word']}>{t(item.label)}</span>
      </Link>
    </li>
  )
}

function RailGroup({ section, current, active }: { section: Section; current: boolean; active: MenuItem | undefined }) {
  const GroupIcon = icons[section.group]
  const [only] = section.items
  const look = { className: classes['rail'] ?? '', 'data-current': current || undefined }
  const picture = <GroupIcon size={20} stroke={1.7} aria-hidden />
  if (section.items.length === 1 && only !== undefined)
    return (
      <li>
        <Hint label={t(only.label)} position="right">
          <Link to={only.path} {...look} aria-label={t(only.label)} {...(current ? { 'aria-current': 'page' as const } : {})}>
            {picture}
          </Link>
        </Hint>
      </li>
    )
  const button = (
    <UnstyledButton {...look} aria-label={t(section.label)}>
      {picture}
    </UnstyledButton>
  )
  return (
    <li>
      <Suspense fallback={button}>
        <RailMenu button={button} label={t(section.label)} items={section.items} active={active} />
      </Suspense>
    </li>
  )
}
