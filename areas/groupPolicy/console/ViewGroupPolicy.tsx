// A group policy as it was at a reading: what it sets in words, what it distributes, and what changed.

import { Group, Select, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime, mediumDate } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { groupPolicy } from '../contract.ts'
import { enrolmentWords, findingWords, stateWords, storeWords, verdictWords, type Side } from '../rules.ts'

type Policy = OutputOf<typeof groupPolicy.calls.view>

const sideWords: Record<Side, { label: string }> = { computer: { label: 'Computer' }, user: { label: 'User' } }

export function ViewGroupPolicy() {
  const { id = '' } = useParams()
  const may = useMay()
  const navigate = useNavigate()
  const [address, setAddress] = useSearchParams()
  const reading = address.get('reading') ?? undefined
  const query = useCall(groupPolicy.calls.view, reading === undefined ? { id } : { id, reading })
  const removal = useSend(groupPolicy.calls.remove)
  const policy = query.data
  if (policy === undefined)
    return (
      <Page title={t('Group policy')}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  const remove = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Delete the readings of {name}?', { name: policy.name }),
      consequence: t('The policy in the domain stays as it is.'),
      action: t('Delete readings'),
      keep: t('Keep readings'),
      danger: true,
    })
    if (!sure) return
    try {
      await removal.run({ id })
      await navigate(to(searchScreen, { searchType: 'gpo' }))
    } catch (error) {
      toastFault(error, t('The readings were not deleted'))
    }
  }
  return (
    <DetailPage
      title={policy.name}
      actions={
        may(groupPolicy.calls.remove.needs)
          ? [{ label: t('Delete readings'), icon: IconTrash, danger: true, onClick: () => void remove() }]
          : []
      }
    >
      <Stack gap="md">
        <Section title={t('Details')}>
          <Group align="start" gap="xl">
            <Facts
              items={[
                { label: t('GUID'), value: <Mono value={policy.guid} />, copy: policy.guid },
                {
                  label: t('Version'),
                  value: t('Computer {computer}, user {user}', {
                    computer: policy.reading.computerVersion,
                    user: policy.reading.userVersion,
                  }),
                },
                { label: t('Read'), value: <DateTime at={policy.reading.readAt} /> },
                { label: t('By'), value: policy.reading.readBy },
              ]}
            />
            {policy.readings.length > 1 && (
              <Select
                label={t('Reading')}
                value={policy.reading.id}
                allowDeselect={false}
                onChange={(value) => setAddress(value === null ? {} : { reading: value }, { replace: true })}
                data={policy.readings.map((one) => ({ value: one.id, label: mediumDate(new Date(one.readAt)) }))}
              />
            )}
          </Group>
        </Section>
        {policy.domain !== undefined && <Domain domain={policy.domain} files={policy.reading} />}
        <Certificates policy={policy} />
        {policy.findings.length > 0 && (
          <Section title={t('Findings')}>
            <Stack gap={4}>
              {policy.findings.map(({ kind, file }) => (
                <div key={`${kind} ${file}`}>
                  <Status of="failed" label={t('Fault')} /> <Mono value={file} />
                  <Text size="sm">{t(findingWords[kind].label)}</Text>
                </div>
              ))}
            </Stack>
          </Section>
        )}
        {policy.changes.length > 0 && (
          <Section title={t('Changed since the reading before')}>
            <SmallTable
              label={t('Changed since the reading before')}
              rows={policy.changes}
              rowId={(row) => `${row.path} ${row.name}`}
              columns={[
                { label: t('Setting'), cell: (row) => `${row.path}\\${row.name}` },
                { label: t('Before'), cell: (row) => row.before ?? '–' },
                { label: t('After'), cell: (row) => row.after ?? '–' },
              ]}
            />
          </Section>
        )}
        {policy.areas.map(({ name, settings }) => (
          <Section key={name} title={areaWord(name)}>
            <SmallTable
              label={areaWord(name)}
              rows={settings}
              rowId={(row) => `${row.path} ${row.name}`}
              columns={[
                { label: t('Setting'), cell: (row) => (row.says === undefined ? row.name : t(row.says)) },
                { label: t('Value'), cell: (row) => row.value },
                { label: t('Where'), cell: (row) => `${row.path}\\${row.name}` },
              ]}
            />
          </Section>
        ))}
        {policy.scripts.length > 0 && (
          <Section title={t('Scripts')}>
            <SmallTable
              label={t('Scripts')}
              rows={policy.scripts}
              rowId={(row) => `${row.name} ${row.sha256}`}
              columns={[
                { label: t('Name'), cell: (row) => row.name },
                { label: 'SHA-256', cell: (row) => <Mono value={row.sha256} /> },
              ]}
            />
          </Section>
        )}
      </Stack>
    </DetailPage>
  )
}

