// What can be done to an account in a directory, and the texts that tell how it went.

import type { DirectoryKind } from './mapping.ts'

export const writeActions = ['create', 'update', 'enable', 'disable', 'move', 'join', 'leave', 'delete'] as const
export type WriteAction = (typeof writeActions)[number]

/** Entra ID has no places to move to, and its groups are changed there. */
export const canDo = (kind: DirectoryKind, action: WriteAction): boolean => kind !== 'entra' || !needsTarget(action)

/** Those that need to be told where. */
export const needsTarget = (action: WriteAction): boolean => action === 'move' || action === 'join' || action === 'leave'

type Told = { done: string; failed: string }
/** The specification says "Unable to create Active Directory user" and "Unable to create Entra ID user"; the others follow them. A move and a membership are updates. */
export const writeTexts: Readonly<Record<DirectoryKind, Readonly<Record<WriteAction, Told>>>> = {
  ldap: {
    create: { done: 'The LDAP user was successfully created', failed: 'Unable to create LDAP user' },
    update: { done: 'The LDAP user was successfully updated', failed: 'Unable to update LDAP user' },
    enable: { done: 'The LDAP user was successfully enabled', failed: 'Unable to enable LDAP user' },
    disable: { done: 'The LDAP user was successfully disabled', failed: 'Unable to disable LDAP user' },
    move: { done: 'The LDAP user was successfully updated', failed: 'Unable to update LDAP user' },
    join: { done: 'The LDAP user was successfully updated', failed: 'Unable to update LDAP user' },
    leave: { done: 'The LDAP user was successfully updated', failed: 'Unable to update LDAP user' },
    delete: { done: 'The LDAP user was successfully deleted', failed: 'Unable to delete LDAP user' },
  },
  activeDirectory: {
    create: { done: 'The Active Directory user was successfully created', failed: 'Unable to create Active Directory user' },
    update: { done: 'The Active Directory user was successfully updated', failed: 'Unable to update Active Directory user' },
    enable: { done: 'The Active Directory user was successfully enabled', failed: 'Unable to enable Active Directory user' },
    disable: { done: 'The Active Directory user was successfully disabled', failed: 'Unable to disable Active Directory user' },
    move: { done: 'The Active Directory user was successfully updated', failed: 'Unable to update Active Directory user' },
    join: { done: 'The Active Directory user was successfully updated', failed: 'Unable to update Active Directory user' },
    leave: { done: 'The Active Directory user was successfully updated', failed: 'Unable to update Active Directory user' },
    delete: { done: 'The Active Directory user was successfully deleted', failed: 'Unable to delete Active Directory user' },
  },
  entra: {
    create: { done: 'The Entra ID user was successfully created', failed: 'Unable to create Entra ID user' },
    update: { done: 'The Entra ID user was successfully updated', failed: 'Unable to update Entra ID user' },
    enable: { done: 'The Entra ID user was successfully enabled', failed: 'Unable to enable Entra ID user' },
    disable: { done: 'The Entra ID user was successfully disabled', failed: 'Unable to disable Entra ID user' },
    move: { done: 'The Entra ID user was successfully updated', failed: 'Unable to update Entra ID user' },
    join: { done: 'The Entra ID user was successfully updated', failed: 'Unable to update Entra ID user' },
    leave: { done: 'The Entra ID user was successfully updated', failed: 'Unable to update Entra ID user' },
    delete: { done: 'The Entra ID user was successfully deleted', failed: 'Unable to delete Entra ID user' },
  },
}
