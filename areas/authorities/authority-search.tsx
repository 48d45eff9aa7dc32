// A field to choose an authority from: the first of the list until somebody types, then what the server finds, however many there are.

import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { Filter } from '#core/console/kit/filter.ts'
import { useCall } from '#core/console/queries.ts'
import type { DraftOf, OutputOf } from '#core/contract/contract.ts'
import { authorities } from './contract.ts'

type Listed = OutputOf<typeof authorities.calls.list>['rows'][number]
type Named = Pick<Listed, 'id' | 'friendlyName'>

/** `status` narrows the search as the first list was narrowed, `fits` leaves out what cannot be chosen. */
export function useAuthoritySearch(
  first: readonly Named[],
  { status, fits = () => true }: { status?: DraftOf<typeof authorities.calls.list>['status']; fits?: (row: Listed) => boolean } = {},
): { options: { value: string; label: string }[]; onSearch: (text: string) => void } {
  const [typed, onSearch] = useState('')
  const [text] = useDebouncedValue(typed.trim(), 200)
  const query = { text, size: 50, ...(status === undefined ? {} : { status }) }
  const found = useCall(authorities.calls.list, query, { enabled: text !== '', keepPrevious: true })
  const rows: readonly Named[] = text === '' ? first : (found.data?.rows ?? []).filter(fits)
  return { options: rows.map(({ id, friendlyName }) => ({ value: id, label: friendlyName })), onSearch }
}

const mostOffered = 50

/** For a filter of a list. `chosen` has its name, also where it is not among those that are offered. */
export function useAuthorityFilter(chosen: string | undefined): Pick<Filter, 'options' | 'onSearch'> {
  const [typed, onSearch] = useState('')
  const [text] = useDebouncedValue(typed.trim(), 200)
  const found = useCall(authorities.calls.list, { text, size: mostOffered }, { keepPrevious: true })
  const rows: readonly Named[] = found.data?.rows ?? []
  const isFar = chosen !== undefined && found.data !== undefined && !rows.some(({ id }) => id === chosen)
  const far = useCall(authorities.calls.view, { caId: chosen ?? '' }, { enabled: isFar })
  const all = [...rows, ...(isFar && far.data !== undefined ? [far.data] : [])]
  return {
    options: all.map(({ id, friendlyName }) => ({ value: id, label: friendlyName })),
    ...(typed !== '' || (found.data?.total ?? 0) > mostOffered ? { onSearch } : {}),
  }
}
