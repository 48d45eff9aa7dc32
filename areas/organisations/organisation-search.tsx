// A field to choose an organisation from: what the server finds for what is typed, each with those above it.

import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useCall } from '#core/console/queries.ts'
import { organisations } from './contract.ts'

export function useOrganisationSearch(fits: (id: string) => boolean = () => true): {
  options: { value: string; label: string }[]
  onSearch: (text: string) => void
} {
  const [typed, onSearch] = useState('')
  const [text] = useDebouncedValue(typed.trim(), 200)
  const found = useCall(organisations.calls.autocomplete, { text }, { keepPrevious: true })
  return {
    options: (found.data ?? []).filter(({ id }) => fits(id)).map(({ id, path }) => ({ value: id, label: path })),
    onSearch,
  }
}
