import { Button, Stack } from '@mantine/core'
import { IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { applications } from '../contract.ts'
import { overlapHours } from '../rules.ts'
import { scopeLabel, stateLabels } from './labels.ts'
import { NewSecret } from './NewSecret.tsx'

type Application = OutputOf<typeof applications.calls.read>

export function ViewApplication() {
  const { id = '' } = useParams()
  const query = useCall(applications.calls.read, { id })
  if (query.data !== undefined) return <OneApplication application={query.data} />
  return (
    <Page title={t('Application')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function OneApplication({ application }: { application: Application }) {
  const { id, name, state } = application
  const navigate = useNavigate()
  const rotate = useSend(applications.calls.rotate)
  const revoke = useSend(applications.calls.removeSecret)
  const remove = useSend(applications.calls.remove)
  const [made, setMade] = useState<OutputOf<typeof applications.calls.rotate>>()

  const rotateNow = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Rotate the secret of {name}?', { name }),
      consequence: t('A new secret is shown once. The earlier ones work for {hours} more hours, so that the program can be changed over.', {
        hours: overlapHours,
      }),
      action: t('Rotate secret'),
      keep: t('Cancel'),
    })
    if (sure) setMade(await rotate.run({ id }).catch(() => undefined))
  }
  const revokeOne = async (secretId: string): Promise<void> => {
    const sure = await confirm({
      title: t('Revoke this secret?'),
      consequence: t('Programs that use it are refused from now on. This cannot be undone.'),
      action: t('Revoke secret'),
      keep: t('Keep secret'),
      danger: true,
    })
    if (sure) await revoke.run({ id, secretId }).catch(() => {})
  }
  const removeIt = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Delete {name}?', { name }),
      consequence: t('Programs that use it are refused from now on. This cannot be undone.'),
      action: t('Delete application'),
      keep: t('Keep application'),
      danger: true,
    })
    if (!sure) return
    const done = await remove.run({ id }).catch(() => undefined)
    if (done !== undefined) await navigate(to(applications.screens.list))
  }
  return (
    <DetailPage
      title={name}
      status={<Status of={stateLabels[state].status} label={t(stateLabels[state].label)} />}
      {...(application.note === '' ? {} : { intro: application.note })}
      actions={[
        { label: t('Rotate secret'), icon: IconRefresh, onClick: () => void rotateNow() },
        { label: t('Edit application'), icon: IconPencil, to: to(applications.screens.edit, { id }) },
        { label: t('Delete application'), icon: IconTrash, danger: true, onClick: () => void removeIt() },
      ]}
    >
      <Stack gap="md">
        {made !== undefined && <NewSecret secret={made.secret} othersEndAt={made.othersEndAt} />}
        <FaultAlert fault={rotate.fault} />
        <FaultAlert fault={revoke.fault} />
        <FaultAlert fault={remove.fault} />
        <Section title={t('Details')}>
          <Facts
            items={[
              { label: t('Owner'), value: application.owner.name },
              { label: t('Scopes'), value: application.scopes.map(scopeLabel).join(', ') },
              { label: t('Networks'), value: application.networks.length === 0 ? t('Everywhere') : application.networks.join(', ') },
              { label: t('Ends'), value: application.endsAt === undefined ? t('Never') : <DateTime at={application.endsAt} /> },
              {
                label: t('Last used'),
                value: application.lastUsedAt === undefined ? t('Never') : <DateTime at={application.lastUsedAt} />,
              },
              { label: t('Added'), value: <DateTime at={application.addedAt} /> },
            ]}
          />
        </Section>
        <Section title={t('Secrets')}>
          <SmallTable
            label={t('Secrets')}
            rows={application.secrets}
            rowId={(secret) => secret.id}
            columns={[
              { label: t('Made'), cell: (secret) => <DateTime at={secret.madeAt} /> },
              {
                label: t('Works until'),
                cell: (secret) => (secret.endsAt === undefined ? t('Until it is rotated') : <DateTime at={secret.endsAt} />),
              },
              {
                label: t('Last used'),
                cell: (secret) => (secret.lastUsedAt === undefined ? t('Never') : <DateTime at={secret.lastUsedAt} />),
              },
              { label: t('From'), cell: (secret) => secret.lastUsedFrom ?? '' },
              {
                label: t('Change'),
                plain: true,
                cell: (secret) => (
                  <Button variant="subtle" color="red" size="xs" onClick={() => void revokeOne(secret.id)}>
                    {t('Revoke secret')}
                  </Button>
                ),
              },
            ]}
          />
        </Section>
      </Stack>
    </DetailPage>
  )
}
