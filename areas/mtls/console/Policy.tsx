// Whose certificates sign in to the tenancy.

import { Alert, Stack } from '@mantine/core'
import { MultiSelectField, RadioField, SwitchField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { mtls } from '../contract.ts'

export function Policy() {
  const query = useCall(mtls.calls.policy, {})
  return (
    <Page title={t('Certificate sign-in')} intro={t('People sign in with a certificate that your own authorities issued to them.')}>
      <Loaded query={query}>
        {({ version, enabled, authorities, mapping, strong, choices, address }) => (
          <Stack gap="lg">
            {address === undefined ? (
              <Alert color="yellow" title={t('This installation asks for no certificates')}>
                {t(
                  'Whoever runs the server sets CHANCERY_CERT_SIGN_IN_PORT, or the address of a proxy. Until then nobody signs in this way.',
                )}
              </Alert>
            ) : (
              <Facts items={[{ label: t('Browsers show certificates at'), value: <Mono value={address} />, copy: address }]} />
            )}
            <Section title={t('What is accepted')}>
              <Form
                key={version}
                call={mtls.calls.changePolicy}
                initial={{ version, enabled, authorities, mapping, strong }}
                submit={t('Save')}
                onDone={() => {}}
              >
                {(form) => (
                  <>
                    <SwitchField {...form.field('enabled')} label={t('Sign in by certificate')} />
                    <MultiSelectField
                      {...form.field('authorities')}
                      label={t('Authorities')}
                      hint={t('Their certificates sign in where they are for client authentication or smartcard logon')}
                      options={choices
                        .filter(({ usable, caId }) => usable || authorities.includes(caId))
                        .map(({ caId, name }) => ({ value: caId, label: name }))}
                    />
                    <RadioField
                      {...form.field('mapping')}
                      label={t('Whose certificate it is')}
                      options={[
                        { value: 'serial', label: t('By authority and serial number: who it was issued to') },
                        { value: 'upn', label: t('The same, and its user principal name is the username or the e-mail address') },
                        { value: 'sid', label: t('The same, and its security identifier is that of the person') },
                      ]}
                    />
                    <SwitchField
                      {...form.field('strong')}
                      label={t('Stands for both factors')}
                      hint={t('Where keys are on cards with a PIN. Otherwise the sign-in code is asked for too')}
                    />
                  </>
                )}
              </Form>
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}
