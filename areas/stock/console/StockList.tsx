// Cards in stock as ranges of their serial numbers.

import { Button, Modal } from '@mantine/core'
import { IconBox, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { SelectField, SwitchField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList, type RowOf } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { stock } from '../contract.ts'
import { movedStates, stateLabels, stockStates } from '../rules.ts'

const question = { key: 'stock.ranges', filters: { state: {}, placeId: {} } } as const

type Row = RowOf<typeof stock.calls.search>
type Choice = { value: string; label: string }

StockList.ask = (address: URLSearchParams) => askForList(stock.calls.search, question, address)

const rangeText = ({ first, last }: Pick<Row, 'first' | 'last'>) => (first === last ? first : t('{first} to {last}', { first, last }))

export function StockList() {
  const [taking, setTaking] = useState(false)
  const [moving, setMoving] = useState<Row>()
  const [mistaken, setMistaken] = useState<Row>()
  const places = (useCall(stock.calls.places, {}).data?.places ?? []).map(({ id: value, name: label }) => ({ value, label }))
  const list = useList(stock.calls.search, {
    ...question,
    ahead: question,
    filters: {
      state: { label: t('Status'), options: stockStates.map((value) => ({ value, label: t(stateLabels[value].label) })) },
      placeId: { label: t('Place'), options: places },
    },
  })
  const take =
    places.length === 0 ? (
      <LinkButton to={to(stock.screens.places)}>{t('Add a place first')}</LinkButton>
    ) : (
      <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setTaking(true)}>
        {t('Take cards in')}
      </Button>
    )
  return (
    <Page title={t('Cards in stock')} actions={take}>
      <DataTable
        list={list}
        label={t('Cards in stock')}
        search={t('Serial number')}
        rowId={(row) => `${row.first} ${row.placeId} ${row.state}`}
        rowName={rangeText}
        columns={[
          { key: 'serials', label: t('Serial numbers'), cell: rangeText, csv: (row) => `${row.first}..${row.last}` },
          {
            key: 'state',
            label: t('Status'),
            aside: true,
            cell: ({ state }) => <Status of={stateLabels[state].kind} label={t(stateLabels[state].label)} />,
            csv: (row) => row.state,
          },
          { key: 'count', label: t('Cards'), align: 'end', phone: 'named', cell: (row) => row.count, csv: (row) => String(row.count) },
          { key: 'place', label: t('Place'), cell: (row) => row.placeName, csv: (row) => row.placeName },
          {
            key: 'changedAt',
            label: t('Changed'),
            phone: false,
            cell: (row) => <DateTime at={row.changedAt} />,
            csv: (row) => row.changedAt,
          },
        ]}
        rowActions={(row) => [
          (row.state === 'blank' || row.state === 'returned') && { label: t('Move or destroy'), onClick: () => setMoving(row) },
          row.state === 'blank' && { label: t('Taken in by mistake'), onClick: () => setMistaken(row) },
        ]}
        empty={{
          icon: IconBox,
          title: t('No cards in stock'),
          text: t('Cards that came from the maker are taken in here by their serial numbers.'),
          action: take,
        }}
      />
      {taking && <TakeIn places={places} onClose={() => setTaking(false)} />}
      {moving !== undefined && <Move row={moving} places={places} onClose={() => setMoving(undefined)} />}
      {mistaken !== undefined && <TakeOut row={mistaken} onClose={() => setMistaken(undefined)} />}
    </Page>
  )
}

type Taking = { first: string; last: string; placeId: string | undefined }

function TakeIn({ places, onClose }: { places: readonly Choice[]; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={t('Take cards in')}>
      <Form
        call={stock.calls.takeIn}
        initial={{ first: '', last: '', placeId: places[0]?.value } as Taking}
        toInput={({ first, last, placeId = '' }: Taking) => ({ first, ...(last === '' ? {} : { last }), placeId })}
        submit={t('Take in')}
        cancel={{ label: t('Cancel'), onClick: onClose }}
        guard={false}
        onDone={onClose}
      >
        {(form) => (
          <>
            <TextField {...form.field('first')} label={t('First serial number')} autoComplete="off" required />
            <TextField
              {...form.field('last')}
              label={t('Last serial number')}
              hint={t('The same kind of number. Empty for one card')}
              autoComplete="off"
            />
            <SelectField {...form.field('placeId')} label={t('Place')} options={places} required />
          </>
        )}
      </Form>
    </Modal>
  )
}

/** For cards that were never there, or stand under another number than is on them. */
function TakeOut({ row, onClose }: { row: Row; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={t('Taken in by mistake')}>
      <Form
        call={stock.calls.takeOut}
        initial={{ first: row.first, last: row.last, reason: '' }}
        submit={t('Take out of stock')}
        danger
        cancel={{ label: t('Cancel'), onClick: onClose }}
        guard={false}
        onDone={onClose}
      >
        {(form) => (
          <>
            {t(
              'The numbers leave the stock as if they had never been there, and can be taken in again. Cards that are broken or lost are destroyed instead.',
            )}
            <TextField {...form.field('first')} label={t('First serial number')} autoComplete="off" required />
            <TextField {...form.field('last')} label={t('Last serial number')} autoComplete="off" required />
            <TextField {...form.field('reason')} label={t('Why')} required />
          </>
        )}
      </Form>
    </Modal>
  )
}

type Moving = Taking & { state: (typeof movedStates)[number] | undefined; reason: string; agreed: boolean }

function Move({ row, places, onClose }: { row: Row; places: readonly Choice[]; onClose: () => void }) {
  const [destroys, setDestroys] = useState(false)
  return (
    <Modal opened onClose={onClose} title={t('Move or destroy cards')}>
      <Form
        call={stock.calls.move}
        initial={{ first: row.first, last: row.last, placeId: row.placeId, state: undefined, reason: '', agreed: false } as Moving}
        check={({ state, placeId, agreed }) =>
          state === 'destroyed' && !agreed
            ? { agreed: t('Agree to it first') }
            : state === undefined && placeId === row.placeId
              ? { placeId: t('The cards lie there already') }
              : {}
        }
        toInput={({ state, placeId = '', agreed: _agreed, ...rest }: Moving) => ({
          ...rest,
          placeId,
          ...(state === undefined ? {} : { state }),
        })}
        submit={destroys ? t('Destroy cards') : t('Move cards')}
        danger={destroys}
        cancel={{ label: t('Cancel'), onClick: onClose }}
        guard={false}
        onDone={onClose}
      >
        {(form) => (
          <>
            <TextField {...form.field('first')} label={t('First serial number')} autoComplete="off" required />
            <TextField {...form.field('last')} label={t('Last serial number')} autoComplete="off" required />
            <SelectField {...form.field('placeId')} label={t('Place')} options={places} required />
            <SelectField
              {...form.field('state')}
              onChange={(state) => {
                form.set('state', state)
                setDestroys(state === 'destroyed')
              }}
              label={t('Status')}
              placeholder={t('As it is')}
              options={movedStates.map((value) => ({ value, label: t(stateLabels[value].label) }))}
            />
            <TextField {...form.field('reason')} label={t('Why')} hint={t('Needed where cards are destroyed')} />
            {destroys && (
              <SwitchField
                {...form.field('agreed')}
                label={t('Destroy these cards for good')}
                hint={t('They never come back into stock.')}
              />
            )}
          </>
        )}
      </Form>
    </Modal>
  )
}