/** Where it is linked, and whether directory and files say the same of its version. */
function Domain({ domain: { name, state, directory, links }, files }: { domain: NonNullable<Policy['domain']>; files: Policy['reading'] }) {
  const same = directory.computerVersion === files.computerVersion && directory.userVersion === files.userVersion
  return (
    <Section title={t('In the domain')}>
      <Stack gap="sm">
        <Facts
          items={[
            { label: t('Domain'), value: name },
            { label: t('Status'), value: <Status of={stateWords[state].status} label={t(stateWords[state].label)} /> },
            {
              label: t('Files and directory'),
              value: same ? (
                <Status of="active" label={t('Of the same version')} />
              ) : (
                <>
                  <Status of="warning" label={t('Of different versions')} />{' '}
                  {t('Directory: computer {computer}, user {user}', {
                    computer: directory.computerVersion,
                    user: directory.userVersion,
                  })}
                </>
              ),
            },
          ]}
        />
        {links.length === 0 ? (
          <Text c="dimmed">{t('It is linked nowhere, so it holds for nobody.')}</Text>
        ) : (
          <SmallTable
            label={t('Links')}
            rows={links}
            rowId={({ path }) => path}
            columns={[
              { label: t('Where'), cell: ({ path }) => path },
              { label: t('Order'), cell: ({ order }) => order },
              {
                label: t('Status'),
                aside: true,
                cell: ({ enabled, enforced }) => (
                  <Status
                    of={enabled ? 'active' : 'disabled'}
                    label={enabled ? (enforced ? t('Enforced') : t('In force')) : t('Switched off')}
                  />
                ),
              },
            ]}
          />
        )}
      </Stack>
    </Section>
  )
}

const areaWord = (name: string): string =>
  ({ Computer: t('Computer'), User: t('User'), Security: t('Security'), Preferences: t('Preferences') })[name] ?? name

function Certificates({ policy: { certificates, missingRoots, autoEnrolment } }: { policy: Policy }) {
  return (
    <Section title={t('Certificates and enrolment')}>
      <Stack gap="sm">
        <Facts
          items={[
            ...(autoEnrolment.length === 0
              ? [{ label: t('Automatic enrolment'), value: <Status of="unknown" label={t('Not said here')} /> }]
              : autoEnrolment.map(({ side, verdict }) => ({
                  label: t('Automatic enrolment, {side}', { side: t(sideWords[side].label) }),
                  value: <Status of={enrolmentWords[verdict].status} label={t(enrolmentWords[verdict].label)} />,
                }))),
            {
              label: t('Our roots'),
              value:
                missingRoots.length === 0 ? (
                  <Status of="active" label={t('All are distributed')} />
                ) : (
                  <>
                    <Status of="warning" label={t('Not distributed')} /> {missingRoots.map(({ name }) => name).join(', ')}
                  </>
                ),
            },
          ]}
        />
        {certificates.length > 0 && (
          <SmallTable
            label={t('Certificates')}
            rows={certificates}
            rowId={(row) => `${row.side} ${row.store} ${row.thumbprint}`}
            columns={[
              { label: t('Subject'), cell: (row) => row.subject },
              { label: t('Store'), cell: (row) => t(storeWords[row.store].label) },
              { label: t('Until'), cell: (row) => <DateTime at={row.until} dateOnly /> },
              { label: t('Thumbprint'), cell: (row) => <Mono value={row.thumbprint} /> },
              {
                label: t('Verdict'),
                aside: true,
                cell: (row) => <Status of={verdictWords[row.verdict].status} label={t(verdictWords[row.verdict].label)} />,
              },
            ]}
          />
        )}
      </Stack>
    </Section>
  )
}
