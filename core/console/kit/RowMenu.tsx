// What can be done with one row.

import { Menu, Text } from '@mantine/core'
import { useNavigate } from 'react-router'
import type { RowAction } from './DataTable.tsx'
import type { PanelProps } from './panel-button.ts'
import { Place, useDrawn } from './Panel.tsx'

export function RowMenu({ panel, actions }: PanelProps & { actions: readonly RowAction[] }) {
  const navigate = useNavigate()
  const drawn = useDrawn()
  const act = (action: RowAction): void => {
    // A dialog gives the focus back to where it was, and the menu's own entry is gone by then.
    panel.button?.focus({ preventScroll: true })
    if (action.to === undefined) action.onClick()
    else void navigate(action.to)
  }
  return (
    <Menu id={panel.id} opened={panel.open && drawn} onChange={panel.change} position="bottom-end">
      <Menu.Target>
        <Place of={panel.button} />
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map((action) => (
          <Menu.Item
            key={action.label}
            {...(action.danger === true ? { c: 'var(--chancery-bad)' } : {})}
            {...(action.icon === undefined ? {} : { leftSection: <action.icon size={16} stroke={1.8} aria-hidden /> })}
            {...(action.off === undefined ? {} : { disabled: true, c: 'dimmed', style: { opacity: 1 } })}
            onClick={() => act(action)}
          >
            {action.label}
            {action.off !== undefined && (
              <Text size="xs" maw={240} style={{ whiteSpace: 'normal' }}>
                {action.off}
              </Text>
            )}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
