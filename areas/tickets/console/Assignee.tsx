import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useMay, useViewer } from '#core/console/bootstrap.ts'
import { Facts } from '#core/console/kit/Section.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { toast } from '#core/console/toasts.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { tickets } from '../contract.ts'

type Ticket = OutputOf<typeof tickets.calls.read>

export function Assignee({ ticket }: { ticket: Ticket }) {
  const name = ticket.assignedName === '' ? t('Nobody') : ticket.assignedName
  return useMay()('ticketEdit') ? (
    <Choice ticket={ticket} />
  ) : (
    <Facts items={[{ label: t('Assigned to'), value: <Text span>{name}</Text> }]} />
  )
}

function Choice({ ticket: { ticketId, assignedTo, assignedName } }: { ticket: Ticket }) {
  const { username } = useViewer()
  const query = useCall(tickets.calls.handlers, {})
  const assign = useSend(tickets.calls.assign, { quiet: true })
  const people = (query.data?.people ?? []).map((person) => ({
    value: person.id,
    label: person.username === username ? t('{name} (you)', { name: person.name }) : person.name,
  }))
  // Who handles it and is not among those who are offered keeps the name that was kept.
  const others = assignedTo === '' || people.some(({ value }) => value === assignedTo) ? [] : [{ value: assignedTo, label: assignedName }]
  const choose = async (userId: string) => {
    try {
      await assign.run({ ticketId, userId })
      toast({ kind: 'success', title: userId === '' ? t('Ticket unassigned successfully.') : t('Ticket assigned successfully.') })
    } catch (error) {
      toastFault(error, t('Failed to assign ticket'))
    }
  }
  const me = query.data?.people.find((person) => person.username === username)
  return (
    <Stack gap={6}>
      <Select
        label={t('Assigned to')}
        placeholder={t('Nobody')}
        data={[...others, ...people]}
        value={assignedTo === '' ? null : assignedTo}
        onChange={(value) => void (value !== null && choose(value))}
        searchable
        allowDeselect={false}
        disabled={assign.pending}
      />
      <Group gap="xs">
        {me !== undefined && me.id !== assignedTo && (
          <Button size="compact-xs" variant="default" onClick={() => void choose(me.id)}>
            {t('Assign to me')}
          </Button>
        )}
        {assignedTo !== '' && (
          <Button size="compact-xs" variant="default" onClick={() => void choose('')}>
            {t('Unassign ticket')}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
