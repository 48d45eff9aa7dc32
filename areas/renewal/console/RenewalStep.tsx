// The next step of a renewal, as far as the person who looks can take it: a button, a link, or nothing.

import { certificates } from '#areas/certificates/contract.ts'
import { approvalPath, myRequestPath } from '#areas/certificates/paths.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { renewal, type RenewalInfo } from '../contract.ts'
import { RenewNow } from './RenewNow.tsx'

export function RenewalStep({ info, answer }: { info: RenewalInfo; answer?: boolean }) {
  const { step, certificateId, entity, requestId, requestOwn } = info
  switch (step) {
    case 'renew':
    case 'early':
      return <RenewNow info={info} />
    case 'answer':
      return answer === false ? null : (
        <LinkButton to={to(renewal.screens.view, { certId: certificateId })}>{t('Send a new key’s request')}</LinkButton>
      )
    case 'collect':
      return requestId === undefined ? null : <LinkButton to={myRequestPath(entity, requestId)}>{t('Collect the new key')}</LinkButton>
    case 'approve':
      return requestId === undefined ? null : <LinkButton to={approvalPath(requestId)}>{t('Decide on the renewal')}</LinkButton>
    case 'show':
      return requestId === undefined ? null : (
        <LinkButton variant="default" to={requestOwn === true ? myRequestPath(entity, requestId) : approvalPath(requestId)}>
          {t('Show the request')}
        </LinkButton>
      )
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
