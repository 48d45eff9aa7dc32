import * as z from 'zod'
import { KeyAlgorithmName } from '#areas/keys/rules.ts'
import { contract, type OutputOf } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine, pageOf, PageQuery } from '#core/contract/shapes.ts'
import { ChainText } from './certificate-text.ts'
import { CrossDraft, lifecycleCalls, lifecycleEvents, nameFaults, NameConstraint, PathLength, Remark, ValidityPeriod } from './lifecycle.ts'
import { publicPaths } from './public-paths.ts'
import { authorityKinds, authorityStatuses, madeKinds, validityUnits } from './rules.ts'

export const Subject = z.object({
  CN: Line(64),
  O: OptionalLine(64),
  OU: OptionalLine(64),
  L: OptionalLine(128),
  ST: OptionalLine(128),
  C: z
    .union(
      [
        z.literal(''),
        z
          .string()
          .trim()
          .toUpperCase()
          .regex(/^[A-Z]{2}$/, 'Use the two letters of the country, such as GB'),
      ],
      'Use the two letters of the country, such as GB',
    )
    .default(''),
})

export const AuthorityDraft = z.object({
  kind: z.enum(madeKinds),
  friendlyName: Line(100),
  subject: Subject,
  keyAlgorithm: KeyAlgorithmName.default('P-256'),
  /** The token on which its key lives; in the database where absent. */
  tokenId: Id.optional(),
  /** A key that is on the token already, by its id there, in hex; a new one is made where absent. */
  tokenKeyId: z
    .string()
    .regex(/^([0-9a-f]{2}){1,255}$/, 'Choose one of the keys on the token')
    .optional(),
  /** The own authority that signs a subordinate, or the offline one to which the request of an outside one is taken. */
  issuerId: Id.optional(),
  /** 20 years for a root and 10 for others where absent; never beyond the issuer's end. */
  validityPeriod: ValidityPeriod.optional(),
  validityPeriodUnits: z.enum(validityUnits).default('YEARS'),
  notBefore: Instant.optional(),
  /** How many authorities may stand below one another under this one: none below a subordinate unless told, any below a root. */
  pathLength: PathLength.optional(),
  permittedNames: z.array(NameConstraint).max(50, 'Use at most 50').default([]),
  excludedNames: z.array(NameConstraint).max(50, 'Use at most 50').default([]),
})

/** Counted up to 10,000; `more` says that there are at least that many. */
const Count = z.object({ count: z.number().int(), more: z.boolean() })

const Addresses = z.object({ crl: z.string(), ocsp: z.string(), caIssuers: z.string() })

/** What a certificate of an authority says, for people. */
const CertificateFacts = z.object({
  subject: z.string(),
  issuer: z.string(),
  notBefore: Instant,
  notAfter: Instant,
  key: z.string(),
  signatureAlgorithm: z.string(),
  keyUsages: z.array(z.string()),
  pathLength: z.number().int().optional(),
  permittedNames: z.array(z.object({ type: z.string(), value: z.string() })),
  excludedNames: z.array(z.object({ type: z.string(), value: z.string() })),
})

/** Each template in the specification's short form, and whether it is switched on for whom. */
const licensedTemplates = z.array(
  z.object({
    id: Id,
    displayName: z.string(),
    class: z.string(),
    templateFriendlyName: z.string(),
    type: z.string(),
    licensedTemplateId: Id,
    enabled: z.boolean(),
    anonymousEnabled: z.boolean(),
    selfServiceEligible: z.boolean(),
    loading: z.boolean(),
  }),
)
const licensedTenants = z.array(z.object({ tenantId: Id, enabled: z.boolean() }))

const AuthorityRow = z.object({
  id: Id,
  friendlyName: z.string(),
  status: z.enum(authorityStatuses),
  kind: z.enum(authorityKinds),
  issuerId: Id.optional(),
  /** How far below a root it stands. */
  depth: z.number().int(),
  subject: z.string(),
  keyAlgorithm: KeyAlgorithmName,
  issuing: z.boolean(),
  /** Its certificate has yet to come: from the outside authority, or from a signature that a crash interrupted. */
  certified: z.boolean(),
  notBefore: Instant.optional(),
  notAfter: Instant.optional(),
  /** Its key lives on this token. */
  token: z.object({ tokenId: Id, name: z.string() }).optional(),
  /** Its key is out of reach: what it shall sign waits. */
  unavailable: z.object({ says: z.string(), since: Instant }).optional(),
  /** Its own certificate was revoked by its issuer: it cannot issue again. */
  revocation: z.object({ at: Instant, reason: z.string() }).optional(),
  issued: Count,
  revoked: Count,
  licensedTemplates,
  licensedTenants,
})

/** `all`: the chain, and beside it the authority's other certificates that hold. */
export const downloadFormats = ['pem', 'der', 'chain', 'all', 'pkcs7', 'pkcs7-chain'] as const

