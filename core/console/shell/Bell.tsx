// What happened: the last 20 toasts, so that one that went too fast can be read again.

import { ActionIcon, Group, Indicator, Popover, Stack, Text, Tooltip } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useState } from 'react'
import { mediumDate } from '../kit/DateTime.tsx'
import { t } from '../text.ts'
import { seeToasts, toastStore } from '../toasts.ts'
import { ToastIcon } from './Toasts.tsx'

export function Bell() {
  const { log, unseen } = toastStore()
  const [open, setOpen] = useState(false)
  const says = unseen === 0 ? t('Notices') : t('Notices, {count} new', { count: unseen })
  const change = (next: boolean): void => {
    setOpen(next)
    if (next) seeToasts()
  }
  return (
    <Popover opened={open} onChange={change} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label={t('Notices')} disabled={open}>
          <Indicator disabled={unseen === 0} size={7} offset={6} color="red">
            <ActionIcon variant="subtle" color="gray" size={32} aria-label={says} aria-expanded={open} onClick={() => change(!open)}>
              <IconBell size={19} stroke={1.7} aria-hidden />
            </ActionIcon>
          </Indicator>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p="sm" w={340} aria-label={t('Notices')}>
        {log.length === 0 ? (
          <Text c="dimmed">{t('Nothing has happened yet.')}</Text>
        ) : (
          <div style={{ maxHeight: 420, overflowY: 'auto' }} tabIndex={0} role="group" aria-label={t('Notices')}>
            <Stack gap="sm">
              {log.map((one) => (
                <Group key={one.id} gap="xs" wrap="nowrap" align="flex-start">
                  <ToastIcon kind={one.kind} />
                  <div>
                    <Text fw={500}>{one.title}</Text>
                    {one.text !== '' && <Text size="sm">{one.text}</Text>}
                    <Text size="xs" c="dimmed">
                      {mediumDate(new Date(one.at))}
                    </Text>
                  </div>
                </Group>
              ))}
            </Stack>
          </div>
        )}
      </Popover.Dropdown>
    </Popover>
  )
}
