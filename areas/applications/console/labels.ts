import { t } from '#core/console/text.ts'
import { isPermission, permissions } from '#core/contract/permission-labels.ts'

export const stateLabels = {
  active: { status: 'active', label: 'Active' },
  restricted: { status: 'warning', label: 'Restricted' },
  inactive: { status: 'disabled', label: 'Inactive' },
} as const

/** By its name first, which stands beside the calls of the API reference. */
export const scopeLabel = (scope: string): string => (isPermission(scope) ? `${scope}: ${t(permissions[scope])}` : scope)
