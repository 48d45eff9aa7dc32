import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { LONGEST_TEXT } from '#standards/pem/limits.ts'
import { decodedKinds, longestTogether, mostTexts, purposes, type Purpose } from './rules.ts'

/** One field under its RFC name, with what is inside it. */
export const DecodedField = z.object({
  label: z.string(),
  value: z.string().optional(),
  /** What the encoding does not say: a number in decimal, how long something is valid. */
  note: z.string().optional(),
  /** Of its first byte, from the start of the item. */
  offset: z.number().int().optional(),
  get children() {
    return z.array(DecodedField).optional()
  },
})
export type DecodedField = z.infer<typeof DecodedField>

export const DecodedFault = z.object({
  says: z.string(),
  /** The byte at fault, from the start of the item. */
  offset: z.number().int().optional(),
  /** The field at fault, such as tbsCertificate.validity.notBefore. */
  path: z.string().optional(),
})

export const DecodedFinding = z.object({
  severity: z.enum(['warn', 'error', 'fatal']),
  code: z.string(),
  field: z.string(),
  message: z.string(),
})

export const DecodedItem = z.object({
  kind: z.enum(decodedKinds),
  /** What it is and of whom. */
  title: z.string(),
  bytes: z.number().int(),
  decoded: z.boolean(),
  fault: DecodedFault.optional(),
  /** By the RFC of its kind. */
  fields: z.array(DecodedField),
  /** As ASN.1, whatever it is. */
  structure: z.array(DecodedField),
  /** What lint and the CSR rules say. */
  findings: z.array(DecodedFinding),
  /** Whether CSR rules were applied. */
  rulesChecked: z.boolean(),
  pem: z.string().optional(),
})
export type DecodedItem = z.infer<typeof DecodedItem>

const VerificationReason = z.object({ code: z.string(), /** What asks for it. */ clause: z.string(), says: z.string() })

export const VerificationPath = z.object({
  /** Whether it ends at a trusted root. */
  complete: z.boolean(),
  /** The certificate in question first. */
  certificates: z.array(
    z.object({
      role: z.enum(['leaf', 'intermediate', 'root']),
      subject: z.string(),
      issuer: z.string(),
      serialNumber: z.string(),
      notBefore: z.string(),
      notAfter: z.string(),
      key: z.string(),
      signatureAlgorithm: z.string(),
      /** SHA-256, hexadecimal. */
      fingerprint: z.string(),
      revocation: z.enum(['good', 'revoked', 'unknown', 'notChecked']),
      /** Empty where nothing is wrong with it in this path. */
      faults: z.array(VerificationReason),
    }),
  ),
  /** Certificate policies under which the path is valid; 2.5.29.32.0 is any. */
  policies: z.array(z.string()),
})
export type VerificationPath = z.infer<typeof VerificationPath>

export const VerificationReport = z.object({
  verdict: z.enum(['valid', 'invalid']),
  /** The verdict in a sentence. */
  says: z.string(),
  /** The moment asked about. */
  at: z.string(),
  purpose: z.string(),
  path: VerificationPath.optional(),
  /** What is wrong with the likeliest path, and with which certificate. */
  reasons: z.array(VerificationReason.extend({ certificate: z.string() })),
  rejected: z.array(VerificationPath),
  /** Refused paths that are not shown. */
  omitted: z.number().int(),
  /** Why the search was ended before all paths were looked at. */
  gaveUp: VerificationReason.optional(),
})
export type VerificationReport = z.infer<typeof VerificationReport>

const tooLong = `Use at most ${LONGEST_TEXT.toLocaleString('en-GB')} characters`
/** The longest text fits with every line break escaped, and one that is somewhat longer is told so at its field. */
const bodyLimit = Math.ceil(longestTogether * 1.1)
/** PEM, hexadecimal, base64 or PKCS#7: one text of several items, or several texts. */
const Texts = z.union(
  [z.string().max(LONGEST_TEXT, tooLong), z.array(z.string().max(LONGEST_TEXT, tooLong)).max(mostTexts, `Give at most ${mostTexts} texts`)],
  'Give a text or several',
)

