// What the dashboard of role creation looks at.

import type { Permission } from '#core/contract/permission-labels.ts'

export const creationPeriods = [7, 30, 90] as const

/** So many people are many for a role that can do harm. */
export const manyPeople = 5

/** Who holds one of these can make others or themselves more powerful, act in the name of the organisation, or read what few should. */
export const dangerousPermissions: readonly Permission[] = [
  'applications',
  'certApprovals',
  'certificateConfig',
  'codeSigning',
  'cryptoGenerateKeysOnHSM',
  'infrastructureConfig',
  'manageCAs',
  'roleAdd',
  'roleEdit',
  'ssoConfig',
  'tenancyConfig',
  'userEdit',
  'userSensitiveEdit',
  'userSensitiveView',
]

export const dangerousAmong = (api: readonly string[]): Permission[] => dangerousPermissions.filter((name) => api.includes(name))
