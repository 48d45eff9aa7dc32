// Where cards lie, and who answers for them.

import { Button, Group, Modal } from '@mantine/core'
import { IconArchive, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { usePersonSearch } from '#areas/users/person-search.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { queryText, to } from '#core/contract/paths.ts'
import { stock } from '../contract.ts'

type Place = OutputOf<typeof stock.calls.places>['places'][number]

export function Places() {
  const query = useCall(stock.calls.places, {})
  const remove = useSend(stock.calls.removePlace)
  const [asking, setAsking] = useState<Place | 'add'>()
  const close = () => setAsking(undefined)
  const add = (
    <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setAsking('add')}>
      {t('Add place')}
    </Button>
  )
  return (
    <Page title={t('Places of cards')} actions={(query.data?.places.length ?? 0) > 0 ? add : undefined}>
      <Loaded query={query}>
        {({ places }) =>
          places.length === 0 ? (
            <EmptyState
              icon={IconArchive}
              title={t('No places yet')}
              text={t('A safe, a drawer, an office: wherever cards lie before somebody has them.')}
              action={add}
            />
          ) : (
            <SmallTable
              label={t('Places of cards')}
              rows={places}
              rowId={({ id }) => id}
              columns={[
                {
                  label: t('Place'),
                  cell: ({ id, name }) => <TextLink to={to(stock.screens.list) + queryText({ placeId: id })}>{name}</TextLink>,
                },
                { label: t('Custodian'), cell: ({ custodian }) => custodian?.name ?? t('Nobody') },
                { label: t('Blank'), align: 'end', cell: ({ blank }) => blank },
                { label: t('Returned'), align: 'end', cell: ({ returned }) => returned },
                {
                  label: t('Counted'),
                  cell: ({ countedAt }) => (countedAt === undefined ? t('Never') : <DateTime at={countedAt} />),
                },
                {
                  label: t('Actions'),
                  plain: true,
                  cell: (place) => (
                    <Group gap="xs">
                      <Button size="xs" variant="default" onClick={() => setAsking(place)}>
                        {t('Change')}
                      </Button>
                      <Button
                        size="xs"
                        variant="default"
                        onClick={() =>
                          void remove.run({ id: place.id }).catch((error: unknown) => toastFault(error, t('The place was not removed')))
                        }
                      >
                        {t('Remove')}
                      </Button>
                    </Group>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {asking !== undefined && <EditPlace place={asking === 'add' ? undefined : asking} onClose={close} />}
    </Page>
  )
}

type Values = { name: string; custodianId: string | undefined }

function EditPlace({ place, onClose }: { place: Place | undefined; onClose: () => void }) {
  const { options, onSearch } = usePersonSearch()
  const held = place?.custodian
  const all =
    held === undefined || options.some(({ value }) => value === held.id) ? options : [{ value: held.id, label: held.name }, ...options]
  const draft = ({ name, custodianId }: Values) => ({ name, ...(custodianId === undefined ? {} : { custodianId }) })
  const common = {
    initial: { name: place?.name ?? '', custodianId: held?.id } as Values,
    cancel: { label: t('Cancel'), onClick: onClose },
    guard: false,
    onDone: onClose,
  }
  const fields = (form: Parameters<Parameters<typeof Form<typeof stock.calls.addPlace, Values>>[0]['children']>[0]) => (
    <>
      <TextField {...form.field('name')} label={t('Place')} required />
      <SelectField
        {...form.field('custodianId')}
        label={t('Custodian')}
        hint={t('Who answers for what lies there')}
        options={all}
        onSearch={onSearch}
      />
    </>
  )
  return (
    <Modal opened onClose={onClose} title={place === undefined ? t('Add place') : t('Change place')}>
      {place === undefined ? (
        <Form {...common} call={stock.calls.addPlace} toInput={draft} submit={t('Add place')}>
          {fields}
        </Form>
      ) : (
        <Form
          {...common}
          call={stock.calls.changePlace}
          toInput={(values: Values) => ({ id: place.id, ...draft(values) })}
          submit={t('Change place')}
        >
          {fields}
        </Form>
      )}
    </Modal>
  )
}
