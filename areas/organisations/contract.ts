import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { importCalls, noOptions } from '#core/contract/import-calls.ts'
import { Id, Instant, Line, OptionalLine, pageOf, PageQuery, Paragraph, sortedBy } from '#core/contract/shapes.ts'
import { organisationTypes } from './rules.ts'

const Type = z.enum(organisationTypes)
const Country = z.union([z.literal(''), z.string().regex(/^[A-Z]{2}$/, 'Enter the two letters of the country')]).default('')

const OrganisationDraft = z.object({
  name: Line(120),
  type: Type.default('organisation'),
  country: Country,
  businessNumber: OptionalLine(40),
  address: Paragraph(500).default(''),
  contact: OptionalLine(254),
  note: Paragraph(500).default(''),
})

/** The number is kept though its check fails: it is shown as wrong until somebody mends it. */
const keepWrongNumber = z.boolean().default(false)

const Named = z.object({ id: Id, name: z.string() })

const OrganisationRow = z.object({
  id: Id,
  name: z.string(),
  type: Type,
  /** The names of those above it, the root's first. */
  above: z.array(z.string()),
  country: z.string(),
  businessNumber: z.string(),
  /** Why the number is not right; empty where it is. */
  numberFault: z.string(),
  people: z.number().int(),
})

const Organisation = OrganisationRow.extend({
  address: z.string(),
  contact: z.string(),
  note: z.string(),
  parents: z.array(Named),
  children: z.number().int(),
  addedAt: Instant,
  modifiedAt: Instant,
  version: z.number().int(),
  mayAdd: z.boolean(),
  mayEdit: z.boolean(),
})

const version = z.number().int().optional()

const nameTaken = {
  status: 409,
  says: 'An organisation with this name stands there already',
  field: 'name',
  constraint: 'organisations_by_name',
} as const
const wrongNumber = { status: 400, says: 'The business number is wrong', field: 'businessNumber' } as const
const placeFaults = {
  unknownParent: { status: 404, says: 'There is no such organisation', field: 'parentId' },
  tooDeep: { status: 409, says: 'The tree has at most 12 levels', field: 'parentId' },
} as const
const moveFaults = {
  ...placeFaults,
  nameTaken,
  cycle: { status: 409, says: 'An organisation cannot stand below itself', field: 'parentId' },
} as const

const HeldRole = z.object({ person: z.string(), role: z.string(), from: z.string() })
const Counts = z.array(z.object({ kind: z.string(), count: z.number().int(), path: z.string() }))

const dependants = { status: 409, says: 'Something still hangs on the organisation: {what}' } as const

const mergeFaults = {
  ...moveFaults,
  nameTaken: { ...nameTaken, says: 'Both have an organisation of the same name below them', field: 'intoId' },
  unknownParent: { ...placeFaults.unknownParent, field: 'intoId' },
  tooDeep: { ...placeFaults.tooDeep, field: 'intoId' },
  cycle: { ...moveFaults.cycle, says: 'An organisation cannot be merged into itself or one below it', field: 'intoId' },
} as const

/** Open to who has the permission in the whole tenancy, and to who has it in a part of the tree, for that part. */
const scoped = <P extends 'orgView' | 'orgAdd' | 'orgEdit' | 'orgTree'>(...names: [P, ...P[]]) =>
  ({ needs: 'signedIn', tokens: names }) as const

