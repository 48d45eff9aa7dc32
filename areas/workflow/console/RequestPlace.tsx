// An address that other programs link to: it leads to where the request stands, and never out of this console.

import { Navigate, useParams } from 'react-router'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { workflow } from '../contract.ts'

export function RequestPlace() {
  const { ca = '', id = '' } = useParams()
  const query = useCall(workflow.calls.place, { ca, id })
  if (query.data?.path !== undefined) return <Navigate to={query.data.path} replace />
  return (
    <Page title={t('Request')}>
      <Loaded query={query}>
        {() => (
          <EmptyState
            title={t('There is no such request')}
            text={t('The address names no request of this authority, or none that you may see.')}
            action={<LinkButton to={to(workflow.screens.transactions)}>{t('Transactions')}</LinkButton>}
          />
        )}
      </Loaded>
    </Page>
  )
}
