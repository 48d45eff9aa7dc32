import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { isPermission } from '#core/contract/permission-labels.ts'
import { Id, Instant, Line, pageOf, PageQuery, Paragraph, sortedBy } from '#core/contract/shapes.ts'
import { creationPeriods } from './creation.ts'
import { RoleChoice } from './role-choice.ts'

const PermissionName = z.string().refine(isPermission, 'There is no such permission')
const GrantList = z.array(PermissionName).max(200)

export const RoleDraft = z.object({
  name: Line(80),
  description: Paragraph(500).default(''),
  view: GrantList.default([]),
  menu: GrantList.default([]),
  api: GrantList.default([]),
})

const Role = RoleDraft.extend({ id: Id, builtIn: z.boolean(), version: z.number().int() })
const RoleOfPeople = Role.extend({ people: z.number().int() })

const LookedAt = z.object({
  total: z.number().int(),
  rows: z.array(
    z.object({
      id: Id,
      name: z.string(),
      builtIn: z.boolean(),
      people: z.number().int(),
      /** Neither is known of roles from before both were kept. */
      createdAt: Instant.optional(),
      createdBy: z.string(),
      dangerous: z.array(z.string()),
    }),
  ),
})

const roleFaults = {
  beyond: { status: 403, says: 'You cannot grant what you do not hold yourself: {permissions}' },
  nameTaken: { status: 409, says: 'A role with this name exists', field: 'name', constraint: 'roles_by_name' },
  builtIn: { status: 409, says: 'A built-in role cannot be changed. Copy it to a new one' },
} as const

