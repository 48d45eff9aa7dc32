// The purposes of extKeyUsage (RFC 5280 4.2.1.12) by their names; apart from OIDS, because some share a name with something else there, and because
// screens that name purposes need nothing else of it.

import type { Oid } from '../der/values.ts'

export const KEY_PURPOSES = {
  anyExtendedKeyUsage: '2.5.29.37.0',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  ipsecEndSystem: '1.3.6.1.5.5.7.3.5',
  ipsecTunnel: '1.3.6.1.5.5.7.3.6',
  ipsecUser: '1.3.6.1.5.5.7.3.7',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  OCSPSigning: '1.3.6.1.5.5.7.3.9',
  eapOverPPP: '1.3.6.1.5.5.7.3.13',
  eapOverLAN: '1.3.6.1.5.5.7.3.14',
  ipsecIKE: '1.3.6.1.5.5.7.3.17',
  secureShellClient: '1.3.6.1.5.5.7.3.21',
  secureShellServer: '1.3.6.1.5.5.7.3.22',
  cmcRA: '1.3.6.1.5.5.7.3.28',
  documentSigning: '1.3.6.1.5.5.7.3.36',
  pkinitClientAuth: '1.3.6.1.5.2.3.4',
  pkinitKdc: '1.3.6.1.5.2.3.5',
  microsoftSmartcardLogon: '1.3.6.1.4.1.311.20.2.2',
  microsoftDocumentSigning: '1.3.6.1.4.1.311.10.3.12',
  microsoftEncryptingFileSystem: '1.3.6.1.4.1.311.10.3.4',
  microsoftKeyRecovery: '1.3.6.1.4.1.311.10.3.11',
  pivCardAuth: '2.16.840.1.101.3.6.8',
  pivContentSigning: '2.16.840.1.101.3.6.7',
} as const satisfies { readonly [name: string]: Oid }

export type KeyPurpose = keyof typeof KEY_PURPOSES

const NAMES = new Map<Oid, KeyPurpose>((Object.entries(KEY_PURPOSES) as [KeyPurpose, Oid][]).map(([name, oid]) => [oid, name]))

export function keyPurposeName(oid: Oid): KeyPurpose | undefined {
  return NAMES.get(oid)
}
