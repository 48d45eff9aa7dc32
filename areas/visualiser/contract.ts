import * as z from 'zod'
import { authorityKinds, authorityStatuses } from '#areas/authorities/rules.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant } from '#core/contract/shapes.ts'
import { countedStatuses, linkKinds } from './rules.ts'

const Node = z.object({
  /** The authority's id, the SHA-256 of an outside certificate, or the name of an outside authority of which no certificate of its own is known. */
  id: z.string(),
  label: z.string(),
  subject: z.string(),
  kind: z.enum(authorityKinds),
  /** Absent for an outside authority: at most its certificate is known here. */
  caId: Id.optional(),
  /** Absent where its own certificate is not known here. */
  status: z.enum(authorityStatuses).optional(),
  revoked: z.boolean(),
  issuing: z.boolean(),
  key: z.string(),
  notAfter: Instant.optional(),
  templates: z.number().int(),
  certificates: z.object(
    Object.fromEntries(countedStatuses.map((status) => [status, z.number().int()])) as Record<
      (typeof countedStatuses)[number],
      z.ZodNumber
    >,
  ),
})

const Link = z.object({
  from: z.string(),
  to: z.string(),
  kind: z.enum(linkKinds),
  /** When a cross-certificate ends. */
  until: Instant.optional(),
})

export const visualiser = contract({
  area: 'visualiser',
  title: 'PKI visualiser',
  also: 'map of authorities, tree, graph',
  screens: {
    map: {
      path: '/monitor/pki-visualiser',
      needs: 'manageCAs',
      title: 'PKI visualiser',
      menu: { group: 'pki', entry: 'authorities', tab: 'Map', place: 20 },
    },
  },
  calls: {
    graph: {
      does: 'Answers the authorities of the tenancy and the certificates between them as nodes and links.',
      method: 'GET',
      path: '/api2/PKI-v1/AuthorityGraph',
      needs: 'manageCAs',
      input: z.object({}),
      output: z.object({ nodes: z.array(Node), links: z.array(Link) }),
      failed: 'The authorities could not be read',
    },
  },
})
