// A new person. After the form the activation link is shown, once.

import { Button, Group, SimpleGrid, Text } from '@mantine/core'
import { useState } from 'react'
import { useRoleOptions } from '#areas/roles/role-options.tsx'
import { useMay } from '#core/console/bootstrap.ts'
import { MultiSelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { ActivationLink } from '../ActivationLink.tsx'
import { users } from '../contract.ts'
import { FurtherFields } from '../PersonForm.tsx'

type Made = OutputOf<typeof users.calls.add> & { person: string }

export function AddUser() {
  const [made, setMade] = useState<Made>()
  const may = useMay()
  const offered = useRoleOptions()
  if (made !== undefined)
    return (
      <Page title={t('{person} was added', { person: made.person })} narrow>
        <ActivationLink link={made.activationLink} expiresAt={made.expiresAt} person={made.person} />
        <Group gap="xs">
          {may('userView', 'View') && <LinkButton to={to(users.screens.view, { id: made.id })}>{t('Show user')}</LinkButton>}
          <Button variant="default" onClick={() => setMade(undefined)}>
            {t('Add another user')}
          </Button>
        </Group>
      </Page>
    )
  return (
    <Page title={t('New user')} intro={t('The person gets a link, chooses a password and sets up a sign-in code.')} narrow>
      <Form
        call={users.calls.add}
        initial={{
          username: '',
          givenName: '',
          familyName: '',
          emailAddress: '',
          telephoneNumber: '',
          title: '',
          locality: '',
          organisation: '',
          securityIdentifier: '',
          roleIds: [],
        }}
        submit={t('Add user')}
        cancel={{ label: t('Cancel'), to: to(searchScreen, { searchType: 'user' }) }}
        invalidates={['roles', 'home', 'mail']}
        onDone={(answer, { givenName, familyName }) => setMade({ ...answer, person: `${givenName} ${familyName}` })}
      >
        {(form) => (
          <>
            <Section title={t('Person')}>
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <TextField {...form.field('givenName')} label={t('Given name')} autoFocus required />
                <TextField {...form.field('familyName')} label={t('Family name')} required />
                <TextField
                  {...form.field('emailAddress')}
                  label={t('E-mail address')}
                  type="email"
                  hint={t('The activation link goes there')}
                  required
                />
                <TextField
                  {...form.field('username')}
                  label={t('Username')}
                  hint={t('Letters, digits and . _ - @; unique in the whole installation')}
                  required
                />
              </SimpleGrid>
            </Section>
            <Section title={t('Roles')}>
              {offered === undefined ? (
                <Text c="dimmed">{t('Somebody with “See roles” gives this person roles.')}</Text>
              ) : (
                <MultiSelectField
                  {...form.field('roleIds')}
                  label={t('Roles')}
                  {...offered}
                  hint={t('What this person may see and do. You can give only what you hold yourself.')}
                />
              )}
            </Section>
            <Section title={t('More about the person')} intro={t('All of it can be left out. Certificates can carry it.')}>
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <FurtherFields field={form.field} />
              </SimpleGrid>
            </Section>
          </>
        )}
      </Form>
    </Page>
  )
}
