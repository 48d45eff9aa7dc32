// Which attribute of a directory becomes which of a person.

import { attributeNamed } from '#areas/users/attributes.ts'

export const directoryKinds = ['ldap', 'activeDirectory', 'entra'] as const
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
  entra: {
    username: 'mailNickname',
    givenName: 'givenName',
    familyName: 'surname',
    emailAddress: 'mail',
    telephoneNumber: 'businessPhones',
    mobile: 'mobilePhone',
    title: 'jobTitle',
    organisation: 'companyName',
    locality: 'city',
    displayName: 'displayName',
    uid: 'userPrincipalName',
  },
} as const satisfies Record<DirectoryKind, Mapping>

export const defaultFilter = {
  ldap: '(objectClass=inetOrgPerson)',
  activeDirectory: '(&(objectCategory=person)(objectClass=user))',
  // Graph tells everybody; guests are left out.
  entra: '(userType=Member)',
} as const satisfies Record<DirectoryKind, string>

export const entraHosts = { graph: 'graph.microsoft.com', login: 'login.microsoftonline.com' } as const

/** Whether an attribute is of the account itself. */
export const isOfAccount = (name: string): boolean => attributeNamed(name)?.source === 'account'
