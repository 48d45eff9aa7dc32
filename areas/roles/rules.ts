// Grants: which permission holds where. Pure set work, used by the editor and by the server's guard against granting what one lacks.

import { permissions, type Permission } from '#core/contract/permission-labels.ts'
import type { ViewerPermission } from '#core/contract/permissions.ts'

export type Grants = { view: string[]; menu: string[]; api: string[] }

export const noGrants: Grants = { view: [], menu: [], api: [] }

const all = Object.keys(permissions) as Permission[]
const everywhere = (names: Permission[]): Grants => ({ view: names, menu: names, api: names })

/** The roles that each tenancy is born with. */
export const builtInRoles: readonly { key: string; name: string; description: string; grants: Grants }[] = [
  { key: 'administrator', name: 'Administrator', description: 'Everything in the tenancy', grants: everywhere(all) },
  {
    key: 'certificateOfficer',
    name: 'Certificate officer',
    description: 'Requests, approves and revokes certificates',
    grants: everywhere([
      'certApprovals',
      'certRevokeView',
      'certSigningRequest',
      'certSigningRequestUser',
      'certUpload',
      'certView',
      'changePassword',
      'collectCertificate',
      'pEMView',
      'search',
      'selfServicePortal',
      'ticketAdd',
      'ticketView',
      'userView',
      'viewPendingFailedRevocations',
      'workflow',
    ]),
  },
  {
    key: 'requester',
    name: 'Requester',
    description: 'Requests certificates and sees them',
    grants: everywhere([
      'certSigningRequest',
      'certSigningRequestUser',
      'certView',
      'changePassword',
      'collectCertificate',
      'pEMView',
      'search',
      'selfServicePortal',
      'ticketAdd',
      'ticketView',
    ]),
  },
  {
    key: 'auditor',
    name: 'Auditor',
    description: 'Reads records and the audit log, changes nothing',
    grants: everywhere(['audit', 'certView', 'changePassword', 'pEMView', 'roleView', 'search', 'ticketAdd', 'ticketView', 'userView']),
  },
  {
    key: 'user',
    name: 'User',
    description: 'Uses self-service',
    grants: everywhere(['changePassword', 'selfServicePortal', 'ticketAdd', 'ticketView']),
  },
]

const union = (lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())].sort()

/** What a person with these roles may do, in the specification's form. Whether there are tenancies to manage is said at sign-in. */
export function permissionOf(roles: readonly (Grants & { name: string })[]): ViewerPermission {
  const View = union(roles.map((role) => role.view))
  const Menu = union(roles.map((role) => role.menu))
  return {
    View,
    Menu,
    activeMenu: Menu.filter((name) => View.includes(name)),
    api: union(roles.map((role) => role.api)),
    roles: roles.map((role) => role.name).sort(),
    isManager: false,
  }
}

/** Grants as one list of texts, as `api:userAdd`: for what keeps what somebody held at a time. */
export const grantNames = (grants: Grants): string[] =>
  (['view', 'menu', 'api'] as const).flatMap((list) => grants[list].map((name) => `${list}:${name}`))

/** The grants that the viewer does not hold and so may not give away. */
export function beyond(grants: Grants, viewer: ViewerPermission): string[] {
  const missing = (asked: readonly string[], held: readonly string[]) => asked.filter((name) => !held.includes(name))
  return union([missing(grants.view, viewer.View), missing(grants.menu, viewer.Menu), missing(grants.api, viewer.api)])
}
