// The part of the contract that is about an authority's life after its making: its other certificates, its successor, authorities that are offline.

import * as z from 'zod'
import { KeyAlgorithmName } from '#areas/keys/rules.ts'
import { Id, Instant, Line } from '#core/contract/shapes.ts'
import { ChainText, longestChain } from './certificate-text.ts'
import { authorityStatuses, validityUnits } from './rules.ts'
import { certificateRoles } from './succession.ts'

export const NameConstraint = z.object({ type: z.enum(['DNS', 'IP', 'RFC822'], 'Choose DNS, IP or RFC822'), value: Line(255) })
export const PathLength = z.union(
  [z.literal('none'), z.number().int('Enter a whole number').min(0, 'Enter 0 or more').max(10, 'Enter at most 10')],
  'Enter a whole number from 0 to 10',
)
export const ValidityPeriod = z
  .number('Enter a whole number')
  .int('Enter a whole number')
  .min(1, 'Enter at least 1')
  .max(100_000, 'Enter at most 100000')

const ById = z.object({ caId: Id })

export const nameFaults = {
  nameTaken: { status: 409, says: 'Another authority has this name', field: 'friendlyName', constraint: 'authorities_by_name' },
} as const

const File = z.object({ fileName: z.string(), mediaType: z.string(), content: z.base64() })
/** What lint says of a certificate: a warning is told, anything else forbids to sign it. */
export const Remark = z.object({ severity: z.enum(['warn', 'error', 'fatal']), code: z.string(), message: z.string() })

const Validity = z.object({ validityPeriod: ValidityPeriod.optional(), validityPeriodUnits: z.enum(validityUnits).default('YEARS') })

export const CrossDraft = z.object({
  caId: Id,
  /** One of the two: an authority here, or the request or certificate of an outside one. */
  otherCaId: Id.optional(),
  other: z.string().trim().max(longestChain, 'This is too long for a certificate').optional(),
  pathLength: PathLength.default(0),
  permittedNames: z.array(NameConstraint).max(50, 'Use at most 50').default([]),
  excludedNames: z.array(NameConstraint).max(50, 'Use at most 50').default([]),
  validityPeriod: ValidityPeriod.default(3),
  validityPeriodUnits: z.enum(validityUnits).default('YEARS'),
})

const HeldCertificate = z.object({
  certificateId: Id,
  role: z.enum(certificateRoles),
  subject: z.string(),
  issuer: z.string(),
  /** Those of the two that are authorities here. */
  caId: Id.optional(),
  issuerId: Id.optional(),
  serialHex: z.string(),
  notBefore: Instant,
  notAfter: Instant,
  /** Reserved, and waits for its signature. */
  signed: z.boolean(),
  /** The one that the authority gives out. */
  putForward: z.boolean(),
  sha256: z.string().optional(),
  revocation: z.object({ at: Instant, reason: z.string() }).optional(),
})

const Relative = z.object({
  caId: Id,
  friendlyName: z.string(),
  status: z.enum(authorityStatuses),
  keyIdentifier: z.string(),
  notBefore: Instant.optional(),
  notAfter: Instant.optional(),
})

const noFollowing = {
  offline: { status: 409, says: 'The key of this authority is not here: it is renewed where its key is, and the certificate is imported' },
  outside: {
    status: 409,
    says: 'An outside authority signs this one: take the request there again, and import the certificate that comes back',
  },
  waiting: { status: 409, says: 'This authority has no certificate yet' },
  revoked: { status: 409, says: 'The certificate of this authority is revoked: give it a new key instead' },
} as const