export const decoder = contract({
  area: 'decoder',
  title: 'Decoder',
  also: 'parse, PEM, CSR, ASN.1, read a certificate, compare',
  screens: {
    decodePem: {
      path: '/admin/certificate/decodepem',
      needs: 'pEMView',
      title: 'Decoder',
      menu: { group: 'pki', entry: 'decoder' },
    },
  },
  calls: {
    decode: {
      does: 'Decodes certificates, requests, lists, keys and messages, whatever they are wrapped in; answers each as a tree with what lint says. Nothing is kept.',
      method: 'POST',
      path: '/api2/PKI-v1/Decode',
      needs: 'pEMView',
      reads: true,
      ownTransactions: true,
      bodyLimit,
      input: z.object({
        text: z.string().min(1, 'Paste a certificate, a request, a revocation list or a PKCS#7 file').max(LONGEST_TEXT, tooLong),
        /** The JSON rules of a template. Text that is no such JSON means no rules. */
        rules: z.string().max(20_000).default(''),
        /** Of PKCS#12 files; without it only their outside is shown. */
        password: z.string().max(1_000, 'Use at most 1,000 characters').default(''),
      }),
      output: z.object({ items: z.array(DecodedItem), /** Items that were found and are not shown. */ omitted: z.number().int() }),
      done: 'Successfully decoded',
      failed: 'Failed to decode',
      faults: {
        undecodable: { status: 400, says: 'Failed to decode' },
        tooLong: { status: 422, says: 'Decoding took too long and was stopped' },
        busy: { status: 503, says: 'Too much is being decoded at the moment. Try again shortly' },
      },
    },
    verifyChain: {
      does: 'Verifies a certificate against roots at a time and for a purpose, as RFC 5280 says; answers the path, or why there is none.',
      method: 'POST',
      path: '/api2/PKI-v1/VerifyChain',
      needs: 'pEMView',
      reads: true,
      ownTransactions: true,
      bodyLimit,
      input: z
        .object({
          /** The certificate in question; more behind it count as intermediates. */
          leaf: z.string().min(1, 'Paste the certificate to verify').max(LONGEST_TEXT, tooLong),
          intermediates: Texts.default(''),
          /** What is trusted. */
          roots: Texts.default(''),
          /** Trust this tenancy's own authorities as well. */
          ownAuthorities: z.boolean().default(false),
          /** Revocation lists: full, delta or indirect. */
          crls: Texts.default(''),
          /** Refuse certificates of which no list speaks. */
          requireRevocationLists: z.boolean().default(false),
          /** ISO 8601; now where it is empty. */
          time: z.string().max(40, 'Use at most 40 characters').default(''),
          purpose: z.enum(Object.keys(purposes) as [Purpose, ...Purpose[]], 'Choose one of the purposes').default('any'),
          /** The host, IP address or e-mail address that it must be for. */
          name: z.string().max(300, 'Use at most 300 characters').default(''),
          /** Certificate policies as object identifiers, one of which is then required. */
          policies: z.array(z.string().max(200, 'Use at most 200 characters')).max(50, 'Give at most 50 policies').default([]),
        })
        .refine(
          ({ leaf, intermediates, roots, crls }) =>
            [leaf, intermediates, roots, crls].flat().reduce((length, text) => length + text.length, 0) <= longestTogether,
          {
            path: ['leaf'],
            error: `Use at most ${longestTogether.toLocaleString('en-GB')} characters in all`,
          },
        ),
      output: VerificationReport,
      failed: 'The certificate could not be verified',
      faults: {
        unreadable: { status: 400, says: 'Something in it could not be read' },
        tooLong: { status: 422, says: 'Verifying took too long and was stopped' },
        busy: { status: 503, says: 'Too much is being verified at the moment. Try again shortly' },
      },
    },
  },
})
