import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { roles } from '#areas/roles/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import type { Option } from '#core/console/kit/fields.tsx'
import { useCall } from '#core/console/queries.ts'

const offered = 50
const waitMilliseconds = 200

/** The roles that can be chosen, searched on the server as one types; undefined for who may not see roles. */
export function useRoleOptions(): { options: readonly Option[]; onSearch: (text: string) => void } | undefined {
  const may = useMay()
  const seen = may('roleView')
  const [text, onSearch] = useState('')
  const [settled] = useDebouncedValue(text.trim(), waitMilliseconds)
  const { data } = useCall(roles.calls.search, { text: settled, size: offered }, { enabled: seen, keepPrevious: true })
  return seen ? { options: (data?.rows ?? []).map(({ id, name }) => ({ value: id, label: name })), onSearch } : undefined
}
