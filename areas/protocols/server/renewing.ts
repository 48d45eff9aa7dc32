// Which certificate lets its holder ask for the next one.

import { findCertificate, knownByFingerprint, type Certificate as KnownCertificate } from '#areas/certificates/service.ts'
import { findTemplate } from '#areas/templates/service.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { fingerprint, type Certificate } from '#standards/x509/certificate.ts'
import { findTransactionOfCertificate } from './transaction-store.ts'
import type { Door } from './wire.ts'

/** The certificate that was shown, where it is of this profile's template and good now; otherwise why not, as a sentence. Whoever showed it has proven its key. */
export async function certificateToRenew(
  { house, tenantId, profile, now }: Door,
  shown: Certificate | undefined,
): Promise<KnownCertificate | string> {
  if (!profile.settings.renewal) return 'This profile renews nothing: ask with a secret'
  if (shown === undefined) return 'There is no secret, and no certificate was shown'
  return withTenancy(house, tenantId, async (tenancy) => {
    const { db } = tenancy
    const sha256 = fingerprint(shown)
    const known = (await knownByFingerprint(db, tenantId, [sha256])).get(sha256)
    const certificate = known && (await findCertificate(db, tenantId, { certId: known.id }, now))
    const transaction = certificate && (await findTransactionOfCertificate(tenancy, profile.id, certificate.id))
    const isOurs =
      certificate !== undefined &&
      transaction !== undefined &&
      // A person's certificate is renewed where the person got it here: a device's profile gives none to people.
      (certificate.holderUserId ?? null) === transaction.holder_id &&
      certificate.templateId === profile.template_id
    if (!isOurs) return 'There is no secret, and the certificate that was shown is none of this profile'
    const template = await findTemplate(db, tenantId, profile.template_id, now)
    if (template?.extensions.renewalMode === 'NONE') return 'Certificates of this template are not renewed: ask with a secret'
    if (certificate.revoked !== undefined) return 'The certificate that was shown is revoked'
    return certificate.validTo <= now ? 'The certificate that was shown has ended: ask with a secret' : certificate
  })
}
