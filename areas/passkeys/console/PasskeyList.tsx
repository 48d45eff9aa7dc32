// The passkeys of one person, to be added by themselves, renamed and deleted.

import { Button, Group, Modal, Stack } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useState } from 'react'
import { useMay, useViewer } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { passkeys } from '../contract.ts'
import { signalAccepted } from './ceremony.ts'

type Passkey = OutputOf<typeof passkeys.calls.list>['registeredCredentials'][number]

export function PasskeyList({ userId }: { userId: string }) {
  const viewer = useViewer()
  const may = useMay()
  const own = userId === viewer.id
  const query = useCall(passkeys.calls.list, { userId })
  const remove = useSend(passkeys.calls.remove, { invalidates: ['sessions', 'audit'] })
  const [renamed, setRenamed] = useState<Passkey>()
  const mayChange = own || may('userEdit')

  const ask = async (passkey: Passkey): Promise<void> => {
    const yes = await confirm({
      title: t('Delete {name}?', { name: passkey.customName }),
      consequence: own
        ? t('It does not sign you in any more. What your device or password manager keeps of it is hidden where the browser allows it.')
        : t('It does not sign this person in any more.'),
      action: t('Delete passkey'),
      keep: t('Keep passkey'),
      danger: true,
    })
    if (!yes) return
    await remove.run({ userId, id: passkey.id }).then(signalAccepted, () => {})
  }
  return (
    <Stack gap="md">
      <FaultAlert fault={remove.fault} />
      <Loaded query={query}>
        {({ registeredCredentials }) =>
          registeredCredentials.length === 0 ? (
            <EmptyState
              icon={IconKey}
              title={own ? t('You have no passkey yet') : t('This person has no passkey')}
              text={t(
                'A passkey signs in with a fingerprint, a face or a PIN instead of password and code, and cannot be given to a false page.',
              )}
            />
          ) : (
            <SmallTable
              label={t('Passkeys')}
              rows={registeredCredentials}
              rowId={({ id }) => id}
              columns={[
                { label: t('Name'), cell: ({ customName }) => customName },
                { label: t('Status'), aside: true, cell: (passkey) => <PasskeyStatus passkey={passkey} /> },
                { label: t('Kind'), cell: ({ synced }) => (synced ? t('Synced') : t('Stays on its device')) },
                {
                  label: t('Model'),
                  cell: ({ model, proved }) =>
                    model === undefined ? t('Unknown') : proved ? model : t('{model}, by its own word', { model }),
                },
                { label: t('Works at'), cell: ({ host }) => host },
                { label: t('Made'), cell: ({ createdAt }) => <DateTime at={createdAt} /> },
                { label: t('Last used'), cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? t('Never') : <DateTime at={lastUsedAt} />) },
                ...(mayChange
                  ? [
                      {
                        label: t('Actions'),
                        plain: true,
                        cell: (passkey: Passkey) => (
                          <Group gap="xs" wrap="nowrap">
                            <Button
                              size="xs"
                              variant="default"
                              aria-label={t('Rename {name}', { name: passkey.customName })}
                              onClick={() => setRenamed(passkey)}
                            >
                              {t('Rename')}
                            </Button>
                            <Button
                              size="xs"
                              variant="light"
                              color="red"
                              aria-label={t('Delete {name}', { name: passkey.customName })}
                              onClick={() => void ask(passkey)}
                            >
                              {t('Delete')}
                            </Button>
                          </Group>
                        ),
                      },
                    ]
                  : []),
              ]}
            />
          )
        }
      </Loaded>
      {renamed !== undefined && (
        <Modal opened onClose={() => setRenamed(undefined)} title={t('Rename passkey')}>
          <Form
            call={passkeys.calls.rename}
            initial={{ newCustomName: renamed.customName }}
            toInput={({ newCustomName }: { newCustomName: string }) => ({ userId, id: renamed.id, newCustomName })}
            submit={t('Rename passkey')}
            guard={false}
            cancel={{ label: t('Keep the name'), onClick: () => setRenamed(undefined) }}
            onDone={(_answer, { newCustomName }) => {
              toast({ kind: 'success', title: newCustomName })
              setRenamed(undefined)
            }}
          >
            {(form) => <TextField {...form.field('newCustomName')} label={t('Name')} autoFocus required />}
          </Form>
        </Modal>
      )}
    </Stack>
  )
}

function PasskeyStatus({ passkey: { blocked, refusedFor, worksHere } }: { passkey: Passkey }) {
  if (blocked) return <Status of="failed" label={t('Blocked: there may be a copy')} />
  if (refusedFor === 'compromised') return <Status of="failed" label={t('Model reported as not secure')} />
  if (refusedFor !== undefined) return <Status of="failed" label={t('Refused by the policy')} />
  if (!worksHere) return <Status of="pending" label={t('For another address')} />
  return <Status of="active" />
}
