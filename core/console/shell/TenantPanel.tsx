// The tenancies to choose from. Each shows its colour, so that nobody acts in the wrong one.

import { Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { useViewer } from '../bootstrap.ts'
import { asCallFault, type CallFault } from '../call-fault.ts'
import type { PanelProps } from '../kit/panel-button.ts'
import { Panel } from '../kit/Panel.tsx'
import { FaultAlert } from '../kit/states.tsx'
import { switchTenancy } from '../session.ts'
import { t } from '../text.ts'
import { useTenantColours } from './tenant-colour.ts'
import classes from './TenantSwitcher.module.css'

export function TenantPanel({ panel }: PanelProps) {
  const viewer = useViewer()
  const [text, setText] = useState('')
  const [fault, setFault] = useState<CallFault>()
  const found = viewer.managed.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
  const choose = async (id: string): Promise<void> => {
    setFault(undefined)
    try {
      if (id !== viewer.tenantId) await switchTenancy(id)
      panel.close()
    } catch (error) {
      setFault(asCallFault(error))
    }
  }
  return (
    <Panel panel={panel} label={t('Tenancies')} position="bottom-start" p="xs" miw={280}>
      <Stack gap="xs">
        <TextInput
          aria-label={t('Search tenancies')}
          placeholder={t('Search tenancies')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          data-autofocus
        />
        <div style={{ maxHeight: 320, overflowY: 'auto' }}>
          <ul className={classes['list']}>
            {found.map((tenant) => (
              <li key={tenant.id}>
                <UnstyledButton
                  className={classes['tenant']}
                  {...(tenant.id === viewer.tenantId ? { 'aria-current': true } : {})}
                  onClick={() => void choose(tenant.id)}
                >
                  <Swatch colour={tenant.colour} />
                  <span className={classes['name']}>{tenant.name}</span>
                  {tenant.id === viewer.tenantId && <IconCheck size={16} aria-hidden />}
                </UnstyledButton>
              </li>
            ))}
          </ul>
          {found.length === 0 && <Text c="dimmed">{t('Nothing matches “{text}”', { text })}</Text>}
        </div>
        <FaultAlert fault={fault} />
      </Stack>
    </Panel>
  )
}

function Swatch({ colour }: { colour: string | undefined }) {
  const colours = useTenantColours(colour)
  return <span className={classes['swatch']} style={colours === undefined ? undefined : { background: colours.line }} aria-hidden />
}
