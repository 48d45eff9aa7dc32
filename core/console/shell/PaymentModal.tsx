// 402: the tenancy is past its grace period. Sign-in, revocation and status go on working.

import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBootstrap } from '../bootstrap.ts'
import { paymentStore } from '../global-faults.ts'
import { t } from '../text.ts'

export function PaymentModal() {
  const { open, says } = paymentStore()
  const { tenancy } = useBootstrap()
  const close = () => paymentStore.setState({ open: false })
  return (
    <Modal opened={open} onClose={close} title={t('Payment method')}>
      <Stack gap="md">
        <Text>{says}</Text>
        <Text>
          {t('Nothing was changed. To add a payment method write to')}{' '}
          <Anchor href={`mailto:${tenancy.salesEmail}`}>{tenancy.salesEmail}</Anchor>
        </Text>
        <Group justify="flex-end">
          <Button onClick={close}>{t('Close')}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
