// Above the form of a person's certificate, where the request names machines: the way to the form of devices, which begins with what was filled in here.

import { Alert, Button, Text } from '@mantine/core'
import { useMay } from '#core/console/bootstrap.ts'
import { leaveTo } from '#core/console/navigate.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'
import { keepMoved } from './moved-request.ts'
import type { RequestValues } from './request-values.ts'

export function DeviceSuggestion({ hosts, values }: { hosts: readonly string[]; values: RequestValues }) {
  const may = useMay()
  const [first] = hosts
  if (first === undefined) return null
  // Who enrols devices for others has every template; all others have those that are open to them.
  const { add, uploadForDevice } = certificates.screens
  const path = may(uploadForDevice.needs, 'View') ? to(uploadForDevice) : to(add, { entity: 'device' })
  return (
    <Alert color="blue" variant="light" title={t('This looks like a request of a device')}>
      <Text inherit>
        {t('It names {host}. A certificate of a person carries the names in that person’s record instead.', { host: first })}
      </Text>
      <Button
        mt="xs"
        size="xs"
        onClick={() => {
          keepMoved(values)
          leaveTo(path)
        }}
      >
        {t('Ask for a device')}
      </Button>
    </Alert>
  )
}
