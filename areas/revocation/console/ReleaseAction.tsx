// On the page of a certificate on hold: the way to make it good again.

import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { to } from '#core/contract/paths.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import type { ActionCertificate } from '#areas/certificates/certificate-actions.ts'
import { revocation } from '../contract.ts'
import { failureCodes, isFailureCode } from '../rules.ts'

export function ReleaseAction({ certificate }: { certificate: ActionCertificate }) {
  const may = useMay()
  return certificate.revocationReason === 'certificateHold' && may(revocation.calls.release.needs) ? <Release certificateId={certificate.certificateId} /> : null
}

function Release({ certificateId }: { certificateId: string }) {
  const may = useMay()
  const { data: options } = useCall(revocation.calls.options, { certId: certificateId })
  const release = useSend(revocation.calls.release, { invalidates: ['certificates', 'renewal', 'approvals', 'home'] })
  if (options === undefined) return null
  const { approvals, pending, status } = options
  const screen = revocation.screens.viewPending
  if (pending !== undefined)
    return may(screen.needs, 'View') ? (
      <LinkButton variant="default" to={to(screen, { certId: certificateId })}>
        {t('Show what waits')}
      </LinkButton>
    ) : null
  // Nobody accepts it any more, released or not.
  if (status === 'expired') return null

  const ask = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Release this certificate from hold?'),
      consequence:
        approvals > 0
          ? t('{count, plural, one {One other person must agree.} other {# other people must agree.}} Until then it stays on hold.', { count: approvals })
          : t('Whoever verifies it accepts it again: by OCSP from now on, by the revocation list with the next one.'),
      action: t('Release from hold'),
      keep: t('Keep on hold'),
      danger: false,
    })
    if (!sure) return
    await release.run({ certId: certificateId }).then(
      ({ ok, status, failureCode = '' }) => {
        if (!ok) toast({ kind: 'error', title: t('The certificate was not released'), ...(isFailureCode(failureCode) ? { text: t(failureCodes[failureCode]) } : {}) })
        else toast({ kind: 'success', title: status === 'pending' ? t('Release requested') : t('Released from hold') })
      },
      (error: unknown) => toast({ kind: 'error', title: t('The certificate was not released'), text: error instanceof Error ? error.message : '' }),
    )
  }
  return (
    <Button variant="light" leftSection={<IconPlayerPlay size={16} stroke={1.8} aria-hidden />} aria-busy={release.pending} onClick={() => void ask()}>
      {t('Release from hold')}
    </Button>
  )
}
