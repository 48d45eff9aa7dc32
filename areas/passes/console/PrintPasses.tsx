// New passes with the next numbers, passes that were printed elsewhere, and what was printed before.

import { SimpleGrid } from '@mantine/core'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { NumberField, SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { queryText } from '#core/contract/paths.ts'
import { passes } from '../contract.ts'
import { kindLabels, mostAtOnce, passKinds, passNumberOf, type PassKind } from '../rules.ts'

export function PrintPasses() {
  return (
    <Page title={t('Print passes')} narrow>
      <NewPasses />
      <StockedPasses />
      <Printed />
    </Page>
  )
}

const kinds = () => passKinds.map((value) => ({ value, label: t(kindLabels[value]) }))

type New = { quantity: number | undefined; cardType: PassKind }

function NewPasses() {
  return (
    <Form
      call={passes.calls.printBatch}
      initial={{ quantity: 10, cardType: 'guest' } as New}
      toInput={({ quantity, cardType }: New) => ({ quantity: quantity ?? Number.NaN, cardType })}
      submit={t('Print passes')}
      onDone={() => {}}
    >
      {(form) => (
        <Section title={t('New passes')} intro={t('They get the next free numbers and can be issued as soon as they are printed.')}>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <NumberField {...form.field('quantity')} label={t('Quantity')} min={1} max={mostAtOnce} />
            <SelectField {...form.field('cardType')} label={t('Kind')} options={kinds()} required />
          </SimpleGrid>
        </Section>
      )}
    </Form>
  )
}

type Stocked = { cardType: PassKind; first: string; last: string }
const padded = (typed: string): string => (typed.trim() === '' ? '' : passNumberOf(typed))

function StockedPasses() {
  return (
    <Form
      call={passes.calls.addStock}
      initial={{ cardType: 'guest', first: '', last: '' } as Stocked}
      toInput={({ cardType, first, last }: Stocked) => ({ cardType, first: padded(first), last: padded(last) })}
      submit={t('Take into stock')}
      onDone={() => {}}
    >
      {(form) => (
        <Section title={t('Passes printed elsewhere')} intro={t('By the numbers that stand on them.')}>
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            <TextField {...form.field('first')} label={t('First number')} autoComplete="off" required />
            <TextField {...form.field('last')} label={t('Last number')} autoComplete="off" required />
            <SelectField {...form.field('cardType')} label={t('Kind')} options={kinds()} required />
          </SimpleGrid>
        </Section>
      )}
    </Form>
  )
}

function Printed() {
  const query = useCall(passes.calls.prints, { size: 50 })
  return (
    <Loaded query={query}>
      {({ rows }) =>
        rows.length === 0 ? null : (
          <Section title={t('Printed before')}>
            <SmallTable
              label={t('Printed before')}
              rows={rows}
              rowId={({ id }) => id}
              columns={[
                { label: t('Numbers'), cell: ({ first, last }) => (first === last ? first : t('{first} to {last}', { first, last })) },
                { label: t('Kind'), cell: ({ cardType }) => t(kindLabels[cardType]) },
                { label: t('Quantity'), align: 'end', cell: ({ quantity }) => quantity },
                { label: t('By'), cell: ({ by }) => by },
                { label: t('When'), cell: ({ at }) => <DateTime at={at} /> },
                {
                  label: t('List'),
                  plain: true,
                  cell: ({ id, first }) => (
                    <DownloadButton
                      size="xs"
                      label={t('Download numbers from {first}', { first })}
                      fileName={`passes-${first}.csv`}
                      from={passes.endpoints.printList.path + queryText({ id })}
                    />
                  ),
                },
              ]}
            />
          </Section>
        )
      }
    </Loaded>
  )
}
