// What an account may do in a tenancy now: for a session, a token, a job in somebody's name, and a second check after a slow signature. Everybody
// who decides by what somebody may asks here, so that a disabled account, a role taken away and a tenancy no longer managed hold everywhere at once.

import { permissionsOf } from '#areas/roles/service.ts'
import { findTenancy, findWorkable } from '#areas/tenancy/service.ts'
import type { Permission } from '#core/contract/permission-labels.ts'
import { noPermission, type ViewerPermission } from '#core/contract/permissions.ts'
import { visitTenant, type Database } from '#core/server/database.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { findProgram } from './server/program-store.ts'
import { findPerson, type Person } from './service.ts'

/** An account by where it lives. */
export type Account = { userId: string; homeTenantId: string }

export type Rights = {
  person: Person
  permission: ViewerPermission
  /** Held by a token that has scopes. */
  narrowed?: true
  /** An account of a program (programs.ts). */
  program?: true
}

/** What a token with these scopes may do of it; no scopes means all. Menus are among what may be given to others. */
export function narrowedTo(rights: Rights, scopes: readonly string[]): Rights {
  if (scopes.length === 0) return rights
  const within = (names: readonly string[]) => names.filter((name) => scopes.includes(name))
  const { permission } = rights
  return {
    ...rights,
    permission: {
      ...permission,
      View: within(permission.View),
      Menu: within(permission.Menu),
      activeMenu: within(permission.activeMenu),
      api: within(permission.api),
    },
    narrowed: true,
  }
}

/** Working in managed tenancies is for those who configure their own. */
export const mayVisit = (permission: ViewerPermission): boolean => permission.api.includes('tenancyConfig')

/**
 * Reads what an account may do in `tenantId` now. Undefined where it is disabled or gone, or may not work there. `within`: the tenancy that the
 * transaction is set to.
 */
export async function rightsOf(
  db: Database,
  { userId, homeTenantId: home }: Account,
  tenantId: string,
  within: string = tenantId,
): Promise<Rights | undefined> {
  const read = async () => {
    const person = await findPerson(db, home, userId)
    if (person === undefined) return tenantId === home ? programRights(db, home, userId) : undefined
    return judge(db, person, tenantId)
  }
  return within === home ? read() : visitTenant(db, { home: within, tenantId: home }, read)
}

/** The same of somebody of whom a record has nothing but the id: one of the tenancy's people, or of those who manage it. The transaction is set to `tenantId`. */
export async function rightsHere(db: Database, tenantId: string, userId: string): Promise<Rights | undefined> {
  const person = await findAccount(db, tenantId, userId)
  if (person === undefined) return programRights(db, tenantId, userId)
  if (person.tenantId === tenantId) return judge(db, person, tenantId)
  return visitTenant(db, { home: tenantId, tenantId: person.tenantId }, () => judge(db, person, tenantId))
}

/**
 * The same of somebody who began work that goes on without them: what they hold now, and no more than they held when they began it. Undefined where that is
 * less than the work needs. Asked again for each part of the work.
 */
export async function rightsLater(
  { db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>,
  { userId, granted }: Beginner,
  needs: readonly Permission[],
): Promise<Rights | undefined> {
  const now = userId === undefined ? undefined : await rightsHere(db, tenantId, userId)
  const rights = now && granted ? boundBy(now, granted) : now
  return needs.every((name) => rights?.permission.api.includes(name) === true) ? rights : undefined
}

/** `granted`: absent of who was not asked for it then. */
export type Beginner = { userId: string | undefined; granted?: Granted | undefined }

/** What a viewer holds as they begin something, to be kept with it. */
export type Granted = Pick<ViewerPermission, 'View' | 'Menu' | 'api'> & { narrowed: boolean }
export const grantedTo = ({ permission: { View, Menu, api }, narrowed }: Pick<Viewer, 'permission' | 'narrowed'>): Granted => ({
  View,
  Menu,
  api,
  narrowed: narrowed === true,
})

function boundBy(rights: Rights, granted: Granted): Rights {
  const { permission } = rights
  const both = (list: 'View' | 'Menu' | 'api') => permission[list].filter((name) => granted[list].includes(name))
  const bound = { ...permission, View: both('View'), Menu: both('Menu'), api: both('api') }
  return { ...rights, permission: bound, ...(granted.narrowed ? { narrowed: true as const } : {}) }
}

/** Finds whose id this is among the people of a tenancy and of the one that manages it, enabled or not. The transaction is set to `tenantId`. */
export async function findAccount(db: Database, tenantId: string, userId: string): Promise<Person | undefined> {
  const own = await findPerson(db, tenantId, userId)
  const home = own === undefined ? (await findTenancy(db, tenantId))?.managedBy : undefined
  return home === undefined ? own : visitTenant(db, { home: tenantId, tenantId: home }, () => findPerson(db, home, userId))
}

/** The one rule. The transaction is set to the person's home. */
async function judge(db: Database, person: Person, tenantId: string): Promise<Rights | undefined> {
  if (!person.enabled) return undefined
  const permission = await permissionsOf(db, person.tenantId, person.id)
  if (tenantId === person.tenantId) return { person, permission }
  const home = mayVisit(permission) ? await findTenancy(db, person.tenantId) : undefined
  return home !== undefined && (await findWorkable(db, home, tenantId)) !== undefined ? { person, permission } : undefined
}

/** What a program may do now; undefined where it is switched off or gone. The transaction is set to its tenancy. */
export async function programRights(db: Database, tenantId: string, id: string): Promise<Rights | undefined> {
  const program = await findProgram({ db, tenantId }, id)
  if (program === undefined || !program.enabled) return undefined
  return {
    // Written where a log shows who did something: no username has brackets.
    person: {
      id,
      tenantId,
      username: `${program.name} (application)`,
      givenName: program.name,
      familyName: '',
      emailAddress: '',
      telephoneNumber: '',
      title: '',
      locality: '',
      organisation: '',
      securityIdentifier: '',
      enabled: true,
      activated: false,
      createdAt: new Date(0),
      modifiedAt: new Date(0),
      enabledAt: undefined,
      disabledAt: undefined,
      failedLogins: 0,
      lastSuccessfulLogin: undefined,
      lastFailedLogin: undefined,
    },
    permission: { ...noPermission, api: program.scopes },
    narrowed: true,
    program: true,
  }
}
