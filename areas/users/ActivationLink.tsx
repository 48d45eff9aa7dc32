// The link that a new person activates the account with, shown to whoever made it, once.

import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconLink } from '@tabler/icons-react'
import { MailNote } from '#areas/mail/MailNote.tsx'
import { Copy } from '#core/console/kit/Copy.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { t } from '#core/console/text.ts'

export function ActivationLink({ link, expiresAt, person }: { link: string; expiresAt: string; person: string }) {
  return (
    <Alert color="green" role="status" icon={<IconLink size={18} aria-hidden />} title={t('Activation link for {person}', { person })}>
      <Stack gap="xs">
        <Text inherit>
          <MailNote sent={t('It is on its way by mail.')} unsent={t('No mail leaves this installation.')} />{' '}
          {t('If you hand it over yourself, copy it now: it is not shown again.')}
        </Text>
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <code style={{ overflowWrap: 'anywhere' }}>{link}</code>
          <Copy value={link} label={t('Activation link')} />
        </Group>
        <Text size="sm">
          {t('It works once, until')} <DateTime at={expiresAt} />
        </Text>
      </Stack>
    </Alert>
  )
}
