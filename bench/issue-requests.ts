// CSRs for the benches of issuing: each with a key of its own.

import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { encodePem } from '#standards/pem/pem.ts'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { buildCsrInfo } from '#standards/x509/csr.ts'
import { nameOf } from '#standards/x509/names.ts'

export const deviceName = (): string => `device-${randomUUID().slice(0, 13)}.example.org`

/** A CSR for a P-256 key and one DNS name, in PEM. */
export function makeRequest(name: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  const info = buildCsrInfo({
    subject: nameOf(['CN', name]),
    publicKey: spki,
    requestedExtensions: [{ type: 'subjectAltName', critical: false, names: [{ type: 'dNSName', value: name }] }],
  })
  return encodePem('CERTIFICATE REQUEST', assembleSigned(info, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', privateKey, info)))
}

export const makeRequests = (count: number): string[] => Array.from({ length: count }, () => makeRequest(deviceName()))
