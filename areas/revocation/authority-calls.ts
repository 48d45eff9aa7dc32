// The part of the contract that is about authorities themselves: their own certificates taken back, and the lists of those whose key is elsewhere.

import * as z from 'zod'
import { authorityKinds } from '#areas/authorities/rules.ts'
import { Id, Instant, Line } from '#core/contract/shapes.ts'
import { allReasons, listStates } from './rules.ts'

/** In characters: some 30,000 entries. A list is read in one go, and everybody else waits meanwhile. */
export const longestList = 2_000_000

const ById = z.object({ caId: Id })
const File = z.object({ fileName: z.string(), mediaType: z.string(), content: z.base64() })
const Reason = z.enum(allReasons, 'Choose a reason')

/** Why the certificate of an authority cannot be revoked here. */
const authorityRefusals = ['root', 'outside', 'offline', 'waiting', 'revoked'] as const
export type AuthorityRefusal = (typeof authorityRefusals)[number]

const refusalTexts = {
  root: {
    status: 409,
    says: 'A root signs itself: nobody above it could say that it is revoked. Switch off issuing, and tell everyone who trusts it to stop',
  },
  outside: {
    status: 409,
    says: 'An outside authority signed this certificate: ask there for its revocation, and switch off issuing meanwhile',
  },
  offline: { status: 409, says: 'The key of this authority is not here, and neither is its issuer: it is revoked where it was signed' },
  waiting: { status: 409, says: 'This authority has no certificate yet' },
  revoked: { status: 409, says: 'The certificate of this authority is revoked already' },
} as const satisfies Record<AuthorityRefusal, { status: number; says: string }>

export const authorityCalls = {
  authorityOptions: {
    does: 'Answers whether an authority can be revoked, for which reasons, and what would be lost with it.',
    method: 'GET',
    path: '/api2/PKI-v1/CertificateAuthority/:caId/Revocation',
    needs: 'manageCAs',
    input: ById,
    output: z.object({
      caId: Id,
      friendlyName: z.string(),
      kind: z.enum(authorityKinds),
      issuerName: z.string(),
      refusal: z.enum(authorityRefusals).optional(),
      /** In words. */
      says: z.string(),
      reasons: z.array(Reason),
      /** Its own certificates that would be revoked. */
      certificates: z.number().int(),
      /** Certificates that hold now and would be trusted no more, those of authorities below it among them. */
      valid: z.object({ count: z.number().int(), more: z.boolean() }),
      below: z.array(z.object({ caId: Id, friendlyName: z.string() })),
      revocation: z.object({ at: Instant, reason: z.string() }).optional(),
    }),
    failed: 'The authority could not be read',
  },
  revokeAuthority: {
    does: 'Revokes every certificate of an authority, by its name typed; answers how many. What stands below it issues nothing more.',
    title: 'Revoke an authority',
    method: 'POST',
    path: '/api2/PKI-v1/CertificateAuthority/:caId/Revocation',
    needs: 'manageCAs',
    /** `confirm`: the authority's name, typed. */
    input: ById.extend({ reason: Reason, confirm: Line(100) }),
    output: z.object({ certificates: z.number().int() }),
    done: 'Authority revoked',
    failed: 'The authority was not revoked',
    faults: refusalTexts,
  },
  revokeFurther: {
    does: 'Revokes one cross-certificate or link; the authority itself goes on.',
    title: 'Revoke a cross-certificate or link',
    method: 'POST',
    path: '/api2/PKI-v1/AuthorityCertificate/:certificateId/Revocation',
    needs: 'manageCAs',
    input: z.object({ certificateId: Id, reason: Reason }),
    output: z.object({}),
    done: 'Certificate revoked',
    failed: 'The certificate was not revoked',
    faults: {
      main: { status: 409, says: 'This is the own certificate of an authority: revoke the authority' },
      revoked: { status: 409, says: 'This certificate is revoked already' },
    },
  },
  distrustSheet: {
    does: 'Answers a file that tells relying parties how to stop trusting a root.',
    method: 'GET',
    path: '/api2/PKI-v1/CertificateAuthority/:caId/DistrustSheet',
    needs: 'manageCAs',
    input: ById,
    output: File,
    failed: 'The download failed',
  },
  uploadedList: {
    does: 'Answers the revocation list that was brought for an offline authority, and how fresh it is.',
    method: 'GET',
    path: '/api2/PKI-v1/CertificateAuthority/:caId/UploadedList',
    needs: 'manageCAs',
    input: ById,
    output: z.object({
      url: z.string(),
      state: z.enum(listStates),
      list: z
        .object({ number: z.number().int(), entries: z.number().int(), bytes: z.number().int(), thisUpdate: Instant, nextUpdate: Instant })
        .optional(),
    }),
    failed: 'The revocation list could not be read',
  },
  uploadList: {
    does: 'Publishes a revocation list that an offline authority has signed, checked against it; answers its number and entries.',
    title: 'Publish a list of an offline authority',
    method: 'POST',
    path: '/api2/PKI-v1/CertificateAuthority/:caId/UploadedList',
    needs: 'manageCAs',
    ownTransactions: true,
    bodyLimit: longestList + 100_000,
    input: ById.extend({
      list: z
        .string()
        .trim()
        .min(1, 'Paste the revocation list, or drop its file')
        .max(longestList, `A list that is brought has at most ${longestList.toLocaleString('en-GB')} characters`),
    }),
    output: z.object({ number: z.number().int(), entries: z.number().int(), revoked: z.number().int() }),
    done: 'Revocation list published',
    failed: 'The revocation list was not published',
    faults: { online: { status: 409, says: 'The key of this authority is here: it makes its lists itself' } },
  },
} as const

export const authorityEvents = {
  /** `voided`: what was on record for it and not signed yet. */
  authorityRevoked: {
    says: 'Revoked an authority',
    body: z.object({
      caId: Id,
      reason: Reason,
      serials: z.array(z.string()),
      valid: z.number().int(),
      voided: z.array(z.string()).optional(),
    }),
  },
  furtherRevoked: {
    says: 'Revoked a cross-certificate or link',
    body: z.object({ certificateId: Id, issuerId: Id, serialHex: z.string(), reason: Reason }),
  },
  listUploaded: {
    says: 'Published a list of an offline authority',
    body: z.object({ caId: Id, number: z.number().int(), entries: z.number().int(), sha256: z.string() }),
  },
  /** A list that was brought names an authority of this house. */
  authorityFoundRevoked: {
    says: 'Found an authority on the list of its issuer',
    body: z.object({ caId: Id, issuerId: Id, reason: z.string(), at: Instant }),
  },
} as const

export { refusalTexts as authorityRefusalTexts }
