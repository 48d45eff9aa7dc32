import { useNavigate, useParams } from 'react-router'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { sso } from '../contract.ts'
import { ProviderFields, storedProvider, type ProviderValues } from './ProviderFields.tsx'

export function EditProvider() {
  const { id = '' } = useParams()
  const query = useCall(sso.calls.provider, { id })
  if (query.data !== undefined) return <Editor key={query.data.version} provider={query.data} />
  return (
    <Page title={t('Edit provider')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function Editor({ provider }: { provider: OutputOf<typeof sso.calls.provider> }) {
  const navigate = useNavigate()
  const choices = useCall(sso.calls.choices, {})
  const { id, version, name, secretSetAt } = provider
  const view = to(sso.screens.view, { id })
  return (
    <Page title={t('Edit {name}', { name })}>
      <Loaded query={choices}>
        {({ roles }) => (
          <LongForm
            call={sso.calls.change}
            initial={storedProvider(provider)}
            toInput={(draft: ProviderValues) => ({ id, version, ...draft })}
            submit={t('Save provider')}
            cancel={{ label: t('Cancel'), to: view }}
            onDone={() => navigate(view)}
          >
            {(form) => <ProviderFields form={form} roles={roles} secretStored={secretSetAt !== undefined} />}
          </LongForm>
        )}
      </Loaded>
    </Page>
  )
}
