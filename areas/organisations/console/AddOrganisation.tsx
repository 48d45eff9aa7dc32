import { useNavigate, useSearchParams } from 'react-router'
import { SelectField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { organisations } from '../contract.ts'
import { useOrganisationSearch } from '../organisation-search.tsx'
import { OrganisationFields, type OrganisationValues } from './OrganisationFields.tsx'

export function AddOrganisation() {
  const [address] = useSearchParams()
  const below = address.get('parentId') ?? ''
  const query = useCall(organisations.calls.parents, { id: below }, { enabled: below !== '' })
  return (
    <Page title={t('New organisation')} narrow>
      {below === '' ? (
        <AddForm />
      ) : (
        <Loaded query={query}>{(line) => <AddForm parent={{ value: below, label: line.map(({ name }) => name).join(' › ') }} />}</Loaded>
      )}
    </Page>
  )
}

type Values = OrganisationValues & { parentId?: string | undefined }

function AddForm({ parent }: { parent?: { value: string; label: string } }) {
  const navigate = useNavigate()
  const { options, onSearch } = useOrganisationSearch()
  const initial: Values = {
    name: '',
    type: parent === undefined ? 'organisation' : 'department',
    country: '',
    businessNumber: '',
    address: '',
    contact: '',
    note: '',
    keepWrongNumber: false,
    ...(parent === undefined ? {} : { parentId: parent.value }),
  }
  return (
    <Form
      call={organisations.calls.add}
      initial={initial}
      toInput={({ parentId, ...values }: Values) => ({ ...values, ...(parentId === undefined ? {} : { parentId }) })}
      submit={t('Add organisation')}
      cancel={{
        label: t('Cancel'),
        to: parent === undefined ? to(searchScreen, { searchType: 'organisation' }) : to(organisations.screens.view, { id: parent.value }),
      }}
      onDone={({ id }) => navigate(to(organisations.screens.view, { id }))}
    >
      {(form) => (
        <>
          <Section title={t('Place')}>
            <SelectField
              {...form.field('parentId')}
              label={t('Stands below')}
              hint={t('Leave it empty for an organisation at the top of the tree')}
              options={parent === undefined || options.some(({ value }) => value === parent.value) ? options : [parent, ...options]}
              onSearch={onSearch}
              clearable
            />
          </Section>
          <OrganisationFields form={form} />
        </>
      )}
    </Form>
  )
}
