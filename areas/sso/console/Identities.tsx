// The identities at providers by which a person signs in.

import { Button, Stack } from '@mantine/core'
import { IconWorldShare } from '@tabler/icons-react'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { sso } from '../contract.ts'

type Identity = OutputOf<typeof sso.calls.identities>['rows'][number]

export function Identities({ userId }: { userId: string }) {
  const may = useMay()
  const query = useCall(sso.calls.identities, { userId })
  const remove = useSend(sso.calls.removeIdentity)
  const ask = async ({ id, providerName }: Identity): Promise<void> => {
    const sure = await confirm({
      title: t('Remove the identity at {name}?', { name: providerName }),
      consequence: t('This person does not sign in by it any more. The next sign-in there counts as the first.'),
      action: t('Remove identity'),
      keep: t('Keep identity'),
      danger: true,
    })
    if (sure) await remove.run({ id }).catch(() => {})
  }
  return (
    <Stack gap="md">
      <FaultAlert fault={remove.fault} />
      <Loaded query={query}>
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyState
              icon={IconWorldShare}
              title={t('No identity at a provider')}
              text={t('It is kept at the first sign-in by a provider.')}
            />
          ) : (
            <SmallTable
              label={t('Identities')}
              rows={rows}
              rowId={({ id }) => id}
              columns={[
                { label: t('Provider'), cell: ({ providerName }) => providerName },
                { label: t('Name there'), cell: ({ name }) => name },
                { label: t('Subject'), cell: ({ subject }) => subject },
                { label: t('Linked'), cell: ({ linkedAt }) => <DateTime at={linkedAt} /> },
                { label: t('Last used'), cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? t('Never') : <DateTime at={lastUsedAt} />) },
                ...(may('userEdit')
                  ? [
                      {
                        label: t('Actions'),
                        plain: true,
                        cell: (row: Identity) => (
                          <Button
                            size="xs"
                            variant="light"
                            color="red"
                            aria-label={t('Remove the identity at {name}', { name: row.providerName })}
                            onClick={() => void ask(row)}
                          >
                            {t('Remove')}
                          </Button>
                        ),
                      },
                    ]
                  : []),
              ]}
            />
          )
        }
      </Loaded>
    </Stack>
  )
}
