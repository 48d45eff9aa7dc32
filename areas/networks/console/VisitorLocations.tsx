import { Button, Modal } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import { useState } from 'react'
import { SwitchField, TagsField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { networks } from '../contract.ts'

type Row = OutputOf<typeof networks.calls.visitorLocations>['locations'][number]

export function VisitorLocations() {
  const query = useCall(networks.calls.visitorLocations, {})
  const [edited, setEdited] = useState<Row>()
  return (
    <Page
      title={t('Locations that receive visitors')}
      intro={t('Where visitors report, when somebody is there, and what they are handed.')}
    >
      <Loaded query={query}>
        {({ locations }) =>
          locations.length === 0 ? (
            <EmptyState
              icon={IconBuilding}
              title={t('No locations yet')}
              text={t('Add locations first; then say which of them receive visitors.')}
            />
          ) : (
            <SmallTable
              label={t('Locations that receive visitors')}
              rows={locations}
              rowId={(row) => row.id}
              columns={[
                { label: t('Location'), cell: (row) => row.path },
                {
                  label: t('Visitors'),
                  aside: true,
                  cell: (row) => (
                    <Status of={row.receives ? 'active' : 'disabled'} label={row.receives ? t('Receives visitors') : t('No visitors')} />
                  ),
                },
                { label: t('Desk'), cell: (row) => row.desk },
                { label: t('Hours'), cell: (row) => row.hours },
                { label: t('Passes'), cell: (row) => row.passTypes.join(', ') },
                {
                  label: t('Change'),
                  plain: true,
                  cell: (row) => (
                    <Button size="xs" variant="default" onClick={() => setEdited(row)}>
                      {t('Change {name}', { name: row.name })}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {edited !== undefined && <VisitorDialog row={edited} onClose={() => setEdited(undefined)} />}
    </Page>
  )
}

function VisitorDialog({ row, onClose }: { row: Row; onClose: () => void }) {
  const { id, name, path: _path, version, ...initial } = row
  return (
    <Modal opened onClose={onClose} title={t('Edit {name}', { name })}>
      <Form
        call={networks.calls.setVisitorLocation}
        initial={initial}
        toInput={(values: typeof initial) => ({ id, version, ...values })}
        guard={false}
        submit={t('Save location')}
        cancel={{ label: t('Cancel'), onClick: onClose }}
        onDone={onClose}
      >
        {(form) => (
          <>
            <SwitchField {...form.field('receives')} label={t('Receives visitors')} />
            <TextField {...form.field('desk')} label={t('Desk')} />
            <TextField {...form.field('hours')} label={t('Hours')} />
            <TagsField {...form.field('passTypes')} label={t('Passes that are handed out')} />
            <TextField {...form.field('printer')} label={t('Printer')} />
            <TextField {...form.field('accessGroup')} label={t('Access group of guests')} />
          </>
        )}
      </Form>
    </Modal>
  )
}
