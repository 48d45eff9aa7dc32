import { useParams } from 'react-router'
import { refreshBootstrap } from '#core/console/bootstrap.ts'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { goTo } from '#core/console/navigate.ts'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { roles } from '../contract.ts'
import { RoleFields, type RoleValues } from './RoleForm.tsx'

export function EditRole() {
  const { id = '' } = useParams()
  const query = useCall(roles.calls.read, { id })
  const view = to(roles.screens.view, { id })
  return (
    <Page title={query.data === undefined ? t('Edit role') : t('Edit {name}', { name: query.data.name })} narrow>
      <Loaded query={query}>
        {({ builtIn, version, name, description, ...grants }) =>
          builtIn ? (
            <EmptyState
              title={t('A built-in role stays as it is')}
              text={t('So that nobody locks the last administrator out. Copy it and change the copy.')}
              action={<LinkButton to={to(roles.screens.add, {}, { from: id })}>{t('Copy role')}</LinkButton>}
            />
          ) : (
            <Form
              key={version}
              call={roles.calls.change}
              initial={{ name, description, view: grants.view, menu: grants.menu, api: grants.api }}
              toInput={(values: RoleValues) => ({ id, version, ...values })}
              submit={t('Save role')}
              cancel={{ label: t('Cancel'), to: view }}
              invalidates={['users']}
              onDone={async () => {
                await refreshBootstrap()
                goTo(view)
              }}
            >
              {(form) => <RoleFields form={form} />}
            </Form>
          )
        }
      </Loaded>
    </Page>
  )
}
