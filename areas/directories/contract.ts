import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine, pageOf, PageQuery } from '#core/contract/shapes.ts'
import { directoryKinds, mappable } from './mapping.ts'
import { trialSteps } from './trial-steps.ts'
import { writeActions } from './write-texts.ts'

const MappingShape = z.partialRecord(z.enum(mappable), OptionalLine(64))

const GroupRoles = z.array(z.object({ group: Line(1_000), roleId: Id })).max(100)

const draft = {
  name: Line(80),
  kind: z.enum(directoryKinds),
  host: Line(253),
  port: z.number().int().min(1).max(65_535),
  security: z.enum(['ldaps', 'startTls']),
  /** Certificates that are trusted besides the public ones, PEM. */
  roots: z.string().max(20_000).default(''),
  bindDn: Line(1_000),
  baseDn: Line(1_000),
  filter: Line(1_000),
  mapping: MappingShape,
  groupRoles: GroupRoles.default([]),
  approval: z.enum(['none', 'person', 'second']).default('person'),
  invite: z.boolean().default(false),
  nightly: z.boolean().default(true),
  /** Whether accounts of the directory are made, changed and deleted from here. */
  writable: z.boolean().default(false),
  /** Where new accounts stand, empty for the base; of Entra ID the domain of their names. */
  peopleBase: OptionalLine(1_000),
  /** Of Entra ID: where its application signs in; empty for the public one. */
  loginHost: OptionalLine(253),
}

const Write = z.object({
  id: Id,
  directoryId: Id,
  directory: z.string(),
  kind: z.enum(directoryKinds),
  action: z.enum(writeActions),
  target: z.string(),
  dn: z.string(),
  /** By the names of the directory: what is there, and what will be. */
  changes: z.array(z.object({ name: z.string(), before: z.string(), after: z.string() })),
  state: z.enum(['planned', 'running', 'done', 'failed']),
  says: z.string(),
  planner: z.string(),
  plannedAt: Instant,
})

const ownAccount = { status: 403, says: 'You cannot change your own account in a directory. Somebody else does' } as const
const beyondPerson = { status: 403, says: 'The person holds more than you, so you cannot change the account in a directory' } as const
const notWritable = { status: 409, says: 'This directory is read only: who configures directories can open it for changes' } as const

/** A simple bind with an empty password succeeds as nobody (RFC 4513 5.1.2), so there is always one. */
const Password = z.string().min(1, 'Enter the password of the account that reads').max(1_000)

const RunRow = z.object({
  id: Id,
  directoryId: Id,
  directory: z.string(),
  status: z.enum(['planned', 'held', 'running', 'done', 'failed', 'discarded']),
  reason: z.string(),
  seen: z.number().int(),
  planner: z.string(),
  approver: z.string(),
  plannedAt: Instant,
  endedAt: Instant.optional(),
})

const DirectoryRow = z.object({
  id: Id,
  name: z.string(),
  kind: z.enum(directoryKinds),
  host: z.string(),
  nightly: z.boolean(),
  people: z.number().int(),
  lastRun: RunRow.optional(),
})

const nameTaken = {
  status: 409,
  says: 'A directory has this name already',
  field: 'name',
  constraint: 'directories_by_name',
} as const
const unreachable = { status: 502, says: 'The directory did not answer as it should: {reason}' } as const
const beyond = { status: 403, says: 'The role {role} holds more than you, so you cannot have a directory give it' } as const
const unknownRole = { status: 400, says: 'One of the roles does not exist', field: 'groupRoles' } as const
const refused = { status: 400, says: 'The address cannot be reached from here: {reason}', field: 'host' } as const
const filterFault = { status: 400, says: 'This is no filter of a directory', field: 'filter' } as const
const refusedLogin = { status: 400, says: 'The address cannot be reached from here: {reason}', field: 'loginHost' } as const
const domainNeeded = { status: 400, says: 'Enter the domain in which new accounts are named', field: 'peopleBase' } as const
const passwordNeeded = { status: 400, says: 'Enter the password again: the server or the account is another', field: 'password' } as const
export const configFaults = { nameTaken, beyond, unknownRole, refused, filterFault, refusedLogin, domainNeeded } as const

