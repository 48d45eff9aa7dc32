// Counts a place against what was found there, and shows the counts before.

import { List, Text } from '@mantine/core'
import { useState } from 'react'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { SelectField, SwitchField, TextAreaField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { stock } from '../contract.ts'
import { surplusLabels } from '../rules.ts'

type Result = OutputOf<typeof stock.calls.count>
type Values = { placeId: string | undefined; found: string; isEmpty: boolean }

export function Counts() {
  const query = useCall(stock.calls.places, {})
  const [result, setResult] = useState<Result>()
  return (
    <Page title={t('Counts of stock')} narrow>
      <Loaded query={query}>
        {({ places }) =>
          places.length === 0 ? (
            <EmptyState
              title={t('No places yet')}
              text={t('A safe, a drawer, an office: wherever cards lie before somebody has them.')}
              action={<LinkButton to={to(stock.screens.places)}>{t('Add a place first')}</LinkButton>}
            />
          ) : (
            <Form
              call={stock.calls.count}
              initial={{ placeId: places[0]?.id, found: '', isEmpty: false } as Values}
              check={({ found, isEmpty }) =>
                (found.trim() === '') === isEmpty
                  ? {}
                  : { found: isEmpty ? t('The place is not empty then') : t('Enter what lies there, or say that the place is empty') }
              }
              toInput={({ placeId = '', found }: Values) => ({
                placeId,
                found: found
                  .split(/[\n,;]/)
                  .map((line) => line.trim())
                  .filter((line) => line !== ''),
              })}
              submit={t('Compare and record')}
              guard={false}
              onDone={setResult}
              onFailed={() => setResult(undefined)}
            >
              {(form) => (
                <Section
                  title={t('Count a place')}
                  intro={t('Nothing is changed by a count. Move or destroy what the result names afterwards.')}
                >
                  <SelectField
                    {...form.field('placeId')}
                    label={t('Place')}
                    options={places.map(({ id: value, name: label }) => ({ value, label }))}
                    required
                  />
                  <TextAreaField
                    {...form.field('found')}
                    label={t('Serial numbers found')}
                    hint={t('One a line, or a range such as {example}', { example: 'A-0001..A-0100' })}
                    rows={6}
                  />
                  <SwitchField {...form.field('isEmpty')} label={t('The place is empty')} />
                </Section>
              )}
            </Form>
          )
        }
      </Loaded>
      {result !== undefined && <Found result={result} />}
      <Before />
    </Page>
  )
}

function Found({ result }: { result: Result }) {
  const isRight = result.missing === 0 && result.surplus === 0
  return (
    <Section title={t('Result for {place}', { place: result.placeName })}>
      <Text role="status">
        {isRight
          ? t('All {count, number} cards are there.', { count: result.expected })
          : t('{missing, number} of {expected, number} cards are missing, {surplus, number} should not lie here.', {
              missing: result.missing,
              expected: result.expected,
              surplus: result.surplus,
            })}
      </Text>
      {result.missingSerials.length > 0 && (
        <>
          <Text fw={600}>{t('Missing')}</Text>
          <List aria-label={t('Missing')}>
            {result.missingSerials.map((serial) => (
              <List.Item key={serial}>{serial}</List.Item>
            ))}
          </List>
        </>
      )}
      {result.surplusSerials.length > 0 && (
        <>
          <Text fw={600}>{t('Should not lie here')}</Text>
          <List aria-label={t('Should not lie here')}>
            {result.surplusSerials.map(({ serial, why }) => (
              <List.Item key={serial}>
                {serial}: {t(surplusLabels[why])}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Section>
  )
}

function Before() {
  const query = useCall(stock.calls.counts, { size: 50 })
  return (
    <Loaded query={query}>
      {({ rows }) =>
        rows.length === 0 ? null : (
          <Section title={t('Counted before')}>
            <SmallTable
              label={t('Counted before')}
              rows={rows}
              rowId={({ id }) => id}
              columns={[
                { label: t('Place'), cell: ({ placeName }) => placeName },
                { label: t('Expected'), align: 'end', cell: ({ expected }) => expected },
                { label: t('Found'), align: 'end', cell: ({ found }) => found },
                { label: t('Missing'), align: 'end', cell: ({ missing }) => missing },
                { label: t('Should not lie here'), align: 'end', cell: ({ surplus }) => surplus },
                { label: t('By'), cell: ({ by }) => by },
                { label: t('When'), cell: ({ at }) => <DateTime at={at} /> },
              ]}
            />
          </Section>
        )
      }
    </Loaded>
  )
}
