// What requests and certificates look like on the wire. The contract is put together from these.

import * as z from 'zod'
import { CertificateClass, Finding, KeyKindName, RequestText, ValuesTyped } from '#areas/templates/contract.ts'
import { Id, Instant, OptionalLine, Paragraph } from '#core/contract/shapes.ts'
import { requestStatuses } from './request-status.ts'
import {
  certificateStatuses,
  expiryWindows,
  longestTag,
  readSpan,
  recentDays,
  tagPattern,
  type ExpiryWindow,
  type Recent,
} from './rules.ts'
import { keyNames, lintResults, sources, usageNames } from './traits.ts'

export const Entity = z.enum(['user', 'device'])
export const RequestStatusName = z.enum(requestStatuses)
export const StatusName = z.enum(certificateStatuses)
const ExpiryWindowName = z.enum(Object.keys(expiryWindows) as [ExpiryWindow, ...ExpiryWindow[]])

/** A request as it is filled in. With `csr` the key is the requester's; without it the server makes one when it is collected. */
export const RequestDraft = z.object({
  templateId: Id,
  csr: RequestText.optional(),
  /** The kind of key to make, where there is no CSR; the template's first where absent. */
  key: KeyKindName.optional(),
  /** Whose certificate it is, for users: the requester's own where absent. */
  userId: Id.optional(),
  /** The same by name, for who knows no id. */
  username: z.string().trim().max(200).optional(),
  values: ValuesTyped,
  friendlyName: OptionalLine(100),
  contactEmail: z.union([z.literal(''), z.email('Enter an e-mail address').max(254)]).default(''),
  comment: Paragraph(2000).default(''),
})

export const Requested = z.object({
  requestId: Id,
  status: RequestStatusName,
  caId: Id,
  certificateId: Id.optional(),
  serialNumber: z.string().optional(),
  findings: z.array(Finding),
  /** What went wrong, where the status is `error`. */
  error: z.string(),
})

export const DecodedRequest = z.object({
  subject: z.string(),
  sans: z.array(z.object({ field: z.string(), value: z.string() })),
  key: z.string(),
  signatureAlgorithm: z.string(),
  keyUsages: z.array(z.string()),
  extendedUsages: z.array(z.string()),
  otherExtensions: z.array(z.string()),
  certificateAuthority: z.boolean(),
  /** For the form: what the CSR says, by source. */
  values: z.record(z.string(), z.array(z.string())),
})

export const RequestRow = z.object({
  requestId: Id,
  status: RequestStatusName,
  /** Its certificate is revoked for now, and may be released. */
  onHold: z.boolean(),
  /** Nobody denied it: who asked took it back. The specification has no status of its own for that. */
  withdrawn: z.boolean().optional(),
  templateName: z.string(),
  caId: Id,
  caName: z.string(),
  class: CertificateClass,
  entity: Entity,
  subject: z.string(),
  requesterId: Id,
  requester: z.string(),
  /** A rule, a protocol or the card desk asked in the requester's name: which, by whom, and for which key of several. */
  askedBy: z.string().optional(),
  createdAt: Instant,
  updatedAt: Instant,
  approvals: z.number().int(),
  needed: z.number().int(),
  certificateId: Id.optional(),
  serialNumber: z.string().optional(),
  /** The certificate in whose place its own shall come. */
  renews: Id.optional(),
  /** By a renewal another has taken its certificate's place. */
  renewed: z.boolean(),
})

export const VoteRow = z.object({
  voter: z.string(),
  verdict: z.enum(['approve', 'deny']),
  comment: z.string(),
  at: Instant,
  void: z.boolean(),
})

/** One step of a request. `who` has done it, or can do it now, with `others` besides; `at` says since when it is in this state. */
export const RequestStep = z.object({
  step: z.enum(['asked', 'approved', 'made', 'collected']),
  state: z.enum(['done', 'now', 'later', 'stopped']),
  at: Instant.optional(),
  who: z.array(z.string()),
  others: z.number().int(),
  /** Approvals so far, and how many it takes. */
  count: z.number().int().optional(),
  needed: z.number().int().optional(),
})

/** The specification's certificate details (collect view), name by name; what is not there is an empty text. */
export const CertificateDetails = z.object({
  csr: z.string(),
  caName: z.string(),
  template: z.string(),
  certificate: z.string(),
  serialNumber: z.string(),
  status: RequestStatusName,
  friendly_name: z.string(),
  server: z.string(),
  function: z.string(),
  vendor: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  ca_id: z.string(),
  ca_owner: z.string(),
  name: z.string(),
  ca_certificate: z.string(),
  crl_location: z.string(),
  ocsp_enabled: z.boolean(),
  certificate_logon_ca: z.boolean(),
  tenant_id: z.string(),
  csr_id: z.string(),
  class: CertificateClass,
  email: z.string(),
  device_id: z.string(),
  subject: z.string(),
  version: z.string(),
  valid_from: z.string(),
  valid_to: z.string(),
  template_id: z.string(),
  key_usage: z.array(z.string()),
  eku: z.array(z.string()),
  signature_algorithm: z.string(),
  cert_base64: z.string(),
  contact_email: z.string(),
  revocation_reason: z.string(),
  revocation_date: z.string(),
  eku_oid: z.array(z.string()),
  card_serial: z.string(),
  request_id: Id,
  certificate_id: z.string(),
  /** Why it was not issued, or not agreed to; empty where all is well. */
  error: z.string(),
  /** What those said who were asked, for the requester to read. */
  votes: z.array(VoteRow),
  /** Whoever asks may take it back now. */
  withdrawn: z.boolean().optional(),
  withdrawable: z.boolean(),
  steps: z.array(RequestStep),
})

