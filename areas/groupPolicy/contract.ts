import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, pageOf, PageQuery, sortedBy } from '#core/contract/shapes.ts'
import { enrolments, findings, policyStates, sides, stores, verdicts } from './rules.ts'

const Reading = z.object({
  id: Id,
  readAt: Instant,
  readBy: z.string(),
  computerVersion: z.number().int(),
  userVersion: z.number().int(),
})

export const groupPolicy = contract({
  area: 'groupPolicy',
  title: 'Group policy',
  screens: {
    view: { path: '/grouppolicy/gpo/view/:id', needs: 'searchGroupPolicy', title: 'Group policy', parent: 'gpoList' },
    read: {
      path: '/grouppolicy/gpo/read',
      needs: 'ssoConfig',
      title: 'Read a backup',
      parent: 'gpoList',
      button: 'Read a backup',
      also: 'upload group policy, GPO, SYSVOL',
    },
    domain: {
      path: '/grouppolicy/gpo/domain',
      needs: 'ssoConfig',
      title: 'Read from a domain',
      parent: 'gpoList',
      button: 'Read from a domain',
      also: 'Active Directory, LDAP, SYSVOL, refresh group policy',
    },
  },
  records: {
    gpo: {
      singular: 'Group policy',
      plural: 'Group policies',
      needs: 'searchGroupPolicy',
      list: { menu: { group: 'people', entry: 'groupPolicy' } },
    },
  },
  calls: {
    search: {
      does: 'Lists the group policies of which a backup was read, with the newest reading of each.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchGroupPolicyObjects',
      needs: 'searchGroupPolicy',
      reads: true,
      input: PageQuery.extend({ sort: sortedBy('name', 'readAt') }),
      output: pageOf(z.object({ id: Id, guid: z.string(), name: z.string(), readAt: Instant, readings: z.number().int() })),
      failed: 'The group policies could not be read',
    },
    view: {
      does: 'Answers a group policy as it was at a reading, the newest unless told, with verdicts on its certificates and what changed.',
      method: 'GET',
      path: '/api2/IDM-v1/GroupPolicyObject',
      needs: 'searchGroupPolicy',
      input: z.object({ id: Id, reading: Id.optional() }),
      output: z.object({
        id: Id,
        guid: z.string(),
        name: z.string(),
        reading: Reading,
        readings: z.array(Reading),
        areas: z.array(
          z.object({
            name: z.string(),
            settings: z.array(z.object({ path: z.string(), name: z.string(), value: z.string(), says: z.string().optional() })),
          }),
        ),
        certificates: z.array(
          z.object({
            side: z.enum(sides),
            store: z.enum(stores),
            thumbprint: z.string(),
            subject: z.string(),
            until: Instant.optional(),
            verdict: z.enum(verdicts),
            authorityId: Id.optional(),
          }),
        ),
        /** Of ours, valid ones that it does not distribute. */
        missingRoots: z.array(z.object({ authorityId: Id, name: z.string() })),
        autoEnrolment: z.array(z.object({ side: z.enum(sides), verdict: z.enum(enrolments) })),
        findings: z.array(z.object({ kind: z.enum(findings), file: z.string() })),
        scripts: z.array(z.object({ name: z.string(), sha256: z.string() })),
        /** Of a reading from the domain itself; a backup does not say it. */
        domain: z
          .object({
            name: z.string(),
            state: z.enum(policyStates),
            directory: z.object({ computerVersion: z.number().int(), userVersion: z.number().int() }),
            links: z.array(z.object({ path: z.string(), order: z.number().int(), enabled: z.boolean(), enforced: z.boolean() })),
          })
          .optional(),
        /** Against the reading before. */
        changes: z.array(z.object({ path: z.string(), name: z.string(), before: z.string().optional(), after: z.string().optional() })),
      }),
      failed: 'The group policy could not be read',
    },
    domains: {
      does: 'Lists the connected directories of Windows whose group policies can be read.',
      method: 'GET',
      path: '/api2/IDM-v1/GroupPolicyDomains',
      needs: 'searchGroupPolicy',
      input: z.object({}),
      output: z.object({ domains: z.array(z.object({ id: Id, name: z.string() })) }),
      failed: 'The domains could not be read',
    },
    refresh: {
      does: 'Reads every group policy of a connected domain from its directory and its SYSVOL; answers how many, and which could not be read.',
      title: 'Read the group policies of a domain',
      method: 'POST',
      path: '/api2/IDM-v1/RefreshGroupPolicy',
      // The account of the directory signs in for whoever presses: who sets directories up.
      needs: 'ssoConfig',
      tokens: 'never',
      ownTransactions: true,
      input: z.object({ directoryId: Id }),
      output: z.object({
        read: z.number().int(),
        /** As they were at the last reading: nothing is kept twice. */
        unchanged: z.number().int(),
        skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
      }),
      failed: 'The group policies were not read',
      faults: {
        running: { status: 409, says: 'The group policies of this domain are being read already' },
        unreachable: { status: 502, says: 'The domain did not answer as it should: {reason}' },
      },
    },
    remove: {
      does: 'Deletes what was read of a group policy, with all its readings; the policy itself is not touched.',
      title: 'Delete the readings of a group policy',
      method: 'DELETE',
      path: '/api2/IDM-v1/GroupPolicyObject',
      needs: 'ssoConfig',
      tokens: 'never',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The readings were deleted',
      failed: 'The readings were not deleted',
    },
  },
  endpoints: {
    upload: {
      method: 'POST',
      path: '/api2/IDM-v1/GroupPolicyBackup',
      // What is kept of a policy changes by it: as when it is read from the domain.
      needs: 'ssoConfig',
      tokens: 'never',
      title: 'Read the backup of a group policy',
    },
  },
  events: {
    read: { says: 'Read a group policy', body: z.object({ gpoId: Id, name: z.string(), settings: z.number().int() }) },
    removed: { says: 'Deleted the readings of a group policy', body: z.object({ gpoId: Id, name: z.string() }) },
  },
})
