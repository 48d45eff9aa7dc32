// What waits for the person, and what happened: the last 20 toasts, so that one that went too fast can be read again.

import { ActionIcon, Group, Indicator, Popover, Stack, Text, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconBell } from '@tabler/icons-react'
import { useState } from 'react'
import { houseStore } from '../house.ts'
import { TextLink } from '../kit/links.tsx'
import { mediumDate } from '../kit/DateTime.tsx'
import { t } from '../text.ts'
import { seeToasts, toastStore } from '../toasts.ts'
import { ToastIcon } from './Toasts.tsx'

export function Bell() {
  const { log, unseen } = toastStore()
  const [open, setOpen] = useState(false)
  const work = useWaiting()
  const waiting = work.reduce((sum, { count }) => sum + count, 0)
  const says = [t('Notices'), ...(waiting === 0 ? [] : [t('{count} waiting for you', { count: waiting })]), ...(unseen === 0 ? [] : [t('{count} new', { count: unseen })])].join(', ')
  const change = (next: boolean): void => {
    setOpen(next)
    if (next) seeToasts()
  }
  return (
    <Popover opened={open} onChange={change} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label={t('Notices')} disabled={open}>
          <Indicator disabled={unseen === 0 && waiting === 0} offset={6} color="red" {...(waiting === 0 ? { size: 7 } : { size: 15, label: waiting > 99 ? '99+' : waiting })}>
            <ActionIcon variant="subtle" color="gray" size={32} aria-label={says} aria-expanded={open} onClick={() => change(!open)}>
              <IconBell size={19} stroke={1.7} aria-hidden />
            </ActionIcon>
          </Indicator>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p="sm" w={340} aria-label={t('Notices')}>
        {work.length > 0 && (
          <Stack component="ul" gap={4} p={0} m={0} mb="sm" style={{ listStyle: 'none' }} aria-label={t('Waiting for you')}>
            {work.map(({ says: words, path }) => (
              <li key={path}>
                <TextLink to={path} fw={500} onClick={() => setOpen(false)}>
                  {words}
                </TextLink>
              </li>
            ))}
          </Stack>
        )}
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

function useWaiting() {
  const asked = houseStore((house) => house.faces).filter(({ waiting }) => waiting !== undefined)
  // Under the first room's name, so that a change there reads it anew.
  const { data = [] } = useQuery({
    queryKey: [asked[0]?.area ?? 'bell', 'bell'],
    enabled: asked.length > 0,
    refetchInterval: 60_000,
    queryFn: async ({ signal }) => (await Promise.all(asked.map((face) => face.waiting?.(signal) ?? []))).flat(),
  })
  return data.filter(({ count }) => count > 0)
}
