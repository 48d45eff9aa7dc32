import { IconColumns, IconCopy, IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { roles } from '../contract.ts'
import { roleName } from '../role-name.tsx'
import { DeleteRole } from './DeleteRole.tsx'
import { PermissionTable } from './PermissionTable.tsx'
import { roleDescription } from './role-words.ts'

export function ViewRole() {
  const { id = '' } = useParams()
  const may = useMay()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const query = useCall(roles.calls.read, { id })
  const role = query.data
  if (role === undefined)
    return (
      <Page title={t('Role')}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  return (
    <DetailPage
      title={roleName(role.name)}
      intro={role.description === '' ? undefined : roleDescription(role.description)}
      actions={[
        !role.builtIn &&
          may('roleEdit', 'View') && { label: t('Edit role'), icon: IconPencil, primary: true, to: to(roles.screens.edit, { id }) },
        may('roleAdd', 'View') && { label: t('Copy role'), icon: IconCopy, to: to(roles.screens.add, {}, { from: id }) },
        { label: t('Compare role'), icon: IconColumns, to: to(roles.screens.compare, {}, { a: id }) },
        !role.builtIn && { label: t('Delete role'), icon: IconTrash, danger: true, needs: 'roleEdit', onClick: () => setDeleting(true) },
      ]}
    >
      {deleting && (
        <DeleteRole role={role} onClose={() => setDeleting(false)} onDone={() => navigate(to(searchScreen, { searchType: 'role' }))} />
      )}
      <Section title={t('Details')}>
        <Facts
          items={[
            { label: t('Kind'), value: role.builtIn ? t('Built in: it cannot be changed, but copied') : t('Your own') },
            may('search', 'View') &&
              may('userView') && {
                label: t('People'),
                value: (
                  <TextLink to={to(searchScreen, { searchType: 'user' }, { roleId: id })}>{t('Show the people with this role')}</TextLink>
                ),
              },
          ]}
        />
      </Section>
      <Section title={t('Permissions')}>
        <PermissionTable grants={{ view: role.view, menu: role.menu, api: role.api }} blacklist={[]} />
      </Section>
    </DetailPage>
  )
}
