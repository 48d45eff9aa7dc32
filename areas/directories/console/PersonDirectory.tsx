// A tab of a person's page: the account in each directory that is open for changes. What would be done is shown before it is.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { directories } from '../contract.ts'
import { canDo, needsTarget, writeActions, writeTexts, type WriteAction } from '../write-texts.ts'
import { actionLabels, writeLabels } from './labels.ts'

type Shown = OutputOf<typeof directories.calls.writes>
type Write = Shown['writes'][number]
type Values = { directoryId: string; action: WriteAction; target: string }

export function PersonDirectory({ userId }: { userId: string }) {
  const query = useCall(directories.calls.writes, { userId })
  const [plan, setPlan] = useState<Write>()
  return (
    <Loaded query={query}>
      {(shown) => (
        <Stack gap="md">
          {plan === undefined ? (
            <Ask userId={userId} shown={shown} onPlan={setPlan} />
          ) : (
            <Planned key={plan.id} plan={plan} onAgain={() => setPlan(undefined)} />
          )}
          {shown.writes.length > 0 && <Lately writes={shown.writes} />}
        </Stack>
      )}
    </Loaded>
  )
}

function Ask({ userId, shown, onPlan }: { userId: string; shown: Shown; onPlan: (plan: Write) => void }) {
  const [first] = shown.directories
  if (first === undefined)
    return (
      <Section title={t('Account in a directory')}>
        <Text c="dimmed">{t('No directory is open for changes. Who configures directories can open one.')}</Text>
      </Section>
    )
  const initial: Values = { directoryId: first.id, action: first.linked ? 'update' : 'create', target: '' }
  return (
    <Section title={t('Account in a directory')} intro={t('You see what would be done there before anything is done.')}>
      <Form
        call={directories.calls.planWrite}
        initial={initial}
        guard={false}
        toInput={(values: Values) => ({ userId, ...values, target: needsTarget(values.action) ? values.target : '' })}
        submit={t('Show what would be done')}
        onDone={onPlan}
      >
        {(form) => {
          const chosen = shown.directories.find(({ id }) => id === form.values.directoryId)
          const isLinked = chosen?.linked === true
          return (
            <>
              <SelectField
                {...form.field('directoryId')}
                label={t('Directory')}
                options={shown.directories.map(({ id, name }) => ({ value: id, label: name }))}
                onChange={(value) => form.set('directoryId', value ?? first.id)}
              />
              <SelectField
                {...form.field('action')}
                label={t('What to do')}
                options={writeActions
                  .filter((action) => (action === 'create') !== isLinked && canDo(chosen?.kind ?? 'ldap', action))
                  .map((action) => ({ value: action, label: t(actionLabels[action].label) }))}
                onChange={(value) => form.set('action', writeActions.find((action) => action === value) ?? 'update')}
              />
              {needsTarget(form.values.action) && (
                <TextField
                  {...form.field('target')}
                  label={form.values.action === 'move' ? t('Move below') : t('Group')}
                  hint={t('Its distinguished name')}
                  required
                />
              )}
            </>
          )
        }}
      </Form>
    </Section>
  )
}

function Planned({ plan, onAgain }: { plan: Write; onAgain: () => void }) {
  const run = useSend(directories.calls.runWrite)
  const [outcome, setOutcome] = useState<Write>()
  const texts = writeTexts[plan.kind][plan.action]
  return (
    <Section title={t('What would be done')}>
      <FaultAlert fault={run.fault} />
      {outcome?.state === 'done' && (
        <Alert color="green" role="status">
          {t(texts.done)}
        </Alert>
      )}
      {outcome?.state === 'failed' && (
        <Alert color="red" role="alert" title={t(texts.failed)}>
          {t(outcome.says)}
        </Alert>
      )}
      <Facts
        items={[
          { label: t('Directory'), value: plan.directory },
          { label: t('Entry'), value: <span style={{ overflowWrap: 'anywhere' }}>{plan.dn}</span> },
        ]}
      />
      <SmallTable
        label={t('What would be done')}
        rows={plan.changes}
        rowId={({ name }) => name}
        columns={[
          { label: t('Attribute'), cell: ({ name }) => name },
          { label: t('There now'), cell: ({ before }) => <span style={{ overflowWrap: 'anywhere' }}>{before}</span> },
          { label: t('Afterwards'), cell: ({ after }) => <span style={{ overflowWrap: 'anywhere' }}>{after}</span> },
        ]}
      />
      {plan.action === 'create' && plan.kind !== 'ldap' && (
        <Text size="sm">{t('The account is disabled at first, with a password that nobody knows.')}</Text>
      )}
      <Group gap="xs">
        {outcome === undefined && (
          <Button
            loading={run.pending}
            {...(plan.action === 'delete' ? { color: 'red' } : {})}
            onClick={() => void run.run({ id: plan.id }).then(setOutcome, () => {})}
          >
            {t('Do this in the directory')}
          </Button>
        )}
        <Button variant="default" onClick={onAgain}>
          {outcome === undefined ? t('Cancel') : t('Another change')}
        </Button>
      </Group>
    </Section>
  )
}

function Lately({ writes }: { writes: readonly Write[] }) {
  return (
    <Section title={t('Changes in directories')}>
      <SmallTable
        label={t('Changes in directories')}
        rows={writes}
        rowId={({ id }) => id}
        columns={[
          {
            label: t('What'),
            cell: ({ action, directory }) => `${directory}: ${t(actionLabels[action].label)}`,
          },
          {
            label: t('Status'),
            aside: true,
            cell: ({ state }) => <Status of={writeLabels[state].of} label={t(writeLabels[state].label)} />,
          },
          { label: t('Outcome'), cell: ({ kind, action, state, says }) => outcomeOf(kind, action, state, says) },
          { label: t('By'), cell: ({ planner }) => planner },
          { label: t('When'), cell: ({ plannedAt }) => <DateTime at={plannedAt} /> },
        ]}
      />
    </Section>
  )
}

function outcomeOf(kind: Write['kind'], action: WriteAction, state: Write['state'], says: string): string {
  const texts = writeTexts[kind][action]
  if (state === 'done') return t(texts.done)
  return state === 'failed' ? `${t(texts.failed)}: ${says}` : ''
}
