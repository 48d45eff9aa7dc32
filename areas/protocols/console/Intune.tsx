// How Microsoft Intune is asked about the challenges of a SCEP profile.

import { Alert, Button, Group, SimpleGrid, Stack } from '@mantine/core'
import { useParams } from 'react-router'
import { confirm } from '#core/console/kit/confirm.tsx'
import { PasswordField, SwitchField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { protocolRoom } from '../contract.ts'
import { intunePermissions } from '../rules.ts'

type Intune = OutputOf<typeof protocolRoom.calls.intune>

export function Intune() {
  const { id = '' } = useParams()
  const query = useCall(protocolRoom.calls.intune, { id })
  return (
    <Page
      title={t('Intune')}
      intro={t('Devices that Intune manages show a challenge of Intune. Intune is asked about each, and told what came of it.')}
      narrow
    >
      <Loaded query={query}>
        {(intune) => (
          <Stack>
            {intune.hasSecret && <Try id={id} intune={intune} />}
            <Settings key={intune.version} id={id} intune={intune} />
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

function Try({ id, intune }: { id: string; intune: Intune }) {
  const test = useSend(protocolRoom.calls.testIntune)
  const remove = useSend(protocolRoom.calls.removeIntune)
  const askAndRemove = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Remove Intune?'),
      consequence: t('Devices with a challenge of Intune are refused from now on. The secret of the application is forgotten.'),
      action: t('Remove Intune'),
      keep: t('Keep Intune'),
      danger: true,
    })
    if (sure) await remove.run({ id }).catch((error: unknown) => toastFault(error, t('Intune was not removed')))
  }
  return (
    <Section title={t('Connection')}>
      {intune.trouble !== '' && (
        <Alert color="orange" title={t('Intune does not hear what came of its requests')}>
          {intune.trouble}
        </Alert>
      )}
      <FaultAlert fault={test.fault} />
      <Group>
        <Button variant="default" loading={test.pending} onClick={() => void test.run({ id }).catch(() => {})}>
          {t('Test Intune')}
        </Button>
        <Button variant="default" loading={remove.pending} onClick={() => void askAndRemove()}>
          {t('Remove Intune')}
        </Button>
      </Group>
    </Section>
  )
}

type Values = Pick<Intune, 'directoryId' | 'clientId' | 'loginUrl' | 'graphUrl' | 'resourceUrl' | 'enabled'> & { secret: string }

function Settings({ id, intune }: { id: string; intune: Intune }) {
  const { profileName: _, hasSecret, version, trouble: __, ...kept } = intune
  return (
    <Form
      call={protocolRoom.calls.setIntune}
      initial={{ ...kept, secret: '' }}
      toInput={({ secret, ...values }: Values) => ({ ...values, id, version, ...(secret === '' ? {} : { secret }) })}
      submit={t('Save Intune')}
      onDone={() => {}}
    >
      {(form) => (
        <>
          <Section
            title={t('Application at Microsoft Entra')}
            intro={t('It needs these application permissions: {permissions}.', { permissions: intunePermissions.join(', ') })}
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
            <SwitchField
              {...form.field('enabled')}
              label={t('Ask Intune')}
              hint={t('About each challenge that is none of this profile. Without an answer nothing is issued')}
            />
          </Section>
          <Section title={t('Addresses')} intro={t('Other than these only in national clouds.')}>
            <TextField {...form.field('loginUrl')} label={t('Sign-in address')} required />
            <TextField {...form.field('graphUrl')} label={t('Address of Microsoft Graph')} required />
            <TextField {...form.field('resourceUrl')} label={t('Address of Intune')} required />
          </Section>
        </>
      )}
    </Form>
  )
}
