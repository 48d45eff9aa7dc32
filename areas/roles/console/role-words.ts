// What a built-in role is for, in the language of who reads; what somebody has written stands as it is.

import { t } from '#core/console/text.ts'
import { builtInRoles } from '../rules.ts'

const known = new Set(builtInRoles.map(({ description }) => description))

export const roleDescription = (description: string): string => (known.has(description) ? t(description) : description)
