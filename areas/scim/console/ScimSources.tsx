// The applications that keep people in step by SCIM, and how another one is connected.

import { Stack } from '@mantine/core'
import { applications } from '#areas/applications/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { SelectField, SwitchField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { scim } from '../contract.ts'

export function ScimSources() {
  const list = useList(scim.calls.search, { key: 'scim.all' })
  return (
    <Page
      title={t('Provisioning by SCIM')}
      intro={t('An identity provider such as Entra or Okta makes, changes and disables people here by SCIM 2.0.')}
    >
      <Stack gap="md">
        <DataTable
          list={list}
          label={t('Identity providers')}
          search={false}
          views={false}
          rowId={(row) => row.id}
          rowName={(row) => row.name}
          columns={[
            { key: 'name', label: t('Application'), link: (row) => to(scim.screens.view, { id: row.id }), cell: (row) => row.name },
            { key: 'people', label: t('People'), align: 'end', phone: 'named', cell: (row) => row.people },
            { key: 'groups', label: t('Groups'), align: 'end', phone: 'named', cell: (row) => row.groups },
            {
              key: 'lastChange',
              label: t('Last change'),
              cell: (row) => (row.lastChange === undefined ? t('None yet') : <DateTime at={row.lastChange} />),
              csv: (row) => row.lastChange ?? '',
            },
            { key: 'answers', label: t('Answers for it'), cell: (row) => row.answers },
          ]}
          empty={{
            title: t('No identity provider yet'),
            text: t('Make an application with the scopes to see, add and edit users, then connect it here.'),
          }}
        />
        <Connect />
      </Stack>
    </Page>
  )
}

function Connect() {
  const may = useMay()
  const offered = useCall(applications.calls.search, { size: 200 }, { enabled: may('applications') })
  if (!may('applications')) return null
  return (
    <Section
      title={t('Connect an application')}
      intro={t('It needs the scopes to see, add and edit users. It then does no more than you could do by hand.')}
    >
      <Form
        call={scim.calls.connect}
        initial={{ id: '', invite: false }}
        submit={t('Connect')}
        extra={<LinkButton to={to(applications.screens.add)}>{t('New application')}</LinkButton>}
        onDone={() => {}}
      >
        {(form) => (
          <>
            <SelectField
              {...form.field('id')}
              label={t('Application')}
              options={(offered.data?.rows ?? []).map(({ id, name }) => ({ value: id, label: name }))}
              onChange={(value) => form.set('id', value ?? '')}
            />
            <SwitchField {...form.field('invite')} label={t('Send an activation link to each new person')} />
          </>
        )}
      </Form>
    </Section>
  )
}
