import { useNavigate } from 'react-router'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { ordering } from '../contract.ts'
import { AuthorityFields, type AuthorityValues } from './AuthorityFields.tsx'
import { externalTab } from './external-tab.ts'

export function AddAuthority() {
  const navigate = useNavigate()
  return (
    <Page title={t('New external ACME authority')}>
      <LongForm
        call={ordering.calls.addAuthority}
        initial={{ name: '', directoryUrl: '', roots: '', contact: [], eabKid: '', eabSecret: '', preferredChain: '', agreed: false }}
        toInput={(values: AuthorityValues) => values}
        submit={t('Add authority')}
        cancel={{ label: t('Cancel'), to: externalTab() }}
        onDone={() => navigate(externalTab())}
      >
        {(form) => <AuthorityFields form={form} isNew />}
      </LongForm>
    </Page>
  )
}
