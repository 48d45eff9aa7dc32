// On the page of an offline authority: the list that was brought last, and the next one.

import { Alert, Anchor, Stack } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { DateTime, relativeTime } from '#core/console/kit/DateTime.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { longestList } from '../authority-calls.ts'
import { revocation } from '../contract.ts'
import { ListState } from './ListState.tsx'

type View = OutputOf<typeof revocation.calls.uploadedList>

export function UploadedList({ caId }: { caId: string }) {
  const query = useCall(revocation.calls.uploadedList, { caId }, { refetchMilliseconds: 60_000 })
  return (
    <Section
      title={t('Its revocation list')}
      intro={t('It is signed where the key is, and published here. Bring the next one before this one ends.')}
    >
      <Loaded query={query}>{(view) => <Shown caId={caId} view={view} />}</Loaded>
    </Section>
  )
}

function Shown({ caId, view: { url, state, list } }: { caId: string; view: View }) {
  return (
    <Stack gap="md">
      {(state === 'ending' || state === 'ended') && list !== undefined && (
        <Alert
          color="red"
          icon={<IconAlertTriangle size={18} aria-hidden />}
          title={state === 'ended' ? t('The list has ended') : t('The list ends soon')}
        >
          {t(
            'Relying parties refuse what stands below this authority when its list has ended. Sign the next one where the key is, and bring it here.',
          )}
        </Alert>
      )}
      <Facts
        items={[
          { label: t('State'), value: <ListState state={state} due={state !== 'fresh'} /> },
          list !== undefined && { label: t('Number'), value: String(list.number) },
          list !== undefined && { label: t('Entries'), value: formatNumber(list.entries) },
          list !== undefined && { label: t('Made'), value: <DateTime at={list.thisUpdate} /> },
          list !== undefined && {
            label: t('Ends'),
            value: (
              <>
                <DateTime at={list.nextUpdate} /> ({relativeTime(list.nextUpdate)})
              </>
            ),
          },
          {
            label: t('Published at'),
            value: (
              <Anchor href={url} style={{ overflowWrap: 'anywhere' }}>
                {url}
              </Anchor>
            ),
            copy: url,
          },
        ]}
      />
      <Form
        call={revocation.calls.uploadList}
        initial={{ caId, list: '' }}
        submit={t('Publish list')}
        invalidates={['authorities', 'home']}
        guard={false}
        onDone={() => {}}
      >
        {(form) => (
          <PemInput
            {...form.field('list')}
            label={t('Next list (CRL)')}
            hint={t(
              'The whole list, in PEM or as a file. Its signature, number and dates are held against the authority and the last list.',
            )}
            required
            most={longestList}
            rows={4}
            kind="X509 CRL"
            accept=".crl,.pem,.der,.txt"
          />
        )}
      </Form>
    </Stack>
  )
}
