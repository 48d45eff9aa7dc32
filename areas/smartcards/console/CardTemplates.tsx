import { IconId } from '@tabler/icons-react'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { smartcards } from '../contract.ts'

export function CardTemplates() {
  const list = useList(smartcards.calls.templateList, { key: 'smartcards.templates', sort: 'name' })
  return (
    <Page title={t('Templates of cards')}>
      <DataTable
        list={list}
        label={t('Templates of cards')}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          {
            key: 'name',
            label: t('Name'),
            sort: true,
            link: (row) => to(smartcards.screens.editTemplate, { smartcardConfigID: row.id }),
            cell: (row) => row.name,
          },
          {
            key: 'enabled',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={row.enabled ? 'active' : 'disabled'} />,
            csv: (row) => (row.enabled ? t('Active') : t('Disabled')),
          },
          { key: 'slots', label: t('Slots'), cell: (row) => row.slots.join(', ') },
          {
            key: 'validityMonths',
            label: t('Validity'),
            cell: (row) => t('{count, plural, one {# month} other {# months}}', { count: row.validityMonths }),
          },
          { key: 'cards', label: t('Cards'), align: 'end', phone: 'named', cell: (row) => row.cards },
        ]}
        empty={{
          icon: IconId,
          title: t('No template of cards'),
          text: t('A template says which keys a card has and which certificates they get.'),
          action: <LinkButton to={to(smartcards.screens.addTemplate)}>{t('New template')}</LinkButton>,
        }}
      />
    </Page>
  )
}
