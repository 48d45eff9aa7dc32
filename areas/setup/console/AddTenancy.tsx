// A new tenancy with its first administrator, whose activation link is shown once.

import { Group, SimpleGrid } from '@mantine/core'
import { useState } from 'react'
import { ColourField } from '#areas/tenancy/ColourField.tsx'
import { tenancy } from '#areas/tenancy/contract.ts'
import { defaultColour } from '#areas/tenancy/rules.ts'
import { ActivationLink } from '#areas/users/ActivationLink.tsx'
import { refreshBootstrap } from '#core/console/bootstrap.ts'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { setup } from '../contract.ts'

type Made = OutputOf<typeof setup.calls.addTenancy> & { name: string; person: string }

export function AddTenancy() {
  const [made, setMade] = useState<Made>()
  const list = to(tenancy.screens.list)
  if (made !== undefined)
    return (
      <Page title={t('{name} is ready', { name: made.name })} narrow>
        <ActivationLink link={made.activationLink} expiresAt={made.expiresAt} person={made.person} />
        <Group gap="xs">
          <LinkButton to={list}>{t('Show managed tenancies')}</LinkButton>
        </Group>
      </Page>
    )
  return (
    <Page title={t('New tenancy')} intro={t('It begins with the built-in roles and one administrator.')} narrow>
      <Form
        call={setup.calls.addTenancy}
        initial={{
          name: '',
          bannerColour: defaultColour,
          supportEmail: '',
          domain: '',
          administrator: { username: '', givenName: '', familyName: '', emailAddress: '' },
        }}
        submit={t('Create tenancy')}
        cancel={{ label: t('Cancel'), to: list }}
        invalidates={['tenancy', 'home', 'mail']}
        onDone={async (answer, { name, administrator }) => {
          setMade({ ...answer, name, person: `${administrator.givenName} ${administrator.familyName}` })
          await refreshBootstrap()
        }}
      >
        {(form) => (
          <>
            <Section title={t('Tenancy')}>
              <TextField {...form.field('name')} label={t('Name')} autoFocus required />
              <ColourField {...form.field('bannerColour')} shownAs={form.values.name} />
              <TextField {...form.field('supportEmail')} label={t('Support address')} type="email" hint={t('It can be given later.')} />
              <TextField
                {...form.field('domain')}
                label={t('First domain')}
                hint={t('Such as example.com. The new tenancy proves it under Allowed domains.')}
              />
            </Section>
            <Section
              title={t('First administrator')}
              intro={t('Gets every permission in the new tenancy, and a link to activate the account.')}
            >
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                <TextField {...form.field('administrator.givenName')} label={t('Given name')} required />
                <TextField {...form.field('administrator.familyName')} label={t('Family name')} required />
                <TextField {...form.field('administrator.emailAddress')} label={t('E-mail address')} type="email" required />
                <TextField
                  {...form.field('administrator.username')}
                  label={t('Username')}
                  hint={t('Letters, digits and . _ - @; unique in the whole installation')}
                  required
                />
              </SimpleGrid>
            </Section>
          </>
        )}
      </Form>
    </Page>
  )
}
