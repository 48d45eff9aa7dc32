// The text that people agree to by signing in.

import { Text } from '@mantine/core'
import { t } from '#core/console/text.ts'

export function Terms({ text = '' }: { text?: string | undefined }) {
  if (text === '') return null
  return (
    <Text
      component="div"
      size="sm"
      c="dimmed"
      role="note"
      tabIndex={0}
      aria-label={t('Terms of use')}
      style={{ whiteSpace: 'pre-line', maxHeight: 160, overflowY: 'auto' }}
    >
      {text}
    </Text>
  )
}