export const roles = contract({
  area: 'roles',
  title: 'Roles',
  screens: {
    add: { path: '/identity/role/add', needs: 'roleAdd', title: 'New role', parent: 'roleList' },
    view: { path: '/identity/role/view/:id', needs: 'roleView', title: 'Role', parent: 'roleList' },
    edit: { path: '/identity/role/edit/:id', needs: 'roleEdit', title: 'Edit role', parent: 'view' },
    /** `?a=&b=`: two roles. */
    compare: {
      path: '/identity/role/compare',
      needs: 'roleView',
      title: 'Compare roles',
      also: 'difference, side by side',
      parent: 'roleList',
    },
    creation: {
      path: '/identity/role/creation',
      needs: 'roleAdd',
      title: 'Role creation',
      also: 'new roles, unused roles, powerful roles',
      menu: { group: 'people', entry: 'roles', tab: 'Creation', place: 20 },
    },
  },
  records: {
    role: {
      singular: 'Role',
      plural: 'Roles',
      needs: 'roleView',
      place: 30,
      list: { menu: { group: 'people', entry: 'roles', tab: 'All roles', place: 10 }, also: 'permissions, rights, access' },
    },
  },
  calls: {
    search: {
      does: 'Lists the roles of the tenancy with the number of people who have each.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchRoles',
      needs: 'roleView',
      reads: true,
      /** `nobody`: own roles that nobody has. */
      input: PageQuery.extend({ sort: sortedBy('name'), held: z.enum(['nobody']).optional() }),
      output: pageOf(
        z.object({
          ...RoleChoice.shape,
          builtIn: z.boolean(),
          people: z.number().int(),
        }),
      ),
    },
    creation: {
      does: 'Answers which roles were made in the last 7, 30 or 90 days and by whom, which nobody has, and which dangerous ones many people have.',
      method: 'POST',
      path: '/api2/IDM-v1/RoleCreation',
      needs: 'roleAdd',
      reads: true,
      input: z.object({ days: z.literal(creationPeriods).default(30) }),
      /** At most twenty of each, with how many there are. None for who may not see roles. */
      output: z.object({
        recent: LookedAt,
        nobody: LookedAt,
        dangerous: LookedAt,
      }),
    },
    read: {
      does: 'Answers one role with its permissions for screens, menus and calls.',
      method: 'GET',
      path: '/api2/IDM-v1/Role',
      needs: 'roleView',
      input: z.object({ id: Id }),
      output: Role,
    },
    compare: {
      does: 'Answers two roles with how many people have each, and how many have both.',
      method: 'POST',
      path: '/api2/IDM-v1/CompareRoles',
      needs: 'roleView',
      reads: true,
      input: z.object({ id: Id, otherId: Id }),
      output: z.object({ role: RoleOfPeople, other: RoleOfPeople, both: z.number().int() }),
    },
    dependants: {
      does: 'Counts the people who have a role, and by kind what names it elsewhere, each with the address of its list.',
      method: 'GET',
      path: '/api2/IDM-v1/RoleDependants',
      needs: 'roleView',
      input: z.object({ id: Id }),
      output: z.object({
        people: z.number().int(),
        blocks: z.boolean(),
        counts: z.array(z.object({ kind: z.string(), count: z.number().int(), path: z.string() })),
      }),
    },
    /** What the editor offers, and what the viewer may not grant (the blacklist). */
    grantable: {
      does: 'Answers the permissions that there are, which of them open something today, and which the caller may not give to a role.',
      method: 'GET',
      path: '/api2/IDM-v1/RolePermissions',
      needs: 'roleView',
      input: z.object({}),
      output: z.object({
        permissions: z.array(z.object({ name: z.string(), label: z.string(), inUse: z.boolean() })),
        blacklist: z.array(z.string()),
      }),
    },
    add: {
      does: 'Makes a role out of permissions that the caller has; answers its id.',
      title: 'Add a role',
      method: 'POST',
      path: '/api2/IDM-v1/Role',
      needs: 'roleAdd',
      input: RoleDraft,
      output: z.object({ id: Id }),
      done: 'The role was successfully created',
      failed: 'The role was not created',
      faults: roleFaults,
    },
    change: {
      does: 'Replaces the name and the permissions of a role; whoever has it has them from the next request on.',
      title: 'Change a role',
      method: 'PUT',
      path: '/api2/IDM-v1/Role',
      needs: 'roleEdit',
      /** With the version that was shown, a change made by others since then is not undone. */
      input: RoleDraft.extend({ id: Id, version: z.number().int().optional() }),
      output: z.object({}),
      done: 'The role was successfully updated',
      failed: 'The role was not updated',
      faults: roleFaults,
    },
    remove: {
      does: 'Deletes a role that nothing else names, and takes it from the people who have it; answers nothing.',
      title: 'Delete a role',
      method: 'DELETE',
      path: '/api2/IDM-v1/Role',
      needs: 'roleEdit',
      /** So many people were said to lose it. */
      input: z.object({ id: Id, people: z.number().int().min(0) }),
      output: z.object({}),
      done: 'The role was deleted',
      failed: 'The role was not deleted',
      faults: {
        beyond: { status: 403, says: 'You cannot take away what you do not hold yourself: {permissions}' },
        builtIn: { status: 409, says: 'A built-in role cannot be deleted' },
        dependants: { status: 409, says: 'Something still names the role and is changed first: {what}' },
        otherPeople: { status: 409, says: 'By now {count} people have this role. Look again before you delete it' },
        tooMany: { status: 409, says: 'More than {most} people have this role. Give them another one first' },
      },
    },
  },
  events: {
    added: {
      says: 'Added a role',
      body: z.object({ roleId: Id, name: z.string(), view: z.array(z.string()), menu: z.array(z.string()), api: z.array(z.string()) }),
    },
    changed: {
      says: 'Changed a role',
      body: z.object({ roleId: Id, name: z.string(), view: z.array(z.string()), menu: z.array(z.string()), api: z.array(z.string()) }),
    },
    /** With its people, because nothing else says who lost it. */
    deleted: { says: 'Deleted a role', body: z.object({ roleId: Id, name: z.string(), people: z.array(Id) }) },
  },
})
