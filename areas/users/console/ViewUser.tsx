// One person: who it is, what they may do, how they sign in, what was done with the account.

import { Alert, Stack, Text } from '@mantine/core'
import { IconLink, IconPencil, IconTrash, IconUserCheck, IconUserOff } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { roles } from '#areas/roles/contract.ts'
import { roleName } from '#areas/roles/role-name.tsx'
import { useMay, useViewer } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded, LoadingState } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { ActivationLink } from '../ActivationLink.tsx'
import { labelOf } from '../attributes.ts'
import { users } from '../contract.ts'
import { removalKinds, type RemovalKind } from '../removal-kinds.ts'
import { userTabs } from '../user-tabs.ts'
import { userStatusLabels } from './user-status.ts'
import { UserActivity } from './UserActivity.tsx'

type User = OutputOf<typeof users.calls.read>

export function ViewUser() {
  const { id = '' } = useParams()
  const query = useCall(users.calls.read, { id })
  if (query.data === undefined)
    return (
      <Page title={t('User')}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  return <Shown key={query.data.id} user={query.data} />
}

function Shown({ user }: { user: User }) {
  const viewer = useViewer()
  const may = useMay()
  const name = `${user.givenName} ${user.familyName}`
  const setEnabled = useSend(users.calls.setEnabled, { invalidates: ['audit'] })
  const activate = useSend(users.calls.activate, { invalidates: ['audit'] })
  const removal = useSend(users.calls.removal)
  const deletion = useSend(users.calls.remove, { invalidates: ['audit', 'roles'] })
  const navigate = useNavigate()
  const invite = useSend(users.calls.invite, { invalidates: ['audit', 'mail'] })
  const [link, setLink] = useState<OutputOf<typeof users.calls.invite>>()

  const disable = async (): Promise<void> => {
    const yes = await confirm({
      title: t('Disable {name}?', { name }),
      consequence: t(
        'All sessions and API tokens of this person end at once, and sign-in is refused. Certificates stay as they are. You can enable the account again.',
      ),
      action: t('Disable user'),
      keep: t('Keep user enabled'),
      danger: true,
    })
    if (yes) await setEnabled.run({ id: user.id, enabled: false }).catch(() => {})
  }
  const remove = async (): Promise<void> => {
    const found = await removal.run({ id: user.id }).catch(() => undefined)
    if (found === undefined) return
    const { keeps, goes } = found
    const parts = goes.map(({ kind, count }) => `${t(kind in removalKinds ? removalKinds[kind as RemovalKind].label : kind)}: ${count}`)
    const yes = await confirm({
      title: t('Delete {name}?', { name }),
      consequence: [
        t(
          'The account and its roles are gone for good, and the username is free for somebody else. What this person did stays in the audit log.',
        ),
        ...(parts.length === 0 ? [] : [t('These go with it: {what}.', { what: parts.join(', ') })]),
        ...(keeps.length === 0 ? [] : [t('It is refused until these are ended: {what}.', { what: keeps.join(', ') })]),
      ].join(' '),
      action: t('Delete user'),
      keep: t('Keep user'),
      danger: true,
    })
    if (yes)
      await deletion.run({ id: user.id }).then(
        () => navigate(to(searchScreen, { searchType: 'user' })),
        () => {},
      )
  }
  return (
    <DetailPage
      title={name}
      status={<Status of={user.status} label={t(userStatusLabels[user.status])} />}
      actions={[
        user.mayEdit &&
          may('userEdit', 'View') && {
            label: t('Edit user'),
            icon: IconPencil,
            primary: true,
            to: to(users.screens.edit, { id: user.id }),
          },
        user.status === 'invited' && {
          label: t('New activation link'),
          icon: IconLink,
          needs: 'userAdd',
          onClick: () => void invite.run({ id: user.id }).then(setLink, () => {}),
        },
        user.enabled &&
          user.id !== viewer.id &&
          user.mayEdit && { label: t('Disable user'), icon: IconUserOff, danger: true, needs: 'userEdit', onClick: () => void disable() },
        !user.enabled &&
          user.mayEdit && {
            label: t('Activate user'),
            icon: IconUserCheck,
            needs: 'userEdit',
            onClick: () => void activate.run({ id: user.id }).catch(() => {}),
          },
        user.id !== viewer.id &&
          user.mayEdit && { label: t('Delete user'), icon: IconTrash, danger: true, needs: 'userEdit', onClick: () => void remove() },
      ]}
      tabs={[
        {
          key: 'overview',
          label: t('Overview'),
          content: () => (
            <Stack gap="md">
              {link !== undefined && <ActivationLink link={link.activationLink} expiresAt={link.expiresAt} person={name} />}
              <FaultAlert fault={setEnabled.fault ?? activate.fault ?? deletion.fault ?? removal.fault ?? invite.fault} />
              <Overview user={user} />
            </Stack>
          ),
        },
        { key: 'roles', label: t('Roles'), content: () => <RolesOf user={user} /> },
        ...userTabs()
          .filter(({ needs }) => needs === undefined || may(needs))
          .map(({ key, label, load: Tab }) => ({
            key,
            label: t(label),
            content: () => (
              <Suspense fallback={<LoadingState />}>
                <Tab userId={user.id} />
              </Suspense>
            ),
          })),
        may('audit') && { key: 'activity', label: t('Activity'), content: () => <UserActivity id={user.id} /> },
      ]}
    />
  )
}

function Overview({ user }: { user: User }) {
  return (
    <Section title={t('Details')}>
      <Facts
        items={[
          { label: t(labelOf('username')), value: user.username, copy: user.username },
          { label: t(labelOf('emailAddress')), value: user.emailAddress, copy: user.emailAddress },
          { label: t(labelOf('telephoneNumber')), value: user.telephoneNumber },
          { label: t(labelOf('title')), value: user.title },
          { label: t(labelOf('organisation')), value: user.organisation },
          { label: t(labelOf('locality')), value: user.locality },
          user.securityIdentifier !== '' && {
            label: t(labelOf('securityIdentifier')),
            value: user.securityIdentifier,
            copy: user.securityIdentifier,
          },
          { label: t('Created'), value: <DateTime at={user.createdAt} /> },
          { label: t('Last sign-in'), value: <DateTime at={user.lastSuccessfulLogin} /> },
          user.failedLogins > 0 && { label: t('Failed sign-ins since'), value: user.failedLogins },
          user.lastFailedLogin !== undefined && { label: t('Last failed sign-in'), value: <DateTime at={user.lastFailedLogin} /> },
          { label: t('Last changed'), value: <DateTime at={user.modifiedAt} /> },
          user.disabledAt !== undefined && !user.enabled && { label: t('Disabled since'), value: <DateTime at={user.disabledAt} /> },
        ]}
      />
    </Section>
  )
}

function RolesOf({ user }: { user: User }) {
  const may = useMay()
  if (user.roles.length === 0) return <Alert>{t('This person has no role and can only see the own account.')}</Alert>
  return (
    <Section title={t('Roles')} intro={t('The person may do whatever any of them allows.')}>
      <Stack component="ul" gap="xs" m={0} ps="md">
        {user.roles.map(({ id, name }) => (
          <li key={id}>
            {may('roleView', 'View') ? (
              <TextLink to={to(roles.screens.view, { id })}>{roleName(name)}</TextLink>
            ) : (
              <Text span>{roleName(name)}</Text>
            )}
          </li>
        ))}
      </Stack>
    </Section>
  )
}