export const organisations = contract({
  area: 'organisations',
  title: 'Organisations',
  screens: {
    tree: {
      path: '/identity/organisation/tree',
      needs: 'orgTree',
      title: 'Organisation tree',
      menu: { group: 'people', entry: 'organisations', tab: 'Tree', place: 20 },
      also: 'structure, departments, chart',
    },
    add: { path: '/identity/organisation/add', needs: 'orgAdd', title: 'New organisation', parent: 'organisationList' },
    import: {
      path: '/identity/organisation/import',
      needs: 'orgAdd',
      title: 'Import organisations',
      parent: 'organisationList',
      button: 'Import',
    },
    view: { path: '/identity/organisation/view/:id', needs: 'orgView', title: 'Organisation', parent: 'organisationList' },
    edit: { path: '/identity/organisation/edit/:id', needs: 'orgEdit', title: 'Edit organisation', parent: 'view' },
    permissions: {
      path: '/identity/organisation/permissions/:orgId',
      needs: 'orgView',
      title: 'Organisation permissions',
      parent: 'organisationList',
    },
  },
  records: {
    organisation: {
      singular: 'Organisation',
      plural: 'Organisations',
      needs: 'orgView',
      place: 25,
      list: {
        menu: { group: 'people', entry: 'organisations', tab: 'List', place: 10 },
        also: 'companies, departments, business numbers, ABN',
      },
    },
  },
  calls: {
    ...importCalls('Organisation', 'orgAdd', noOptions),
    search: {
      does: 'Lists the organisations that the caller may see, by text, type and the part of the tree.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchOrganisations',
      ...scoped('orgView'),
      reads: true,
      packed: true,
      input: PageQuery.extend({
        sort: sortedBy('name', 'type'),
        type: Type.optional(),
        /** This organisation and all below it. */
        within: Id.optional(),
        /** Only those whose business number failed the check. */
        wrongNumber: z.boolean().optional(),
      }),
      output: pageOf(OrganisationRow),
    },
    read: {
      does: 'Answers one organisation with those above it, its counts and what the caller may do with it.',
      method: 'GET',
      path: '/api2/IDM-v1/Organisation',
      ...scoped('orgView'),
      input: z.object({ id: Id }),
      output: Organisation,
    },
    tree: {
      does: 'Answers a hundred organisations at the top, or directly below one, with the counts of their children and people.',
      method: 'GET',
      path: '/api2/IDM-v1/OrganisationTree',
      ...scoped('orgTree', 'orgView'),
      input: z.object({ parentId: Id.optional(), after: z.string().max(200).optional() }),
      output: z.object({
        rows: z.array(
          z.object({
            id: Id,
            name: z.string(),
            type: Type,
            children: z.number().int(),
            people: z.number().int(),
            mayEdit: z.boolean(),
          }),
        ),
        /** The name after which the next hundred begin. */
        next: z.string().optional(),
      }),
    },
    parents: {
      does: 'Answers those above an organisation, the root first, and itself last.',
      method: 'GET',
      path: '/api2/IDM-v1/OrganisationParents',
      ...scoped('orgView'),
      input: z.object({ id: Id }),
      output: z.array(Named),
    },
    types: {
      does: 'Answers the types that an organisation can have.',
      method: 'GET',
      path: '/api2/IDM-v1/OrganisationTypes',
      ...scoped('orgView'),
      input: z.object({}),
      output: z.array(Type),
    },
    autocomplete: {
      does: 'Answers at most a hundred organisations whose name has the text in it, each with those above it.',
      method: 'GET',
      path: '/api2/IDM-v1/OrganisationAutocomplete',
      ...scoped('orgView'),
      input: z.object({ text: z.string().max(200).default('') }),
      output: z.array(Named.extend({ path: z.string() })),
    },
    checkNumber: {
      does: 'Says whether a business number is right for its country, and how it is written.',
      method: 'POST',
      path: '/api2/IDM-v1/CheckBusinessNumber',
      ...scoped('orgView', 'orgAdd', 'orgEdit'),
      reads: true,
      input: z.object({ number: z.string().max(40), country: Country }),
      output: z.object({ valid: z.boolean(), normalised: z.string(), error: z.string().optional() }),
    },
    add: {
      does: 'Adds an organisation at the top or below another; answers its id. A wrong business number is refused unless it is to be kept.',
      title: 'Add an organisation',
      method: 'POST',
      path: '/api2/IDM-v1/Organisation',
      ...scoped('orgAdd'),
      input: OrganisationDraft.extend({ parentId: Id.optional(), keepWrongNumber }),
      output: z.object({ id: Id }),
      done: 'The organisation was added',
      failed: 'The organisation was not added',
      faults: { ...placeFaults, nameTaken, wrongNumber, tooMany: { status: 409, says: 'A tenancy has at most 20,000 organisations' } },
    },
    change: {
      does: 'Replaces what is known of an organisation; answers nothing. Its place is changed by a move.',
      title: 'Change an organisation',
      method: 'PUT',
      path: '/api2/IDM-v1/Organisation',
      ...scoped('orgEdit'),
      /** Refuses the change where another one was made since the version that was read. */
      input: OrganisationDraft.extend({ id: Id, version, keepWrongNumber }),
      output: z.object({}),
      done: 'The organisation was changed',
      failed: 'The organisation was not changed',
      faults: { nameTaken, wrongNumber },
    },
    previewMove: {
      does: 'Says what a move would do, and changes nothing: how many go along, and whose permissions begin or end to hold there.',
      method: 'POST',
      path: '/api2/IDM-v1/PreviewMoveOrganisation',
      ...scoped('orgEdit'),
      reads: true,
      input: z.object({ id: Id, parentId: Id.optional() }),
      output: z.object({
        below: z.number().int(),
        people: z.number().int(),
        gains: z.array(HeldRole),
        loses: z.array(HeldRole),
      }),
      faults: moveFaults,
    },
    move: {
      does: 'Moves an organisation with all below it to another place, or to the top; answers nothing.',
      title: 'Move an organisation',
      method: 'POST',
      path: '/api2/IDM-v1/MoveOrganisation',
      ...scoped('orgEdit'),
      input: z.object({ id: Id, parentId: Id.optional(), version }),
      output: z.object({}),
      done: 'The organisation was moved',
      failed: 'The organisation was not moved',
      faults: moveFaults,
    },
    previewMerge: {
      does: 'Says what a merge would do, and changes nothing: who and what goes to the other, which roles end or begin to hold, and what hinders it.',
      method: 'POST',
      path: '/api2/IDM-v1/PreviewMergeOrganisations',
      ...scoped('orgEdit'),
      reads: true,
      input: z.object({ id: Id, intoId: Id }),
      output: z.object({
        /** Organisations that go along, on all levels. */
        below: z.number().int(),
        /** Who belongs to the one that goes, and how many of them belong to the other already. */
        people: z.number().int(),
        already: z.number().int(),
        /** Given in the one that goes, and deleted with it. */
        ends: z.array(HeldRole),
        gains: z.array(HeldRole),
        loses: z.array(HeldRole),
        /** What has to be given to another organisation first. */
        hinders: Counts,
      }),
      faults: mergeFaults,
    },
    merge: {
      does: 'Gives the people and the children of an organisation to another and deletes it with the roles that were given there; answers nothing.',
      title: 'Merge organisations',
      method: 'POST',
      path: '/api2/IDM-v1/MergeOrganisations',
      ...scoped('orgEdit'),
      input: z.object({ id: Id, intoId: Id, version }),
      output: z.object({}),
      done: 'The organisations were merged',
      failed: 'The organisations were not merged',
      faults: { ...mergeFaults, dependants },
    },
    dependants: {
      does: 'Counts what hangs on an organisation by kind, each with the address of its list.',
      method: 'GET',
      path: '/api2/IDM-v1/OrganisationDependants',
      ...scoped('orgView'),
      input: z.object({ id: Id }),
      output: z.object({
        blocks: z.boolean(),
        counts: Counts,
      }),
    },
    remove: {
      does: 'Deletes an organisation on which nothing hangs; answers nothing.',
      title: 'Delete an organisation',
      method: 'DELETE',
      path: '/api2/IDM-v1/Organisation',
      ...scoped('orgEdit'),
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The organisation was deleted',
      failed: 'The organisation was not deleted',
      faults: { dependants },
    },
    people: {
      does: 'Lists the people of an organisation, with those of all below it where asked.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchOrganisationPeople',
      ...scoped('orgView'),
      reads: true,
      input: PageQuery.extend({ id: Id, below: z.boolean().default(false) }),
      output: pageOf(z.object({ id: Id, name: z.string(), username: z.string(), organisations: z.array(Named) })),
    },
    ofPerson: {
      does: 'Answers the organisations that a person belongs to.',
      method: 'GET',
      path: '/api2/IDM-v1/UserOrganisations',
      ...scoped('orgView'),
      input: z.object({ userId: Id }),
      output: z.array(Named.extend({ path: z.string() })),
    },
    setOfPerson: {
      does: 'Replaces the organisations that a person belongs to, among those that the caller may edit; answers nothing.',
      title: 'Change the organisations of a person',
      method: 'PUT',
      path: '/api2/IDM-v1/UserOrganisations',
      ...scoped('orgEdit'),
      input: z.object({ userId: Id, organisationIds: z.array(Id).max(100) }),
      output: z.object({}),
      done: 'The organisations of the person were changed',
      failed: 'The organisations were not changed',
      faults: { unknown: { status: 400, says: 'One of the organisations does not exist', field: 'organisationIds' } },
    },
    permissions: {
      does: 'Answers who has which role in an organisation, with what is inherited from those above it.',
      method: 'GET',
      path: '/api2/IDM-v1/OrganisationPermissions',
      ...scoped('orgView'),
      input: z.object({ id: Id }),
      output: z.object({
        rows: z.array(
          z.object({
            userId: Id,
            person: z.string(),
            roleId: Id,
            role: z.string(),
            until: Instant.optional(),
            /** The organisation above it where the role was given. */
            inherited: Named.optional(),
          }),
        ),
        mayEdit: z.boolean(),
      }),
    },
    setPermission: {
      does: 'Gives a person a role in an organisation and all below it, until a day or for good, or takes it; answers nothing.',
      title: 'Change the permissions of an organisation',
      method: 'PUT',
      path: '/api2/IDM-v1/OrganisationPermissions',
      ...scoped('orgEdit'),
      input: z.object({ id: Id, userId: Id, roleId: Id, given: z.boolean(), until: Instant.optional() }),
      output: z.object({}),
      done: 'The permissions of the organisation were changed',
      failed: 'The permissions were not changed',
      faults: {
        unknownPerson: { status: 400, says: 'There is no such person', field: 'userId' },
        unknownRole: { status: 400, says: 'There is no such role', field: 'roleId' },
        beyond: { status: 403, says: 'You cannot give a role with more than you hold yourself: {permissions}', field: 'roleId' },
        past: { status: 400, says: 'This moment is in the past', field: 'until' },
      },
    },
  },
  jobs: {
    imports: { title: 'Go on with imports of organisations', every: '*/5 * * * *' },
  },
  endpoints: {
    export: { method: 'GET', path: '/api2/IDM-v1/ExportOrganisations', needs: 'orgView' },
  },
  events: {
    added: { says: 'Added an organisation', body: z.object({ organisationId: Id, name: z.string(), parentId: Id.optional() }) },
    changed: { says: 'Changed an organisation', body: z.object({ organisationId: Id, name: z.string(), fields: z.array(z.string()) }) },
    moved: {
      says: 'Moved an organisation',
      body: z.object({ organisationId: Id, name: z.string(), fromId: Id.optional(), toId: Id.optional(), below: z.number().int() }),
    },
    merged: { says: 'Merged organisations', body: z.object({ organisationId: Id, name: z.string(), intoId: Id }) },
    deleted: { says: 'Deleted an organisation', body: z.object({ organisationId: Id, name: z.string() }) },
    joined: { says: 'Changed the organisations of a person', body: z.object({ userId: Id, given: z.array(Id), taken: z.array(Id) }) },
    permitted: {
      says: 'Gave a role in an organisation',
      body: z.object({ organisationId: Id, userId: Id, roleId: Id, until: Instant.optional() }),
    },
    withdrawn: { says: 'Took a role in an organisation', body: z.object({ organisationId: Id, userId: Id, roleId: Id }) },
    exported: { says: 'Exported the organisations', body: z.object({ rows: z.number().int() }) },
  },
})
