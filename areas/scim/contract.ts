import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, OptionalLine, pageOf, PageQuery } from '#core/contract/shapes.ts'
import { scimPath } from './rules.ts'

const reading = { needs: 'userView' } as const
/** A client of devices alone looks there, too, before it writes. */
const describing = { needs: 'signedIn', tokens: ['userView', 'deviceView', 'deviceAdd', 'deviceEdit'] } as const
const changing = { needs: 'userEdit' } as const

const Source = z.object({
  /** Of the application. */
  id: Id,
  name: z.string(),
  invite: z.boolean(),
  answers: z.string(),
  connectedAt: Instant,
  people: z.number().int(),
  groups: z.number().int(),
  lastChange: Instant.optional(),
})

const Group = z.object({
  id: Id,
  name: z.string(),
  members: z.number().int(),
  roles: z.array(z.object({ id: Id, name: z.string() })),
})

const Entry = z.object({
  id: Id,
  at: Instant,
  method: z.string(),
  path: z.string(),
  status: z.number().int(),
  effect: z.string(),
  body: z.string(),
  userId: Id.optional(),
})

const beyond = { status: 403, says: 'The role {role} holds more than you, so you cannot have a group give it' } as const
const groupId = { groupId: Id, roleIds: z.array(Id).max(20) }
const ofSource = { sourceId: Id }
const ofPerson = { userId: Id, sourceId: Id }
const ofGroup = { groupId: Id, sourceId: Id, name: z.string() }

