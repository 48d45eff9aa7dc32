import { roles } from '#areas/roles/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import type { Option } from '#core/console/kit/fields.tsx'
import { useCall } from '#core/console/queries.ts'

/** The roles that can be chosen; undefined for who may not see roles. */
export function useRoleOptions(): readonly Option[] | undefined {
  const may = useMay()
  const seen = may('roleView')
  const { data } = useCall(roles.calls.search, { size: 200 }, { enabled: seen })
  return seen ? (data?.rows ?? []).map(({ id, name }) => ({ value: id, label: name })) : undefined
}
