// What calls about external authorities, DNS responders and orders ask and answer.

import * as z from 'zod'
import { Id, Instant, Line, OptionalLine, Paragraph } from '#core/contract/shapes.ts'
import { tsigAlgorithmNames } from '#standards/dns/algorithms.ts'
import { keyKinds, mostNames, nameFaultOf, nonceSteps, proofs, responderKinds, steps } from './rules.ts'

const WebAddress = z
  .url({ protocol: /^https$/, error: 'Enter an address that begins with https://' })
  .max(300)
  .meta({ examples: ['https://127.0.0.1/directory'] })

export const DirectoryAddress = z.object({
  directoryUrl: WebAddress,
  /** PEM of the roots that its web server is checked by; empty for the public ones. */
  roots: Paragraph(100_000).default(''),
})

export const AuthorityDraft = DirectoryAddress.extend({
  name: Line(80),
  contact: z.array(z.email('Enter e-mail addresses').max(254)).max(5).default([]),
  eabKid: OptionalLine(200),
  preferredChain: OptionalLine(200),
  agreed: z
    .boolean()
    .refine((agreed) => agreed, 'Nothing can be ordered from an authority without agreeing to its terms')
    .meta({ examples: [true] }),
})

/** Base64url as authorities give it out. Left out of a change, the one that is stored stays. */
export const EabSecret = z
  .union([
    z.literal(''),
    z
      .string()
      .trim()
      .max(500)
      .regex(/^[A-Za-z0-9_-]{22,}={0,2}$/, 'Enter the HMAC key as the authority gave it: letters, digits, - and _'),
  ])
  .optional()

export const AuthorityRow = z.object({
  id: Id,
  name: z.string(),
  directoryUrl: z.string(),
  registered: z.boolean(),
  orders: z.number().int(),
})

/** What a directory says of itself (RFC 8555 7.1.1). */
export const DirectoryFacts = z.object({
  termsOfService: z.string().optional(),
  website: z.string().optional(),
  eabRequired: z.boolean(),
  renewalInformation: z.boolean(),
  profiles: z.array(z.object({ name: z.string(), description: z.string() })),
})

const Host = z
  .string()
  .trim()
  .regex(/^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?$/, 'Enter a name or an address, with a port where it is not 53')
const DnsName = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?$/, 'Enter a DNS name')

export const ResponderSettings = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('rfc2136'),
    server: Host,
    zone: DnsName,
    keyName: DnsName,
    algorithm: z.enum(tsigAlgorithmNames).default('hmac-sha256'),
    ttl: z.number().int('Enter a whole number').min(1, 'At least 1').max(86_400, 'At most 86400').default(60),
  }),
  z.object({ kind: z.literal('acmeDns'), url: WebAddress, username: Line(100), subdomain: Line(100) }),
  z.object({ kind: z.literal('webhook'), url: WebAddress, username: OptionalLine(100) }),
])
export type ResponderSettings = z.output<typeof ResponderSettings>

export const ResponderDraft = z.object({
  name: Line(80),
  settings: ResponderSettings,
  /** Seconds from the change of the record until the authority is asked to look. */
  waitSeconds: z.number().int('Enter a whole number').min(0, 'At least 0').max(3_600, 'At most 3600').default(30),
})
/** Left out of a change, the one that is stored stays. */
export const ResponderSecret = z.string().max(500).optional()

export const ResponderRow = z.object({
  id: Id,
  name: z.string(),
  kind: z.enum(responderKinds),
  target: z.string(),
  orders: z.number().int(),
})

export const OrderDraft = z
  .object({
    authorityId: Id,
    names: z
      .array(z.string().trim().toLowerCase().min(1, 'Enter a name').max(255))
      .min(1, 'Enter at least one name')
      .max(mostNames, `At most ${mostNames} names`),
    proof: z.enum(proofs),
    responderId: Id.optional(),
    /** The key is made here; or a CSR is brought. */
    keyKind: z.enum(keyKinds).optional(),
    csr: Paragraph(20_000).default(''),
    profile: OptionalLine(64),
    renews: z.boolean().default(true),
  })
  .superRefine(({ names, proof, responderId, keyKind, csr }, refine) => {
    const wrong = (path: (string | number)[], message: string) => refine.addIssue({ code: 'custom', path, message })
    names.forEach((name, at) => {
      const fault = nameFaultOf(name, proof)
      if (fault !== undefined) wrong(['names', at], fault)
      if (names.indexOf(name) !== at) wrong(['names', at], 'This name stands here twice')
    })
    if (proof === 'responder' && responderId === undefined) wrong(['responderId'], 'Choose who puts the records into the DNS')
    if ((keyKind === undefined) === (csr.trim() === '')) wrong(['csr'], 'Paste a CSR, or have the key made here')
  })

export const OrderProblem = z.object({ type: z.string(), detail: z.string() })

export const OrderRow = z.object({
  id: Id,
  names: z.array(z.string()),
  authorityName: z.string(),
  step: z.enum(steps),
  runs: z.boolean(),
  ownerName: z.string(),
  notAfter: Instant.optional(),
  renewAt: Instant.optional(),
  problem: OrderProblem.optional(),
  createdAt: Instant,
})

/** A name that is to be proven, and what has to be where for that. */
export const OrderedName = z.object({
  name: z.string(),
  wildcard: z.boolean(),
  status: z.string(),
  challenge: z.string(),
  /** The address of the file, or the name of the TXT record. */
  place: z.string(),
  value: z.string(),
  error: z.string().optional(),
})

export const OrderView = OrderRow.extend({
  authorityId: Id,
  directoryUrl: z.string(),
  proof: z.enum(proofs),
  responderId: Id.optional(),
  responderName: z.string().optional(),
  /** Where the web servers of the names forward to. */
  forwardTo: z.string().optional(),
  keyKind: z.enum(keyKinds).optional(),
  profile: z.string(),
  renews: z.boolean(),
  mine: z.boolean(),
  /** The steps of which a nonce is held. */
  nonces: z.array(z.enum(nonceSteps)),
  orderUrl: z.string().optional(),
  authorizations: z.array(OrderedName),
  nextAt: Instant,
  certificateId: Id.optional(),
  /** A key was made here and nobody has collected it yet. */
  keyWaits: z.boolean(),
  /** When it is renewed, or why not; a sentence. */
  renewal: z.string(),
  attempts: z.array(z.object({ at: Instant, step: z.enum(steps), outcome: z.string(), detail: z.string() })),
})
