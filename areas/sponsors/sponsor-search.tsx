// A field to choose a sponsor from: what the server finds for what is typed.

import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useCall } from '#core/console/queries.ts'
import { sponsors } from './contract.ts'

export function useSponsorSearch(): { options: { value: string; label: string }[]; onSearch: (text: string) => void } {
  const [typed, onSearch] = useState('')
  const [text] = useDebouncedValue(typed.trim(), 200)
  const found = useCall(sponsors.calls.search, { text, size: 50, state: 'active' }, { keepPrevious: true })
  return {
    options: (found.data?.rows ?? []).map(({ id, person, people, most }) => ({ value: id, label: `${person.name} (${people}/${most})` })),
    onSearch,
  }
}
