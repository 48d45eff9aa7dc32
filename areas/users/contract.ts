import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine, pageOf, PageQuery, sortedBy } from '#core/contract/shapes.ts'
import { creationPeriods, Day, linkStates, origins } from './creation.ts'
import { SecurityIdentifier, Username } from './rules.ts'

export const UserDraft = z.object({
  username: Username,
  givenName: Line(80),
  familyName: Line(80),
  emailAddress: z.email('Enter an e-mail address').max(254),
  telephoneNumber: OptionalLine(40),
  title: OptionalLine(80),
  locality: OptionalLine(80),
  organisation: OptionalLine(120),
  /** In a Windows domain, for the certificates of templates that carry it. */
  securityIdentifier: SecurityIdentifier,
  roleIds: z.array(Id).max(50).default([]),
})

export const UserRow = z.object({
  id: Id,
  username: z.string(),
  givenName: z.string(),
  familyName: z.string(),
  emailAddress: z.string(),
  status: z.enum(['active', 'invited', 'disabled']),
  createdAt: Instant,
  lastSuccessfulLogin: Instant.optional(),
})

export const User = UserRow.extend({
  telephoneNumber: z.string(),
  title: z.string(),
  locality: z.string(),
  organisation: z.string(),
  securityIdentifier: z.string(),
  enabled: z.boolean(),
  roles: z.array(z.object({ id: Id, name: z.string() })),
  failedLogins: z.number().int(),
  lastFailedLogin: Instant.optional(),
  modifiedAt: Instant,
  enabledAt: Instant.optional(),
  disabledAt: Instant.optional(),
  mayEdit: z.boolean(),
  /** Whether the viewer may also change what names the person. */
  mayIdentify: z.boolean(),
})

const userFaults = {
  usernameTaken: { status: 409, says: 'This username is taken', field: 'username' },
  emailTaken: { status: 409, says: 'Somebody here has this e-mail address already', field: 'emailAddress', constraint: 'users_by_email' },
  identifierTaken: {
    status: 409,
    says: 'Somebody here has this security identifier already',
    field: 'securityIdentifier',
    constraint: 'users_by_security_identifier',
  },
  identity: { status: 403, says: 'Names, addresses and what else certificates show are changed by somebody else who may edit users' },
  beyond: { status: 403, says: 'You cannot give roles with more than you hold yourself, or edit somebody who holds more: {permissions}' },
  unknownRole: { status: 400, says: 'One of the roles does not exist', field: 'roleIds' },
  passwordNeeded: { status: 403, says: 'Enter your own password again to change this' },
  lastAdministrator: {
    status: 409,
    says: 'Nobody would be left who can sign in and holds the Administrator role. Give it to somebody else who is active first',
  },
  notYourself: { status: 409, says: 'You cannot disable or delete yourself' },
} as const

