// Puts the applets on the card in a reader. The check value is typed, because a wrong key costs a card one of its tries.

import { Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { smartcards } from '#areas/smartcards/contract.ts'
import { NumberField, SelectField, SwitchField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { applets } from '../contract.ts'
import { mostCards } from '../rules.ts'

type Values = {
  reader: string | undefined
  card_count: number | undefined
  customer_sc_hardware: string | undefined
  confirmation: string
  again: boolean
}

export function PutOnCard({ onClose }: { onClose: () => void }) {
  const readers = useCall(smartcards.calls.readers, {})
  const configs = useCall(applets.calls.configs, {})
  const [said, setSaid] = useState('')
  return (
    <Modal opened onClose={onClose} title={t('Put on a card')}>
      <Loaded query={readers}>
        {({ readers: found }) => (
          <Loaded query={configs}>
            {({ configs: kept }) => (
              <Form
                call={applets.calls.upload}
                initial={
                  {
                    reader: found[0]?.name,
                    card_count: 1,
                    customer_sc_hardware: kept[0]?.customer_sc_hardware,
                    confirmation: '',
                    again: false,
                  } as Values
                }
                toInput={({ reader = '', card_count: count, ...values }: Values) => ({
                  ...values,
                  reader,
                  card_count: count ?? Number.NaN,
                })}
                submit={t('Put on this card')}
                cancel={{ label: t('Close'), onClick: onClose }}
                guard={false}
                onDone={({ card, left }) =>
                  left === 0
                    ? onClose()
                    : setSaid(t('The card {card} is done. Put the next one in; {left, number} to come.', { card, left }))
                }
              >
                {(form) => (
                  <>
                    {said !== '' && (
                      <Text size="sm" role="status">
                        {said}
                      </Text>
                    )}
                    <SelectField
                      {...form.field('reader')}
                      label={t('Reader')}
                      options={found.map(({ name }) => ({ value: name, label: name }))}
                      required
                    />
                    <SelectField
                      {...form.field('customer_sc_hardware')}
                      label={t('Hardware')}
                      options={kept.map(({ customer_sc_hardware: value, checkValue }) => ({ value, label: `${value} (${checkValue})` }))}
                      required
                    />
                    <TextField
                      {...form.field('confirmation')}
                      label={t('Check value of the key')}
                      hint={t('Type it: the key is tried once on this card')}
                      required
                    />
                    <NumberField {...form.field('card_count')} label={t('Cards to come')} min={1} max={mostCards} />
                    <SwitchField {...form.field('again')} label={t('Try again on a card that refused this key')} />
                  </>
                )}
              </Form>
            )}
          </Loaded>
        )}
      </Loaded>
    </Modal>
  )
}
