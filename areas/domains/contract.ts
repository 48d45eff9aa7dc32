import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery, sortedBy } from '#core/contract/shapes.ts'

const DomainRow = z.object({
  id: Id,
  /** In DNS, with A-labels. */
  name: z.string(),
  /** As people read it: with international letters, where those could not be taken for another name. */
  shownName: z.string(),
  state: z.enum(['claimed', 'proved', 'lapsed']),
  /** How control was proved the last time. */
  proof: z.enum(['dns', 'http']).optional(),
  provedAt: Instant.optional(),
  checkedAt: Instant.optional(),
  includesSubdomains: z.boolean(),
  /** How often in a row the proof was not found since it was there. */
  failures: z.number().int(),
  addedAt: Instant,
})

const Seen = z.object({ way: z.enum(['dns', 'https', 'http']), problem: z.string(), detail: z.string() })

const body = z.object({ domainId: Id, name: z.string() })

export const domains = contract({
  area: 'domains',
  title: 'Domains',
  screens: {
    list: {
      path: '/admin/alloweddomains',
      needs: 'manageDomains',
      title: 'Allowed domains',
      also: 'domain, domains, managed domains, e-mail domain, host name, proof of control, TXT record',
      menu: { group: 'settings', entry: 'domains' },
    },
    view: { path: '/admin/alloweddomains/:id', needs: 'manageDomains', title: 'Allowed domain', parent: 'list' },
  },
  records: {
    domain: { singular: 'Domain', plural: 'Domains', needs: 'manageDomains', place: 60, list: { parent: 'domains.list' } },
  },
  calls: {
    search: {
      does: 'Lists the domains of the tenancy by name, with whether control of each is proved.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchAllowedDomains',
      needs: 'manageDomains',
      reads: true,
      input: PageQuery.extend({
        sort: sortedBy('name', 'addedAt'),
        state: z.enum(['claimed', 'proved', 'lapsed']).optional(),
      }),
      output: pageOf(DomainRow),
    },
    read: {
      does: 'Answers one domain with the record and the file that prove control of it.',
      method: 'GET',
      path: '/api2/IDM-v1/AllowedDomain',
      needs: 'manageDomains',
      input: z.object({ id: Id }),
      output: DomainRow.extend({
        version: z.number().int(),
        recordName: z.string(),
        fileUrl: z.string(),
        /** What the TXT record and the file hold. */
        proofText: z.string(),
        /** Until when a claim waits for its proof. */
        claimEnds: Instant.optional(),
        /** What the last check saw, where it found no proof. */
        seen: z.array(Seen),
      }),
    },
    add: {
      does: 'Claims a domain for the tenancy; answers its id. Nothing is allowed by it before control is proved.',
      title: 'Add a domain',
      method: 'POST',
      path: '/api2/IDM-v1/AllowedDomain',
      needs: 'manageDomains',
      input: z.object({ name: Line(253) }),
      output: z.object({ id: Id }),
      done: 'The domain was added',
      failed: 'The domain was not added',
      faults: {
        nameTaken: { status: 409, says: 'This domain is in the list', field: 'name', constraint: 'tenancy_domains_by_name' },
        notADomain: { status: 400, says: 'Enter a domain such as example.com', field: 'name' },
        tooMany: { status: 409, says: 'A tenancy has at most {most} domains' },
      },
    },
    change: {
      does: 'Says whether a domain stands for all names below it too; answers nothing. That wants a proof by DNS.',
      title: 'Change a domain',
      method: 'PUT',
      path: '/api2/IDM-v1/AllowedDomain',
      needs: 'manageDomains',
      /** Refuses the change where another one was made since the version that was read. */
      input: z.object({ id: Id, includesSubdomains: z.boolean(), version: z.number().int().optional() }),
      output: z.object({}),
      done: 'The domain was changed',
      failed: 'The domain was not changed',
      faults: {
        wantsDns: { status: 409, says: 'Names below a domain count where it was proved by a DNS record', field: 'includesSubdomains' },
      },
    },
    check: {
      does: 'Looks now for the record or the file that proves control of a domain; answers its state and what was seen.',
      title: 'Check a domain',
      method: 'POST',
      path: '/api2/IDM-v1/CheckAllowedDomain',
      needs: 'manageDomains',
      ownTransactions: true,
      input: z.object({ id: Id }),
      output: z.object({ state: DomainRow.shape.state, proved: z.boolean(), seen: z.array(Seen) }),
      failed: 'The domain was not checked',
      faults: {
        provedElsewhere: {
          status: 409,
          says: 'Another tenancy of this installation has proved this domain, and its proof stands. Remove that record or file first',
        },
      },
    },
    remove: {
      does: 'Takes a domain from the list; answers nothing. It is refused while something that cannot go on without it uses it.',
      title: 'Remove a domain',
      method: 'DELETE',
      path: '/api2/IDM-v1/AllowedDomain',
      needs: 'manageDomains',
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The domain was removed',
      failed: 'The domain was not removed',
      faults: { inUse: { status: 409, says: 'The domain is in use: {uses}' } },
    },
    use: {
      does: 'Answers what uses each domain of the tenancy: counts by kind, each with the list of it.',
      method: 'GET',
      path: '/api2/IDM-v1/DomainUse',
      needs: 'manageDomains',
      input: z.object({}),
      output: z.object({
        domains: z.record(z.string(), z.array(z.object({ kind: z.string(), count: z.number().int(), path: z.string() }))),
      }),
      failed: 'What uses the domains could not be read',
    },
  },
  jobs: {
    recheck: { title: 'Check domains again', every: '7,22,37,52 * * * *' },
  },
  events: {
    added: { says: 'Added a domain', body },
    changed: { says: 'Changed a domain', body: body.extend({ includesSubdomains: z.boolean() }) },
    proved: { says: 'Proved control of a domain', body: body.extend({ proof: z.enum(['dns', 'http']) }) },
    lapsed: { says: 'Lost the proof of a domain', body },
    expired: { says: 'Forgot a domain that nobody proved', body },
    removed: { says: 'Removed a domain', body },
  },
})
