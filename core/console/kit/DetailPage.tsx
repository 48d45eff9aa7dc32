// One record: its name, its status, what can be done with it, and its parts under tabs that have an address each (`?tab=activity`).

import { Button } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import type { Needs } from '#core/contract/permissions.ts'
import { useMay } from '../bootstrap.ts'
import { LinkButton } from './links.tsx'
import { Page, type PageProps } from './Page.tsx'
import { PartTabs } from './TabRow.tsx'

export type Action = {
  /** Verb and object: "Revoke certificate". */
  label: string
  icon?: Icon
  danger?: boolean
  primary?: boolean
  /** Shown only to those who may. */
  needs?: Needs
} & ({ to: string; onClick?: never } | { onClick: () => void; to?: never })

export type DetailTab = { key: string; label: string; content: () => ReactNode }

export type DetailPageProps = Omit<PageProps, 'actions' | 'children'> & {
  actions?: readonly (Action | false | undefined)[]
  /** Buttons of one's own making, before the actions. */
  buttons?: ReactNode
} & ({ tabs: readonly (DetailTab | false | undefined)[]; children?: never } | { tabs?: never; children: ReactNode })

export function DetailPage({ actions = [], buttons, tabs, children, ...page }: DetailPageProps) {
  return (
    <Page
      {...page}
      actions={
        <>
          {buttons}
          <Actions items={actions} />
        </>
      }
    >
      {tabs === undefined ? children : <DetailTabs tabs={tabs.filter((tab) => tab !== false && tab !== undefined)} />}
    </Page>
  )
}

/** Buttons, those that the viewer may press. */
export function Actions({ items }: { items: readonly (Action | false | undefined)[] }) {
  const may = useMay()
  return items.map((action) => {
    if (action === false || action === undefined || (action.needs !== undefined && !may(action.needs))) return undefined
    const look = {
      variant: action.primary === true ? 'filled' : 'default',
      ...(action.danger === true ? { variant: 'light', color: 'red' } : {}),
      ...(action.icon === undefined ? {} : { leftSection: <action.icon size={16} stroke={1.8} aria-hidden /> }),
    }
    return action.to === undefined ? (
      <Button key={action.label} {...look} onClick={action.onClick}>
        {action.label}
      </Button>
    ) : (
      <LinkButton key={action.label} {...look} to={action.to}>
        {action.label}
      </LinkButton>
    )
  })
}

function DetailTabs({ tabs }: { tabs: readonly DetailTab[] }) {
  const [search, setSearch] = useSearchParams()
  const asked = search.get('tab')
  const open = tabs.find((tab) => tab.key === asked) ?? tabs[0]
  if (open === undefined) return null
  const choose = (key: string): void =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before)
        if (key === tabs[0]?.key) after.delete('tab')
        else after.set('tab', key)
        return after
      },
      { preventScrollReset: true },
    )
  return <PartTabs tabs={tabs} open={open.key} choose={choose} />
}
