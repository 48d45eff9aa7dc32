// Requests a smartcard for oneself, in self-service. A template named in the address is chosen already.

import { Stack, Text } from '@mantine/core'
import { IconId } from '@tabler/icons-react'
import { supportAddressOf, useBootstrap } from '#core/console/bootstrap.ts'
import { SelectField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { cardrequests } from '../contract.ts'

export function OwnRequest({ id }: { id: string }) {
  const { tenancy } = useBootstrap()
  const query = useCall(cardrequests.calls.ownTemplates, {})
  return (
    <Loaded query={query}>
      {({ cardTemplates }) => {
        const open = cardTemplates.filter(({ obstacle }) => obstacle === undefined)
        const rest = cardTemplates.filter(({ obstacle }) => obstacle !== undefined)
        const chosen = open.find(({ cardTemplateId, name }) => cardTemplateId === id || name === id) ?? open[0]
        return (
          <Stack gap="lg">
            {rest.map(({ cardTemplateId, name, obstacle }) => (
              <Text key={cardTemplateId}>
                {name}{' '}
                {obstacle === 'requested' ? (
                  <Status of="pending" label={t('Requested: the card desk sees it')} />
                ) : (
                  <Status of="active" label={t('You have such a card already')} />
                )}
              </Text>
            ))}
            {chosen === undefined && rest.length === 0 && (
              <EmptyState
                icon={IconId}
                title={t('Smartcards cannot be requested here yet')}
                text={t('Your organisation hands them out in another way. Ask {address}.', { address: supportAddressOf(tenancy) })}
              />
            )}
            {chosen !== undefined && (
              <Form
                key={chosen.cardTemplateId}
                call={cardrequests.calls.requestOwn}
                initial={{ cardTemplateId: chosen.cardTemplateId as string | undefined }}
                toInput={({ cardTemplateId }) => ({ cardTemplateId: cardTemplateId ?? '' })}
                submit={t('Request smartcard')}
                guard={false}
                invalidates={['cardrequests']}
                onDone={() => undefined}
              >
                {(form) => (
                  <SelectField
                    {...form.field('cardTemplateId')}
                    label={t('Kind of card')}
                    hint={t('The card desk tells you when it is ready.')}
                    options={open.map(({ cardTemplateId, name }) => ({ value: cardTemplateId, label: name }))}
                    required
                  />
                )}
              </Form>
            )}
          </Stack>
        )
      }}
    </Loaded>
  )
}
