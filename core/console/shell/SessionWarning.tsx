// Before the session ends for want of activity: says so, and one press keeps it.

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { sessionStore, signOut, stayFor } from '../session.ts'
import { t } from '../text.ts'

export function SessionWarning() {
  const { warning, endsAt } = sessionStore()
  return (
    <Modal opened={warning} onClose={() => void stayFor()} title={t('Your session is about to end')}>
      <Stack gap="md">
        <Text>{t('Nothing has happened here for a while. What you have typed is kept either way.')}</Text>
        {warning && endsAt !== undefined && <Remaining endsAt={endsAt} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => void signOut()}>
            {t('Sign out')}
          </Button>
          <Button data-autofocus onClick={() => void stayFor()}>
            {t('Stay signed in')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function Remaining({ endsAt }: { endsAt: number }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.round((endsAt - now) / 1000))
  return (
    <Text role="timer" aria-live="off">
      {t('{seconds, plural, one {# second left} other {# seconds left}}', { seconds })}
    </Text>
  )
}
