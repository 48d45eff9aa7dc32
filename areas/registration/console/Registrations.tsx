// Who registered, and who waits for a decision.

import { IconCheck, IconUserPlus, IconX } from '@tabler/icons-react'
import { users } from '#areas/users/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList, type RowOf } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import type { StatusKind } from '#core/console/kit/status-kinds.ts'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { registration } from '../contract.ts'
import { states, type RegistrationState } from '../rules.ts'

type Row = RowOf<typeof registration.calls.search>

const looks: Record<RegistrationState, { kind: StatusKind; label: string }> = {
  sent: { kind: 'pending', label: 'Mail sent' },
  waiting: { kind: 'pending', label: 'Waits for a decision' },
  active: { kind: 'done', label: 'Account made' },
  denied: { kind: 'denied', label: 'Denied' },
}

const question = { key: 'registration.all', filters: { state: {} } } as const

Registrations.ask = (address: URLSearchParams) => askForList(registration.calls.search, question, address)

export function Registrations() {
  const may = useMay()
  const list = useList(registration.calls.search, {
    ...question,
    filters: { state: { label: t('Status'), options: states.map((value) => ({ value, label: t(looks[value].label) })) } },
  })
  const decide = useSend(registration.calls.decide, { invalidates: ['users', 'home'] })
  const approve = async ({ id, givenName, familyName, emailAddress }: Row): Promise<void> => {
    const name = `${givenName} ${familyName}`
    const yes = await confirm({
      title: t('Give {name} an account?', { name }),
      consequence: t('{emailAddress} gets a mail with the activation link, and the roles that the settings say.', { emailAddress }),
      action: t('Approve registration'),
      keep: t('Decide later'),
    })
    if (yes) await decide.run({ id, approve: true }).catch(() => undefined)
  }
  const deny = async ({ id, givenName, familyName, emailAddress }: Row): Promise<void> => {
    const name = `${givenName} ${familyName}`
    const yes = await confirm({
      title: t('Deny the registration of {name}?', { name }),
      consequence: t('{emailAddress} gets a mail that says so.', { emailAddress }),
      action: t('Deny registration'),
      keep: t('Decide later'),
      danger: true,
    })
    if (yes) await decide.run({ id, approve: false }).catch(() => undefined)
  }
  return (
    <Page title={t('Registrations')} intro={t('People who asked for an account by themselves, and proved their address.')}>
      <FaultAlert fault={decide.fault} />
      <DataTable
        list={list}
        label={t('Registrations')}
        search={t('E-mail address')}
        rowId={(row) => row.id}
        rowName={(row) => `${row.givenName} ${row.familyName}`}
        columns={[
          {
            key: 'name',
            label: t('Name'),
            cell: (row) => `${row.givenName} ${row.familyName}`,
            link: (row) => (row.userId !== undefined && may('userView', 'View') ? to(users.screens.view, { id: row.userId }) : undefined),
          },
          {
            key: 'state',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={looks[row.state].kind} label={t(looks[row.state].label)} />,
            csv: (row) => row.state,
          },
          { key: 'emailAddress', label: t('E-mail address'), cell: (row) => row.emailAddress },
          { key: 'askedAt', label: t('Asked'), cell: (row) => <DateTime at={row.askedAt} />, csv: (row) => row.askedAt, phone: 'named' },
          { key: 'decidedBy', label: t('Decided by'), cell: (row) => row.decidedBy, phone: false },
        ]}
        rowActions={(row) => [
          row.state === 'waiting' && { label: t('Approve registration'), icon: IconCheck, onClick: () => void approve(row) },
          row.state === 'waiting' && { label: t('Deny registration'), icon: IconX, danger: true, onClick: () => void deny(row) },
        ]}
        empty={{
          icon: IconUserPlus,
          title: t('Nobody has registered'),
          text: t('Open registration in the settings of sign-in, and hand out the address of its page.'),
          ...(may('tenancyConfig', 'View')
            ? { action: <LinkButton to={to(registration.screens.settings)}>{t('Registration settings')}</LinkButton> }
            : {}),
        }}
      />
    </Page>
  )
}
