// Which attribute of a directory becomes which of a person.

import { attributeNamed } from '#areas/users/attributes.ts'

export const directoryKinds = ['ldap', 'activeDirectory'] as const
export type DirectoryKind = (typeof directoryKinds)[number]

/** The attributes of a person that a directory can fill. `username` only names new accounts. */
export const mappable = [
  'username',
  'givenName',
  'familyName',
  'emailAddress',
  'telephoneNumber',
  'mobile',
  'title',
  'positionHeld',
  'organisation',
  'locality',
  'displayName',
  'uid',
  'pager',
  'csn',
] as const
export type Mappable = (typeof mappable)[number]

/** Our attribute, and the directory's name of it. */
export type Mapping = { readonly [name in Mappable]?: string | undefined }

const shared = {
  givenName: 'givenName',
  familyName: 'sn',
  emailAddress: 'mail',
  telephoneNumber: 'telephoneNumber',
  mobile: 'mobile',
  title: 'title',
  locality: 'l',
  displayName: 'displayName',
  pager: 'pager',
} as const

export const defaultMapping = {
  ldap: { ...shared, username: 'uid', organisation: 'o', uid: 'uid' },
  activeDirectory: { ...shared, username: 'sAMAccountName', organisation: 'company', uid: 'sAMAccountName' },
} as const satisfies Record<DirectoryKind, Mapping>

export const defaultFilter = {
  ldap: '(objectClass=inetOrgPerson)',
  activeDirectory: '(&(objectCategory=person)(objectClass=user))',
} as const satisfies Record<DirectoryKind, string>

/** Whether an attribute is of the account itself. */
export const isOfAccount = (name: string): boolean => attributeNamed(name)?.source === 'account'
