import { Text } from '@mantine/core'
import { TextLink } from '#core/console/kit/links.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { certificatePath } from '../paths.ts'
import type { CertificateStatus } from '../rules.ts'

export function CertificateState({ certificate: { status, onHold } }: { certificate: { status: CertificateStatus; onHold: boolean } }) {
  return <Status of={status} {...(status === 'expired' && onHold ? { label: t('Expired on hold') } : {})} />
}

type Listed = {
  status: CertificateStatus
  onHold: boolean
  revocationReason?: string | undefined
  renewedBy?: string | undefined
  replaced?: boolean
}

/** In a list: also that another has taken its place, as two of one name look the same otherwise. `linked` leads there. */
export function ListedState({ certificate, linked }: { certificate: Listed; linked: boolean }) {
  const { status, revocationReason, renewedBy, replaced = false } = certificate
  return (
    <span style={{ display: 'inline-flex', gap: 8, alignItems: 'center', verticalAlign: 'middle' }}>
      <CertificateState certificate={certificate} />
      {renewedBy !== undefined ? (
        linked ? (
          <TextLink size="sm" to={certificatePath(renewedBy)}>
            {t('Renewed')}
          </TextLink>
        ) : (
          <Quiet says={t('Renewed')} />
        )
      ) : replaced ? (
        <Quiet says={t('Replaced')} />
      ) : (
        status === 'revoked' && revocationReason === 'superseded' && <Quiet says={t('Superseded')} />
      )}
    </span>
  )
}

const Quiet = ({ says }: { says: string }) => (
  <Text span size="sm" c="dimmed">
    {says}
  </Text>
)
