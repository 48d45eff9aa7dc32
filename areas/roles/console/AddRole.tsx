import { useNavigate, useSearchParams } from 'react-router'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { roles } from '../contract.ts'
import { RoleFields, type RoleValues } from './RoleForm.tsx'

/** `?from=` begins with the grants of another role: a built-in one cannot be changed, but copied. */
export function AddRole() {
  const [search] = useSearchParams()
  const from = search.get('from') ?? ''
  const query = useCall(roles.calls.read, { id: from }, { enabled: from !== '' })
  return (
    <Page title={t('New role')} narrow>
      {from === '' ? (
        <AddForm start={{ name: '', description: '', view: [], menu: [], api: [] }} />
      ) : (
        <Loaded query={query}>
          {({ name, description, view, menu, api }) => (
            <AddForm start={{ name: t('Copy of {name}', { name }), description, view, menu, api }} />
          )}
        </Loaded>
      )}
    </Page>
  )
}

function AddForm({ start }: { start: RoleValues }) {
  const navigate = useNavigate()
  return (
    <Form
      call={roles.calls.add}
      initial={start}
      toInput={(values: RoleValues) => values}
      submit={t('Add role')}
      cancel={{ label: t('Cancel'), to: to(searchScreen, { searchType: 'role' }) }}
      invalidates={['home']}
      onDone={({ id }) => navigate(to(roles.screens.view, { id }))}
    >
      {(form) => <RoleFields form={form} />}
    </Form>
  )
}
