import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery, Paragraph, sortedBy } from '#core/contract/shapes.ts'
import { mostOverlapHours, overlapHours } from './rules.ts'

const State = z.enum(['active', 'restricted', 'inactive'])
const Owner = z.object({ kind: z.enum(['person', 'role']), id: Id })

const Draft = z.object({
  name: Line(60),
  note: Paragraph(500).default(''),
  /** Who answers for it and is told before it ends. */
  owner: Owner,
  scopes: z.array(z.string().max(60)).min(1, 'Choose at least one scope').max(100),
  /** It works from these networks only; from everywhere where there is none. */
  networks: z.array(Line(60)).max(50, 'Use at most 50 networks').default([]),
  endsAt: Instant.optional(),
})

const Row = z.object({
  id: Id,
  name: z.string(),
  state: State,
  owner: Owner.extend({ name: z.string() }),
  scopes: z.array(z.string()),
  networks: z.array(z.string()),
  endsAt: Instant.optional(),
  lastUsedAt: Instant.optional(),
  addedAt: Instant,
})

const secretAnswer = z.object({ id: Id, secret: z.string(), othersEndAt: Instant.optional() })

const faults = {
  beyond: { status: 403, says: 'An application cannot do more than you can', field: 'scopes' },
  unknownOwner: { status: 400, says: 'There is no such person or role', field: 'owner' },
  nameTaken: { status: 409, says: 'An application with this name exists', field: 'name', constraint: 'applications_by_name' },
  endsInThePast: { status: 400, says: 'Choose an end in the future', field: 'endsAt' },
} as const
const body = z.object({ applicationId: Id, name: z.string() })

export const applications = contract({
  area: 'applications',
  title: 'Applications',
  screens: {
    list: {
      path: '/applications',
      needs: 'applications',
      title: 'Applications',
      also: 'API keys, programs, service accounts, machine accounts',
      menu: {
        group: 'people',
        entry: 'applications',
        tab: 'All',
        place: 10,
        more: [
          { tab: 'Active', query: '?state=active' },
          { tab: 'Inactive', query: '?state=inactive' },
          { tab: 'Restricted', query: '?state=restricted' },
        ],
      },
    },
    add: { path: '/applications/add', needs: 'applications', title: 'New application', parent: 'list' },
    view: { path: '/applications/view/:id', needs: 'applications', title: 'Application', parent: 'list' },
    edit: { path: '/applications/edit/:id', needs: 'applications', title: 'Edit application', parent: 'view' },
  },
  calls: {
    search: {
      does: 'Lists the applications of the tenancy: active, inactive or restricted, with owner, scopes and last use.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchApplications',
      needs: 'applications',
      reads: true,
      input: PageQuery.extend({ sort: sortedBy('name', 'addedAt'), state: State.optional() }),
      output: pageOf(Row),
    },
    read: {
      does: 'Answers one application with its secrets by id, never with what they are.',
      method: 'GET',
      path: '/api2/IDM-v1/Application',
      needs: 'applications',
      input: z.object({ id: Id }),
      output: Row.extend({
        note: z.string(),
        enabled: z.boolean(),
        version: z.number().int(),
        secrets: z.array(
          z.object({
            id: Id,
            madeAt: Instant,
            endsAt: Instant.optional(),
            lastUsedAt: Instant.optional(),
            lastUsedFrom: z.string().optional(),
          }),
        ),
      }),
    },
    add: {
      does: 'Makes an application with scopes that the caller holds; answers its id and its first secret, once.',
      title: 'Add an application',
      method: 'POST',
      path: '/api2/IDM-v1/Application',
      needs: 'applications',
      tokens: 'never',
      ownTransactions: true,
      unstored: true,
      input: Draft,
      output: secretAnswer,
      failed: 'The application was not added',
      faults,
    },
    change: {
      does: 'Replaces what an application may do, from where and until when, its owner and whether it is on; answers nothing.',
      title: 'Change an application',
      method: 'PUT',
      path: '/api2/IDM-v1/Application',
      needs: 'applications',
      tokens: 'never',
      /** Refuses the change where another one was made since the version that was read. */
      input: Draft.extend({ id: Id, enabled: z.boolean(), version: z.number().int().optional() }),
      output: z.object({}),
      done: 'The application was changed',
      failed: 'The application was not changed',
      faults,
    },
    rotate: {
      does: 'Makes another secret for an application; the others end after some hours, at once with 0. Answers the new one, once.',
      title: 'Rotate the secret of an application',
      method: 'POST',
      path: '/api2/IDM-v1/RotateApplicationSecret',
      needs: 'applications',
      tokens: 'never',
      ownTransactions: true,
      unstored: true,
      input: z.object({ id: Id, overlapHours: z.number().int().min(0).max(mostOverlapHours).default(overlapHours) }),
      output: secretAnswer,
      failed: 'The secret was not rotated',
      faults: { beyond: faults.beyond },
    },
    removeSecret: {
      does: 'Ends one secret of an application at once; answers nothing.',
      title: 'Revoke a secret of an application',
      method: 'DELETE',
      path: '/api2/IDM-v1/ApplicationSecret',
      needs: 'applications',
      tokens: 'never',
      input: z.object({ id: Id, secretId: Id }),
      output: z.object({}),
      done: 'The secret was revoked',
      failed: 'The secret was not revoked',
    },
    remove: {
      does: 'Deletes an application with its secrets; answers nothing. What it did stays in the log under its name.',
      title: 'Delete an application',
      method: 'DELETE',
      path: '/api2/IDM-v1/Application',
      needs: 'applications',
      tokens: 'never',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The application was deleted',
      failed: 'The application was not deleted',
    },
  },
  jobs: {
    ends: { title: 'Tell owners of applications that end', every: '13 * * * *' },
  },
  events: {
    added: { says: 'Added an application', body: body.extend({ scopes: z.array(z.string()) }) },
    changed: { says: 'Changed an application', body: body.extend({ scopes: z.array(z.string()), enabled: z.boolean() }) },
    rotated: { says: 'Rotated the secret of an application', body: body.extend({ secretId: Id, overlapHours: z.number().int() }) },
    secretRevoked: { says: 'Revoked a secret of an application', body: body.extend({ secretId: Id }) },
    ended: { says: 'Ended an application', body },
    removed: { says: 'Deleted an application', body },
  },
})
