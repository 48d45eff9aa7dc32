// The next step of a renewal, as far as the person who looks can take it: a button, a link, or nothing.

import { Button, Stack } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { renewal } from '../contract.ts'

export type RenewalInfo = OutputOf<typeof renewal.calls.info>

export function RenewalStep({ info, answer }: { info: RenewalInfo; answer?: boolean }) {
  const renew = useSend(renewal.calls.renew, { invalidates: ['certificates', 'home'] })
  const { step, certificateId, entity, requestId } = info
  const click = async (): Promise<void> => {
    const { state } = await renew.run({ certId: certificateId })
    toast({ kind: 'success', title: state === 'renewed' ? t('The certificate is renewed') : t('The renewal is requested') })
  }
  switch (step) {
    case 'renew':
      return (
        <Stack gap="xs" align="flex-start">
          <FaultAlert fault={renew.fault} />
          <Button leftSection={<IconRefresh size={16} stroke={1.8} aria-hidden />} loading={renew.pending} onClick={() => void click().catch(() => {})}>
            {info.attempts.some(({ state }) => state === 'refused' || state === 'failed') ? t('Try again now') : t('Renew now')}
          </Button>
        </Stack>
      )
    case 'answer':
      return answer === false ? null : <LinkButton to={to(renewal.screens.view, { certId: certificateId })}>{t('Send a new key’s request')}</LinkButton>
    case 'collect':
      return requestId === undefined ? null : <LinkButton to={to(certificates.screens.add, { entity }, { request: requestId })}>{t('Collect the new key')}</LinkButton>
    case 'approve':
      return requestId === undefined ? null : <LinkButton to={to(certificates.screens.approval, { id: requestId })}>{t('Decide on the renewal')}</LinkButton>
    case 'request':
      return (
        <LinkButton variant="default" to={to(certificates.screens.add, { entity })}>
          {t('Request another certificate')}
        </LinkButton>
      )
    default:
      return null
  }
}
