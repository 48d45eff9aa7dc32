import { Alert, Stack, Text } from '@mantine/core'
import { IconCopy, IconPencil, IconTrash } from '@tabler/icons-react'
import { useNavigate, useParams } from 'react-router'
import { certificates } from '#areas/certificates/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { EndDate } from '#core/console/kit/EndDate.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { devices } from '../contract.ts'
import { kindWord, sourceWord, statusLook, statusWord } from './words.ts'

type Device = OutputOf<typeof devices.calls.read>

export function ViewDevice() {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  const may = useMay()
  const remove = useSend(devices.calls.remove)
  const query = useCall(devices.calls.read, { id })
  const row = query.data
  if (row === undefined)
    return (
      <Page title={t('Device')}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  const askAndRemove = async () => {
    const sure = await confirm({
      title: t('Delete {name}?', { name: row.name }),
      consequence: t('It is gone with its identifiers and endpoints. To keep its history, retire it instead.'),
      action: t('Delete device'),
      keep: t('Keep device'),
      danger: true,
    })
    if (!sure) return
    try {
      await remove.run({ id })
      await navigate(to(searchScreen, { searchType: 'device' }))
    } catch (error) {
      toastFault(error, t('The device was not deleted'))
    }
  }
  return (
    <DetailPage
      title={row.name}
      intro={[row.type, row.hostname].filter((one) => one !== '').join(' · ')}
      status={<Status of={statusLook[row.status]} label={statusWord(row.status)} />}
      actions={[
        may('deviceEdit', 'View') && {
          label: t('Edit device'),
          icon: IconPencil,
          primary: true,
          to: to(devices.screens.edit, { id }),
        },
        may('deviceAdd', 'View') && { label: t('Clone device'), icon: IconCopy, to: to(devices.screens.clone, { id }) },
        { label: t('Delete device'), icon: IconTrash, danger: true, needs: 'deviceEdit', onClick: () => void askAndRemove() },
      ]}
      tabs={[
        { key: 'overview', label: t('Overview'), content: () => <Overview row={row} /> },
        { key: 'endpoints', label: t('Endpoints'), content: () => <Endpoints id={id} /> },
        { key: 'certificates', label: t('Certificates'), content: () => <Certificates id={id} /> },
      ]}
    />
  )
}

function Overview({ row }: { row: Device }) {
  return (
    <Stack gap="lg">
      {row.mergedInto !== undefined && (
        <Alert title={t('Merged into another device')}>
          <TextLink to={to(devices.screens.view, { id: row.mergedInto.id })}>{row.mergedInto.name}</TextLink>
        </Alert>
      )}
      {row.conflict && (
        <Alert color="yellow" title={t('Another device claims the same identifier')}>
          <TextLink to={to(devices.screens.conflicts)}>{t('Decide whether they are one device')}</TextLink>
        </Alert>
      )}
      <Section title={t('Details')}>
        <Facts
          items={[
            { label: t('Device type'), value: row.type },
            { label: t('Host name'), value: row.hostname, copy: row.hostname },
            { label: t('Owner'), value: row.owner },
            { label: t('Organisation'), value: row.organisation },
            { label: t('First told by'), value: sourceWord(row.source) },
            { label: t('Last seen'), value: row.seenAt === undefined ? t('Never') : <DateTime at={row.seenAt} /> },
            { label: t('Note'), value: row.note },
            { label: t('Added'), value: <DateTime at={row.addedAt} /> },
            { label: t('Last changed'), value: <DateTime at={row.modifiedAt} /> },
          ]}
        />
      </Section>
      <Section title={t('Identifiers')}>
        {row.claims.length === 0 ? (
          <Text c="dimmed">{t('It is known by nothing yet.')}</Text>
        ) : (
          <SmallTable
            label={t('Identifiers')}
            rows={row.claims}
            rowId={({ kind, value }) => `${kind} ${value}`}
            columns={[
              { label: t('Kind'), cell: ({ kind }) => kindWord(kind) },
              { label: t('Value'), cell: ({ value }) => <Mono value={value} /> },
              { label: t('Said by'), cell: ({ sources }) => sources.map(sourceWord).join(', ') },
              {
                label: t('Status'),
                aside: true,
                cell: ({ shared }) => (shared ? <Status of="warning" label={t('Also claimed by another')} /> : t('Its own')),
              },
            ]}
          />
        )}
      </Section>
    </Stack>
  )
}

function Endpoints({ id }: { id: string }) {
  const query = useCall(devices.calls.endpoints, { id })
  return (
    <Loaded query={query}>
      {({ deviceEndpoints, deviceCertsEndpointMap }) =>
        deviceEndpoints.length === 0 ? (
          <EmptyState
            title={t('No endpoints yet')}
            text={t('Add where the device serves something by TLS, and a scan tells what it serves.')}
          />
        ) : (
          <Stack gap="lg">
            {deviceEndpoints.map((endpoint) => (
              <Section
                key={endpoint.id}
                title={endpoint.name === '' ? `${endpoint.address}:${endpoint.port}` : endpoint.name}
                intro={[`${endpoint.address}:${endpoint.port}`, endpoint.protocol.toUpperCase(), endpoint.serverName]
                  .filter((one) => one !== '')
                  .join(' · ')}
              >
                <Served rows={deviceCertsEndpointMap[endpoint.id] ?? []} />
              </Section>
            ))}
          </Stack>
        )
      }
    </Loaded>
  )
}

type ServedRow = OutputOf<typeof devices.calls.endpoints>['deviceCertsEndpointMap'][string][number]

/** What should be there and was never seen is what somebody must look after. */
function servedWord({ should, seenLast }: ServedRow) {
  if (should && seenLast !== undefined) return <Status of="active" label={t('Served as it should')} />
  if (should) return <Status of="warning" label={t('Should be served, not seen yet')} />
  return <Status of="unknown" label={t('Was seen')} />
}

function Served({ rows }: { rows: readonly ServedRow[] }) {
  if (rows.length === 0) return <Text c="dimmed">{t('No certificate is expected or was seen here.')}</Text>
  return (
    <SmallTable
      label={t('Certificates of the endpoint')}
      rows={rows}
      rowId={({ fingerprint }) => fingerprint}
      columns={[
        {
          label: t('Certificate'),
          cell: ({ certificateId, name, fingerprint }) =>
            certificateId === undefined ? (
              <Mono value={fingerprint.slice(0, 16)} />
            ) : (
              <TextLink to={to(certificates.screens.view, { certId: certificateId })}>{name}</TextLink>
            ),
        },
        { label: t('Ends'), cell: ({ notAfter }) => notAfter !== undefined && <EndDate at={notAfter} /> },
        { label: t('Last seen'), cell: ({ seenLast }) => (seenLast === undefined ? t('Never') : <DateTime at={seenLast} />) },
        { label: t('Status'), aside: true, cell: servedWord },
      ]}
    />
  )
}

function Certificates({ id }: { id: string }) {
  const query = useCall(devices.calls.certificates, { id })
  return (
    <Loaded query={query}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState
            title={t('No certificates yet')}
            text={t(
              'Certificates with the host name, the name or the serial number of the device stand here, and those that its endpoints serve.',
            )}
          />
        ) : (
          <SmallTable
            label={t('Certificates of the device')}
            rows={rows}
            rowId={(row) => row.id}
            columns={[
              { label: t('Name'), cell: (row) => <TextLink to={to(certificates.screens.view, { certId: row.id })}>{row.name}</TextLink> },
              { label: t('Issuer'), cell: (row) => row.issuer },
              {
                label: t('Ends'),
                cell: (row) => <EndDate at={row.notAfter} settled={row.status === 'revoked' || row.status === 'expired'} />,
              },
              { label: t('Status'), aside: true, cell: (row) => <Status of={row.status} /> },
            ]}
          />
        )
      }
    </Loaded>
  )
}
