// The address of the public request page: made, changed and taken away by those who configure the tenancy.

import { Button, Group, Stack, Text } from '@mantine/core'
import { IconLink, IconLinkOff } from '@tabler/icons-react'
import { licensing } from '#areas/licensing/contract.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { portal } from '../contract.ts'

type Settings = OutputOf<typeof portal.calls.settings>

export function PortalSettings() {
  const query = useCall(portal.calls.settings, {})
  return (
    <Page
      title={t('Public request page')}
      intro={t(
        'Where people without an account ask for certificates of devices. Each request waits for somebody here, whatever its template says.',
      )}
      narrow
    >
      <Loaded query={query}>{(settings) => <Settled settings={settings} />}</Loaded>
    </Page>
  )
}

function Settled({ settings: { address, madeAt, madeBy = '', templates, waiting } }: { settings: Settings }) {
  const renew = useSend(portal.calls.renew)
  const close = useSend(portal.calls.close)
  const askNew = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Give the page a new address?'),
      consequence: t(
        'The present address stops working at once, also for who has it open. Requests that were sent can still be collected.',
      ),
      action: t('Create a new address'),
      keep: t('Keep the address'),
    })
    if (sure) await renew.run({}).catch(() => undefined)
  }
  const askClose = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Close the page?'),
      consequence: t('Its address stops working at once. Requests that were sent can still be collected.'),
      action: t('Close the page'),
      keep: t('Keep it open'),
    })
    if (sure) await close.run({}).catch(() => undefined)
  }
  return (
    <Stack gap="md">
      <FaultAlert fault={renew.fault ?? close.fault} />
      {address === undefined ? (
        <EmptyState
          icon={IconLink}
          title={t('The page is closed')}
          text={t('Create an address and give it to those who may ask.')}
          action={
            <Button loading={renew.pending} onClick={() => void renew.run({}).catch(() => undefined)}>
              {t('Create an address')}
            </Button>
          }
        />
      ) : (
        <Section title={t('Address')} intro={t('Whoever has it can ask. It holds a code that nobody guesses.')}>
          <Facts
            items={[
              { label: t('Address'), value: <Mono value={address} />, copy: address },
              madeAt !== undefined && { label: t('Made'), value: <DateTime at={madeAt} /> },
              { label: t('By'), value: madeBy },
            ]}
          />
          <Group gap="xs">
            <Button
              variant="default"
              loading={renew.pending}
              leftSection={<IconLink size={16} stroke={1.8} aria-hidden />}
              onClick={() => void askNew()}
            >
              {t('Create a new address')}
            </Button>
            <Button
              variant="default"
              loading={close.pending}
              leftSection={<IconLinkOff size={16} stroke={1.8} aria-hidden />}
              onClick={() => void askClose()}
            >
              {t('Close the page')}
            </Button>
          </Group>
        </Section>
      )}
      <Section
        title={t('Templates open to anonymous requests')}
        intro={t('Only templates for devices whose keys are not archived are offered to anonymous requesters.')}
        actions={
          <LinkButton size="xs" variant="default" to={to(licensing.screens.templates)}>
            {t('Open and close templates')}
          </LinkButton>
        }
      >
        {templates.length === 0 ? <Text c="dimmed">{t('None: the page would be empty.')}</Text> : <Text>{templates.join(', ')}</Text>}
        <Text>
          {t(
            '{count, plural, =0 {No anonymous request is waiting.} one {# anonymous request is waiting.} other {# anonymous requests are waiting.}}',
            { count: waiting },
          )}
        </Text>
      </Section>
    </Stack>
  )
}
