import { useNavigate, useParams } from 'react-router'
import { LongForm } from '#core/console/kit/LongForm.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { devices } from '../contract.ts'
import { DeviceFields, type DeviceValues } from './DeviceFields.tsx'

export function EditDevice() {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  const device = useCall(devices.calls.read, { id })
  const endpoints = useCall(devices.calls.endpoints, { id })
  const view = to(devices.screens.view, { id })
  return (
    <Page title={device.data === undefined ? t('Edit device') : t('Edit {name}', { name: device.data.name })}>
      <Loaded query={device}>
        {({ name, hostname, type, status, ownerId, owner, organisationId, organisation, note, claims, version }) => (
          <Loaded query={endpoints}>
            {({ deviceEndpoints }) => (
              <LongForm
                key={version}
                call={devices.calls.change}
                initial={{
                  name,
                  hostname,
                  type,
                  status,
                  ownerId,
                  organisationId,
                  note,
                  identifiers: claims
                    .filter(({ sources }) => sources.some((source) => source === 'typed' || source === 'csv'))
                    .map(({ kind, value }) => ({ kind, value })),
                  endpoints: deviceEndpoints,
                }}
                toInput={(values: DeviceValues) => ({ id, version, ...values })}
                submit={t('Save device')}
                cancel={{ label: t('Cancel'), to: view }}
                onDone={() => navigate(view)}
              >
                {(form) => <DeviceFields form={form} owner={owner} organisation={organisation} />}
              </LongForm>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}
