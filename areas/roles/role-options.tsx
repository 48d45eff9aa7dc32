// A field to choose roles from: what the server finds for what is typed, each with what it may do.

import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useMay } from '#core/console/bootstrap.ts'
import type { Option } from '#core/console/kit/fields.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { roles } from './contract.ts'
import type { RoleChoice } from './role-choice.ts'
import { roleName } from './role-name.tsx'

const offered = 50
const waitMilliseconds = 200

/** What a role without a description may do. */
const permitsText = (permits: readonly string[]): string =>
  permits.length === 0 ? t('Grants nothing yet') : t('Grants something in {groups}', { groups: permits.map((one) => t(one)).join(', ') })

export const roleOption = ({ id, name, description, permits }: RoleChoice): Option => ({
  value: id,
  label: roleName(name),
  hint: description === '' ? permitsText(permits) : t(description),
})

/** The roles that can be chosen; undefined for who may not see roles. `held` stay among them by their names, however few are found. */
export function useRoleOptions(
  held: readonly { id: string; name: string }[] = [],
): { options: readonly Option[]; onSearch: (text: string) => void } | undefined {
  const may = useMay()
  const seen = may('roleView')
  const [text, onSearch] = useState('')
  const [settled] = useDebouncedValue(text.trim(), waitMilliseconds)
  const { data } = useCall(roles.calls.search, { text: settled, size: offered }, { enabled: seen, keepPrevious: true })
  if (!seen) return undefined
  const rows = data?.rows ?? []
  const others = held.filter(({ id }) => !rows.some((row) => row.id === id))
  return { options: [...rows.map(roleOption), ...others.map(({ id, name }) => ({ value: id, label: roleName(name) }))], onSearch }
}
