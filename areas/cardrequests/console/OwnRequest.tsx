// Requests a smartcard for oneself, in self-service, with a photo, and shows how far it is. A template named in the address is chosen already.

import { Button, Group, Stack, Text } from '@mantine/core'
import { IconId } from '@tabler/icons-react'
import { supportAddressOf, useBootstrap } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { SelectField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { cardrequests } from '../contract.ts'
import { stepLabels } from '../rules.ts'
import { CardPhoto } from './CardPhoto.tsx'

type Values = { cardTemplateId: string | undefined; photo: string | undefined }
type Own = OutputOf<typeof cardrequests.calls.own>['requests'][number]

export function OwnRequest({ id }: { id: string }) {
  const { tenancy } = useBootstrap()
  const query = useCall(cardrequests.calls.ownTemplates, {})
  return (
    <Stack gap="lg">
      <OwnRequests />
      <Loaded query={query}>
        {({ cardTemplates }) => {
          const open = cardTemplates.filter(({ obstacle }) => obstacle === undefined)
          const has = cardTemplates.filter(({ obstacle }) => obstacle === 'hasCard')
          const chosen = open.find(({ cardTemplateId, name }) => cardTemplateId === id || name === id) ?? open[0]
          return (
            <Stack gap="lg">
              {has.map(({ cardTemplateId, name }) => (
                <Text key={cardTemplateId}>
                  {name} <Status of="active" label={t('You have such a card already')} />
                </Text>
              ))}
              {cardTemplates.length === 0 && (
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
                  initial={{ cardTemplateId: chosen.cardTemplateId, photo: undefined } as Values}
                  toInput={({ cardTemplateId = '', photo }: Values) => ({ cardTemplateId, ...(photo === undefined ? {} : { photo }) })}
                  submit={t('Request smartcard')}
                  guard={false}
                  invalidates={['cardrequests']}
                  onDone={() => undefined}
                >
                  {(form) => (
                    <>
                      <SelectField
                        {...form.field('cardTemplateId')}
                        label={t('Kind of card')}
                        hint={t('How far it is stands here afterwards.')}
                        options={open.map(({ cardTemplateId, name }) => ({ value: cardTemplateId, label: name }))}
                        required
                      />
                      <CardPhoto value={form.values.photo} onChange={(photo) => form.set('photo', photo)} error={form.error('photo')} />
                    </>
                  )}
                </Form>
              )}
            </Stack>
          )
        }}
      </Loaded>
    </Stack>
  )
}

function OwnRequests() {
  const query = useCall(cardrequests.calls.own, {})
  const withdraw = useSend(cardrequests.calls.withdrawOwn)
  const takeBack = async ({ id, cardTemplateName }: Own): Promise<void> => {
    const sure = await confirm({
      title: t('Withdraw your request for {name}?', { name: cardTemplateName }),
      consequence: t('The photo that you sent is deleted. You can request the card again.'),
      action: t('Withdraw request'),
      keep: t('Keep request'),
    })
    if (sure) await withdraw.run({ id }).catch((error: unknown) => toastFault(error, t('Your request was not withdrawn')))
  }
  return (
    <Loaded query={query}>
      {({ requests }) =>
        requests.length === 0 ? null : (
          <Section title={t('Your requests')}>
            <SmallTable
              label={t('Your requests')}
              rows={requests}
              rowId={({ id }) => id}
              columns={[
                { label: t('Kind of card'), cell: ({ cardTemplateName }) => cardTemplateName },
                {
                  label: t('Status'),
                  aside: true,
                  cell: ({ step }) => <Status of={stepLabels[step].kind} label={t(stepLabels[step].label)} />,
                },
                { label: t('Where'), cell: ({ deliverTo }) => (deliverTo === '' ? t('At the card desk') : deliverTo) },
                { label: t('Requested'), cell: ({ madeAt }) => <DateTime at={madeAt} /> },
                {
                  label: t('Actions'),
                  plain: true,
                  cell: (request) =>
                    (request.step === 'requested' || request.step === 'atPrinter' || request.step === 'ready') && (
                      <Group gap="xs">
                        <Button size="xs" variant="default" onClick={() => void takeBack(request)}>
                          {t('Withdraw request')}
                        </Button>
                      </Group>
                    ),
                },
              ]}
            />
            {requests.some(({ step }) => step === 'ready') && (
              <Text>{t('Bring an identity document when you collect the card. It becomes yours when you choose its PIN there.')}</Text>
            )}
          </Section>
        )
      }
    </Loaded>
  )
}
