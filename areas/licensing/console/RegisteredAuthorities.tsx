// Every authority that this tenancy knows: its own, those licensed to it, and outside ones registered by their certificate.

import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { authorities } from '#areas/authorities/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton, TextLink } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { licensing } from '../contract.ts'
import { RegisterDialog } from './CertificateDialog.tsx'
import { EndingLicences } from './EndingLicences.tsx'
import { licenceDays, LicenceStatus } from './LicenceStatus.tsx'

const origins = { own: 'Own', licensed: 'Licensed', outside: 'Outside' } as const

const question = { key: 'licensing.registered', filters: { origin: {} } } as const

RegisteredAuthorities.ask = (address: URLSearchParams) => askForList(licensing.calls.registered, question, address)

export function RegisteredAuthorities() {
  const [opened, setOpened] = useState(false)
  const may = useMay()
  const forget = useSend(licensing.calls.forget)
  const list = useList(licensing.calls.registered, {
    ...question,
    filters: { origin: { label: t('Origin'), options: Object.entries(origins).map(([value, label]) => ({ value, label: t(label) })) } },
  })
  const register = (
    <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setOpened(true)}>
      {t('Register an authority')}
    </Button>
  )
  const askAndForget = async (id: string, name: string): Promise<void> => {
    const sure = await confirm({
      title: t('Remove {name} from the register?', { name }),
      consequence: t('Certificates that it issued stay where they are. You can register it again with its certificate.'),
      action: t('Remove authority'),
      keep: t('Keep authority'),
    })
    if (sure) await forget.run({ id }).catch((error: unknown) => toastFault(error, t('The authority was not removed')))
  }
  return (
    <Page
      title={t('Registered authorities')}
      intro={t(
        'The authorities that this tenancy knows. Register an outside one by its certificate; its key stays where it is, so it signs nothing here.',
      )}
      actions={
        <>
          {may('manageCAs') && (
            <LinkButton variant="default" to={to(authorities.screens.manage)}>
              {t('Create an authority')}
            </LinkButton>
          )}
          {register}
        </>
      }
    >
      <EndingLicences
        rows={(list.answer?.rows ?? []).map(({ id, friendlyName, owner, licence }) => ({ id, name: friendlyName, owner, licence }))}
      />
      <DataTable
        list={list}
        label={t('Authorities')}
        search={t('Name, subject or serial number')}
        rowId={(row) => row.id}
        rowName={(row) => row.friendlyName}
        columns={[
          {
            key: 'friendlyName',
            label: t('Name'),
            cell: (row) =>
              row.origin === 'own' && may('manageCAs') ? (
                <TextLink to={to(authorities.screens.manage, { id: row.id })}>{row.friendlyName}</TextLink>
              ) : (
                row.friendlyName
              ),
            csv: (row) => row.friendlyName,
          },
          {
            key: 'status',
            label: t('Status'),
            aside: true,
            cell: (row) =>
              row.licence !== undefined && row.licence.state !== 'active' ? (
                <LicenceStatus of={row.licence} />
              ) : (
                <Status of={row.enabled ? row.status : 'disabled'} />
              ),
            csv: (row) => row.status,
          },
          {
            key: 'origin',
            label: t('Origin'),
            cell: (row) => (row.origin === 'licensed' ? t('Licensed by {owner}', { owner: row.owner }) : t(origins[row.origin])),
            csv: (row) => row.origin,
          },
          {
            key: 'licence',
            label: t('Licensed'),
            phone: false,
            cell: (row) => (row.licence === undefined ? '–' : licenceDays(row.licence)),
            csv: (row) => row.licence?.until ?? '',
          },
          { key: 'subject', label: t('Subject'), phone: false, cell: (row) => row.subject },
          { key: 'notAfter', label: t('Valid until'), cell: (row) => <DateTime at={row.notAfter} dateOnly />, csv: (row) => row.notAfter },
          { key: 'key', label: t('Key'), cell: (row) => row.key, hidden: true },
          { key: 'issuer', label: t('Issued by'), cell: (row) => row.issuer, hidden: true },
          {
            key: 'serialNumber',
            label: t('Serial number'),
            cell: (row) => <Mono value={row.serialNumber} />,
            csv: (row) => row.serialNumber,
            hidden: true,
            phone: false,
          },
          {
            key: 'sha256',
            label: t('SHA-256'),
            cell: (row) => <Mono value={row.sha256} />,
            csv: (row) => row.sha256,
            hidden: true,
            phone: false,
          },
        ]}
        rowActions={(row) => [
          row.origin === 'outside' && {
            label: t('Remove from the register'),
            danger: true,
            onClick: () => void askAndForget(row.id, row.friendlyName),
          },
        ]}
        empty={{
          title: t('No authority is known yet'),
          text: t('Create an authority of your own, or register an outside one by its certificate.'),
          action: register,
        }}
      />
      <RegisterDialog opened={opened} onClose={() => setOpened(false)} />
    </Page>
  )
}
