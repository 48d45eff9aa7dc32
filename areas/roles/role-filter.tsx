// A filter of a list by role: the first roles until somebody types, then what the server finds, however many there are.

import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { Filter } from '#core/console/kit/filter.ts'
import { useCall } from '#core/console/queries.ts'
import { roles } from './contract.ts'
import { roleName } from './role-name.tsx'

const most = 50

/** `chosen` has its name, also where it is not among those that are offered. */
export function useRoleFilter(chosen: string | undefined, enabled: boolean): Pick<Filter, 'options' | 'onSearch'> {
  const [typed, onSearch] = useState('')
  const [text] = useDebouncedValue(typed.trim(), 200)
  const found = useCall(roles.calls.search, { text, size: most }, { enabled, keepPrevious: true })
  const rows = found.data?.rows ?? []
  const isFar = chosen !== undefined && found.data !== undefined && !rows.some(({ id }) => id === chosen)
  const far = useCall(roles.calls.read, { id: chosen ?? '' }, { enabled: enabled && isFar })
  const all = [...rows, ...(isFar && far.data !== undefined ? [far.data] : [])]
  return {
    options: all.map(({ id, name }) => ({ value: id, label: roleName(name) })),
    ...(typed !== '' || (found.data?.total ?? 0) > most ? { onSearch } : {}),
  }
}
