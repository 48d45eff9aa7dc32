// The signed-in person's own account. It is one narrow page, so that a phone shows it as it is.

import { Button, Group, Stack, Text } from '@mantine/core'
import { Suspense, useState } from 'react'
import { mail } from '#areas/mail/contract.ts'
import { noticeKinds, type NoticeKind } from '#areas/mail/rules.ts'
import { roleName } from '#areas/roles/role-name.tsx'
import { users } from '#areas/users/contract.ts'
import { PersonForm } from '#areas/users/PersonForm.tsx'
import { refreshBootstrap, useBootstrap, useMay, useViewer } from '#core/console/bootstrap.ts'
import { CheckboxGroupField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { useOffers } from '#core/console/rooms.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { sessions } from '../contract.ts'
import { SignInHistory } from '../SignInHistory.tsx'
import { accountParts } from '../ways.ts'
import { NewCode } from './NewCode.tsx'

export function Account() {
  const may = useMay()
  const parts = useOffers(accountParts)
  return (
    <Page title={t('My account')} narrow>
      <PersonalDetails />
      <Section title={t('Signing in')}>
        <Group gap="xs">
          {may('changePassword', 'View') && (
            <LinkButton variant="default" to={to(sessions.screens.changePassword)}>
              {t('Change password')}
            </LinkButton>
          )}
          <NewCode />
          <LinkButton variant="default" to={to(sessions.screens.ownSessions)}>
            {t('Where you are signed in')}
          </LinkButton>
          <LinkButton variant="default" to={to(sessions.screens.tokens)}>
            {t('API tokens')}
          </LinkButton>
        </Group>
      </Section>
      {parts.map(({ key, load: Part }) => (
        <Suspense key={key}>
          <Part />
        </Suspense>
      ))}
      <Notices />
      <History />
    </Page>
  )
}

function PersonalDetails() {
  const viewer = useViewer()
  const may = useMay()
  const [editing, setEditing] = useState(false)
  const { tenancy } = useBootstrap()
  const details = useCall(sessions.calls.legacyLogin, {})
  // A person who works in another tenancy has no record there to edit.
  const atHome = viewer.tenantId === viewer.homeTenantId
  const mayEdit = atHome && (may('selfServicePortal') || may('userEdit'))
  const record = useCall(users.calls.read, { id: viewer.id }, { enabled: editing && atHome })

  if (editing)
    return (
      <Section title={t('Personal details')}>
        <Loaded query={record}>
          {(user) => (
            <PersonForm
              user={user}
              cancel={{ label: t('Cancel'), onClick: () => setEditing(false) }}
              onDone={async () => {
                await refreshBootstrap()
                setEditing(false)
              }}
            />
          )}
        </Loaded>
      </Section>
    )
  return (
    <Section
      title={t('Personal details')}
      actions={
        mayEdit && (
          <Button variant="default" size="xs" onClick={() => setEditing(true)}>
            {t('Edit details')}
          </Button>
        )
      }
    >
      <Loaded query={details}>
        {([me]) =>
          me === undefined ? null : (
            <Facts
              items={[
                { label: t('Name'), value: `${me.names.givenName} ${me.names.familyName}` },
                { label: t('Username'), value: me.username, copy: me.username },
                { label: t('E-mail address'), value: me.emailAddress },
                { label: t('Telephone number'), value: me.telephoneNumber },
                { label: t('Job title'), value: me.title },
                { label: t('Organisation'), value: me.organisation },
                { label: t('Town'), value: me.locality },
                { label: t('Tenancy'), value: me.managed.find(({ id }) => id === me.homeTenantId)?.name ?? tenancy.name },
                { label: t('Roles'), value: me.roles.map(roleName).join(', ') },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  )
}

function Notices() {
  const query = useCall(mail.calls.notices, {})
  return (
    <Section title={t('Mail I get')} intro={t('Mail about activation and signing in is always sent.')}>
      <Loaded query={query}>
        {({ notices }) => (
          <Form
            call={mail.calls.chooseNotices}
            initial={{ wanted: notices.filter((notice) => notice.wanted).map((notice) => notice.kind) }}
            toInput={({ wanted }: { wanted: NoticeKind[] }) => ({
              unwanted: notices.map((notice) => notice.kind).filter((kind) => !wanted.includes(kind)),
            })}
            submit={t('Save choice')}
            onDone={() => {}}
          >
            {(form) => (
              <CheckboxGroupField
                {...form.field('wanted')}
                label={t('Notify me about')}
                options={notices.map(({ kind }) => ({ value: kind, label: t(noticeKinds[kind].label) }))}
              />
            )}
          </Form>
        )}
      </Loaded>
    </Section>
  )
}

function History() {
  const query = useCall(sessions.calls.ownHistory, {})
  return (
    <Section title={t('Sign-in history')} intro={t('If something here was not you, change your password and tell your administrator.')}>
      <Stack gap="xs">
        <Loaded query={query}>{({ rows }) => <SignInHistory rows={rows} />}</Loaded>
        {query.data?.rows.length === 30 && (
          <Text size="sm" c="dimmed">
            {t('The newest 30 are shown.')}
          </Text>
        )}
      </Stack>
    </Section>
  )
}
