// Who comes for nothing but their own things: the ordinary people of a tenancy, often with a telephone. They see the shell of self-service on every page.

import type { ViewerPermission } from './permissions.ts'

const ofSelfService: readonly string[] = ['changePassword', 'selfServicePortal', 'ticketAdd', 'ticketView']

/** What everybody may have about their own things. */
export const isOfSelfService = (name: string): boolean => ofSelfService.includes(name)

export const isSelfServed = ({ View, Menu, api }: Pick<ViewerPermission, 'View' | 'Menu' | 'api'>): boolean =>
  View.includes('selfServicePortal') && [...View, ...Menu, ...api].every((name) => ofSelfService.includes(name))
