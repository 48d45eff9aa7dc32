import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { roles } from '#areas/roles/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import type { Option } from '#core/console/kit/fields.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'

const offered = 50
const waitMilliseconds = 200

/** What a role without a description may do. */
const permitsText = (permits: readonly string[]): string =>
  permits.length === 0 ? t('Grants nothing yet') : t('Grants something in {groups}', { groups: permits.map((one) => t(one)).join(', ') })

/** The roles that can be chosen, searched on the server as one types; undefined for who may not see roles. */
export function useRoleOptions(): { options: readonly Option[]; onSearch: (text: string) => void } | undefined {
  const may = useMay()
  const seen = may('roleView')
  const [text, onSearch] = useState('')
  const [settled] = useDebouncedValue(text.trim(), waitMilliseconds)
  const { data } = useCall(roles.calls.search, { text: settled, size: offered }, { enabled: seen, keepPrevious: true })
  return seen
    ? {
        options: (data?.rows ?? []).map(({ id, name, description, permits }) => ({
          value: id,
          label: name,
          hint: description === '' ? permitsText(permits) : t(description),
        })),
        onSearch,
      }
    : undefined
}
