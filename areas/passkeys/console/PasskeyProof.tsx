// Proving who one is by a passkey, beside the password.

import { Button, Stack } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { useState } from 'react'
import { useViewer } from '#core/console/bootstrap.ts'
import { asCallFault, type CallFault } from '#core/console/call-fault.ts'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { passkeys } from '../contract.ts'
import { askForProof, passkeysWork, wasCancelled } from './ceremony.ts'

export function PasskeyProof({ onProved }: { onProved: () => void }) {
  const viewer = useViewer()
  const atHome = viewer.tenantId === viewer.homeTenantId
  const { data } = useCall(passkeys.calls.list, { userId: viewer.id }, { enabled: atHome })
  const [pending, setPending] = useState(false)
  const [fault, setFault] = useState<CallFault>()
  const known = data?.registeredCredentials.some(({ worksHere, blocked }) => worksHere && !blocked) === true
  if (!passkeysWork() || (atHome && !known)) return null
  const press = async (): Promise<void> => {
    setFault(undefined)
    setPending(true)
    try {
      const { credentialRequestOptionsJson } = await send(passkeys.calls.prepareProof, {})
      await send(passkeys.calls.prove, await askForProof(credentialRequestOptionsJson))
      onProved()
    } catch (error) {
      if (!wasCancelled(error)) setFault(asCallFault(error))
    } finally {
      setPending(false)
    }
  }
  return (
    <Stack gap="sm">
      <Button
        variant="default"
        loading={pending}
        leftSection={<IconFingerprint size={18} stroke={1.8} aria-hidden />}
        onClick={() => void press()}
      >
        {t('Use a passkey instead')}
      </Button>
      <FaultAlert fault={fault} />
    </Stack>
  )
}
