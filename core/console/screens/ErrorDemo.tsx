// For qualified technicians, who are the people with a role of that name: makes each kind of error happen, to see that the console survives it and says so.

import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { Navigate } from 'react-router'
import { useViewer, type Viewer } from '../bootstrap.ts'
import { Page } from '../kit/Page.tsx'
import { t } from '../text.ts'

const isTechnician = ({ permission }: Viewer): boolean => permission.roles.some((name) => name.toLowerCase() === 'technician')

export function ErrorDemo() {
  const [broken, setBroken] = useState(false)
  if (!isTechnician(useViewer())) return <Navigate to="/denied" replace state={{ title: 'Error demonstration' }} />
  if (broken) throw new Error('A render error, on request')
  return (
    <Page title={t('Error demonstration')} narrow>
      <Text>{t('Each button makes one kind of error happen. Nothing is changed.')}</Text>
      <Group gap="xs">
        <Button
          variant="default"
          onClick={() => {
            throw new Error('An event error, on request')
          }}
        >
          {t('Event error')}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            void Promise.reject(new Error('An async error, on request'))
          }}
        >
          {t('Async error')}
        </Button>
        <Button variant="default" onClick={() => setBroken(true)}>
          {t('Render error')}
        </Button>
      </Group>
    </Page>
  )
}
