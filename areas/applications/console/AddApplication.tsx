import { Group } from '@mantine/core'
import { useState } from 'react'
import { useViewer } from '#core/console/bootstrap.ts'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { applications } from '../contract.ts'
import { ApplicationFields, draftOf, type ApplicationValues } from './ApplicationFields.tsx'
import { NewSecret } from './NewSecret.tsx'

export function AddApplication() {
  const { id, names } = useViewer()
  const [made, setMade] = useState<OutputOf<typeof applications.calls.add>>()
  const initial: ApplicationValues = {
    name: '',
    note: '',
    owner: { kind: 'person', id },
    enabled: true,
    scopes: [],
    networks: [],
    endsAt: undefined,
  }
  if (made !== undefined)
    return (
      <Page title={t('The application is ready')} narrow>
        <NewSecret secret={made.secret} />
        <Group gap="xs">
          <LinkButton to={to(applications.screens.view, { id: made.id })}>{t('Open application')}</LinkButton>
        </Group>
      </Page>
    )
  return (
    <Page title={t('New application')} narrow>
      <Form
        call={applications.calls.add}
        initial={initial}
        toInput={(values: ApplicationValues) => draftOf(values)}
        submit={t('Create application')}
        cancel={{ label: t('Cancel'), to: to(applications.screens.list) }}
        onDone={setMade}
      >
        {(form) => <ApplicationFields form={form} owner={{ kind: 'person', id, name: `${names.givenName} ${names.familyName}` }} />}
      </Form>
    </Page>
  )
}
