// The next step of a renewal, as far as the person who looks can take it: a button, a link, or nothing.

import { to } from '#core/contract/paths.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { t } from '#core/console/text.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { renewal, type RenewalInfo } from '../contract.ts'
import { RenewNow } from './RenewNow.tsx'

export function RenewalStep({ info, answer }: { info: RenewalInfo; answer?: boolean }) {
  const { step, certificateId, entity, requestId } = info
  switch (step) {
    case 'renew':
      return <RenewNow info={info} />
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