/** A stretch of time as a list's address gives it. */
export const Span = z
  .string()
  .refine((text) => readSpan(text) !== undefined, 'Enter two moments, such as 2026-01-05T00:00:00Z/2026-01-12T00:00:00Z')

export const Tag = z.string().trim().min(1).max(longestTag).regex(tagPattern, 'Enter a tag without commas and semicolons')
const RecentName = z.enum(Object.keys(recentDays) as [Recent, ...Recent[]])
export const Traits = z.object({
  key: z.enum(keyNames),
  source: z.enum(sources),
  lint: z.enum(lintResults),
  usages: z.array(z.enum(usageNames)),
})

export const CertificateFilter = z.object({
  status: z.array(StatusName).max(certificateStatuses.length).optional(),
  templateId: z.array(Id).max(50).optional(),
  caId: z.array(Id).max(50).optional(),
  expires: ExpiryWindowName.optional(),
  /** Issued within the days before now. */
  recent: RecentName.optional(),
  key: z.array(z.enum(keyNames)).max(keyNames.length).optional(),
  source: z.array(z.enum(sources)).max(sources.length).optional(),
  usage: z.array(z.enum(usageNames)).max(usageNames.length).optional(),
  lint: z.array(z.enum(lintResults)).max(lintResults.length).optional(),
  tag: Tag.optional(),
  /** Who answers for it. */
  owner: Id.optional(),
  /** When it ends, was issued, was revoked: where a bar of a picture leads. Those that end leave the revoked and the replaced out. */
  ends: Span.optional(),
  issued: Span.optional(),
  revoked: Span.optional(),
})

/** All that a filter and a text find. */
export const SearchedCertificates = CertificateFilter.extend({ text: z.string().max(200).default('') })

export const certificateSorts = ['name', 'notAfter', 'issuedAt', 'serialNumber'] as const

export const CertificateRow = z.object({
  certificateId: Id,
  caId: Id.optional(),
  caName: z.string(),
  serialNumber: z.string(),
  name: z.string(),
  subject: z.string(),
  sans: z.array(z.string()),
  email: z.string(),
  templateId: Id.optional(),
  templateName: z.string(),
  class: CertificateClass,
  status: StatusName,
  /** It was not released: of one whose status is `expired`, too. */
  onHold: z.boolean(),
  /** Why it was revoked, where it is: `superseded` where another took its place. */
  revocationReason: z.string().optional(),
  /** By a renewal another has taken its place. */
  renewedBy: Id.optional(),
  /** Somebody said that another is used in its place. */
  replaced: z.boolean(),
  holder: z.string(),
  /** The person who answers for it, where one is named. */
  owner: z.string(),
  ownerId: Id.optional(),
  tags: z.array(z.string()),
  /** Absent where an older certificate has not been looked at yet. */
  traits: Traits.optional(),
  notBefore: Instant,
  notAfter: Instant,
  issuedAt: Instant,
})

/** How many rows each value of a filter would show. A template or an authority that is not named has none; a text that finds more than 10,000 has no counts. */
const Counts = z.record(z.string(), z.number().int())
export const Facets = z.object({
  status: Counts,
  templateId: Counts,
  caId: Counts,
  expires: Counts,
  key: Counts,
  source: Counts,
  usage: Counts,
  lint: Counts,
})
export const Choice = z.object({ value: Id, label: z.string() })

export const Reference = z.object({ certId: z.string().trim().min(1).max(200), caId: z.string().trim().max(100).optional() })

export const CertificateInfo = z.object({
  cn: z.string(),
  dn: z.string(),
  certificate: CertificateRow.extend({
    deviceId: z.string(),
    cert_template: z.string(),
    requestId: Id.optional(),
    pem: z.string(),
    fingerprintSha256: z.string(),
    fingerprintSha1: z.string(),
    key: z.string(),
    signatureAlgorithm: z.string(),
    keyUsages: z.array(z.string()),
    extendedUsages: z.array(z.string()),
    issuer: z.string(),
    friendlyName: z.string(),
    contactEmail: z.string(),
    requester: z.string(),
    renewalMode: z.string(),
    crl: z.string(),
    ocsp: z.string(),
    revokedAt: Instant.optional(),
  }),
  chain: z.array(z.object({ name: z.string(), subject: z.string(), serialNumber: z.string(), notAfter: Instant, caId: Id.optional() })),
  /** False for an uploaded certificate that no authority here signed, and that is no root itself. */
  issuerKnown: z.boolean(),
  /** Its chain here reaches a root. */
  rootKnown: z.boolean(),
  /** The authority here that signed an uploaded certificate, which the inventory did not know. */
  signedBy: z.object({ caId: Id, name: z.string() }).optional(),
  /** An authority above it is revoked: whatever its own status, nobody trusts it any more. */
  revokedAbove: z.object({ name: z.string(), at: Instant, reason: z.string() }).optional(),
  associatedUser: z.object({ id: Id, username: z.string(), name: z.string(), emailAddress: z.string() }).optional(),
  associatedDevice: z.object({ device_oid: z.string(), hostname: z.string(), serial_number: z.string() }).optional(),
  associatedSmartcardDetails: z.array(z.object({ card_serial: z.string() })),
  activity: z.array(z.object({ id: Id, at: Instant, actor: z.string(), area: z.string(), name: z.string(), outcome: z.string() })),
})
export type CertificateInfo = z.output<typeof CertificateInfo>
