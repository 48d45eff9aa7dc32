import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { decodedKinds, longestText } from './rules.ts'

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

export const DecodedFinding = z.object({ severity: z.enum(['warn', 'error', 'fatal']), code: z.string(), field: z.string(), message: z.string() })

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

export const decoder = contract({
  area: 'decoder',
  screens: {
    decodePem: { path: '/admin/certificate/decodepem', needs: 'pEMView', title: 'Decoder', menu: { group: 'pki', label: 'Decoder' } },
  },
  calls: {
    decode: {
      method: 'POST',
      path: '/api2/PKI-v1/Decode',
      needs: 'pEMView',
      reads: true,
      slow: true,
      bodyLimit: 4 * 1024 * 1024,
      input: z.object({
        text: z.string().min(1, 'Paste a certificate, a request, a revocation list or a PKCS#7 file').max(longestText, `Use at most ${longestText.toLocaleString('en-GB')} characters`),
        /** The JSON rules of a template. Text that is no such JSON means no rules. */
        rules: z.string().max(20_000).default(''),
      }),
      output: z.object({ items: z.array(DecodedItem), /** Items that were found and are not shown. */ leftOut: z.number().int() }),
      done: 'Successfully decoded',
      failed: 'Failed to decode',
      faults: {
        undecodable: { status: 400, says: 'Failed to decode' },
        tooLong: { status: 422, says: 'Decoding took too long and was stopped' },
        busy: { status: 503, says: 'Too much is being decoded at the moment. Try again shortly' },
      },
    },
  },
})