export const scim = contract({
  area: 'scim',
  title: 'SCIM',
  screens: {
    list: {
      path: '/config/scim',
      needs: 'ssoConfig',
      title: 'Provisioning by SCIM',
      also: 'SCIM, Entra, Okta, provisioning, identity provider',
      menu: { group: 'settings', entry: 'signIn', tab: 'SCIM', place: 80 },
    },
    view: { path: '/config/scim/:id', needs: 'ssoConfig', title: 'Identity provider', parent: 'list' },
  },
  calls: {
    search: {
      does: 'Lists the applications that are connected for SCIM, with how many people and groups each keeps in step.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchScimSources',
      needs: 'ssoConfig',
      reads: true,
      input: PageQuery,
      output: pageOf(Source),
    },
    read: {
      does: 'Answers one connected application with the address that its identity provider is given, and its groups.',
      method: 'GET',
      path: '/api2/IDM-v1/ScimSource',
      needs: 'ssoConfig',
      input: z.object({ id: Id }),
      output: Source.extend({ version: z.number().int(), address: z.string(), groupList: z.array(Group) }),
    },
    connect: {
      does: 'Lets an application keep people and groups in step by SCIM, within what the caller may do; answers nothing.',
      title: 'Connect an application for SCIM',
      method: 'POST',
      path: '/api2/IDM-v1/ScimSource',
      needs: 'ssoConfig',
      tokens: 'never',
      input: z.object({ id: Id, invite: z.boolean().default(false) }),
      output: z.object({}),
      done: 'The application was connected',
      failed: 'The application was not connected',
      faults: { unknownApplication: { status: 400, says: 'There is no such application', field: 'id' } },
    },
    disconnect: {
      does: 'Ends the connection of an application; the people that it made stay as they are. Answers nothing.',
      title: 'Disconnect an application from SCIM',
      method: 'DELETE',
      path: '/api2/IDM-v1/ScimSource',
      needs: 'ssoConfig',
      tokens: 'never',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The application was disconnected',
      failed: 'The application was not disconnected',
    },
    setRoles: {
      does: 'Says which roles the members of a group have by it; answers how many people that touches.',
      title: 'Set the roles of a SCIM group',
      method: 'PUT',
      path: '/api2/IDM-v1/ScimGroupRoles',
      needs: 'ssoConfig',
      tokens: 'never',
      input: z.object(groupId),
      output: z.object({ people: z.number().int() }),
      done: 'The roles of the group were saved',
      failed: 'The roles of the group were not saved',
      faults: { beyond, unknownRole: { status: 400, says: 'One of the roles does not exist', field: 'roleIds' } },
    },
    previewRoles: {
      does: 'Answers who would gain and who would lose a role if a group gave other roles, without changing anything.',
      method: 'POST',
      path: '/api2/IDM-v1/PreviewScimGroupRoles',
      needs: 'ssoConfig',
      reads: true,
      input: z.object(groupId),
      output: z.object({ gain: z.number().int(), lose: z.number().int(), names: z.array(z.string()) }),
    },
    link: {
      does: 'Hands an account that is here to an identity provider, which keeps it in step from then on; answers nothing.',
      title: 'Link a user to an identity provider',
      method: 'POST',
      path: '/api2/IDM-v1/LinkScimUser',
      needs: 'ssoConfig',
      tokens: 'never',
      input: z.object({
        sourceId: Id,
        userId: Id,
        userName: z.string().trim().min(1, 'Enter a value').max(256),
        externalId: OptionalLine(256),
      }),
      output: z.object({}),
      done: 'The user was linked',
      failed: 'The user was not linked',
      faults: {
        beyondPerson: { status: 403, says: 'This person holds more than you' },
        taken: {
          status: 409,
          says: 'The identity provider has somebody of this name already',
          field: 'userName',
          constraint: 'scim_users_by_name',
        },
        idTaken: {
          status: 409,
          says: 'The identity provider has somebody with this id already',
          field: 'externalId',
          constraint: 'scim_users_by_external_id',
        },
        linked: { status: 409, says: 'This person is linked to the identity provider already', constraint: 'scim_users_pkey' },
      },
    },
    journal: {
      does: 'Lists what an identity provider sent in the last 14 days and what it did here, the newest first.',
      method: 'POST',
      path: '/api2/IDM-v1/ScimJournal',
      needs: 'ssoConfig',
      reads: true,
      input: PageQuery.extend({ sourceId: Id, outcome: z.enum(['done', 'refused']).optional() }),
      output: pageOf(Entry),
    },
    replay: {
      does: 'Does what an identity provider sent on a day once more and undoes all of it; answers what would come out otherwise now.',
      title: 'Replay a day of SCIM requests',
      method: 'POST',
      path: '/api2/IDM-v1/ReplayScimRequests',
      needs: 'ssoConfig',
      watched: true,
      tokens: 'never',
      ownTransactions: true,
      input: z.object({ sourceId: Id, day: z.iso.date() }),
      output: z.object({
        requests: z.number().int(),
        different: z.array(z.object({ id: Id, method: z.string(), path: z.string(), before: z.string(), now: z.string() })),
      }),
      failed: 'The requests were not replayed',
    },
  },
  endpoints: {
    config: { method: 'GET', path: `${scimPath}/ServiceProviderConfig`, ...describing },
    resourceTypes: { method: 'GET', path: `${scimPath}/ResourceTypes/:id?`, ...describing },
    schemas: { method: 'GET', path: `${scimPath}/Schemas/:id?`, ...describing },
    listUsers: { method: 'GET', path: `${scimPath}/Users`, ...reading },
    searchUsers: { title: 'Search users by SCIM', method: 'POST', path: `${scimPath}/Users/.search`, ...reading },
    readUser: { method: 'GET', path: `${scimPath}/Users/:id`, ...reading },
    addUser: { title: 'Add a user by SCIM', method: 'POST', path: `${scimPath}/Users`, needs: 'userAdd' },
    replaceUser: { title: 'Replace a user by SCIM', method: 'PUT', path: `${scimPath}/Users/:id`, ...changing },
    patchUser: { title: 'Change a user by SCIM', method: 'PATCH', path: `${scimPath}/Users/:id`, ...changing },
    removeUser: { title: 'Remove a user by SCIM', method: 'DELETE', path: `${scimPath}/Users/:id`, ...changing },
    listGroups: { method: 'GET', path: `${scimPath}/Groups`, ...reading },
    searchGroups: { title: 'Search groups by SCIM', method: 'POST', path: `${scimPath}/Groups/.search`, ...reading },
    readGroup: { method: 'GET', path: `${scimPath}/Groups/:id`, ...reading },
    addGroup: { title: 'Add a group by SCIM', method: 'POST', path: `${scimPath}/Groups`, ...changing },
    replaceGroup: { title: 'Replace a group by SCIM', method: 'PUT', path: `${scimPath}/Groups/:id`, ...changing },
    patchGroup: { title: 'Change a group by SCIM', method: 'PATCH', path: `${scimPath}/Groups/:id`, ...changing },
    removeGroup: { title: 'Remove a group by SCIM', method: 'DELETE', path: `${scimPath}/Groups/:id`, ...changing },
    searchAll: { title: 'Search by SCIM', method: 'POST', path: `${scimPath}/.search`, ...reading },
    /** So that a wrong address is refused as SCIM refuses, and no page of the console stands there. */
    nowhere: { method: 'GET', path: `${scimPath}/*`, ...reading },
  },
  jobs: {
    settle: { title: 'Give roles by SCIM groups', every: '*/5 * * * *' },
  },
  events: {
    connected: { says: 'Connected an application for SCIM', body: z.object({ ...ofSource, name: z.string() }) },
    disconnected: { says: 'Disconnected an application from SCIM', body: z.object({ ...ofSource, name: z.string() }) },
    linked: { says: 'Made a user by SCIM', body: z.object(ofPerson) },
    adopted: { says: 'Linked a user to an identity provider', body: z.object(ofPerson) },
    updated: { says: 'Changed a user by SCIM', body: z.object({ ...ofPerson, fields: z.array(z.string()) }) },
    removed: { says: 'Disabled a user whom an identity provider deleted', body: z.object(ofPerson) },
    groupAdded: { says: 'Added a SCIM group', body: z.object(ofGroup) },
    groupChanged: {
      says: 'Changed a SCIM group',
      body: z.object({ ...ofGroup, added: z.number().int(), removed: z.number().int() }),
    },
    groupRemoved: { says: 'Removed a SCIM group', body: z.object(ofGroup) },
    groupRoles: { says: 'Set the roles of a SCIM group', body: z.object({ ...ofGroup, roleIds: z.array(Id) }) },
    held: { says: 'Held back an identity provider', body: z.object({ ...ofSource, reason: z.string() }) },
  },
})
