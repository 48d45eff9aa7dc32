// What waits for the person, and what happened: the last 20 toasts, so that one that went too fast can be read again.

import { Group, Stack, Text } from '@mantine/core'
import { mediumDate } from '../kit/DateTime.tsx'
import { TextLink } from '../kit/links.tsx'
import type { PanelProps } from '../kit/panel-button.ts'
import { Panel } from '../kit/Panel.tsx'
import type { WaitingWork } from '../slots.ts'
import { t } from '../text.ts'
import { toastStore } from '../toasts.ts'
import { ToastIcon } from './Toasts.tsx'

export function BellPanel({ panel, work }: PanelProps & { work: readonly WaitingWork[] }) {
  const log = toastStore((state) => state.log)
  return (
    <Panel panel={panel} label={t('Notices')} position="bottom-end" p="sm" w={340}>
      {work.length > 0 && (
        <Stack component="ul" gap={4} p={0} m={0} mb="sm" style={{ listStyle: 'none' }} aria-label={t('Waiting for you')}>
          {work.map(({ says: words, path }) => (
            <li key={path}>
              <TextLink to={path} fw={500} onClick={panel.close}>
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
    </Panel>
  )
}
