import { useNavigate } from 'react-router'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { sso } from '../contract.ts'
import { newProvider, ProviderFields, type ProviderValues } from './ProviderFields.tsx'

export function AddProvider() {
  const navigate = useNavigate()
  const choices = useCall(sso.calls.choices, {})
  return (
    <Page title={t('New provider')}>
      <Loaded query={choices}>
        {({ roles }) => (
          <LongForm
            call={sso.calls.add}
            initial={newProvider()}
            toInput={(values: ProviderValues) => values}
            submit={t('Add provider')}
            cancel={{ label: t('Cancel'), to: to(sso.screens.list) }}
            onDone={({ id }) => navigate(to(sso.screens.view, { id }))}
          >
            {(form) => <ProviderFields form={form} roles={roles} secretStored={false} />}
          </LongForm>
        )}
      </Loaded>
    </Page>
  )
}
