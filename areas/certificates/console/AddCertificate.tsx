// Anybody's own way to a certificate, and the requests made so far. A link in a mail leads here with the request it is about.

import { useParams, useSearchParams } from 'react-router'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import type { Entity } from '#areas/templates/rules.ts'
import { MyRequest } from './MyRequest.tsx'
import { MyRequests } from './MyRequests.tsx'
import { RequestPage } from './RequestPage.tsx'
import { NavTabs } from './NavTabs.tsx'

export function AddCertificate() {
  const { entity } = useParams()
  const [search] = useSearchParams()
  const request = search.get('request')
  const kind: Entity = entity === 'device' ? 'device' : 'user'
  if (request !== null) return <MyRequest requestId={request} />
  if (search.get('show') === 'mine')
    return (
      <Page title={t('My requests')}>
        <NavTabs open="mine" entity={kind} />
        <MyRequests />
      </Page>
    )
  return (
    <>
      <NavTabs open={kind} entity={kind} />
      <RequestPage
        key={kind}
        title={kind === 'device' ? t('Request a certificate for a device') : t('Request a certificate for yourself')}
        intro={kind === 'device' ? t('For a server, a service or a machine.') : t('It carries the names in your own record.')}
        entity={kind}
        call="request"
      />
    </>
  )
}