const ById = z.object({ caId: Id })

export const authorities = contract({
  area: 'authorities',
  title: 'Authorities',
  screens: {
    manage: {
      path: '/pki/manage/certificate-authorities/:id?',
      needs: 'manageCAs',
      title: 'Authorities',
      single: 'Authority',
      also: 'CA, issuer, root, intermediate, subordinate',
      jumps: [{ title: 'New authority', params: { id: 'new' }, also: 'create a CA, new root, new issuer' }],
      menu: { group: 'pki', entry: 'authorities', tab: 'List', place: 10 },
    },
    renew: { path: '/pki/manage/certificate-authorities/:id/renew', needs: 'manageCAs', title: 'Renew authority', parent: 'manage' },
    cross: {
      path: '/pki/manage/certificate-authorities/:id/cross-certify',
      needs: 'manageCAs',
      title: 'Cross-certify an authority',
      parent: 'manage',
    },
    offline: {
      path: '/pki/manage/certificate-authorities/offline/add',
      needs: 'manageCAs',
      title: 'Add an offline authority',
      parent: 'manage',
    },
  },
  records: {
    authority: { singular: 'Authority', plural: 'Authorities', needs: 'manageCAs', place: 40, list: { parent: 'authorities.manage' } },
  },
  calls: {
    ...lifecycleCalls,
    list: {
      does: 'Lists the authorities of the tenancy in the order of their tree, with state, life, key, counts and licences.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchCertificateAuthorities',
      needs: 'manageCAs',
      reads: true,
      input: PageQuery.extend({ status: z.enum(authorityStatuses).optional() }),
      output: pageOf(AuthorityRow),
    },
    view: {
      does: 'Answers one authority with its certificate, chain, addresses and, where an outside one signs it, its request.',
      method: 'GET',
      path: '/api2/PKI-v1/CertificateAuthority/:caId',
      needs: 'manageCAs',
      input: ById,
      output: AuthorityRow.omit({ depth: true }).extend({
        publicId: z.string(),
        createdAt: Instant,
        addresses: Addresses,
        certificate: CertificateFacts.extend({
          serialHex: z.string(),
          sha256: z.string(),
          sha1: z.string(),
          keyIdentifier: z.string(),
          pem: z.string(),
        }).optional(),
        /** PEM, where an outside authority signs. */
        request: z.string().optional(),
        /** Own certificate first. */
        chain: z.array(z.object({ subject: z.string(), notAfter: Instant, sha256: z.string(), caId: Id.optional() })),
        /** The last link signed itself. */
        chainComplete: z.boolean(),
      }),
    },
    activity: {
      does: 'Answers the latest hundred events about an authority, newest first.',
      method: 'GET',
      path: '/api2/PKI-v1/CertificateAuthority/:caId/Activity',
      needs: 'manageCAs',
      input: ById,
      /** Newest first. */
      output: z.object({
        rows: z.array(
          z.object({
            id: Id,
            at: Instant,
            actor: z.string(),
            area: z.string(),
            name: z.string(),
            outcome: z.enum(['done', 'refused', 'failed']),
          }),
        ),
      }),
    },
    preview: {
      does: 'Answers the certificate that `create` would make of the same draft, and what lint remarks upon it; nothing is made.',
      method: 'POST',
      path: '/api2/PKI-v1/PreviewCertificateAuthority',
      needs: 'manageCAs',
      reads: true,
      input: AuthorityDraft,
      output: CertificateFacts.extend({
        addresses: Addresses.optional(),
        /** The issuer's end cut the validity short. */ shortened: z.boolean(),
        /** What lint says of the bytes that would be signed. */ remarks: z.array(Remark),
      }),
      faults: nameFaults,
    },
    previewCross: {
      does: 'Answers the certificate that `crossCertify` would sign, and what lint and the tree have to remark; nothing is signed.',
      method: 'POST',
      path: '/api2/PKI-v1/CertificateAuthority/:caId/PreviewCrossCertificate',
      needs: 'manageCAs',
      reads: true,
      input: CrossDraft,
      output: CertificateFacts.extend({
        shortened: z.boolean(),
        /** What lint says of the bytes that would be signed. */ remarks: z.array(Remark),
      }),
      faults: nameFaults,
    },
    create: {
      does: 'Makes a key and an authority: a root, one below another here, or a request for an outside one. Answers its id and what lint remarks upon it.',
      title: 'Create an authority',
      method: 'POST',
      path: '/api2/PKI-v1/CertificateAuthority',
      needs: 'manageCAs',
      ownTransactions: true,
      input: AuthorityDraft,
      /** `remarks`: what lint says of its certificate, where that is signed already. */
      output: ById.extend({ remarks: z.array(Remark) }),
      done: 'Authority created',
      failed: 'The authority was not created',
      faults: nameFaults,
    },
    /** Where the key of a new authority can live besides the database. */
    keyPlaces: {
      does: 'Answers the tokens on which the key of a new authority can live, and which algorithms each has.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchKeyPlaces',
      needs: 'manageCAs',
      reads: true,
      input: z.object({}),
      output: z.object({
        tokens: z.array(z.object({ tokenId: Id, name: z.string(), algorithms: z.array(KeyAlgorithmName), available: z.boolean() })),
      }),
    },
    /** The keys on a token that no authority has yet. */
    freeKeys: {
      does: 'Answers the keys on a token that no authority has yet.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchFreeKeys',
      needs: 'manageCAs',
      reads: true,
      ownTransactions: true,
      input: z.object({ tokenId: Id }),
      output: z.object({ keys: z.array(z.object({ objectId: z.string(), label: z.string(), algorithm: KeyAlgorithmName })) }),
      failed: 'The keys on the token could not be read',
      faults: { outOfReach: { status: 409, says: 'The token is out of reach' } },
    },
    importCertificate: {
      does: 'Takes the certificate that an outside or offline issuer has signed, with its chain; answers what lint remarks upon it.',
      title: 'Import the certificate of an authority',
      method: 'POST',
      path: '/api2/PKI-v1/CertificateAuthority/:caId/Certificate',
      needs: 'manageCAs',
      input: ById.extend({
        /** PEM, PKCS#7 or bare base64: the authority's certificate and those above it, in any order. */
        certificate: ChainText,
      }),
      output: z.object({ remarks: z.array(Remark) }),
      done: 'Certificate imported',
      failed: 'The certificate was not imported',
      faults: { notOutside: { status: 409, says: 'This authority was signed here: it takes no certificate from outside' } },
    },
    rename: {
      does: 'Changes the name of an authority in lists; its certificate stays as it is.',
      title: 'Rename an authority',
      method: 'PUT',
      path: '/api2/PKI-v1/CertificateAuthority/:caId',
      needs: 'manageCAs',
      input: ById.extend({ friendlyName: Line(100) }),
      output: z.object({}),
      done: 'Authority renamed',
      failed: 'The authority was not renamed',
      faults: nameFaults,
    },
    setIssuing: {
      does: 'Lets an authority issue, or stops it; revocation lists and OCSP answers go on.',
      title: 'Change whether an authority issues',
      method: 'PUT',
      path: '/api2/PKI-v1/CertificateAuthority/:caId/Issuing',
      needs: 'manageCAs',
      input: ById.extend({ issuing: z.boolean() }),
      output: z.object({}),
      failed: 'Issuing was not changed',
      faults: {
        revoked: { status: 409, says: 'The certificate of this authority is revoked: it cannot issue again' },
        offline: { status: 409, says: 'The key of this authority is not here: it signs nothing here' },
      },
    },
    download: {
      does: 'Answers the certificate of an authority as a file: alone, with its chain, or with all others that hold.',
      method: 'GET',
      path: '/api2/PKI-v1/CertificateAuthority/:caId/Download',
      needs: 'manageCAs',
      input: ById.extend({ format: z.enum(downloadFormats) }),
      /** `content` is base64. */
      output: z.object({ fileName: z.string(), mediaType: z.string(), content: z.base64() }),
      failed: 'The download failed',
    },
  },
  endpoints: {
    authorityCertificate: { method: 'GET', path: publicPaths.certificate, needs: 'public' },
    authorityChain: { method: 'GET', path: publicPaths.chain, needs: 'public' },
    authorityPkcs7: { method: 'GET', path: publicPaths.pkcs7, needs: 'public' },
  },
  jobs: {
    finish: { title: 'Sign authorities that a crash left unsigned', every: '* * * * *' },
    takeOver: { title: 'Let successors take over at their time', every: '* * * * *' },
  },
  events: {
    ...lifecycleEvents,
    created: {
      says: 'Created an authority',
      body: z.object({
        caId: Id,
        kind: z.enum(authorityKinds),
        subject: z.string(),
        keyId: Id,
        keyAlgorithm: KeyAlgorithmName,
        issuerId: Id.optional(),
        serialHex: z.string().optional(),
      }),
    },
    certified: { says: 'Certified an authority', body: z.object({ caId: Id, serialHex: z.string(), sha256: z.string() }) },
    /** It was on record, and was given up before its certificate was stored. */
    voided: {
      says: 'Abandoned an authority before it had its certificate',
      /** Without a serial number where an outside authority would have signed. */
      body: z.object({ caId: Id, serialHex: z.string().optional() }),
    },
    requested: { says: 'Created a request for an outside authority', body: z.object({ caId: Id, sha256: z.string() }) },
    renamed: { says: 'Renamed an authority', body: z.object({ caId: Id, friendlyName: z.string() }) },
    issuingSet: { says: 'Changed whether an authority issues', body: z.object({ caId: Id, issuing: z.boolean() }) },
  },
})

/** What a page about one authority shows. */
export type AuthorityView = OutputOf<typeof authorities.calls.view>
