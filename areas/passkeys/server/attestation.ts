// What a statement proves about the device. A chain is judged by our own verification against the roots that metadata names for the model.

import { verifyCertificate } from '#standards/verify/verify.ts'
import type { Registered } from '#standards/webauthn/ceremony.ts'
import { readCertificate } from '#standards/webauthn/metadata.ts'
import type { ModelRecord } from './policy-store.ts'
import type { PasskeyRecord } from './store.ts'

export function judgeAttestation(
  { format, certificates }: Registered['attestation'],
  model: Pick<ModelRecord, 'roots'> | undefined,
  at: Date,
): PasskeyRecord['attestation'] {
  if (format === 'none') return 'none'
  const [leaf, ...intermediates] = certificates.flatMap((der) => readCertificate(der) ?? [])
  const roots = (model?.roots ?? []).flatMap((der) => readCertificate(der) ?? [])
  if (leaf === undefined || roots.length === 0 || intermediates.length + 1 !== certificates.length) return 'unverified'
  // Some manufacturers name the statement's own certificate as the root.
  if (roots.some((root) => Buffer.from(root.encoded).equals(Buffer.from(leaf.encoded)))) return 'verified'
  return verifyCertificate({ leaf, intermediates, roots, at }).verdict === 'valid' ? 'verified' : 'unverified'
}
