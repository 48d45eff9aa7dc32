// A new passkey of one's own: its name, then the prompt of the browser.

import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { asCallFault, type CallFault } from '#core/console/call-fault.ts'
import { mediumDate } from '#core/console/kit/DateTime.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { passkeys } from '../contract.ts'
import { createPasskey, passkeysWork, wasCancelled } from './ceremony.ts'

export function AddPasskey({ userId }: { userId: string }) {
  const [opened, setOpened] = useState(false)
  if (!passkeysWork())
    return (
      <Text size="sm" c="dimmed">
        {t('This browser makes no passkeys here: it needs one that knows them, and an address that begins with https.')}
      </Text>
    )
  return (
    <>
      <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setOpened(true)}>
        {t('Add passkey')}
      </Button>
      {opened && <AddDialog userId={userId} onClose={() => setOpened(false)} />}
    </>
  )
}

function AddDialog({ userId, onClose }: { userId: string; onClose: () => void }) {
  const [name, setName] = useState(() => t('Passkey {date}', { date: mediumDate(new Date(), true) }))
  const [pending, setPending] = useState(false)
  const [fault, setFault] = useState<CallFault>()
  const [held, setHeld] = useState(false)
  const prepare = useSend(passkeys.calls.prepare, { quiet: true })
  const register = useSend(passkeys.calls.register, { invalidates: ['sessions', 'audit'] })

  const press = async (): Promise<void> => {
    setFault(undefined)
    setHeld(false)
    setPending(true)
    try {
      const { credentialCreationOptionsJson } = await prepare.run({ userId })
      const credentialCreationResponseJson = await createPasskey(credentialCreationOptionsJson)
      await register.run({ credentialCreationResponseJson, customName: name })
      onClose()
    } catch (error) {
      if (error instanceof DOMException && error.name === 'InvalidStateError') setHeld(true)
      else if (!wasCancelled(error)) setFault(asCallFault(error))
    } finally {
      setPending(false)
    }
  }
  return (
    <Modal opened onClose={onClose} title={t('Add passkey')}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void press()
        }}
      >
        <Stack gap="md">
          <Text size="sm">
            {t(
              'Your browser asks where to keep the passkey: on this device, in your password manager, on your phone or on a security key.',
            )}
          </Text>
          <TextInput
            label={t('Name')}
            description={t('So that you know it again')}
            value={name}
            maxLength={80}
            required
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {held && <Alert title={t('Failed to create a new passkey')}>{t('This device holds a passkey of yours already.')}</Alert>}
          <FaultAlert fault={fault} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('Add none')}
            </Button>
            <Button type="submit" loading={pending}>
              {t('Create passkey')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