export const users = contract({
  area: 'users',
  title: 'Users',
  screens: {
    add: { path: '/identity/user/add', needs: 'userAdd', title: 'New user', parent: 'userList' },
    view: { path: '/identity/user/view/:id', needs: 'userView', title: 'User', parent: 'userList' },
    edit: { path: '/identity/user/edit/:id', needs: 'userEdit', title: 'Edit user', parent: 'view' },
    creation: {
      path: '/identity/user/creation',
      needs: 'userAdd',
      title: 'User creation',
      also: 'new accounts, onboarding, activation, invited',
      menu: { group: 'people', entry: 'users', tab: 'Creation', place: 20 },
    },
  },
  records: {
    user: {
      singular: 'User',
      plural: 'Users',
      needs: 'userView',
      place: 20,
      list: {
        menu: { group: 'people', entry: 'users', tab: 'All users', place: 10 },
        also: 'people, person, employee, staff, account',
        jumps: [
          { title: 'Disabled users', query: '?status=disabled' },
          { title: 'Invited users', query: '?status=invited' },
        ],
      },
    },
  },
  calls: {
    search: {
      does: 'Lists the users of the tenancy, filtered by state, role and text, with counts by state.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchUsers',
      needs: 'userView',
      reads: true,
      packed: true,
      input: PageQuery.extend({
        sort: sortedBy('name', 'username', 'emailAddress', 'lastSuccessfulLogin', 'createdAt'),
        status: z.enum(['active', 'invited', 'disabled']).optional(),
        roleId: Id.optional(),
        passType: z.string().trim().max(80).optional(),
        /** The first and the last day, in UTC, on which they were made. */
        createdFrom: Day.optional(),
        createdUntil: Day.optional(),
        origin: z.enum(origins).optional(),
        /** Those who have yet to activate and have no link that is still good. */
        link: z.enum(linkStates).optional(),
        /** Attributes by name, each with what its value begins with. */
        attributes: z.record(z.string().max(60), z.string().trim().min(1).max(200)).default({}),
      }),
      output: pageOf(UserRow).extend({ facets: z.object({ status: z.record(z.string(), z.number().int()) }) }),
      faults: {
        hiddenField: { status: 403, says: 'You may not use {fields} to find or sort users' },
        notSearched: { status: 400, says: 'Users are not found by {field}' },
      },
    },
    creation: {
      does: 'Answers how many users were made in the last 7, 30 or 90 days, how they came, who of them is active by now, and who waits longest to activate.',
      method: 'POST',
      path: '/api2/IDM-v1/UserCreation',
      needs: 'userAdd',
      reads: true,
      input: z.object({ days: z.literal(creationPeriods).default(30) }),
      output: z.object({
        from: Day,
        until: Day,
        created: z.number().int(),
        active: z.number().int(),
        invited: z.number().int(),
        disabled: z.number().int(),
        /** Of the invited: whose link is over, and who never had one. */
        lapsed: z.number().int(),
        withoutLink: z.number().int(),
        columns: z.array(z.object({ from: Day, until: Day, created: z.number().int() })),
        origins: z.array(z.object({ origin: z.enum(origins), created: z.number().int(), active: z.number().int() })),
        /** Whenever they were made; none for who may not see users. */
        waiting: z.array(
          z.object({
            id: Id,
            name: z.string(),
            emailAddress: z.string(),
            origin: z.enum(origins),
            createdAt: Instant,
            link: z.enum(['good', ...linkStates]),
            linkUntil: Instant.optional(),
          }),
        ),
      }),
    },
    read: {
      does: 'Answers one user: oneself, or with `userView` anybody in the tenancy or in the parts where it was given.',
      method: 'GET',
      path: '/api2/IDM-v1/User',
      needs: 'signedIn',
      tokens: 'any',
      input: z.object({ id: Id }),
      output: User,
    },
    add: {
      does: 'Makes a user who signs in after activation; answers the id and the link that activates the account.',
      title: 'Add a user',
      method: 'POST',
      path: '/api2/IDM-v1/User',
      needs: 'userAdd',
      input: UserDraft,
      output: z.object({ id: Id, activationLink: z.string(), expiresAt: Instant }),
      done: 'The user was successfully created',
      failed: 'The user was not created',
      faults: userFaults,
      limit: 'name',
    },
    change: {
      does: 'Changes a user: oneself within limits, or with `userEdit` others. Answers a new activation link where the change needs one.',
      title: 'Change a user',
      method: 'PUT',
      path: '/api2/IDM-v1/User',
      needs: 'signedIn',
      tokens: ['userEdit', 'selfServicePortal'],
      input: UserDraft.extend({ id: Id, ownPassword: z.string().max(1000).optional() }),
      /** A new activation link, where the person had an open one and now has another address or other roles: the old one is void. */
      output: z.object({ activationLink: z.string().optional(), expiresAt: Instant.optional() }),
      done: 'The user was successfully updated',
      failed: 'The user was not updated',
      faults: userFaults,
      ownTransactions: true,
    },
    setEnabled: {
      does: 'Enables or disables a user; the sessions and tokens of whoever is disabled end at once.',
      title: 'Enable or disable a user',
      method: 'PATCH',
      path: '/api2/IDM-v1/UserEnabled',
      needs: 'userEdit',
      input: z.object({ id: Id, enabled: z.boolean() }),
      output: z.object({}),
      failed: 'The user was not changed',
      faults: userFaults,
    },
    activate: {
      does: 'Lets a disabled user sign in again; answers nothing.',
      title: 'Activate a user',
      method: 'PATCH',
      path: '/api2/IDM-v1/UserActivated',
      needs: 'userEdit',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The user was successfully activated',
      failed: 'The user was not activated',
      faults: userFaults,
    },
    removal: {
      does: 'Says what keeps a user from being deleted, and counts what would go with the account; changes nothing.',
      method: 'GET',
      path: '/api2/IDM-v1/UserRemoval',
      needs: 'userEdit',
      input: z.object({ id: Id }),
      output: z.object({ keeps: z.array(z.string()), goes: z.array(z.object({ kind: z.string(), count: z.number().int() })) }),
    },
    remove: {
      does: 'Deletes a user on whom nothing depends any more. What the person did stays in the audit log.',
      title: 'Delete a user',
      method: 'DELETE',
      path: '/api2/IDM-v1/User',
      needs: 'userEdit',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The user was successfully deleted',
      failed: 'The user was not deleted',
      faults: {
        ...userFaults,
        dependants: { status: 409, says: 'Something still depends on the user and is ended first: {what}' },
      },
    },
    /** A new activation link; the old one is void from now on. */
    invite: {
      does: 'Makes a new activation link for a user who has not activated the account; earlier links end.',
      title: 'Create an activation link',
      method: 'POST',
      path: '/api2/IDM-v1/UserActivationLink',
      needs: 'userAdd',
      input: z.object({ id: Id }),
      output: z.object({ activationLink: z.string(), expiresAt: Instant }),
      failed: 'The link was not created',
      faults: { ...userFaults, active: { status: 409, says: 'This account is active already' } },
    },
  },
  endpoints: {
    export: { method: 'GET', path: '/api2/IDM-v1/ExportUsers', needs: 'userView' },
  },
  events: {
    exported: { says: 'Exported users', body: z.object({ rows: z.number().int(), fields: z.array(z.string()) }) },
    added: { says: 'Added a user', body: z.object({ userId: Id, roles: z.array(z.string()) }) },
    changed: {
      says: 'Changed a user',
      body: z.object({ userId: Id, fields: z.array(z.string()), given: z.array(z.string()), taken: z.array(z.string()) }),
    },
    enabled: { says: 'Enabled a user', body: z.object({ userId: Id }) },
    disabled: { says: 'Disabled a user', body: z.object({ userId: Id }) },
    /** The names are here because nobody else has them any more. */
    deleted: { says: 'Deleted a user', body: z.object({ userId: Id, username: z.string(), name: z.string() }) },
    invited: { says: 'Created an activation link', body: z.object({ userId: Id }) },
  },
})
