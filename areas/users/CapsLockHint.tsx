// Says that Caps Lock is on while the focus is in a password field. The browser tells it with a key press only.

import { Stack, Text } from '@mantine/core'
import { IconArrowBigUpLine } from '@tabler/icons-react'
import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { t } from '#core/console/text.ts'

export function CapsLockHint({ children }: { children: ReactNode }) {
  const [on, setOn] = useState(false)
  const look = (event: KeyboardEvent): void => setOn(event.getModifierState('CapsLock'))
  return (
    <Stack gap={4} onKeyDown={look} onKeyUp={look} onBlur={() => setOn(false)}>
      {children}
      <Text size="sm" c="var(--chancery-warn)" role="status">
        {on && (
          <>
            <IconArrowBigUpLine size={14} aria-hidden style={{ verticalAlign: '-2px' }} /> {t('Caps Lock is on')}
          </>
        )}
      </Text>
    </Stack>
  )
}
