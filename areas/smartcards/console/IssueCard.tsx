// Issues the card in a reader, and shows each step as it is done. What was stopped goes on when it is begun again with the same person and template.

import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import type { ComponentProps } from 'react'
import { usePersonSearch } from '#areas/users/person-search.tsx'
import { CallFault } from '#core/console/call-fault.ts'
import { PasswordField, SelectField } from '#core/console/kit/fields.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { changed, useCall } from '#core/console/queries.ts'
import { openStream } from '#core/console/stream.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import { to } from '#core/contract/paths.ts'
import { smartcards } from '../contract.ts'
import { pinFault } from '../rules.ts'
import type { AtCard } from './PinForms.tsx'
import { StepList } from './StepList.tsx'

type Steps = ComponentProps<typeof StepList>['steps']
type Values = { cardTemplateId: string | undefined; userId: string | undefined; pin: string | undefined }
type Errors = { [field in keyof Values]?: string }

function errorsOf({ cardTemplateId, userId, pin = '' }: Values): Errors {
  const fault = pinFault(pin)
  return {
    ...(cardTemplateId === undefined ? { cardTemplateId: t('Choose a template') } : {}),
    ...(userId === undefined ? { userId: t('Choose a person') } : {}),
    ...(fault === undefined ? {} : { pin: t(fault) }),
  }
}

export function IssueCard(props: AtCard) {
  const templates = useCall(smartcards.calls.templateNames, {})
  return (
    <Loaded query={templates}>
      {({ cardTemplates }) =>
        cardTemplates.length === 0 ? (
          <EmptyState
            title={t('No template of cards')}
            text={t('A template says which keys a card has and which certificates they get.')}
            action={<TextLink to={to(smartcards.screens.addTemplate)}>{t('New template')}</TextLink>}
          />
        ) : (
          <IssueForm {...props} templates={cardTemplates} />
        )
      }
    </Loaded>
  )
}

function IssueForm({
  serial,
  reader,
  onDone,
  templates,
}: AtCard & { templates: readonly { cardTemplateId: string; name: string; slots: readonly string[] }[] }) {
  const { options, onSearch } = usePersonSearch()
  const [values, setValues] = useState<Values>({ cardTemplateId: templates[0]?.cardTemplateId, userId: undefined, pin: '' })
  const [errors, setErrors] = useState<Errors>({})
  const [running, setRunning] = useState<{ steps: Steps; isOver: boolean; fault?: CallFault }>()
  const field = <F extends keyof Values>(name: F) => ({
    name,
    value: values[name],
    error: errors[name],
    onBlur: () => {},
    onChange: (value: Values[F]) => {
      setValues((before) => ({ ...before, [name]: value }))
      setErrors((before) => ({ ...before, [name]: undefined }))
    },
  })

  const issue = async (): Promise<void> => {
    const wrong = errorsOf(values)
    setErrors(wrong)
    if (Object.keys(wrong).length > 0) return
    setRunning({ steps: [], isOver: false })
    try {
      const input = {
        card_id: { serial, readerName: reader },
        cardTemplateId: values.cardTemplateId ?? '',
        user_ids: [values.userId ?? ''],
        new_pin: values.pin ?? '',
      }
      for await (const { step, done } of openStream(smartcards.streams.issue, input)) {
        if (step !== undefined)
          setRunning((before) => ({ isOver: false, steps: [...(before?.steps ?? []).filter(({ n }) => n !== step.n), step] }))
        if (done !== undefined) {
          toast({ kind: 'success', title: t('Smartcard issued successfully!') })
          changed('smartcards', 'certificates')
          onDone()
        }
      }
    } catch (error) {
      changed('smartcards')
      if (!(error instanceof CallFault)) throw error
      setRunning((before) => ({ steps: before?.steps ?? [], isOver: true, fault: error }))
    }
  }

  const isRunning = running !== undefined && !running.isOver
  return (
    <Stack gap="md" role="group" aria-label={t('Issue card')}>
      {!isRunning && (
        <>
          <SelectField
            {...field('cardTemplateId')}
            label={t('Template')}
            options={templates.map(({ cardTemplateId, name, slots }) => ({
              value: cardTemplateId,
              label: `${name} (${slots.join(', ')})`,
            }))}
            required
          />
          <SelectField
            {...field('userId')}
            label={t('Person')}
            hint={t('Type a part of a name')}
            options={options}
            onSearch={onSearch}
            required
          />
          <PasswordField
            {...field('pin')}
            label={t('New PIN')}
            hint={t('6 to 8 digits, no run of four equal or consecutive ones')}
            autoComplete="off"
            required
          />
        </>
      )}
      {running !== undefined && (
        <>
          {isRunning && <strong>{t('Issuing Smartcard')}</strong>}
          <StepList steps={running.steps} />
          <FaultAlert fault={running.fault} />
        </>
      )}
      {!isRunning && (
        <Group>
          <Button onClick={() => void issue()}>{running === undefined ? t('Issue card') : t('Go on')}</Button>
          <Button variant="default" onClick={onDone}>
            {t('Cancel')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
