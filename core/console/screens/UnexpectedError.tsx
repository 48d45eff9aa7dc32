// Shown in place of a screen that failed: a log to download, a reload, and an address to write to where the tenancy has one.

import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconDownload, IconReload } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useRouteError } from 'react-router'
import { bootstrapStore, supportAddressOf } from '../bootstrap.ts'
import { saveFile } from '../save-file.ts'
import { t } from '../text.ts'
import { errorLog, errorLogName } from './error-log.ts'

export function UnexpectedError() {
  const error = useRouteError()
  return <ErrorScreen error={error} />
}

export function ErrorScreen({ error, reload = () => location.reload() }: { error: unknown; reload?: () => void }) {
  const support = bootstrapStore(({ bootstrap }) => supportAddressOf(bootstrap?.tenancy))
  const heading = useRef<HTMLHeadingElement>(null)
  const [time] = useState(() => new Date())
  useEffect(() => {
    document.title = `${t('An unexpected error occurred')} · Chancery`
    heading.current?.focus()
  }, [])
  const download = () =>
    saveFile(
      new Blob([errorLog(error, { userAgent: navigator.userAgent, time, location: location.href })], { type: 'text/plain;charset=utf-8' }),
      errorLogName,
    )
  return (
    <Stack gap="md" maw={640} p="md" role="alert">
      <Title order={1} tabIndex={-1} ref={heading}>
        {t('An unexpected error occurred')}
      </Title>
      <Text>
        {t(
          'This page failed. What you had saved before is safe; what was being sent may not have arrived. Reload the page and look before you try again.',
        )}
      </Text>
      <Group gap="xs">
        <Button leftSection={<IconReload size={16} stroke={1.8} aria-hidden />} onClick={reload}>
          {t('Reload page')}
        </Button>
        <Button variant="default" leftSection={<IconDownload size={16} stroke={1.8} aria-hidden />} onClick={download}>
          {t('Download error log')}
        </Button>
      </Group>
      <Text c="dimmed">
        {t('If it happens again, send the log to')} <Anchor href={`mailto:${support}`}>{support}</Anchor>
      </Text>
    </Stack>
  )
}