const FirstPeople = z.array(z.object({ dn: z.string(), name: z.string(), emailAddress: z.string() }))

const changeKinds = ['new', 'changed', 'enabled', 'disabled', 'missing', 'conflict'] as const

export const directories = contract({
  area: 'directories',
  title: 'Directories',
  screens: {
    sync: {
      path: '/workflowLdapSync',
      needs: 'workflow',
      title: 'Directory sync',
      menu: { group: 'people', entry: 'directories' },
      also: 'LDAP, Active Directory, Entra ID, Azure AD, synchronise, AD',
    },
    plan: { path: '/workflowLdapSync/plan/:id', needs: 'workflow', title: 'Plan of a sync', parent: 'sync' },
    add: { path: '/config/directories/add', needs: 'ssoConfig', title: 'New directory', parent: 'sync', button: 'New directory' },
    edit: { path: '/config/directories/edit/:id', needs: 'ssoConfig', title: 'Edit directory', parent: 'sync' },
  },
  calls: {
    list: {
      does: 'Lists the directories of the tenancy, each with its last sync.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchDirectories',
      needs: 'workflow',
      reads: true,
      input: PageQuery,
      output: pageOf(DirectoryRow),
    },
    read: {
      does: 'Answers how a directory is reached and what of it is taken over; the password is never read back.',
      method: 'GET',
      path: '/api2/IDM-v1/Directory',
      needs: 'ssoConfig',
      input: z.object({ id: Id }),
      output: z.object({
        id: Id,
        version: z.number().int(),
        ...draft,
        groupRoles: z.array(z.object({ group: z.string(), roleId: Id, role: z.string() })),
      }),
    },
    add: {
      does: 'Connects a directory; answers its id. Nothing is read from it yet.',
      title: 'Add a directory',
      method: 'POST',
      path: '/api2/IDM-v1/Directory',
      needs: 'ssoConfig',
      input: z.object({ ...draft, password: Password }),
      output: z.object({ id: Id }),
      done: 'Directory added',
      failed: 'The directory was not added',
      faults: configFaults,
      ownTransactions: true,
    },
    change: {
      does: 'Changes a directory; without a password the one that is kept stays, unless the server is another. Answers nothing.',
      title: 'Change a directory',
      method: 'PUT',
      path: '/api2/IDM-v1/Directory',
      needs: 'ssoConfig',
      input: z.object({ id: Id, version: z.number().int().optional(), ...draft, password: Password.optional() }),
      output: z.object({}),
      done: 'Directory saved',
      failed: 'The directory was not saved',
      faults: { ...configFaults, passwordNeeded },
      ownTransactions: true,
    },
    remove: {
      does: 'Forgets a directory; the people that came from it stay as they are. Answers nothing.',
      title: 'Remove a directory',
      method: 'DELETE',
      path: '/api2/IDM-v1/Directory',
      needs: 'ssoConfig',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'Directory removed',
      failed: 'The directory was not removed',
    },
    test: {
      does: 'Signs in to a saved directory and reads its first people, without changing anything.',
      title: 'Test a directory',
      method: 'POST',
      path: '/api2/IDM-v1/TestDirectory',
      needs: 'ssoConfig',
      watched: true,
      input: z.object({ id: Id }),
      output: z.object({ people: FirstPeople }),
      failed: 'The test failed',
      faults: { unreachable },
      ownTransactions: true,
    },
    tryOut: {
      does: 'Tries settings of a directory before they are saved: says how far it came, step by step, and reads the first people. Without a password the kept one is used.',
      title: 'Try a directory',
      method: 'POST',
      path: '/api2/IDM-v1/TryDirectory',
      needs: 'ssoConfig',
      watched: true,
      input: z.object({ id: Id.optional(), ...draft, password: Password.optional() }),
      output: z.object({
        /** As far as it came, in order: the last one is the one that failed, where one did. */
        steps: z.array(z.object({ step: z.enum(trialSteps), fault: z.string() })),
        people: FirstPeople,
      }),
      failed: 'The test failed',
      faults: { refused, refusedLogin, domainNeeded, filterFault, passwordNeeded },
      ownTransactions: true,
    },
    plan: {
      does: 'Reads a directory in full and plans what a sync would change; answers the plan. Changes nothing here.',
      title: 'Plan a sync',
      method: 'POST',
      path: '/api2/IDM-v1/PlanDirectorySync',
      needs: 'workflow',
      input: z.object({ directoryId: Id }),
      output: z.object({ planId: Id }),
      failed: 'The sync was not planned',
      faults: { unreachable: { status: 502, says: 'Failed to sync LDAP users: {reason}' } },
      ownTransactions: true,
    },
    readPlan: {
      does: 'Answers a plan or a run: what it holds by kind, and a page of its changes.',
      method: 'POST',
      path: '/api2/IDM-v1/DirectorySyncPlan',
      needs: 'workflow',
      reads: true,
      input: PageQuery.extend({ planId: Id, kind: z.enum(changeKinds).optional() }),
      output: pageOf(
        z.object({
          id: z.string(),
          kind: z.enum(changeKinds),
          name: z.string(),
          userId: Id.optional(),
          fields: z.array(z.object({ name: z.string(), here: z.string(), there: z.string() })),
          /** The names of the roles that groups give, and of those that the directory takes away again. */
          given: z.array(z.string()),
          taken: z.array(z.string()),
          /** With which name a new person will sign in. */
          signInName: z.string().optional(),
          state: z.enum(['planned', 'done', 'failed']),
          says: z.string(),
        }),
      ).extend({
        run: RunRow,
        mayApprove: z.boolean(),
        facets: z.object({ kind: z.record(z.string(), z.number().int()) }),
        done: z.number().int(),
        failed: z.number().int(),
      }),
    },
    approve: {
      does: 'Approves a plan, which then runs exactly as it was shown; what has changed since is left out and told. Answers nothing.',
      title: 'Approve a sync',
      method: 'POST',
      path: '/api2/IDM-v1/ApproveDirectorySync',
      needs: 'workflow',
      input: z.object({ planId: Id }),
      output: z.object({}),
      failed: 'The sync was not approved',
      faults: {
        decided: { status: 409, says: 'This plan does not wait for a decision any more' },
        anotherPerson: { status: 403, says: 'Somebody else than who planned it approves it' },
        newer: { status: 409, says: 'There is a newer plan of this directory' },
      },
    },
    discard: {
      does: 'Discards a plan that has not run; answers nothing.',
      title: 'Discard a plan',
      method: 'POST',
      path: '/api2/IDM-v1/DiscardDirectorySync',
      needs: 'workflow',
      input: z.object({ planId: Id }),
      output: z.object({}),
      failed: 'The plan was not discarded',
      faults: { decided: { status: 409, says: 'This plan does not wait for a decision any more' } },
    },
    writes: {
      does: 'Answers in which directories a person has an account, which may be written to, and what was changed there lately.',
      method: 'GET',
      path: '/api2/IDM-v1/DirectoryUser',
      needs: 'ssoConfig',
      input: z.object({ userId: Id }),
      output: z.object({
        directories: z.array(z.object({ id: Id, name: z.string(), kind: z.enum(directoryKinds), linked: z.boolean() })),
        writes: z.array(Write),
      }),
    },
    planWrite: {
      does: 'Draws up one change of the account of a person in a directory, and answers it in full. Changes nothing there.',
      title: 'Plan a change in a directory',
      method: 'POST',
      path: '/api2/IDM-v1/PlanDirectoryUser',
      needs: 'ssoConfig',
      input: z.object({ userId: Id, directoryId: Id, action: z.enum(writeActions), target: OptionalLine(1_000) }),
      output: Write,
      failed: 'The change was not planned',
      faults: {
        unreachable,
        beyondPerson,
        ownAccount,
        notWritable,
        targetNeeded: { status: 400, says: 'Enter a distinguished name', field: 'target' },
        gone: { status: 409, says: 'The directory does not have the account any more' },
        linked: { status: 409, says: 'The person has an account in this directory already' },
        notLinked: { status: 409, says: 'The person has no account in this directory' },
        nothing: { status: 409, says: 'The directory says the same already' },
        outside: { status: 400, says: 'This is not below the base of the directory', field: 'target' },
        exists: { status: 409, says: 'The directory has an account of this name already. It is not taken over' },
        noGroup: { status: 400, says: 'There is no such group in the directory', field: 'target' },
        already: { status: 409, says: 'It is so already' },
        notThere: { status: 409, says: 'Entra ID has no places to move to, and its groups are changed there' },
      },
      ownTransactions: true,
    },
    runWrite: {
      does: 'Makes a change in a directory exactly as it was planned; answers whether it was done, and else why not.',
      title: 'Change a directory',
      method: 'POST',
      path: '/api2/IDM-v1/DirectoryUser',
      needs: 'ssoConfig',
      input: z.object({ id: Id }),
      output: Write,
      failed: 'The directory was not changed',
      faults: {
        beyondPerson,
        ownAccount,
        notWritable,
        decided: { status: 409, says: 'This change does not wait any more' },
        anotherPerson: { status: 403, says: 'Whoever planned it runs it' },
      },
      ownTransactions: true,
    },
    listUsers: {
      does: 'Lists people as a directory has them now, at most 200: of the named directory, or of the first.',
      method: 'POST',
      path: '/ad/list/users',
      needs: 'workflow',
      reads: true,
      input: z.object({ directoryId: Id.optional(), text: z.string().max(100).default('') }),
      output: z.object({
        users: z.array(
          z.object({
            distinguishedName: z.string(),
            displayName: z.string(),
            uid: z.string(),
            mobile: z.string(),
            pager: z.string(),
            csn: z.string(),
            tempCsn: z.string(),
            tempCsnExpiry: z.string(),
          }),
        ),
      }),
      faults: { unreachable },
      ownTransactions: true,
    },
  },
  jobs: {
    nightly: { title: 'Sync directories', every: '30 2 * * *' },
    run: { title: 'Go on with syncs of directories', every: '*/5 * * * *' },
  },
  events: {
    added: { says: 'Added a directory', body: z.object({ directoryId: Id, name: z.string() }) },
    changed: { says: 'Changed a directory', body: z.object({ directoryId: Id, name: z.string() }) },
    removed: { says: 'Removed a directory', body: z.object({ directoryId: Id, name: z.string() }) },
    planned: { says: 'Planned a directory sync', body: z.object({ directoryId: Id, planId: Id, held: z.string() }) },
    approved: { says: 'Approved a directory sync', body: z.object({ directoryId: Id, planId: Id }) },
    discarded: { says: 'Discarded a directory sync', body: z.object({ directoryId: Id, planId: Id }) },
    ran: {
      says: 'Ran a directory sync',
      body: z.object({ directoryId: Id, planId: Id, done: z.number().int(), failed: z.number().int() }),
    },
    writing: {
      says: 'Began a change in a directory',
      body: z.object({ userId: Id, directoryId: Id, action: z.string(), dn: z.string(), attributes: z.array(z.string()) }),
    },
    wrote: {
      says: 'Changed an account in a directory',
      body: z.object({ userId: Id, directoryId: Id, action: z.string(), dn: z.string() }),
    },
    notWritten: {
      says: 'A change in a directory was refused',
      body: z.object({ userId: Id, directoryId: Id, action: z.string(), reason: z.string() }),
    },
    failed: { says: 'A directory sync failed', body: z.object({ directoryId: Id, reason: z.string() }) },
    linked: { says: 'Made a user from a directory', body: z.object({ userId: Id, directoryId: Id }) },
    updated: { says: 'Changed a user from a directory', body: z.object({ userId: Id, directoryId: Id, fields: z.array(z.string()) }) },
  },
})
