// Whether a name could be proven now, before anybody orders.

import { Alert, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { acme } from '../contract.ts'
import { NoDirectory } from './Commands.tsx'
import { DirectoryField } from './DirectoryField.tsx'
import { Sightings } from './Sightings.tsx'
import { useDirectories } from './use-directories.ts'

export function TryName() {
  const directories = useDirectories()
  const [answer, setAnswer] = useState<OutputOf<typeof acme.calls.tryName>>()
  return (
    <Loaded query={directories}>
      {({ rows }) =>
        rows.length === 0 ? (
          <NoDirectory />
        ) : (
          <Stack gap="md">
            <Section
              title={t('Name')}
              intro={t('Nothing is ordered. A server that answers is reached, whatever it says to a token that it does not know.')}
            >
              <Form
                call={acme.calls.tryName}
                initial={{ directoryId: rows[0]?.id ?? '', name: '' }}
                submit={t('Try name')}
                guard={false}
                quiet
                onDone={setAnswer}
              >
                {(form) => (
                  <>
                    <DirectoryField field={form.field('directoryId')} first={rows} />
                    <TextField {...form.field('name')} label={t('Name or address')} placeholder="www.example.org" required />
                  </>
                )}
              </Form>
            </Section>
            {answer !== undefined && <Results answer={answer} />}
          </Stack>
        )
      }
    </Loaded>
  )
}

function Results({ answer: { template, results } }: { answer: OutputOf<typeof acme.calls.tryName> }) {
  return (
    <Stack gap="md" aria-live="polite">
      {template === undefined ? (
        <Alert color="green" title={t('The template allows this name')} />
      ) : (
        <Alert color="red" title={t('The template refuses this name')}>
          {template}
        </Alert>
      )}
      {results.map(({ what, ok, sightings }) => (
        <Section
          key={what}
          title={what}
          actions={
            <Group gap="xs">
              <Status of={ok ? 'done' : 'failed'} label={ok ? t('Reached') : t('Not reached')} />
            </Group>
          }
        >
          <Sightings sightings={sightings} />
        </Section>
      ))}
    </Stack>
  )
}
