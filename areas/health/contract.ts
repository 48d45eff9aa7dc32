import * as z from 'zod'
import { authorityKinds, authorityStatuses } from '#areas/authorities/rules.ts'
import { licenceStates } from '#areas/licensing/rules.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, PageQuery, pageOf } from '#core/contract/shapes.ts'
import { checkKinds, findingNames, healthStates } from './rules.ts'

const State = z.enum(healthStates)

const Check = z.object({
  kind: z.enum(checkKinds),
  state: State,
  finding: z.enum(findingNames),
  /** What stands in the braces of the finding's words. */
  params: z.record(z.string(), z.string()),
  /** Since when its state is what it is. */
  since: Instant,
})

/** A template whose certificates the authority's end cuts short from a day on. */
const Shortened = z.object({
  templateId: Id,
  templateName: z.string(),
  /** From then on; absent where it is so already. */
  from: Instant.optional(),
})

const Authority = z.object({
  caId: Id,
  caName: z.string(),
  kind: z.enum(authorityKinds),
  status: z.enum(authorityStatuses),
  revoked: z.boolean(),
  state: State,
  /** Those of which something is known. */
  checks: z.array(Check),
  notAfter: Instant.optional(),
  /** The whole list that is given out now. */
  nextUpdate: Instant.optional(),
  signerUntil: Instant.optional(),
  probedAt: Instant.optional(),
  /** Where its certificates name another address than the server is set to. */
  moved: z.object({ from: z.string(), to: z.string() }).optional(),
})

export const health = contract({
  area: 'health',
  title: 'Health of authorities',
  also: 'CRL, OCSP, revocation lists, freshness, monitoring, is it working',
  jumps: [{ title: 'Authorities that need attention', query: '?state=failing&state=late' }],
  screens: {
    overview: {
      path: '/monitor/service/crypto',
      needs: 'monitor',
      title: 'Health of authorities',
      menu: { group: 'pki', entry: 'authorities', tab: 'Health', place: 30 },
    },
  },
  calls: {
    overview: {
      does: 'Lists the authorities with their health: certificate, lists, OCSP, key and signer.',
      method: 'POST',
      path: '/api2/Monitoring-v1/SearchAuthorityHealth',
      needs: 'monitor',
      reads: true,
      input: PageQuery.extend({ state: z.array(State).max(3).default([]) }),
      output: pageOf(Authority),
      failed: 'The health of the authorities could not be read',
    },
    authority: {
      does: 'Answers the health of one authority, finding by finding, and what in it will end.',
      method: 'GET',
      path: '/api2/Monitoring-v1/AuthorityHealth',
      needs: 'manageCAs',
      input: z.object({ caId: Id }),
      output: Authority.extend({
        /** Days before its end at which it warns. */
        warnsAt: z.array(z.number().int()),
        shortened: z.array(Shortened),
        /** What other authorities gave it besides, and what it gave them. */
        crosses: z.array(z.object({ subject: z.string(), issuer: z.string(), notAfter: Instant })),
        /** Tenancies whose licence for it ends, the first to end first. */
        licences: z.array(z.object({ tenancy: z.string(), until: z.iso.date(), state: z.enum(licenceStates) })),
        /** Valid certificates that end with the authority to the second, and the stretch of time that finds them in the inventory. */
        cutShort: z.object({ count: z.number().int(), more: z.boolean(), span: z.string() }),
      }),
      failed: 'The health of the authority could not be read',
    },
    /** Looks now instead of at the next minute. */
    checkNow: {
      does: 'Asks an authority’s public addresses now and answers its health.',
      title: 'Check the health of an authority',
      method: 'POST',
      path: '/api2/Monitoring-v1/CheckAuthorityHealth',
      needs: 'manageCAs',
      ownTransactions: true,
      input: z.object({ caId: Id }),
      output: z.object({ state: State }),
      failed: 'The authority could not be checked',
    },
  },
  jobs: {
    watch: { title: 'Watch the health of authorities', every: '* * * * *' },
  },
  events: {
    stateChanged: {
      says: 'Found a change in the health of an authority',
      body: z.object({ caId: Id, check: z.enum(checkKinds), from: State, to: State, finding: z.enum(findingNames) }),
    },
  },
})
