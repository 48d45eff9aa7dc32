import { useNavigate } from 'react-router'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { devices } from '../contract.ts'
import { DeviceFields, type DeviceValues } from './DeviceFields.tsx'

const initial: DeviceValues = {
  name: '',
  hostname: '',
  type: 'Server',
  status: 'active',
  ownerId: '',
  organisationId: '',
  note: '',
  identifiers: [{ kind: 'serial', value: '' }],
  endpoints: [],
}

export function AddDevice() {
  const navigate = useNavigate()
  return (
    <Page title={t('New device')}>
      <LongForm
        call={devices.calls.add}
        initial={initial}
        // The empty row that the form begins with says nothing.
        toInput={(values: DeviceValues) => ({ ...values, identifiers: values.identifiers.filter(({ value }) => value.trim() !== '') })}
        submit={t('Add device')}
        cancel={{ label: t('Cancel'), to: to(searchScreen, { searchType: 'device' }) }}
        onDone={({ id }) => navigate(to(devices.screens.view, { id }))}
      >
        {(form) => <DeviceFields form={form} />}
      </LongForm>
    </Page>
  )
}
