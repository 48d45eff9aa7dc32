// Tries what stands in the form before it is saved, and says step by step how far that came.

import { Button, Stack, Text } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { directories } from '../contract.ts'
import type { Values } from './DirectoryFields.tsx'
import { trialLabels } from './labels.ts'

export function TryDirectory({ id, values: { password, ...values } }: { id?: string; values: Values }) {
  const trial = useSend(directories.calls.tryOut)
  const act = () =>
    trial.run({ ...values, ...(id === undefined ? {} : { id }), ...(password === '' ? {} : { password }) }).catch(() => undefined)
  return (
    <Section title={t('Test')} intro={t('Tries what stands in this form and reads the first people. Nothing is saved or changed.')}>
      <FaultAlert fault={trial.fault} />
      <div>
        <Button
          variant="default"
          loading={trial.pending}
          leftSection={<IconPlugConnected size={16} stroke={1.8} aria-hidden />}
          onClick={() => void act()}
        >
          {t('Test')}
        </Button>
      </div>
      {trial.answer !== undefined && !trial.pending && <Outcome answer={trial.answer} />}
    </Section>
  )
}

function Outcome({ answer: { steps, people } }: { answer: OutputOf<typeof directories.calls.tryOut> }) {
  const isWhole = steps.every(({ fault }) => fault === '')
  return (
    <Stack gap="sm">
      <div role="status">
        <SmallTable
          label={t('Steps of the test')}
          rows={steps}
          rowId={({ step }) => step}
          columns={[
            { label: t('Step'), cell: ({ step }) => t(trialLabels[step].label) },
            {
              label: t('Outcome'),
              plain: true,
              cell: ({ fault }) => <Status of={fault === '' ? 'done' : 'failed'} label={fault === '' ? t('Done') : t(fault)} />,
            },
          ]}
        />
      </div>
      {isWhole && people.length === 0 && <Text size="sm">{t('The directory answered, and nobody was found')}</Text>}
      {people.length > 0 && (
        <SmallTable
          label={t('The first people')}
          rows={people}
          rowId={({ dn }) => dn}
          columns={[
            { label: t('Name'), cell: (row) => row.name },
            { label: t('E-mail address'), cell: (row) => row.emailAddress },
            { label: t('Distinguished name'), cell: (row) => row.dn },
          ]}
        />
      )}
    </Stack>
  )
}
