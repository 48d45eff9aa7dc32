import { useNavigate, useParams } from 'react-router'
import { SwitchField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { applications } from '../contract.ts'
import { ApplicationFields, draftOf, type ApplicationValues } from './ApplicationFields.tsx'

export function EditApplication() {
  const { id = '' } = useParams()
  const query = useCall(applications.calls.read, { id })
  return (
    <Page title={t('Edit application')} narrow>
      <Loaded query={query}>{(application) => <Editing key={application.version} application={application} />}</Loaded>
    </Page>
  )
}

function Editing({ application }: { application: OutputOf<typeof applications.calls.read> }) {
  const navigate = useNavigate()
  const { id, version, owner, name, note, scopes, networks, endsAt, enabled } = application
  const initial: ApplicationValues = {
    name,
    note,
    owner: { kind: owner.kind, id: owner.id },
    scopes,
    networks,
    endsAt,
    enabled,
  }
  const view = to(applications.screens.view, { id })
  return (
    <Form
      call={applications.calls.change}
      initial={initial}
      toInput={(values: ApplicationValues) => ({ ...draftOf(values), id, version, enabled: values.enabled })}
      submit={t('Save application')}
      cancel={{ label: t('Cancel'), to: view }}
      onDone={() => navigate(view)}
    >
      {(form) => (
        <>
          <SwitchField {...form.field('enabled')} label={t('Switched on')} />
          <ApplicationFields form={form} owner={owner} granted={scopes} />
        </>
      )}
    </Form>
  )
}
