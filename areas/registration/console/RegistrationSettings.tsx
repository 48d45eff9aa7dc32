// Where an administrator opens registration, says for whom, and which roles registered people get.

import { Button, Group, Stack, Text } from '@mantine/core'
import { IconLink } from '@tabler/icons-react'
import { domains } from '#areas/domains/contract.ts'
import { roleOption } from '#areas/roles/role-options.tsx'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { MultiSelectField, RadioField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { registration } from '../contract.ts'

type Settings = OutputOf<typeof registration.calls.settings>

export function RegistrationSettings() {
  const query = useCall(registration.calls.settings, {})
  return (
    <Page title={t('Registration')} intro={t('Whether people get an account here by themselves. It is closed until you open it.')} narrow>
      <Loaded query={query}>{(settings) => <Settled settings={settings} />}</Loaded>
    </Page>
  )
}

function Settled({ settings: { mode, roleIds, roles, domains: proved, address } }: { settings: Settings }) {
  const may = useMay()
  const renew = useSend(registration.calls.renewAddress)
  const askNew = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Give the page a new address?'),
      consequence: t('Who opens the present address can ask for nothing any more. Mails that were sent still work.'),
      action: t('Create a new address'),
      keep: t('Keep the address'),
    })
    if (sure) await renew.run({}).catch(() => undefined)
  }
  return (
    <Stack gap="md">
      <Section title={t('Who may register')}>
        <Form
          key={`${mode} ${roleIds.join(' ')}`}
          call={registration.calls.changeSettings}
          initial={{
            mode,
            roleIds: mode === 'off' && roleIds.length === 0 ? roles.filter(({ name }) => name === 'User').map(({ id }) => id) : roleIds,
          }}
          submit={t('Save settings')}
          onDone={() => {}}
        >
          {(form) => (
            <>
              <RadioField
                {...form.field('mode')}
                label={t('Registration')}
                options={[
                  { value: 'off', label: t('Closed'), hint: t('Nobody registers. Accounts are made by those who may add users.') },
                  {
                    value: 'domain',
                    label: t('By domain'),
                    hint: t('Who has an address in one of your proved domains gets an account at once.'),
                  },
                  {
                    value: 'approval',
                    label: t('By approval'),
                    hint: t('Who has the address below, or an address in a proved domain, may ask. Somebody who may add users decides.'),
                  },
                ]}
              />
              <MultiSelectField
                {...form.field('roleIds')}
                label={t('Roles of registered people')}
                hint={t('Without a role they can sign in and see nothing.')}
                options={roles.map(roleOption)}
              />
            </>
          )}
        </Form>
      </Section>
      <Section
        title={t('Proved domains')}
        actions={
          may('manageDomains', 'View') && (
            <LinkButton size="xs" variant="default" to={to(domains.screens.list)}>
              {t('Manage domains')}
            </LinkButton>
          )
        }
      >
        {proved.length === 0 ? (
          <Text c="dimmed">{t('None: by domain, nobody could register.')}</Text>
        ) : (
          <Text style={{ overflowWrap: 'anywhere' }}>{proved.join(', ')}</Text>
        )}
      </Section>
      {mode === 'approval' && address !== undefined && (
        <Section title={t('Address to hand out')} intro={t('Whoever has it can ask. It holds a code that nobody guesses.')}>
          <FaultAlert fault={renew.fault} />
          <Facts items={[{ label: t('Address'), value: <Mono value={address} grouped={false} />, copy: address }]} />
          <Group>
            <Button
              variant="default"
              loading={renew.pending}
              leftSection={<IconLink size={16} stroke={1.8} aria-hidden />}
              onClick={() => void askNew()}
            >
              {t('Create a new address')}
            </Button>
          </Group>
        </Section>
      )}
    </Stack>
  )
}
