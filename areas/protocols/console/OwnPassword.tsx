// A password that was just made, and what to type with it.

import { Alert, Button, Group, Stack } from '@mantine/core'
import { Copy } from '#core/console/kit/Copy.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { PemText } from '#core/console/kit/PemText.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { protocolRoom } from '../contract.ts'

export type Made = OutputOf<typeof protocolRoom.calls.addOwnPassword>

export const OwnPassword = ({ made, close }: { made: Made; close: () => void }) => (
  <Stack gap="md">
    <Alert color="yellow" title={t('Copy it now')}>
      {t('The password is not shown again.')}
    </Alert>
    <Facts
      items={[
        { label: t('Username'), value: <Mono value={made.reference} />, copy: made.reference },
        { label: t('Password'), value: <Mono value={made.secret} />, copy: made.secret },
        { label: t('Address'), value: <Mono value={made.url} />, copy: made.url },
        { label: t('Ends'), value: <DateTime at={made.expiresAt} /> },
      ]}
    />
    {made.commands.map(({ name, text }) => (
      <Section key={name} title={name} actions={<Copy value={text} label={name} />}>
        <PemText label={name} value={text} />
      </Section>
    ))}
    <Group justify="flex-end">
      <Button variant="default" onClick={close}>
        {t('Make another')}
      </Button>
    </Group>
  </Stack>
)
