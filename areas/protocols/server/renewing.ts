// Which certificate lets its holder ask for the next one.

import { findCertificate, knownByFingerprint, type Certificate as KnownCertificate } from '#areas/certificates/service.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { fingerprint, type Certificate } from '#standards/x509/certificate.ts'
import type { Door } from './wire.ts'

/** The certificate that was shown, where it is of this profile's template and good now; otherwise why not, as a sentence. Whoever showed it has proven its key. */
export async function certificateToRenew(
  { house, tenantId, profile, now }: Door,
  shown: Certificate | undefined,
): Promise<KnownCertificate | string> {
  if (!profile.settings.renewal) return 'This profile renews nothing: ask with a secret'
  if (shown === undefined) return 'There is no secret, and no certificate was shown'
  return withTenancy(house, tenantId, async ({ db }) => {
    const sha256 = fingerprint(shown)
    const known = (await knownByFingerprint(db, tenantId, [sha256])).get(sha256)
    const certificate = known && (await findCertificate(db, tenantId, { certId: known.id }, now))
    if (certificate === undefined || certificate.templateId !== profile.template_id)
      return 'There is no secret, and the certificate that was shown is none of this profile'
    if (certificate.revoked !== undefined) return 'The certificate that was shown is revoked'
    return certificate.validTo <= now ? 'The certificate that was shown has ended: ask with a secret' : certificate
  })
}
