// Whose tickets are shown: by who raised them and who handles them. Only who handles tickets chooses, because others see their own alone.

import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import type { Filter } from '#core/console/kit/filter.ts'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { tickets } from '../contract.ts'

type Choice = { id: string; name: string; username: string }

export function usePeopleFilters(): { createdBy?: Filter; assignedTo?: Filter } {
  const enabled = useMay()('ticketEdit')
  const [text, onSearch] = useState('')
  const [address] = useSearchParams()
  const chosen = address.get('createdBy')
  const id = chosen !== null && tickets.calls.requesters.input.safeParse({ id: chosen }).success ? chosen : undefined
  const requesters = useCall(tickets.calls.requesters, { text, ...(id === undefined ? {} : { id }) }, { enabled })
  const handlers = useCall(tickets.calls.handlers, {}, { enabled })
  if (!enabled) return {}
  return {
    createdBy: { label: t('Raised by'), options: (requesters.data?.people ?? []).map(option), onSearch },
    assignedTo: { label: t('Assigned to'), options: (handlers.data?.people ?? []).map(option) },
  }
}

const option = ({ id, name, username }: Choice) => ({ value: id, label: `${name} (${username})` })
