import { Alert, Button, Group, SimpleGrid, Stack } from '@mantine/core'
import { useMay } from '#core/console/bootstrap.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { PasswordField, SwitchField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { fidosync } from '../contract.ts'
import { neededPermissions } from '../rules.ts'

type Provider = OutputOf<typeof fidosync.calls.provider>

export function FidoProvider() {
  const query = useCall(fidosync.calls.provider, {})
  return (
    <Page title={t('Provider of passkeys')} narrow>
      <Loaded query={query}>
        {(provider) => (
          <Stack>
            {provider.hasSecret && <Sync provider={provider} />}
            <Settings key={provider.version} provider={provider} />
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

function Sync({ provider }: { provider: Provider }) {
  const may = useMay()
  const sync = useSend(fidosync.calls.sync)
  const test = useSend(fidosync.calls.testProvider)
  const swallow = () => {}
  return (
    <Section title={t('Sync')}>
      {provider.trouble !== '' && (
        <Alert color="orange" title={t('The last sync did not succeed')}>
          {provider.trouble}
        </Alert>
      )}
      <Facts
        items={[
          {
            label: t('Last sync'),
            value: provider.running ? (
              t('Going on now')
            ) : provider.lastSyncAt === undefined ? (
              t('Never')
            ) : (
              <DateTime at={provider.lastSyncAt} />
            ),
          },
          { label: t('People'), value: String(provider.people) },
          { label: t('Credentials'), value: String(provider.credentials) },
        ]}
      />
      <FaultAlert fault={test.fault ?? sync.fault} />
      <Group>
        <Button variant="default" loading={test.pending} onClick={() => void test.run({}).catch(swallow)}>
          {t('Test the provider')}
        </Button>
        {may('viewFidoCredentials') && (
          <Button variant="default" loading={sync.pending} onClick={() => void sync.run({}).catch(swallow)}>
            {t('Read now')}
          </Button>
        )}
      </Group>
    </Section>
  )
}

type Values = {
  directoryId: string
  clientId: string
  secret: string
  loginUrl: string
  graphUrl: string
  enabled: boolean
}

function Settings({ provider }: { provider: Provider }) {
  const { version, directoryId, clientId, loginUrl, graphUrl, hasSecret } = provider
  const initial: Values = { directoryId, clientId, secret: '', loginUrl, graphUrl, enabled: hasSecret ? provider.enabled : true }
  return (
    <Form
      call={fidosync.calls.setProvider}
      initial={initial}
      toInput={({ secret, ...values }: Values) => ({ ...values, version, ...(secret === '' ? {} : { secret }) })}
      submit={t('Save provider')}
      onDone={() => {}}
    >
      {(form) => (
        <>
          <Section
            title={t('Application at Microsoft Entra')}
            intro={t('It needs these application permissions: {permissions}.', { permissions: neededPermissions.join(', ') })}
          >
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <TextField {...form.field('directoryId')} label={t('Directory (tenant) id')} autoComplete="off" required />
              <TextField {...form.field('clientId')} label={t('Application (client) id')} autoComplete="off" required />
            </SimpleGrid>
            <PasswordField
              {...form.field('secret')}
              label={t('Client secret')}
              hint={hasSecret ? t('Empty: the one that is kept stays') : t('Kept sealed, and never shown again')}
              autoComplete="off"
            />
            <SwitchField {...form.field('enabled')} label={t('Read every hour')} />
          </Section>
          <Section title={t('Addresses')} intro={t('Other than these only in national clouds.')}>
            <TextField {...form.field('loginUrl')} label={t('Sign-in address')} required />
            <TextField {...form.field('graphUrl')} label={t('Address of Microsoft Graph')} required />
          </Section>
        </>
      )}
    </Form>
  )
}
