import { Alert, Stack, Switch } from '@mantine/core'
import { IconRefresh, IconTrash } from '@tabler/icons-react'
import { useNavigate, useParams } from 'react-router'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { domains } from '../contract.ts'
import { problems } from '../rules.ts'
import { DomainUses } from './DomainUses.tsx'
import { useRemoval } from './remove-domain.ts'
import { proofLabels, stateLabels, wayLabels } from './states.ts'

type Domain = OutputOf<typeof domains.calls.read>

export function ViewDomain() {
  const { id = '' } = useParams()
  const query = useCall(domains.calls.read, { id })
  if (query.data !== undefined) return <OneDomain domain={query.data} />
  return (
    <Page title={t('Allowed domain')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function OneDomain({ domain }: { domain: Domain }) {
  const navigate = useNavigate()
  const remove = useRemoval()
  const check = useSend(domains.calls.check)
  const change = useSend(domains.calls.change)
  const { id, name, shownName, state } = domain
  const checkNow = async (): Promise<void> => {
    const answer = await check.run({ id }).catch(() => undefined)
    if (answer?.proved === true) toast({ kind: 'success', title: t('Control of {name} is proved', { name: shownName }) })
  }
  const leave = async (): Promise<void> => {
    if (await remove(domain)) await navigate(to(domains.screens.list))
  }
  return (
    <DetailPage
      title={shownName}
      status={<Status of={stateLabels[state].status} label={t(stateLabels[state].label)} />}
      actions={[
        { label: t('Check now'), icon: IconRefresh, primary: state !== 'proved', onClick: () => void checkNow() },
        { label: t('Remove domain'), icon: IconTrash, danger: true, onClick: () => void leave() },
      ]}
    >
      <Stack gap="md">
        <FaultAlert fault={check.fault} />
        {domain.failures > 0 && (
          <Alert color="yellow" title={t('The proof is missing')}>
            {t('It was there and was not found in the last check. After three checks without it the domain counts no longer.')}
          </Alert>
        )}
        <Section
          title={t('Proof of control')}
          intro={t('Set one of the two and leave it there: it is looked for again every week. A DNS record may take an hour to be seen.')}
        >
          <Facts
            items={[
              { label: t('Name of the TXT record'), value: <Mono value={domain.recordName} grouped={false} />, copy: domain.recordName },
              { label: t('Its text'), value: <Mono value={domain.proofText} grouped={false} />, copy: domain.proofText },
              { label: t('Or a file with that text'), value: <Mono value={domain.fileUrl} grouped={false} />, copy: domain.fileUrl },
              domain.claimEnds !== undefined && {
                label: t('Waits for its proof until'),
                value: <DateTime at={domain.claimEnds} dateOnly />,
              },
            ]}
          />
        </Section>
        {domain.seen.length > 0 && (
          <Section title={t('What the last check saw')}>
            <SmallTable
              label={t('What the last check saw')}
              rows={domain.seen}
              rowId={({ way }) => way}
              columns={[
                { label: t('Looked for'), cell: ({ way }) => t(wayLabels[way].label) },
                { label: t('Found'), plain: true, cell: ({ problem, detail }) => problemText(problem, detail) },
              ]}
            />
          </Section>
        )}
        <Section title={t('Domain')}>
          <Facts
            items={[
              shownName !== name && { label: t('In DNS'), value: <Mono value={name} grouped={false} />, copy: name },
              { label: t('Proof'), value: domain.proof === undefined ? undefined : t(proofLabels[domain.proof].label) },
              { label: t('Proved'), value: domain.provedAt === undefined ? undefined : <DateTime at={domain.provedAt} /> },
              { label: t('Last checked'), value: domain.checkedAt === undefined ? t('Never') : <DateTime at={domain.checkedAt} /> },
              { label: t('Added'), value: <DateTime at={domain.addedAt} /> },
              { label: t('Used by'), value: <DomainUses name={name} /> },
            ]}
          />
          <Switch
            label={t('Stands for all names below it')}
            description={t('Such as mail.{name}. Only a DNS record proves that.', { name: shownName })}
            checked={domain.includesSubdomains}
            disabled={change.pending}
            onChange={(event) =>
              void change.run({ id, version: domain.version, includesSubdomains: event.currentTarget.checked }).catch(() => {})
            }
          />
          <FaultAlert fault={change.fault} />
        </Section>
      </Stack>
    </DetailPage>
  )
}

const isProblem = (name: string): name is keyof typeof problems => Object.hasOwn(problems, name)

const problemText = (problem: string, detail: string): string => (isProblem(problem) ? t(problems[problem], { detail }) : detail)
