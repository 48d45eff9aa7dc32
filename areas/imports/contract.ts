import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, OptionalLine } from '#core/contract/shapes.ts'
import { isLabelledPrivateKey } from '#standards/pem/private-key.ts'
import { largestUpload, mostCertificates, uploadStates } from './rules.ts'

const Text = z.string().trim().min(1, 'Paste certificates, or drop their files').max(largestUpload, 'An upload has at most 2,000,000 characters. Upload it in parts').refine((text) => !isLabelledPrivateKey(text), 'This holds a private key. Take it out: certificates are enough')

const Found = z.object({
  sha256: z.string(),
  name: z.string(),
  subject: z.string(),
  issuer: z.string(),
  serialNumber: z.string(),
  notBefore: Instant,
  notAfter: Instant,
  state: z.enum(uploadStates),
  /** Of the one that is there already. */
  certificateId: Id.optional(),
})

const Fault = z.object({ place: z.number().int(), says: z.string() })

const faults = {
  privateKey: { status: 400, says: 'This holds a private key. Nothing was saved; count that key as exposed and replace its certificate' },
  nothing: { status: 400, says: 'There is no certificate in this' },
  tooMany: { status: 400, says: `These are more than ${mostCertificates} certificates. Upload them in parts` },
} as const

/** The longest text fits with every line break escaped, and one that is somewhat longer is told so at its field. */
const bodyLimit = 2 * largestUpload

export const imports = contract({
  area: 'imports',
  screens: {
    upload: { path: '/credentials/certificates/upload', needs: 'certUpload', title: 'Upload certificates', menu: { group: 'certificates', label: 'Upload', place: 25 } },
  },
  calls: {
    check: {
      method: 'POST',
      path: '/api2/PKI-v1/CheckCertificateUpload',
      needs: 'certUpload',
      reads: true,
      bodyLimit,
      input: z.object({ text: Text }),
      output: z.object({ found: z.array(Found), faults: z.array(Fault) }),
      faults,
    },
    upload: {
      method: 'POST',
      path: '/api2/PKI-v1/UploadCertificates',
      needs: 'certUpload',
      bodyLimit,
      input: z.object({ text: Text, friendlyName: OptionalLine(100), contactEmail: z.union([z.literal(''), z.email('Enter an e-mail address').max(254)]).default('') }),
      output: z.object({ added: z.array(z.object({ certificateId: Id, name: z.string() })), known: z.number().int(), faults: z.array(Fault) }),
      failed: 'The certificates were not saved',
      faults,
    },
  },
  events: { uploaded: z.object({ certificates: z.array(z.object({ certificateId: Id, sha256: z.string() })), known: z.number().int() }) },
})
