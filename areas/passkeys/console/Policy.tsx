// Which passkeys the tenancy accepts, and what imported metadata knows of models.

import { Alert, Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { MultiSelectField, SwitchField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { passkeys } from '../contract.ts'

const shownModels = 50

export function Policy() {
  const query = useCall(passkeys.calls.policy, {})
  const metadata = useSend(passkeys.calls.importMetadata)
  const take = async (file: File | null): Promise<void> => {
    if (file !== null) await metadata.run({ metadata: await file.text() }).catch(() => {})
  }
  return (
    <Page title={t('Passkey policy')} intro={t('Which passkeys people of this tenancy may register and sign in with.')}>
      <Loaded query={query}>
        {({ version, deviceBound, models, known, refused, registered }) => {
          const provable = known.filter((model) => model.provable && !model.compromised)
          return (
            <Stack gap="lg">
              {refused > 0 && (
                <Alert color="yellow" title={t('Some passkeys do not sign in')}>
                  {t(
                    '{refused, plural, one {# of {registered} registered passkeys is} other {# of {registered} registered passkeys are}} refused by this policy.',
                    {
                      refused,
                      registered,
                    },
                  )}
                </Alert>
              )}
              <Section title={t('What is accepted')}>
                <Form
                  key={version}
                  call={passkeys.calls.changePolicy}
                  initial={{ version, deviceBound, models }}
                  submit={t('Save policy')}
                  onDone={() => {}}
                >
                  {(form) => (
                    <>
                      <SwitchField
                        {...form.field('deviceBound')}
                        label={t('Only passkeys that never leave their device')}
                        hint={t('Synced passkeys are refused, also those that are registered. The device must prove its model.')}
                      />
                      <MultiSelectField
                        {...form.field('models')}
                        label={t('Only these models')}
                        hint={
                          provable.length === 0
                            ? t('Import metadata first: without it no device can prove what it is.')
                            : t(
                                'Empty accepts every model. What a device says of itself counts only where its manufacturer vouches for it.',
                              )
                        }
                        options={provable.map(({ aaguid, name }) => ({ value: aaguid, label: `${name} (${aaguid.slice(0, 8)})` }))}
                      />
                    </>
                  )}
                </Form>
              </Section>
              <Section
                title={t('Metadata')}
                intro={t(
                  'What manufacturers say of their models: the signed list of the FIDO Alliance (blob.jwt from mds3.fidoalliance.org), or a metadata statement as JSON.',
                )}
                actions={
                  <FileButton accept=".jwt,.json,application/json" onChange={(file) => void take(file)}>
                    {(props) => (
                      <Button
                        {...props}
                        variant="default"
                        size="xs"
                        loading={metadata.pending}
                        leftSection={<IconUpload size={16} stroke={1.8} aria-hidden />}
                      >
                        {t('Import metadata')}
                      </Button>
                    )}
                  </FileButton>
                }
              >
                <Stack gap="sm">
                  <FaultAlert fault={metadata.fault} />
                  {known.length === 0 ? (
                    <Text c="dimmed">{t('Nothing has been imported yet. Passkeys are shown without the name of their model.')}</Text>
                  ) : (
                    <SmallTable
                      label={t('Models')}
                      rows={known.slice(0, shownModels)}
                      rowId={({ aaguid }) => aaguid}
                      columns={[
                        {
                          label: t('Model'),
                          cell: ({ name, icon }) => (
                            <Group gap="xs" wrap="nowrap">
                              {icon !== '' && <img src={icon} alt="" width={20} height={20} />}
                              {name}
                            </Group>
                          ),
                        },
                        {
                          label: t('Status'),
                          aside: true,
                          cell: ({ compromised, provable: proves }) =>
                            compromised ? (
                              <Status of="failed" label={t('Reported as not secure')} />
                            ) : proves ? (
                              <Status of="active" label={t('Proves its model')} />
                            ) : (
                              <Status of="pending" label={t('Proves nothing')} />
                            ),
                        },
                        { label: t('AAGUID'), cell: ({ aaguid }) => aaguid },
                      ]}
                    />
                  )}
                  {known.length > shownModels && (
                    <Text size="sm" c="dimmed">
                      {t('{shown} of {count} models are shown.', { shown: shownModels, count: known.length })}
                    </Text>
                  )}
                </Stack>
              </Section>
            </Stack>
          )
        }}
      </Loaded>
    </Page>
  )
}
