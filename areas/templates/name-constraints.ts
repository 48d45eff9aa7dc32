// Whether an authority, or one above it, may certify the names of a certificate at all (RFC 5280 4.2.1.10). One outside the constraints would be signed
// and then be refused by everybody who checks its chain.

import { namesOutside, type CertificateNames } from '#standards/verify/name-constraints.ts'
import { parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import type { GeneralName } from '#standards/x509/general-names.ts'
import { attributeValues } from '#standards/x509/names.ts'
import { OIDS } from '#standards/x509/oids.ts'
import { addressFault, hostsIn } from './names.ts'

/** Read once for a chain, for as long as its authority is held in memory. */
function constrainedOf(chain: readonly Uint8Array[]): readonly Certificate[] {
  let found = known.get(chain)
  if (found === undefined)
    known.set(
      chain,
      (found = chain
        .map((der) => parseCertificate(der))
        .filter(({ extensions }) => findExtension(extensions, 'nameConstraints') !== undefined)),
    )
  return found
}
const known = new WeakMap<readonly Uint8Array[], readonly Certificate[]>()

/** A sentence for each name that an authority of the chain may not certify. */
export function constraintFaults(chain: readonly Uint8Array[], certificate: CertificateNames): string[] {
  const authorities = constrainedOf(chain)
  if (authorities.length === 0) return []
  const faults = namesOutside(authorities, { ...certificate, names: [...certificate.names, ...readInCommonNames(certificate)] })
  return [...new Set(faults.map(({ says }) => `${says.replace(/\.$/, '')} (name constraints)`))]
}

/**
 * Our own verification takes no common name for a host; others do where no alternative name is one, and their constraints hold for it then. An address is
 * read as a host by some of them (OpenSSL), and as an address by others.
 */
function readInCommonNames({ subject, names }: CertificateNames): GeneralName[] {
  if (names.some(({ type }) => type === 'dNSName')) return []
  return attributeValues(subject, OIDS.commonName)
    .flatMap((name) => (dotted.test(name) ? [name, ...hostsIn(name)] : hostsIn(name)))
    .flatMap((value): GeneralName[] => [
      { type: 'dNSName', value },
      ...(addressFault(value) === undefined ? [{ type: 'iPAddress' as const, value }] : []),
    ])
}

/** What OpenSSL takes for a host, "v2.0" among it (cn2dnsid in crypto/x509/v3_ncons.c). */
const dotted = /^\w(?:[\w-]*\w)?(?:\.\w(?:[\w-]*\w)?)+$/
