// Who may enrol: the challenges and shared secrets of one protocol. A new one is shown once.

import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { NumberField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { protocolRoom } from '../contract.ts'
import type { Protocol } from '../rules.ts'
import { newSecret, ProfileAndNames, type SecretValues } from './NameFields.tsx'
import { protocolWords, secretWords } from './protocol-words.ts'

type Made = OutputOf<typeof protocolRoom.calls.addSecret>

export function Secrets({ protocol }: { protocol: Protocol }) {
  const list = useList(protocolRoom.calls.secrets, { key: `protocols.secrets.${protocol}`, base: { protocol } })
  const end = useSend(protocolRoom.calls.endSecret)
  const [isMaking, setMaking] = useState(false)
  const askAndEnd = async (id: string, name: string): Promise<void> => {
    const sure = await confirm({
      title: t('End {name}?', { name }),
      consequence: t('Nobody enrols with it any more. Certificates that came by it stay.'),
      action: t('End secret'),
      keep: t('Keep secret'),
      danger: true,
    })
    if (sure) await end.run({ id }).catch((error: unknown) => toastFault(error, t('The secret was not ended')))
  }
  const add = (
    <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setMaking(true)}>
      {t('New secret')}
    </Button>
  )
  return (
    <Stack gap="md">
      {list.answer?.total !== 0 && <Group justify="flex-end">{add}</Group>}
      <DataTable
        list={list}
        label={t('Secrets')}
        views={false}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('For'), cell: (row) => row.name },
          {
            key: 'state',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={secretWords[row.state].kind} label={t(secretWords[row.state].label)} />,
            csv: (row) => t(secretWords[row.state].label),
          },
          { key: 'reference', label: t('Reference'), cell: (row) => <Mono value={row.reference} />, csv: (row) => row.reference },
          {
            key: 'names',
            label: t('Names'),
            cell: (row) => row.names.join(', ') || (row.personal ? t('Those of the person') : t('All that the template allows')),
          },
          { key: 'profileName', label: t('Profile'), cell: (row) => row.profileName },
          { key: 'usesLeft', label: t('Certificates left'), cell: (row) => row.usesLeft ?? t('Any number') },
          {
            key: 'revealed',
            label: t('Link'),
            cell: (row) => (row.revealed === undefined ? t('None') : row.revealed ? t('Shown') : t('Not opened yet')),
          },
          { key: 'expiresAt', label: t('Ends'), cell: (row) => <DateTime at={row.expiresAt} />, csv: (row) => row.expiresAt },
          { key: 'createdBy', label: t('Made by'), cell: (row) => row.createdBy },
        ]}
        rowActions={(row) =>
          row.state === 'active' ? [{ label: t('End secret'), danger: true, onClick: () => void askAndEnd(row.id, row.name) }] : []
        }
        empty={{
          icon: IconKey,
          title: t('No secrets yet'),
          text: t('Make one for each machine or team that may enrol. It says for which names.'),
          action: add,
        }}
      />
      <Modal opened={isMaking} onClose={() => setMaking(false)} title={t('New secret')} size="lg">
        {isMaking && <Maker protocol={protocol} close={() => setMaking(false)} />}
      </Modal>
    </Stack>
  )
}

function Maker({ protocol, close }: { protocol: Protocol; close: () => void }) {
  const choices = useCall(protocolRoom.calls.secretChoices, { protocol })
  const [made, setMade] = useState<Made>()
  if (made !== undefined) return <Shown made={made} close={close} />
  return (
    <Loaded query={choices}>
      {({ profiles }) =>
        profiles.length === 0 ? (
          <EmptyState
            title={t('No profiles yet')}
            text={t('Make a profile first.')}
            action={<LinkButton to={protocolWords[protocol].add}>{t(protocolWords[protocol].newProfile)}</LinkButton>}
          />
        ) : (
          <Form
            call={protocolRoom.calls.addSecret}
            initial={newSecret(profiles)}
            toInput={(values: SecretValues) => values}
            submit={t('Make secret')}
            cancel={{ label: t('Cancel'), onClick: close }}
            guard={false}
            quiet
            onDone={setMade}
          >
            {(form) => (
              <>
                <ProfileAndNames form={form} profiles={profiles} />
                <NumberField
                  {...form.field('uses')}
                  label={t('Certificates')}
                  hint={
                    protocol === 'windows'
                      ? t('How many it is good for. Empty: any number, for these names')
                      : t('How many it is good for. Empty: any number, for whatever names the template allows where none are given')
                  }
                  optional
                  min={1}
                  max={100_000}
                />
                <NumberField {...form.field('hours')} label={t('Hours')} hint={t('So long it is good')} min={1} max={8760} />
              </>
            )}
          </Form>
        )
      }
    </Loaded>
  )
}

const Shown = ({ made, close }: { made: Made; close: () => void }) => (
  <Stack gap="md">
    <Alert color="yellow" title={t('Copy it now')}>
      {t('The secret is not shown again.')}
    </Alert>
    <Facts
      items={[
        { label: t('Reference'), value: <Mono value={made.reference} />, copy: made.reference },
        { label: t('Secret'), value: <Mono value={made.secret} />, copy: made.secret },
        { label: t('Address'), value: <Mono value={made.url} />, copy: made.url },
      ]}
    />
    <Group justify="flex-end">
      <Button onClick={close}>{t('Close')}</Button>
    </Group>
  </Stack>
)
