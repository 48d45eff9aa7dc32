// A field to choose a person from: what the server finds for what is typed.

import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useMay } from '#core/console/bootstrap.ts'
import { useCall } from '#core/console/queries.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { users } from './contract.ts'

type Found = OutputOf<typeof users.calls.search>['rows']

export function usePersonSearch(): {
  people: Found
  /** By their ids. */
  options: { value: string; label: string }[]
  onSearch: (text: string) => void
} {
  const may = useMay()
  const [typed, onSearch] = useState('')
  const [text] = useDebouncedValue(typed.trim(), 200)
  const found = useCall(users.calls.search, { text, size: 50 }, { keepPrevious: true, enabled: may('userView') })
  return {
    people: found.data?.rows ?? [],
    options: (found.data?.rows ?? []).map(({ id, givenName, familyName, username }) => ({
      value: id,
      label: `${givenName} ${familyName} (${username})`,
    })),
    onSearch,
  }
}
