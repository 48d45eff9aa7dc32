// Under which name mail is sent, where answers go, and a test of it.

import { Alert, Stack, Text } from '@mantine/core'
import { useBootstrap } from '#core/console/bootstrap.ts'
import { SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { languages, t } from '#core/console/text.ts'
import { mail } from '../contract.ts'

export function MailSettings() {
  const settings = useCall(mail.calls.settings, {})
  const { tenancy, viewer } = useBootstrap()
  return (
    <Page title={t('Mail settings')} intro={t('How mail of this tenancy looks to the people who get it.')} narrow>
      <Loaded query={settings}>
        {({ senderName, replyTo, language, senderAddress, configured }) => (
          <Stack gap="md">
            <Section title={t('Sender')}>
              <Stack gap="md">
                <Facts items={[{ label: t('Address'), value: senderAddress }]} />
                <Text size="sm" c="dimmed">
                  {t('The address is that of the installation: CHANCERY_MAIL_FROM.')}
                </Text>
                <Form
                  call={mail.calls.saveSettings}
                  initial={{ senderName, replyTo, language }}
                  submit={t('Save settings')}
                  onDone={() => undefined}
                >
                  {(form) => (
                    <>
                      <TextField
                        {...form.field('senderName')}
                        label={t('Name of the sender')}
                        hint={t('Left empty, it is {name}.', { name: tenancy.name })}
                      />
                      <TextField
                        {...form.field('replyTo')}
                        label={t('Answers go to')}
                        hint={t('An address that somebody reads, such as that of your service desk.')}
                      />
                      <SelectField
                        {...form.field('language')}
                        label={t('Language')}
                        hint={t('Of mail to people who have chosen none. Everybody else reads theirs.')}
                        options={languages.map(({ locale: value, name: label }) => ({ value: value as typeof language, label }))}
                      />
                    </>
                  )}
                </Form>
              </Stack>
            </Section>
            <Section title={t('Test mail')} intro={t('Sent at once, so that you see what the mail server says.')}>
              {configured ? (
                <Form
                  call={mail.calls.test}
                  initial={{ to: viewer?.emailAddress ?? '' }}
                  submit={t('Send test mail')}
                  onDone={() => undefined}
                >
                  {(form) => <TextField {...form.field('to')} label={t('To')} />}
                </Form>
              ) : (
                <Alert>{t('No mail server is set: the mail waits in the Outbox.')}</Alert>
              )}
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}
