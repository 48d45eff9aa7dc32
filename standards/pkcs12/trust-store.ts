import { bytesEqual } from '../der/values.ts'
import { bmpString, oid, sequence, integer } from '../der/writer.ts'
import { parseCertificate } from '../x509/certificate.ts'
import { commonNameOf, formatName } from '../x509/names.ts'
import { PKCS_OID } from './identifiers.ts'
// Certificates without a key in one PKCS#12 file (RFC 7292), as trust stores hold them. They are public: nothing is encrypted, and the MAC only
// serves readers that want a password.
import { attribute, certBag, dataContent, macData, PKCS12_ITERATIONS, safeBag } from './pkcs12.ts'

export interface TrustStoreContents {
  /** DER */
  certificates: readonly Uint8Array[]
  /** those of them that Java takes for trust anchors; it passes over the others */
  trusted: readonly Uint8Array[]
  /** not empty; any characters */
  password: string
  iterations?: number
}

export async function buildPkcs12TrustStore({
  certificates,
  trusted,
  password,
  iterations = PKCS12_ITERATIONS,
}: TrustStoreContents): Promise<Uint8Array> {
  const bags = certificates.map((der) => {
    const { subject } = parseCertificate(der)
    const name = attribute(PKCS_OID.friendlyName, bmpString(commonNameOf(subject) ?? formatName(subject)))
    const anyUse = attribute(PKCS_OID.trustedKeyUsage, oid(PKCS_OID.anyExtendedKeyUsage))
    return safeBag(PKCS_OID.certBag, certBag(der), trusted.some((one) => bytesEqual(one, der)) ? [name, anyUse] : [name])
  })
  const authenticatedSafe = sequence(dataContent(sequence(...bags)))
  return sequence(integer(3), dataContent(authenticatedSafe), await macData('sha256', authenticatedSafe, password, iterations))
}
