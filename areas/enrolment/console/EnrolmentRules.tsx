// The rules of auto-enrolment: the list, the making of one (`?rule=new`), and each with what it did.

import { IconUserPlus } from '@tabler/icons-react'
import { useSearchParams } from 'react-router'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { enrolment } from '../contract.ts'
import { AddRule, EditRule } from './EnrolmentRule.tsx'
import { newRule, rulePath } from './paths.ts'

const question = { key: 'enrolment.rules' } as const

EnrolmentRules.ask = async (address: URLSearchParams) =>
  address.has('rule') ? undefined : askForList(enrolment.calls.search, question, address)

export function EnrolmentRules() {
  const [search] = useSearchParams()
  const id = search.get('rule')
  if (id === null) return <RuleList />
  return id === newRule ? <AddRule /> : <EditRule key={id} id={id} />
}

function RuleList() {
  const list = useList(enrolment.calls.search, question)
  const remove = useSend(enrolment.calls.remove)
  const add = <LinkButton to={rulePath(newRule)}>{t('New rule')}</LinkButton>
  const askAndRemove = async (id: string, name: string): Promise<void> => {
    const sure = await confirm({
      title: t('Delete rule {name}?', { name }),
      consequence: t('It asks for nothing any more. Requests and certificates that it made stay.'),
      action: t('Delete rule'),
      keep: t('Keep rule'),
    })
    if (sure) await remove.run({ id }).catch((error: unknown) => toastFault(error, t('The rule was not deleted')))
  }
  return (
    <Page
      title={t('Auto-enrolment')}
      intro={t('Who gets a certificate without asking. Every ten minutes each rule looks for what is due and makes the requests.')}
      actions={list.answer?.total === 0 ? undefined : add}
    >
      <DataTable
        list={list}
        label={t('Rules')}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Name'), link: (row) => rulePath(row.id), cell: (row) => row.name },
          {
            key: 'enabled',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={row.enabled ? 'active' : 'disabled'} />,
            csv: (row) => (row.enabled ? t('Active') : t('Disabled')),
          },
          { key: 'entity', label: t('For'), cell: (row) => (row.entity === 'user' ? t('People') : t('Devices')) },
          { key: 'templateName', label: t('Template'), cell: (row) => (row.templateName === '' ? t('Gone') : row.templateName) },
          { key: 'held', label: t('Issued'), cell: (row) => row.counts.held },
          { key: 'requested', label: t('Asked for'), cell: (row) => row.counts.requested },
          { key: 'refused', label: t('Not done'), cell: (row) => row.counts.refused },
          { key: 'lastRunAt', label: t('Last run'), cell: (row) => <DateTime at={row.lastRunAt} />, csv: (row) => row.lastRunAt ?? '' },
        ]}
        rowActions={(row) => [
          { label: t('Edit rule'), to: rulePath(row.id) },
          { label: t('Delete rule'), danger: true, onClick: () => void askAndRemove(row.id, row.name) },
        ]}
        empty={{
          icon: IconUserPlus,
          title: t('No rules yet'),
          text: t('A rule names a template for auto-enrolment and who shall have a certificate of it.'),
          action: add,
        }}
      />
    </Page>
  )
}
