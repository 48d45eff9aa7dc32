// Copies a text; the button says so for two seconds, and tells a screen reader. Its hint is the browser's own: the kit's tooltip would put
// the positioning library into the first load of every page.

import { ActionIcon, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { t } from '../text.ts'

export type CopyProps = {
  value: string
  /** What is copied: "Serial number". */
  label: string
}

export function Copy({ value, label }: CopyProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), 2000)
    return () => clearTimeout(timer)
  }, [state])
  const says = state === 'copied' ? t('Copied') : state === 'failed' ? t('Copying is not allowed here') : t('Copy {label}', { label })
  return (
    <>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={t('Copy {label}', { label })}
        title={says}
        onClick={() => {
          navigator.clipboard.writeText(value).then(
            () => setState('copied'),
            () => setState('failed'),
          )
        }}
      >
        {state === 'copied' ? <IconCheck size={14} /> : <IconCopy size={14} />}
      </ActionIcon>
      <VisuallyHidden role="status">{state === 'idle' ? '' : says}</VisuallyHidden>
    </>
  )
}
