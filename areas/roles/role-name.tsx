// What a role is called: a built-in one in the language of who reads, another as somebody named it.

import { t } from '#core/console/text.ts'

/** The names of the built-in roles (rules.ts). */
export const builtInNames: Readonly<Record<string, { label: string }>> = {
  Administrator: { label: 'Administrator' },
  'Certificate officer': { label: 'Certificate officer' },
  Requester: { label: 'Requester' },
  Auditor: { label: 'Auditor' },
  User: { label: 'User' },
}

export const roleName = (name: string): string => (Object.hasOwn(builtInNames, name) ? t(name) : name)
