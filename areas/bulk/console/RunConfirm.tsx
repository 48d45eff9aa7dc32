// Before anything is done: how many rows, what it means, and the number typed by hand.

import { Alert, Button, Group, List, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { bulkOffer, type BulkTexts, type RunValues } from '../bulk-actions.tsx'
import { bulk, type RunView } from '../contract.ts'

export function RunConfirm({ run, texts }: { run: RunView; texts: BulkTexts }) {
  const navigate = useNavigate()
  const { runId, total, facts, own, actor, preparedAt } = run
  if (!own)
    return (
      <Alert color="gray" variant="light" icon={<IconInfoCircle size={18} aria-hidden />} title={t('Not confirmed')}>
        {t('{actor} chose these rows and has not confirmed them. Nothing is done until then.', { actor })}
      </Alert>
    )
  const leave = async () => {
    await send(bulk.calls.cancel, { runId }).catch(() => undefined)
    void navigate(-1)
  }
  const inVain = texts.inVain?.(facts)
  return (
    <Section
      title={t('What this means')}
      intro={
        <>
          {t('Chosen')} <DateTime at={preparedAt} />
        </>
      }
    >
      <List spacing={4}>
        {texts.consequence(facts, total).map((says) => (
          <List.Item key={says}>{says}</List.Item>
        ))}
      </List>
      {inVain !== undefined && (
        <>
          <Alert color="yellow" variant="light" icon={<IconInfoCircle size={18} aria-hidden />}>
            {inVain}
          </Alert>
          <Group>
            <Button variant="default" onClick={() => void leave()}>
              {texts.keep}
            </Button>
          </Group>
        </>
      )}
      {inVain === undefined && <Confirmation run={run} texts={texts} leave={leave} />}
    </Section>
  )
}

function Confirmation({ run, texts, leave }: { run: RunView; texts: BulkTexts; leave: () => Promise<void> }) {
  const { runId, total, parameters, facts } = run
  const { Fields } = texts
  const known = Object.entries(parameters)
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('These rows are written down. What you confirm is what is done, whatever matches the filter by then.')}
      </Text>
      <Form
        call={bulk.calls.start}
        initial={{
          parameters: Object.fromEntries(known.map(([name, value]) => [name, typeof value === 'string' ? value : undefined])),
          ticks: Object.fromEntries(known.flatMap(([name, value]) => (typeof value === 'boolean' ? [[name, value]] : []))),
          typed: '',
        }}
        toInput={(values: RunValues) => ({ runId, count: total, parameters: { ...stated(values.parameters), ...values.ticks } })}
        check={(values) => ({
          ...texts.check?.(facts, values),
          ...(values.typed.replaceAll(/[\s,.'’]/g, '') === String(total) ? {} : { typed: t('Type {count}', { count: String(total) }) }),
        })}
        submit={texts.submit(total)}
        cancel={{ label: texts.keep, onClick: () => void leave() }}
        danger={texts.danger === true}
        guard={false}
        invalidates={bulkOffer(run.action)?.invalidates ?? []}
        onDone={() => undefined}
      >
        {(form) => (
          <>
            {Fields !== undefined && <Fields form={form} facts={facts} />}
            <TextField
              {...form.field('typed')}
              label={t('Type {count} to go on', { count: String(total) })}
              hint={t('The number of rows.')}
              inputMode="numeric"
              required
            />
          </>
        )}
      </Form>
    </>
  )
}

/** What was left empty is not said at all. */
const stated = (parameters: RunValues['parameters']): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])))
