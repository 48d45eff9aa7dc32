// Issues the card in a reader: to a person, to somebody whose card it stands for, or to oneself. It is registered first where it is not.

import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { questions } from '#areas/questions/contract.ts'
import { emptyQuestions, QuestionFields, sentQuestions, type QuestionValues } from '#areas/questions/QuestionFields.tsx'
import { makeClientSalt, noVersion } from '#areas/questions/rules.ts'
import { usePersonSearch } from '#areas/users/person-search.tsx'
import { useBootstrap, useViewer } from '#core/console/bootstrap.ts'
import { NumberField, SelectField, SwitchField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { openStream } from '#core/console/stream.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { smartcards } from '../contract.ts'
import { isUsable, longestTemporaryDays, type CardStatus } from '../rules.ts'
import { ApprovalFirst } from './ApprovalFirst.tsx'
import { cardIn } from './card-id.ts'
import { useFields } from './field-values.ts'
import { NewPinField, pinWrong } from './NewPin.tsx'
import { OperationForm } from './OperationForm.tsx'
import type { AtCard } from './PinForms.tsx'
import type { ReaderState } from './reader-state.ts'
import type { Drive } from './use-readers.ts'

type Driven = AtCard & { drive: Drive }
type Templates = readonly { cardTemplateId: string; name: string; slots: readonly string[] }[]

/** `registers`: the card is not registered yet. `assigned`: whose it will be, and by which template. */
export function IssueCard({ temporary = false, ...props }: Driven & { registers?: boolean; temporary?: boolean }) {
  const templates = useCall(smartcards.calls.templateNames, {})
  return (
    <Loaded query={templates}>
      {({ cardTemplates }) =>
        cardTemplates.length === 0 ? (
          <EmptyState
            title={t('No template of cards')}
            text={t('A template says which keys a card has and which certificates they get.')}
            action={
              <Group justify="center">
                <LinkButton to={to(smartcards.screens.addTemplate)}>{t('New template')}</LinkButton>
                <Button variant="default" onClick={props.onDone}>
                  {t('Cancel')}
                </Button>
              </Group>
            }
          />
        ) : temporary ? (
          <TemporaryForm {...props} templates={cardTemplates} />
        ) : (
          <IssueForm {...props} templates={cardTemplates} />
        )
      }
    </Loaded>
  )
}

const templateOptions = (templates: Templates) =>
  templates.map(({ cardTemplateId, name, slots }) => ({ value: cardTemplateId, label: `${name} (${slots.join(', ')})` }))

const isNew = ({ smartcard }: ReaderState): boolean => smartcard?.status === undefined || smartcard.status === 'UNREGISTERED'

async function register({ serial, reader, drive }: Driven): Promise<void> {
  const input = { card_id: cardIn(serial, reader) }
  await drive(reader.name, t('Registering Smartcard'), openStream(smartcards.streams.register, input))
}

function IssueForm({ registers = false, templates, ...props }: Driven & { registers?: boolean; templates: Templates }) {
  const { serial, reader, onDone, drive } = props
  const { data: assigned, isLoading } = useCall(smartcards.calls.details, { serial }, { enabled: !registers })
  const { options, onSearch } = usePersonSearch()
  const { values, field, say } = useFields<{ cardTemplateId: string | undefined; userId: string | undefined; pin: string | undefined }>({
    cardTemplateId: templates[0]?.cardTemplateId,
    userId: undefined,
    pin: '',
  })
  const isAssigned = assigned?.status === 'ASSIGNED'
  const cardTemplateId = isAssigned ? (assigned.cardTemplateId ?? values.cardTemplateId) : values.cardTemplateId
  const userId = isAssigned ? assigned.userId : values.userId
  return (
    <OperationForm
      reader={reader}
      label={t('Issue card')}
      done={t('Smartcard issued successfully!')}
      onDone={onDone}
      loading={isLoading}
      check={() =>
        say({
          cardTemplateId: cardTemplateId === undefined ? t('Choose a template') : undefined,
          userId: userId === undefined ? t('Choose a person') : undefined,
          pin: pinWrong(values.pin),
        })
      }
      run={async () => {
        // An earlier try may have registered it.
        if (registers && isNew(reader)) await register(props)
        await drive(
          reader.name,
          t('Issuing Smartcard'),
          openStream(smartcards.streams.issue, {
            card_id: cardIn(serial, reader),
            cardTemplateId: cardTemplateId ?? '',
            user_ids: [userId ?? ''],
            new_pin: values.pin ?? '',
          }),
        )
        return undefined
      }}
    >
      {isAssigned ? (
        t('Assigned to {name}, by the template {template}', { name: assigned.userName, template: assigned.cardTemplateName })
      ) : (
        <>
          <SelectField {...field('cardTemplateId')} label={t('Template')} options={templateOptions(templates)} required />
          <SelectField
            {...field('userId')}
            label={t('Person')}
            hint={t('Type a part of a name')}
            options={options}
            onSearch={onSearch}
            required
          />
        </>
      )}
      <ApprovalFirst cardTemplateId={cardTemplateId} userId={userId} />
      <NewPinField {...field('pin')} card={props} />
    </OperationForm>
  )
}

/** Where nobody has set how many. */
const usualDays = 7

const isDays = (days: number): boolean => Number.isInteger(days) && days >= 1 && days <= longestTemporaryDays

/** A card that stands for another one of the same person, whose certificates go on hold. */
function TemporaryForm({ templates, ...props }: Driven & { templates: Templates }) {
  const { serial, reader, onDone, drive } = props
  const { options, onSearch } = usePersonSearch()
  const configuration = useCall(smartcards.calls.temporaryConfiguration, {})
  // Where it cannot be read: no days, without an end.
  const { defaultDuration, unlimitedIsDefault } = configuration.data ?? { defaultDuration: 0, unlimitedIsDefault: true }
  const { values, field, say } = useFields<{
    cardTemplateId: string | undefined
    userId: string | undefined
    oldCard: string | undefined
    endless: boolean | undefined
    days: number | undefined
    pin: string | undefined
  }>({ cardTemplateId: templates[0]?.cardTemplateId, userId: undefined, oldCard: undefined, endless: undefined, days: undefined, pin: '' })
  const endless = values.endless ?? unlimitedIsDefault
  const days = values.days ?? (defaultDuration === 0 ? usualDays : defaultDuration)
  const theirs = useCall(smartcards.calls.ofPerson, { userId: values.userId ?? '' }, { enabled: values.userId !== undefined })
  const cards = (theirs.data?.smartcards ?? []).filter(({ status, extensions }) => {
    const known = status.toUpperCase() as CardStatus
    return isUsable({ status: known, temporary: extensions.temporary_card }) || known === 'SUSPENDED'
  })
  const oldCard = values.oldCard ?? cards[0]?.id
  return (
    <OperationForm
      reader={reader}
      label={t('Issue temporary card')}
      done={t('Smartcard issued successfully!')}
      onDone={onDone}
      loading={theirs.isLoading || configuration.isLoading}
      check={() =>
        say({
          userId: values.userId === undefined ? t('Choose a person') : undefined,
          oldCard: oldCard === undefined ? t('This person has no card that another one could stand for') : undefined,
          days: endless || isDays(days) ? undefined : t('Enter 1 to {most} days', { most: longestTemporaryDays }),
          pin: pinWrong(values.pin),
        })
      }
      run={async () => {
        await drive(
          reader.name,
          t('Issuing Smartcard'),
          openStream(smartcards.streams.issueTemporary, {
            card_request: {
              card_id: cardIn(serial, reader),
              cardTemplateId: values.cardTemplateId ?? '',
              new_pin: values.pin ?? '',
              validity_duration: endless ? 0 : days,
            },
            old_card_id: oldCard ?? '',
          }),
        )
        return undefined
      }}
    >
      <SelectField
        {...field('userId')}
        label={t('Person')}
        hint={t('Type a part of a name')}
        options={options}
        onSearch={onSearch}
        required
      />
      <SelectField
        {...field('oldCard')}
        value={oldCard}
        label={t('Stands for')}
        hint={t('The certificates of that card go on hold.')}
        options={cards.map(({ id, serialNumber, cardTemplateName }) => ({ value: id, label: `${serialNumber} (${cardTemplateName})` }))}
        required
      />
      <SelectField {...field('cardTemplateId')} label={t('Template')} options={templateOptions(templates)} required />
      <SwitchField {...field('endless')} value={endless} label={t('Without an end of its own')} />
      {!endless && (
        <NumberField {...field('days')} value={days} label={t('Good for')} suffix={t('days')} min={1} max={longestTemporaryDays} />
      )}
      <ApprovalFirst cardTemplateId={values.cardTemplateId} userId={values.userId} />
      <NewPinField {...field('pin')} card={props} />
    </OperationForm>
  )
}

/** One's own card, which was assigned. Where the tenancy wants secret questions they are set first. */
export function IssueOwnCard({ cardTemplateId, ...props }: Driven & { cardTemplateId: string }) {
  const wanted = useBootstrap().tenancy.cmsRequireSelfServiceSecretQuestionsSet === true
  const own = useCall(questions.calls.read, {}, { enabled: wanted })
  const [salt] = useState(makeClientSalt)
  const viewer = useViewer()
  const { serial, reader, onDone, drive } = props
  const { values, field, say } = useFields<{ pin: string | undefined }>({ pin: '' })
  if (wanted && own.data?.version === noVersion)
    return (
      <Form
        call={questions.calls.set}
        initial={emptyQuestions()}
        toInput={(input: QuestionValues) => ({ client_salt: salt, questions: sentQuestions(input) })}
        submit={t('Set questions')}
        cancel={{ label: t('Cancel'), onClick: onDone }}
        guard={false}
        onDone={() => {}}
      >
        {(form) => (
          <>
            {t('Before your card is issued, choose questions. Their answers unblock it should you forget the PIN.')}
            <QuestionFields form={form} salt={salt} />
          </>
        )}
      </Form>
    )
  return (
    <OperationForm
      reader={reader}
      label={t('Issue card')}
      done={t('Smartcard issued successfully!')}
      onDone={onDone}
      check={() => say({ pin: pinWrong(values.pin) })}
      run={async () => {
        await drive(
          reader.name,
          t('Issuing Smartcard'),
          openStream(smartcards.streams.issue, {
            card_id: cardIn(serial, reader),
            cardTemplateId,
            user_ids: [viewer.id],
            new_pin: values.pin ?? '',
          }),
        )
        return undefined
      }}
    >
      <NewPinField {...field('pin')} card={props} />
    </OperationForm>
  )
}
