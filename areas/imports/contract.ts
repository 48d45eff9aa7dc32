import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine } from '#core/contract/shapes.ts'
import { isLabelledPrivateKey } from '#standards/pem/private-key.ts'
import { largestUpload, mostCertificates, uploadStates } from './rules.ts'

const tooLong = 'An upload has at most 2,000,000 characters. Upload it in parts'
const Text = z
  .string()
  .trim()
  .max(largestUpload, tooLong)
  .refine((text) => !isLabelledPrivateKey(text), 'This holds a private key. Take it out: certificates are enough')

/** `content`: what is in it, as text; of a binary file its base64. */
const File = z.object({ name: Line(255), content: z.string().max(largestUpload, tooLong) })

const Upload = z.object({
  text: Text.optional(),
  files: z.array(File).max(mostCertificates, `Upload at most ${mostCertificates} files at once`).optional(),
})

/** Whatever else a call asks for. */
const oneSource = <S extends typeof Upload>(shape: S) =>
  shape
    .refine(({ text = '', files = [] }) => text !== '' || files.length > 0, {
      path: ['text'],
      message: 'Paste certificates, or drop their files',
    })
    .refine(({ text = '', files = [] }) => files.reduce((length, { content }) => length + content.length, text.length) <= largestUpload, {
      path: ['text'],
      message: tooLong,
    })

const Found = z.object({
  sha256: z.string(),
  name: z.string(),
  subject: z.string(),
  issuer: z.string(),
  serialNumber: z.string(),
  notBefore: Instant,
  notAfter: Instant,
  state: z.enum(uploadStates),
  /** The authority here that signed it, whether the inventory knows it or not. */
  signedBy: z.string().optional(),
  /** False where no authority here signed it, and it is no root itself. */
  issuerKnown: z.boolean(),
  /** Of the one that is there already. */
  certificateId: Id.optional(),
  /** The name of the file that it stands in. */
  file: z.string().optional(),
})

/** `file`: its name. Without `place` it is about the whole file. */
const Fault = z.object({ file: z.string().optional(), place: z.number().int().optional(), says: z.string() })

const faults = {
  privateKey: { status: 400, says: 'This holds a private key. Nothing was saved; count that key as exposed and replace its certificate' },
  nothing: { status: 400, says: 'There is no certificate in this, and nothing was saved' },
  tooMany: { status: 400, says: `These are more than ${mostCertificates} certificates. Upload them in parts` },
} as const

/** The longest text fits with every line break escaped, and one that is somewhat longer is told so at its field. */
const bodyLimit = 2 * largestUpload

export const imports = contract({
  area: 'imports',
  title: 'Imports',
  screens: {
    upload: {
      path: '/credentials/certificates/upload',
      needs: 'certUpload',
      title: 'Upload certificates',
      also: 'import certificates',
      first: 20,
      parent: 'certificates.certificateList',
      button: 'Upload',
    },
  },
  calls: {
    check: {
      does: 'Reads certificates of other issuers and answers what is in them and what is wrong; nothing is saved.',
      method: 'POST',
      path: '/api2/PKI-v1/CheckCertificateUpload',
      needs: 'certUpload',
      reads: true,
      bodyLimit,
      input: oneSource(Upload),
      output: z.object({ found: z.array(Found), faults: z.array(Fault) }),
      faults,
    },
    upload: {
      does: 'Adds certificates of other issuers to the inventory; answers which were added and which were there already.',
      title: 'Import certificates',
      method: 'POST',
      path: '/api2/PKI-v1/UploadCertificates',
      needs: 'certUpload',
      bodyLimit,
      input: oneSource(
        Upload.extend({
          friendlyName: OptionalLine(100),
          contactEmail: z.union([z.literal(''), z.email('Enter an e-mail address').max(254)]).default(''),
        }),
      ),
      output: z.object({
        added: z.array(z.object({ certificateId: Id, name: z.string() })),
        known: z.number().int(),
        faults: z.array(Fault),
      }),
      failed: 'The certificates were not saved',
      faults,
    },
  },
  events: {
    uploaded: {
      says: 'Imported certificates',
      body: z.object({ certificates: z.array(z.object({ certificateId: Id, sha256: z.string() })), known: z.number().int() }),
    },
  },
})
