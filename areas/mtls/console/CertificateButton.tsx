// On the sign-in page, where the installation asks for certificates.

import { Button, Stack } from '@mantine/core'
import { IconId } from '@tabler/icons-react'
import { useSearchParams } from 'react-router'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { ownPath } from '#core/console/navigate.ts'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { mtls } from '../contract.ts'

export function CertificateButton() {
  const [search] = useSearchParams()
  const { data } = useCall(mtls.calls.offered, {})
  const begin = useSend(mtls.calls.begin)
  if (data?.offered !== true) return null
  const go = async (): Promise<void> => {
    const { url } = await begin.run({ redirect: ownPath(search.get('redirect'), '') })
    if (url !== undefined) location.assign(url)
  }
  return (
    <Stack gap="sm">
      <Button
        variant="default"
        fullWidth
        loading={begin.pending}
        leftSection={<IconId size={18} stroke={1.8} aria-hidden />}
        onClick={() => void go().catch(() => {})}
      >
        {t('Sign in with a certificate or smartcard')}
      </Button>
      <FaultAlert fault={begin.fault} />
    </Stack>
  )
}
