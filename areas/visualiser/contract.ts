import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant } from '#core/contract/shapes.ts'
import { authorityKinds, authorityStatuses } from '#areas/authorities/rules.ts'
import { countedStatuses } from './rules.ts'

const Node = z.object({
  /** The authority's id, or the SHA-256 of an outside certificate. */
  id: z.string(),
  label: z.string(),
  subject: z.string(),
  kind: z.enum(authorityKinds),
  /** Absent for an outside authority above ours: only its certificate is known here. */
  caId: Id.optional(),
  status: z.enum(authorityStatuses),
  revoked: z.boolean(),
  issuing: z.boolean(),
  key: z.string(),
  notAfter: Instant.optional(),
  templates: z.number().int(),
  certificates: z.object(Object.fromEntries(countedStatuses.map((status) => [status, z.number().int()])) as Record<(typeof countedStatuses)[number], z.ZodNumber>),
})

export const visualiser = contract({
  area: 'visualiser',
  screens: {
    map: { path: '/monitor/pki-visualiser', needs: 'manageCAs', title: 'PKI visualiser', menu: { group: 'pki', label: 'PKI visualiser', place: 11 } },
  },
  calls: {
    graph: {
      method: 'GET',
      path: '/api2/PKI-v1/AuthorityGraph',
      needs: 'manageCAs',
      input: z.object({}),
      output: z.object({ nodes: z.array(Node), links: z.array(z.object({ from: z.string(), to: z.string() })) }),
      failed: 'The authorities could not be read',
    },
  },
})
