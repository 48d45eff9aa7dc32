// The items of a group, in a menu beside its icon on the rail.

import { Menu } from '@mantine/core'
import type { MouseEvent, ReactElement } from 'react'
import { useNavigate } from 'react-router'
import { t } from '../text.ts'
import type { MenuItem } from './navigation.ts'

type RailMenuProps = { button: ReactElement; label: string; items: readonly MenuItem[]; active: MenuItem | undefined }

export function RailMenu({ button, label, items, active }: RailMenuProps) {
  const navigate = useNavigate()
  const follow = (event: MouseEvent, path: string): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    void navigate(path)
  }
  return (
    <Menu position="right-start" trigger="click-hover" openDelay={150} closeDelay={150}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{label}</Menu.Label>
        {items.map((item) => (
          <Menu.Item
            key={item.key}
            component="a"
            href={item.path}
            {...(item === active ? { 'aria-current': 'page' as const } : {})}
            onClick={(event: MouseEvent) => follow(event, item.path)}
          >
            {t(item.label)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
