// A certificate for a device that speaks SCEP: somebody says for which names, and gives the link to whoever sets the device up.

import { Alert, Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { NumberField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { protocolRoom } from '../contract.ts'
import { newSecret, ProfileAndNames, type SecretValues } from './NameFields.tsx'
import { Secrets } from './Secrets.tsx'

type Made = OutputOf<typeof protocolRoom.calls.addChallenge>

export function RequestChallenge() {
  const choices = useCall(protocolRoom.calls.secretChoices, { protocol: 'scep' })
  const [made, setMade] = useState<Made>()
  return (
    <Page
      title={t('Request by SCEP')}
      intro={t(
        'The device makes its key and asks for its certificate by itself. It needs a challenge, which is good for these names and once.',
      )}
    >
      <Stack gap="lg">
        {made === undefined ? (
          <Loaded query={choices}>
            {({ profiles }) =>
              profiles.length === 0 ? (
                <EmptyState title={t('SCEP is not set up')} text={t('Whoever configures SCEP makes a profile first.')} />
              ) : (
                <Section title={t('Device')}>
                  <Form
                    call={protocolRoom.calls.addChallenge}
                    initial={newSecret(profiles)}
                    toInput={({ uses: _uses, ...values }: SecretValues) => values}
                    submit={t('Create link')}
                    onDone={setMade}
                  >
                    {(form) => (
                      <>
                        <ProfileAndNames form={form} profiles={profiles} />
                        <NumberField
                          {...form.field('hours')}
                          label={t('Hours')}
                          hint={t('So long the link and the challenge are good')}
                          min={1}
                          max={8760}
                        />
                      </>
                    )}
                  </Form>
                </Section>
              )
            }
          </Loaded>
        ) : (
          <Section title={t('Give this link to whoever sets the device up')}>
            <Stack gap="md">
              <Alert color="yellow" title={t('Copy it now')}>
                {t('The link is not shown again. Whoever opens it sees the challenge once, by a press of a button.')}
              </Alert>
              <Facts
                items={[
                  { label: t('Link'), value: <Mono value={made.link} />, copy: made.link },
                  { label: t('Ends'), value: <DateTime at={made.expiresAt} /> },
                ]}
              />
              <Group>
                <Button onClick={() => setMade(undefined)}>{t('Make another')}</Button>
              </Group>
            </Stack>
          </Section>
        )}
        <Section title={t('Challenges')}>
          <Secrets protocol="scep" />
        </Section>
      </Stack>
    </Page>
  )
}
