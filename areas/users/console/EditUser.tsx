import { Stack } from '@mantine/core'
import { Suspense, useState } from 'react'
import { useParams } from 'react-router'
import { useRoleOptions } from '#areas/roles/role-options.tsx'
import { refreshBootstrap, useViewer } from '#core/console/bootstrap.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded, LoadingState } from '#core/console/kit/states.tsx'
import { goTo } from '#core/console/navigate.ts'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { ActivationLink } from '../ActivationLink.tsx'
import { users } from '../contract.ts'
import { PersonForm } from '../PersonForm.tsx'
import { userEditParts } from '../user-tabs.ts'

export function EditUser() {
  const { id = '' } = useParams()
  const viewer = useViewer()
  const query = useCall(users.calls.read, { id })
  const offered = useRoleOptions(query.data?.roles)
  const view = to(users.screens.view, { id })
  const [link, setLink] = useState<{ activationLink: string; expiresAt: string; person: string }>()
  if (link !== undefined)
    return (
      <Page
        title={t('{person} has a new activation link', { person: link.person })}
        intro={t('The address or the roles changed, so the link from before works no more.')}
        narrow
      >
        <ActivationLink link={link.activationLink} expiresAt={link.expiresAt} person={link.person} />
        <LinkButton to={view}>{t('Show user')}</LinkButton>
      </Page>
    )
  return (
    <Page
      title={query.data === undefined ? t('Edit user') : t('Edit {name}', { name: `${query.data.givenName} ${query.data.familyName}` })}
      narrow
    >
      <Loaded query={query}>
        {(user) => (
          <Stack gap="md">
            <PersonForm
              key={user.id}
              user={user}
              {...(offered === undefined ? {} : { roles: offered })}
              cancel={{ label: t('Cancel'), to: view }}
              onDone={async ({ activationLink, expiresAt }) => {
                if (user.id === viewer.id) await refreshBootstrap()
                if (activationLink !== undefined && expiresAt !== undefined)
                  return setLink({ activationLink, expiresAt, person: `${user.givenName} ${user.familyName}` })
                goTo(view)
              }}
            />
            {userEditParts().map(({ key, load: Part }) => (
              <Suspense key={key} fallback={<LoadingState />}>
                <Part userId={user.id} />
              </Suspense>
            ))}
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}
