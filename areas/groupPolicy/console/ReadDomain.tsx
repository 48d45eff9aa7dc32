// Reads every group policy of a connected domain, and says what came of it.

import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { groupPolicy } from '../contract.ts'

type Result = OutputOf<typeof groupPolicy.calls.refresh>

export function ReadDomain() {
  const query = useCall(groupPolicy.calls.domains, {})
  return (
    <Page title={t('Read from a domain')} narrow>
      <Loaded query={query}>
        {({ domains }) =>
          domains.length === 0 ? (
            <EmptyState
              title={t('No domain is connected')}
              text={t('Who configures directories connects an Active Directory. Until then, the backup of a policy can be read.')}
              action={<TextLink to={to(groupPolicy.screens.read)}>{t('Read a backup')}</TextLink>}
            />
          ) : (
            <Domain domains={domains} />
          )
        }
      </Loaded>
    </Page>
  )
}

function Domain({ domains }: { domains: OutputOf<typeof groupPolicy.calls.domains>['domains'] }) {
  const refresh = useSend(groupPolicy.calls.refresh)
  const [wanted, setWanted] = useState(domains[0]?.id ?? '')
  const [busy, setBusy] = useState(false)
  const [result, setResult] = useState<Result>()
  const read = async (): Promise<void> => {
    setBusy(true)
    setResult(undefined)
    try {
      setResult(await refresh.run({ directoryId: wanted }))
    } catch (error) {
      toastFault(error, t('The group policies were not read'))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Stack gap="md">
      <Section
        title={t('Domain')}
        intro={t(
          'Versions and links are read from the directory, settings from SYSVOL, both by the account of the directory. Nothing is changed there.',
        )}
      >
        <Group align="end">
          <Select
            label={t('Directory')}
            data={domains.map(({ id, name }) => ({ value: id, label: name }))}
            value={wanted}
            allowDeselect={false}
            onChange={(value) => setWanted(value ?? '')}
          />
          <Button loading={busy} onClick={() => void read()}>
            {t('Read group policies')}
          </Button>
        </Group>
      </Section>
      {result !== undefined && (
        <Section title={t('What was read')}>
          <Stack gap="sm">
            <Text role="status">
              {t('{read} read, {unchanged} as they were, {skipped} not read', {
                read: result.read,
                unchanged: result.unchanged,
                skipped: result.skipped.length,
              })}
            </Text>
            {result.skipped.length > 0 && (
              <Alert color="yellow" title={t('Not read')}>
                <SmallTable
                  label={t('Not read')}
                  rows={result.skipped}
                  rowId={({ name }) => name}
                  columns={[
                    { label: t('Name'), cell: ({ name }) => name },
                    { label: t('Reason'), cell: ({ reason }) => t(reason) },
                  ]}
                />
              </Alert>
            )}
            <TextLink to={to(searchScreen, { searchType: 'gpo' })}>{t('Group policies')}</TextLink>
          </Stack>
        </Section>
      )}
    </Stack>
  )
}