export const lifecycleCalls = {
  life: {
    does: 'Answers every certificate of an authority and those that it gave to others, its predecessor, its successor, and when that takes over.',
    method: 'GET',
    path: '/api2/PKI-v1/CertificateAuthority/:caId/Life',
    needs: 'manageCAs',
    input: ById,
    output: z.object({
      /** All of this authority, oldest first. */
      certificates: z.array(HeldCertificate),
      /** Cross-certificates and links that it gave to others. */
      given: z.array(HeldCertificate),
      predecessor: Relative.optional(),
      successor: Relative.optional(),
      /** The end of the last certificate that it has signed and that is not revoked: until then its lists and answers are needed. */
      lastEnd: Instant.optional(),
      /** When what hangs on it is to move to its successor, and when it did. */
      movesAt: Instant.optional(),
      movedAt: Instant.optional(),
    }),
    failed: 'The certificates of the authority could not be read',
  },
  downloadCertificate: {
    does: 'Answers one certificate of an authority as a file: PEM, DER, or with those above it.',
    method: 'GET',
    path: '/api2/PKI-v1/AuthorityCertificate/:certificateId/Download',
    needs: 'manageCAs',
    /** chain: with those above it, as PEM. */
    input: z.object({ certificateId: Id, format: z.enum(['pem', 'der', 'chain']) }),
    output: File,
    failed: 'The download failed',
  },
  renew: {
    does: 'Signs a new certificate for the same key with a later end; answers its id and what lint remarks upon it.',
    title: 'Renew the certificate of an authority',
    method: 'POST',
    path: '/api2/PKI-v1/CertificateAuthority/:caId/Renew',
    needs: 'manageCAs',
    ownTransactions: true,
    input: Validity.extend({ caId: Id }),
    output: z.object({ certificateId: Id, remarks: z.array(Remark) }),
    done: 'Certificate renewed',
    failed: 'The certificate was not renewed',
    faults: noFollowing,
  },
  succeed: {
    does: 'Makes a successor with the same name and a new key, for a root with link certificates; answers its id and what lint remarks upon it.',
    title: 'Give an authority a successor',
    method: 'POST',
    path: '/api2/PKI-v1/CertificateAuthority/:caId/Successor',
    needs: 'manageCAs',
    ownTransactions: true,
    input: Validity.extend({
      caId: Id,
      friendlyName: Line(100),
      keyAlgorithm: KeyAlgorithmName.default('P-256'),
      tokenId: Id.optional(),
      tokenKeyId: z
        .string()
        .regex(/^([0-9a-f]{2}){1,255}$/, 'Choose one of the keys on the token')
        .optional(),
    }),
    output: ById.extend({ remarks: z.array(Remark) }),
    done: 'Successor created',
    failed: 'The successor was not created',
    faults: { ...noFollowing, ...nameFaults, succeeded: { status: 409, says: 'This authority has a successor already' } },
  },
  takeOver: {
    does: 'Moves templates and licences to the successor, now or at a time; answers how many were moved, or when they will be.',
    title: 'Let a successor take over',
    method: 'POST',
    path: '/api2/PKI-v1/CertificateAuthority/:caId/TakeOver',
    needs: 'manageCAs',
    /** Of the authority that is followed. At once where no time is said. */
    input: ById.extend({ at: Instant.optional() }),
    output: z.object({ moved: z.number().int().optional(), movesAt: Instant.optional() }),
    failed: 'Nothing was moved to the successor',
    faults: {
      noSuccessor: { status: 409, says: 'This authority has no successor yet' },
      successorWaits: { status: 409, says: 'The successor cannot issue yet: it has no valid certificate' },
      moved: { status: 409, says: 'The successor has taken over already' },
      stuck: { status: 409, says: 'The successor cannot take over. {reason}' },
    },
  },
  crossCertify: {
    does: 'Certifies another authority, here or outside, with limits on names and levels; answers the id of the certificate.',
    title: 'Issue a cross-certificate',
    method: 'POST',
    path: '/api2/PKI-v1/CertificateAuthority/:caId/CrossCertificate',
    needs: 'manageCAs',
    ownTransactions: true,
    input: CrossDraft,
    output: z.object({ certificateId: Id }),
    done: 'Cross-certificate issued',
    failed: 'The cross-certificate was not issued',
  },
  takeCross: {
    does: 'Imports a certificate that another authority has given to this one; answers its id.',
    title: 'Import a cross-certificate',
    method: 'POST',
    path: '/api2/PKI-v1/CertificateAuthority/:caId/TakeCrossCertificate',
    needs: 'manageCAs',
    input: ById.extend({ certificate: ChainText }),
    output: z.object({ certificateId: Id }),
    done: 'Cross-certificate imported',
    failed: 'The cross-certificate was not imported',
    faults: { waiting: noFollowing.waiting },
  },
  addOffline: {
    does: 'Adds an authority whose key is kept elsewhere, by its certificate; answers its id.',
    title: 'Add an offline authority',
    method: 'POST',
    path: '/api2/PKI-v1/OfflineCertificateAuthority',
    needs: 'manageCAs',
    input: z.object({ friendlyName: Line(100), certificate: ChainText }),
    output: ById,
    done: 'Offline authority added',
    failed: 'The offline authority was not added',
    faults: nameFaults,
  },
  requestSheet: {
    does: 'Answers the file to take to an offline authority: the request with all that it needs to sign it.',
    method: 'GET',
    path: '/api2/PKI-v1/CertificateAuthority/:caId/RequestSheet',
    needs: 'manageCAs',
    input: ById,
    output: File,
    failed: 'The download failed',
  },
} as const

export const lifecycleEvents = {
  /** A further certificate is about to be signed: of this authority, or of an outside one where `caId` is absent. */
  furtherReserved: {
    says: 'Recorded a further certificate of an authority',
    body: z.object({
      certificateId: Id,
      caId: Id.optional(),
      role: z.enum(certificateRoles),
      issuerId: Id,
      subject: z.string(),
      serialHex: z.string(),
    }),
  },
  furtherCertified: {
    says: 'Signed a further certificate of an authority',
    body: z.object({
      certificateId: Id,
      caId: Id.optional(),
      role: z.enum(certificateRoles),
      issuerId: Id,
      serialHex: z.string(),
      sha256: z.string(),
    }),
  },
  /** It was on record, and was given up before it was signed. */
  furtherVoided: {
    says: 'Abandoned a further certificate of an authority',
    body: z.object({ certificateId: Id, caId: Id.optional(), role: z.enum(certificateRoles), issuerId: Id, serialHex: z.string() }),
  },
  crossTaken: {
    says: 'Imported a cross-certificate',
    body: z.object({ certificateId: Id, caId: Id, issuer: z.string(), serialHex: z.string(), sha256: z.string() }),
  },
  succession: { says: 'Gave an authority a successor', body: z.object({ caId: Id, successorId: Id }) },
  takeOverSet: { says: 'Set when a successor takes over', body: z.object({ caId: Id, successorId: Id, at: Instant }) },
  tookOver: { says: 'Let a successor take over', body: z.object({ caId: Id, successorId: Id, moved: z.number().int() }) },
  offlineAdded: { says: 'Added an offline authority', body: z.object({ caId: Id, subject: z.string(), sha256: z.string() }) },
} as const
