// The looks of the tenancy's hosts, and an editor that shows each change at once.

import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPalette, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { domains } from '#areas/domains/contract.ts'
import { defaultColour } from '#areas/tenancy/rules.ts'
import { refreshBootstrap } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { branding } from '../contract.ts'
import { LookEditor } from './LookEditor.tsx'

type Config = OutputOf<typeof branding.calls.configs>['configs'][number]

export function DomainBranding() {
  const query = useCall(branding.calls.configs, {})
  const removal = useSend(branding.calls.remove)
  const [editing, setEditing] = useState<Config | 'new'>()
  const remove = async (domain: string): Promise<void> => {
    const sure = await confirm({
      title: t('Remove the look of {name}?', { name: domain }),
      consequence: t('The host then looks like the installation.'),
      action: t('Remove look'),
      keep: t('Keep look'),
      danger: true,
    })
    if (!sure) return
    await removal.run({ domain }).catch(() => {})
    setEditing(undefined)
  }
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEditing('new')}>
      {t('New look')}
    </Button>
  )
  return (
    <Page
      title={t('Domain branding')}
      intro={t('How sign-in, the console and mail look at a host of your own.')}
      actions={query.data === undefined || query.data.configs.length === 0 || editing !== undefined ? undefined : add}
    >
      <FaultAlert fault={removal.fault} />
      <Loaded query={query}>
        {({ configs, domains: proved }) => (
          <Stack gap="md">
            {configs.length > 0 && (
              <SmallTable
                label={t('Hosts')}
                rows={configs}
                rowId={({ domain }) => domain}
                columns={[
                  { label: t('Host'), cell: ({ domain }) => domain },
                  {
                    label: t('Status'),
                    aside: true,
                    cell: (row) =>
                      row.proved ? <Status of="active" label={t('Shown')} /> : <Status of="failed" label={t('Domain not proved')} />,
                  },
                  { label: t('Name shown'), cell: ({ altAppName }) => altAppName },
                  { label: t('Colours'), cell: (row) => <Swatches config={row} /> },
                  {
                    label: t('Change'),
                    plain: true,
                    cell: (row) => (
                      <Group gap="xs">
                        <Button
                          variant="default"
                          size="xs"
                          aria-label={t('Edit the look of {name}', { name: row.domain })}
                          onClick={() => setEditing(row)}
                        >
                          {t('Edit')}
                        </Button>
                        <Button
                          variant="subtle"
                          color="red"
                          size="xs"
                          aria-label={t('Remove the look of {name}', { name: row.domain })}
                          onClick={() => void remove(row.domain)}
                        >
                          {t('Remove')}
                        </Button>
                      </Group>
                    ),
                  },
                ]}
              />
            )}
            {configs.length === 0 && editing === undefined && (
              <EmptyState
                icon={IconPalette}
                title={t('No host has a look of its own')}
                text={
                  proved.length === 0
                    ? t('Prove control of a domain first. Then its hosts can have your name, logo and colours.')
                    : t('Give a host your name, logo and colours.')
                }
                action={proved.length === 0 ? <LinkButton to={to(domains.screens.list)}>{t('Allowed domains')}</LinkButton> : add}
              />
            )}
            {editing !== undefined && (
              <Section title={editing === 'new' ? t('New look') : editing.domain}>
                <LookEditor
                  key={editing === 'new' ? '' : editing.domain}
                  initial={
                    editing === 'new'
                      ? {
                          domain: proved[0] ?? '',
                          altAppName: '',
                          primaryColour: defaultColour,
                          secondaryColour: '',
                          tertiaryColour: '',
                          icon: '',
                          logoContainsAppName: false,
                        }
                      : editing
                  }
                  fresh={editing === 'new'}
                  onCancel={() => setEditing(undefined)}
                  onDone={async () => {
                    setEditing(undefined)
                    await refreshBootstrap()
                  }}
                />
              </Section>
            )}
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

function Swatches({ config }: { config: Config }) {
  const colours = [config.primaryColour, config.secondaryColour, config.tertiaryColour].filter((colour) => colour !== '')
  return (
    <Group gap={6} wrap="nowrap">
      {colours.map((colour) => (
        <Group key={colour} gap={4} wrap="nowrap">
          <span
            aria-hidden
            style={{ width: 14, height: 14, borderRadius: 3, background: colour, border: '1px solid var(--chancery-line)' }}
          />
          <Text size="sm" ff="monospace">
            {colour}
          </Text>
        </Group>
      ))}
    </Group>
  )
}
