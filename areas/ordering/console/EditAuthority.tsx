import { Stack } from '@mantine/core'
import { useNavigate, useParams } from 'react-router'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { ordering } from '../contract.ts'
import { AuthorityFields, type AuthorityValues } from './AuthorityFields.tsx'
import { externalTab } from './external-tab.ts'

export function EditAuthority() {
  const { id = '' } = useParams()
  const query = useCall(ordering.calls.authority, { id })
  if (query.data !== undefined) return <Editor key={query.data.version} authority={query.data} />
  return (
    <Page title={t('External ACME authority')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function Editor({ authority }: { authority: OutputOf<typeof ordering.calls.authority> }) {
  const navigate = useNavigate()
  const { id, version, accountUrl, ...values } = authority
  return (
    <Page title={values.name}>
      <Stack gap="md">
        {accountUrl !== undefined && <Facts items={[{ label: t('Account'), value: <Mono value={accountUrl} />, copy: accountUrl }]} />}
        <LongForm
          call={ordering.calls.changeAuthority}
          initial={{ ...values, eabSecret: '' }}
          toInput={(changed: AuthorityValues) => ({ ...changed, id, version })}
          submit={t('Save authority')}
          cancel={{ label: t('Cancel'), to: externalTab() }}
          onDone={() => navigate(externalTab())}
        >
          {(form) => <AuthorityFields form={form} isNew={false} />}
        </LongForm>
      </Stack>
    </Page>
  )
}
