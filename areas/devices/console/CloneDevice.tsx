import { useNavigate, useParams } from 'react-router'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { devices } from '../contract.ts'
import { DeviceFields, type DeviceValues } from './DeviceFields.tsx'

/** What tells one device from another is not taken along: names, identifiers, endpoints. */
export function CloneDevice() {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  const query = useCall(devices.calls.read, { id })
  return (
    <Page title={query.data === undefined ? t('Clone device') : t('Clone {name}', { name: query.data.name })}>
      <Loaded query={query}>
        {({ name, type, ownerId, owner, organisationId, organisation, note }) => (
          <LongForm
            call={devices.calls.add}
            initial={{
              name: t('{name} (copy)', { name }).slice(0, 120),
              hostname: '',
              type,
              status: 'planned',
              ownerId,
              organisationId,
              note,
              identifiers: [],
              endpoints: [],
            }}
            toInput={(values: DeviceValues) => values}
            submit={t('Add device')}
            cancel={{ label: t('Cancel'), to: to(devices.screens.view, { id }) }}
            onDone={(added) => navigate(to(devices.screens.view, { id: added.id }))}
          >
            {(form) => <DeviceFields form={form} owner={owner} organisation={organisation} />}
          </LongForm>
        )}
      </Loaded>
    </Page>
  )
}
