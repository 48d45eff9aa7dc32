// On a certificate's page, and for holders who see no certificates on that of its request: the way to take it back, while there is something to take, and of one that
// is revoked to say that its key is compromised.

import { IconBan } from '@tabler/icons-react'
import type { ActionCertificate } from '#areas/certificates/certificate-actions.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { revocation } from '../contract.ts'
import { isFoundLater } from '../rules.ts'

export function RevokeAction({ certificate: { certificateId, caId, status, revocationReason } }: { certificate: ActionCertificate }) {
  const may = useMay()
  // What others issued is theirs to revoke. On hold it can be revoked for good.
  const open = caId !== undefined && status !== 'expired' && revocationReason !== 'keyCompromise'
  const { data: options } = useCall(revocation.calls.options, { certId: certificateId }, { enabled: open })
  if (!open || options?.mayRevoke !== true || options.reasons.length === 0) return null
  const screen = may(revocation.screens.revoke.needs, 'View') ? revocation.screens.revoke : revocation.screens.revokeOwn
  return (
    <LinkButton
      variant="light"
      color="red"
      leftSection={<IconBan size={16} stroke={1.8} aria-hidden />}
      to={to(screen, { certId: certificateId })}
    >
      {isFoundLater(options.revoked) ? t('Record key compromise') : t('Revoke certificate')}
    </LinkButton>
  )
}
