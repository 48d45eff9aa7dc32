// Batches that are printed, and how a new one is made of people who are named.

import { Button, Modal } from '@mantine/core'
import { IconId, IconPlus, IconPrinter } from '@tabler/icons-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { usePersonSearch } from '#areas/users/person-search.tsx'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { MultiSelectField, SelectField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton, TextLink } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { printing } from '../contract.ts'
import { batchColumns, batchName } from './batch-columns.tsx'
import { ChoosePrinter } from './ChoosePrinter.tsx'

export function PrintCards() {
  const may = useMay()
  const [making, setMaking] = useState(false)
  const [chosen, setChosen] = useState<string>()
  const list = useList(printing.calls.mine, { key: 'printing.mine' })
  const seesStatus = may('smartcardBatchFilesPrintStatus', 'View')
  const canMake = may('smartcardManage')
  const make = canMake ? (
    <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setMaking(true)}>
      {t('New batch')}
    </Button>
  ) : undefined
  return (
    <Page title={t('Print cards')} actions={make}>
      <DataTable
        list={list}
        label={t('Batches')}
        search={false}
        rowId={(row) => row.id}
        rowName={batchName}
        columns={[
          {
            key: 'batch',
            label: t('Batch'),
            ...(seesStatus ? { link: (row: { id: string }) => to(printing.screens.status, { id: row.id }) } : {}),
            cell: batchName,
          },
          ...batchColumns(),
        ]}
        rowActions={(row) => [
          row.state !== 'printing' && row.state !== 'done' && { label: t('Print batch'), onClick: () => setChosen(row.id) },
        ]}
        empty={{
          icon: IconPrinter,
          title: t('No batches yet'),
          text: t('A batch prints the faces of cards one after another.'),
          action: make,
        }}
      />
      {making && <NewBatch onClose={() => setMaking(false)} />}
      {chosen !== undefined && <ChoosePrinter batchId={chosen} onClose={() => setChosen(undefined)} />}
    </Page>
  )
}

type Values = { cardTemplateId: string | undefined; userIds: string[] }

function NewBatch({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const may = useMay()
  const templates = useCall(printing.calls.faced, {})
  const { options, onSearch } = usePersonSearch()
  return (
    <Modal opened onClose={onClose} title={t('New batch')}>
      <Loaded query={templates}>
        {({ cardTemplates }) => {
          const faced = cardTemplates.filter(({ hasFace }) => hasFace)
          const left = cardTemplates.length - faced.length
          if (faced.length === 0)
            return (
              <EmptyState
                icon={IconId}
                title={t('No template of cards has a face yet')}
                text={t('A batch prints the faces of cards one after another.')}
                action={<LinkButton to={to(printing.screens.faces)}>{t('Faces of cards')}</LinkButton>}
              />
            )
          const without = (
            <>
              {t('{count, plural, one {# template has no face yet} other {# templates have no face yet}}:', { count: left })}{' '}
              <TextLink to={to(printing.screens.faces)}>{t('Faces of cards')}</TextLink>
            </>
          )
          return (
            <Form
              call={printing.calls.addBatch}
              initial={{ cardTemplateId: faced[0]?.cardTemplateId, userIds: [] } as Values}
              toInput={({ cardTemplateId = '', userIds }: Values) => ({
                users: userIds.map((userId) => ({ userId, cardTemplateId, userDn: '' })),
              })}
              submit={t('Make batch')}
              cancel={{ label: t('Cancel'), onClick: onClose }}
              guard={false}
              onDone={({ batchId }) => {
                onClose()
                if (may('smartcardBatchFilesPrintStatus', 'View')) void navigate(to(printing.screens.status, { id: batchId }))
              }}
            >
              {(form) => (
                <>
                  <SelectField
                    {...form.field('cardTemplateId')}
                    label={t('Template of cards')}
                    {...(left === 0 ? {} : { hint: without })}
                    options={faced.map(({ cardTemplateId: value, name: label }) => ({ value, label }))}
                    required
                  />
                  <MultiSelectField {...form.field('userIds')} label={t('People')} options={options} onSearch={onSearch} required />
                </>
              )}
            </Form>
          )
        }}
      </Loaded>
    </Modal>
  )
}
