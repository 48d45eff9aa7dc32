import { useNavigate, useParams } from 'react-router'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { organisations } from '../contract.ts'
import { OrganisationFields, type OrganisationValues } from './OrganisationFields.tsx'

export function EditOrganisation() {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  const query = useCall(organisations.calls.read, { id })
  const view = to(organisations.screens.view, { id })
  return (
    <Page title={query.data === undefined ? t('Edit organisation') : t('Edit {name}', { name: query.data.name })} narrow>
      <Loaded query={query}>
        {({ name, type, country, businessNumber, numberFault, address, contact, note, version }) => (
          <Form
            key={version}
            call={organisations.calls.change}
            initial={{ name, type, country, businessNumber, address, contact, note, keepWrongNumber: numberFault !== '' }}
            toInput={(values: OrganisationValues) => ({ id, version, ...values })}
            submit={t('Save organisation')}
            cancel={{ label: t('Cancel'), to: view }}
            onDone={() => navigate(view)}
          >
            {(form) => <OrganisationFields form={form} />}
          </Form>
        )}
      </Loaded>
    </Page>
  )
}
