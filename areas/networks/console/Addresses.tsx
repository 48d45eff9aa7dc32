// The subnets as a tree, and of the chosen one the map, the addresses and what can be done. The chosen subnet and its part stand in the address.

import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { IconArrowUp, IconNetwork, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { confirm } from '#core/console/kit/confirm.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { networks } from '../contract.ts'
import { AddressDialog, SubnetDialog } from './AddressDialogs.tsx'
import { AddressTable } from './AddressTable.tsx'
import type { Subnet } from './subnet.ts'
import { SubnetMap } from './SubnetMap.tsx'
import { subnetKindWord } from './words.ts'

const percent = ({ used, size }: Subnet): number => (size === 0 ? 0 : Math.min(100, (used / size) * 100))

export function Addresses() {
  const query = useCall(networks.calls.subnets, {})
  const [search] = useSearchParams()
  const [adding, setAdding] = useState(false)
  const add = (
    <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setAdding(true)}>
      {t('New subnet')}
    </Button>
  )
  return (
    <Page title={t('IP addresses')} actions={add}>
      <Loaded query={query}>
        {({ subnets }) => {
          const chosen = subnets.find(({ id }) => id === search.get('subnet'))
          return subnets.length === 0 ? (
            <EmptyState
              icon={IconNetwork}
              title={t('No subnets yet')}
              text={t('Add the first one, such as 10.0.0.0/8, and those that lie in it.')}
              action={add}
            />
          ) : (
            <Stack gap="lg">
              {chosen !== undefined && <Chosen key={chosen.id} subnet={chosen} />}
              <Section title={t('Subnets')}>
                <SmallTable
                  label={t('Subnets')}
                  rows={subnets}
                  rowId={({ id }) => id}
                  columns={[
                    {
                      label: t('Subnet'),
                      cell: (row) => (
                        <span style={{ paddingInlineStart: row.depth * 16 }}>
                          <TextLink to={to(networks.screens.ipam, {}, { subnet: row.id })}>{row.cidr}</TextLink>
                        </span>
                      ),
                    },
                    { label: t('Name'), cell: (row) => row.name },
                    { label: t('Kind'), cell: (row) => subnetKindWord(row.kind) },
                    { label: t('Space'), cell: (row) => row.space },
                    { label: t('Network'), cell: (row) => row.vlan },
                    { label: t('Location'), cell: (row) => row.location },
                    { label: t('Unknown'), align: 'end', cell: (row) => formatNumber(row.unknown) },
                    {
                      label: t('Used'),
                      align: 'end',
                      aside: true,
                      cell: (row) => t('{used, number} of {size, number}', { used: row.used, size: row.size }),
                    },
                  ]}
                />
              </Section>
            </Stack>
          )
        }}
      </Loaded>
      {adding && <SubnetDialog onClose={() => setAdding(false)} />}
    </Page>
  )
}

function Chosen({ subnet }: { subnet: Subnet }) {
  const [search, setSearch] = useSearchParams()
  const [dialog, setDialog] = useState<'edit' | { address: string }>()
  const take = useSend(networks.calls.nextFreeAddress)
  const remove = useSend(networks.calls.removeSubnet)
  const part = search.get('part') ?? subnet.cidr
  const [taken, setTaken] = useState<string>()
  const show = (cidr: string | undefined) => {
    const next = new URLSearchParams(search)
    if (cidr === undefined) next.delete('part')
    else next.set('part', cidr)
    setSearch(next)
  }
  const askAndRemove = async () => {
    const sure = await confirm({
      title: t('Delete {name}?', { name: subnet.cidr }),
      consequence: t('Subnets and addresses in it go to the one above it. Where none is above, one that holds addresses stays.'),
      action: t('Delete subnet'),
      keep: t('Keep subnet'),
      danger: true,
    })
    if (sure) await remove.run({ id: subnet.id }).catch((error: unknown) => toastFault(error, t('The subnet was not deleted')))
  }
  return (
    <Section title={subnet.name === '' ? subnet.cidr : t('{cidr} · {name}', { cidr: subnet.cidr, name: subnet.name })} intro={subnet.note}>
      <Stack gap="md">
        <div>
          <Progress value={percent(subnet)} size="lg" aria-label={t('Used addresses of {cidr}', { cidr: subnet.cidr })} />
          <Text size="sm" c="dimmed" mt={4}>
            {t('{used, number} of {size, number} given out, {unknown, plural, one {# unknown} other {# unknown}}', {
              used: subnet.used,
              size: subnet.size,
              unknown: subnet.unknown,
            })}
          </Text>
        </div>
        <Group gap="sm">
          <Button
            loading={take.pending}
            onClick={() =>
              void take
                .run({ subnetId: subnet.id })
                .then(({ addresses }) => setTaken(addresses[0]))
                .catch((error: unknown) => toastFault(error, t('No address was taken')))
            }
          >
            {t('Take the next free address')}
          </Button>
          <Button variant="default" onClick={() => setDialog({ address: '' })}>
            {t('Write an address')}
          </Button>
          <Button variant="default" onClick={() => setDialog('edit')}>
            {t('Edit subnet')}
          </Button>
          <Button variant="light" color="red" onClick={() => void askAndRemove()}>
            {t('Delete subnet')}
          </Button>
          {part !== subnet.cidr && (
            <Button variant="default" leftSection={<IconArrowUp size={16} stroke={1.8} aria-hidden />} onClick={() => show(undefined)}>
              {t('Back to {cidr}', { cidr: subnet.cidr })}
            </Button>
          )}
        </Group>
        {taken !== undefined && (
          <Text role="status">{t('{address} is reserved for 15 minutes. Write who has it to keep it.', { address: taken })}</Text>
        )}
        <SubnetMap space={subnet.space} cidr={part} onZoom={show} onOpen={(address) => setDialog({ address })} />
        <AddressTable subnetId={subnet.id} onOpen={(address) => setDialog({ address })} />
      </Stack>
      {dialog === 'edit' && <SubnetDialog subnet={subnet} onClose={() => setDialog(undefined)} />}
      {typeof dialog === 'object' && <AddressDialog subnet={subnet} address={dialog.address} onClose={() => setDialog(undefined)} />}
    </Section>
  )
}
