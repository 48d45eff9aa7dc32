// For tests: authorities that the openssl program made, in a folder in which it says what it thinks of our output.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { openToolFolder, type ToolFolder } from '../tool-folder.fixture.ts'
import { signWith, type SignatureAlgorithm } from '../x509/algorithms.ts'
import { parseCertificate, type Certificate } from '../x509/certificate.ts'

const RECIPES = {
  'P-256': { newkey: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], signatureAlgorithm: 'ecdsa-with-SHA256' },
  'P-384': { newkey: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'], signatureAlgorithm: 'ecdsa-with-SHA384' },
  RSA: { newkey: ['rsa:2048'], signatureAlgorithm: 'sha256WithRSAEncryption' },
  Ed25519: { newkey: ['ed25519'], signatureAlgorithm: 'Ed25519' },
} as const satisfies Record<string, { newkey: readonly string[]; signatureAlgorithm: SignatureAlgorithm }>

export type KeyKind = keyof typeof RECIPES

export interface OpenSslCertificate {
  name: string
  der: Uint8Array
  certificate: Certificate
  /** DER Name */
  subject: Uint8Array
  serialNumber: Uint8Array
  subjectKeyIdentifier: Uint8Array
  key: KeyObject
  signatureAlgorithm: SignatureAlgorithm
  sign(message: Uint8Array): Uint8Array
}

export interface OpenSslFolder extends ToolFolder {
  authority(name: string, kind: KeyKind): OpenSslCertificate
  /** a certificate under `issuer`, with these openssl extension lines */
  issue(name: string, issuer: OpenSslCertificate, kind: KeyKind, extensions?: string): OpenSslCertificate
}

export function openSslFolder(): OpenSslFolder {
  const tools = openToolFolder()
  const { run, read, write } = tools
  const load = (name: string, kind: KeyKind): OpenSslCertificate => {
    const key = createPrivateKey(read(`${name}.key`))
    const { signatureAlgorithm } = RECIPES[kind]
    const der = new X509Certificate(read(`${name}.pem`)).raw
    const certificate = parseCertificate(der)
    const identifier = certificate.extensions.find((extension) => extension.type === 'subjectKeyIdentifier')
    if (identifier === undefined) throw new Error('openssl made a certificate without a subject key identifier')
    return {
      name,
      der,
      certificate,
      subject: certificate.subjectEncoded,
      serialNumber: certificate.serialNumber,
      subjectKeyIdentifier: identifier.keyIdentifier,
      key,
      signatureAlgorithm,
      sign: (message) => signWith(signatureAlgorithm, key, message),
    }
  }
  return {
    ...tools,
    authority(name, kind) {
      run(
        'openssl',
        'req',
        '-x509',
        '-newkey',
        ...RECIPES[kind].newkey,
        '-nodes',
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.pem`,
        '-days',
        '3650',
        '-subj',
        `/O=Chancery Test/CN=${name}`,
        '-addext',
        'keyUsage=critical,keyCertSign,cRLSign,digitalSignature',
      )
      return load(name, kind)
    },
    issue(name, issuer, kind, extensions = 'basicConstraints=CA:FALSE') {
      write(`${name}.ext`, extensions)
      run(
        'openssl',
        'req',
        '-new',
        '-newkey',
        ...RECIPES[kind].newkey,
        '-nodes',
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.csr`,
        '-subj',
        `/O=Chancery Test/CN=${name}`,
      )
      run(
        'openssl',
        'x509',
        '-req',
        '-in',
        `${name}.csr`,
        '-CA',
        `${issuer.name}.pem`,
        '-CAkey',
        `${issuer.name}.key`,
        '-CAcreateserial',
        '-days',
        '365',
        '-extfile',
        `${name}.ext`,
        '-out',
        `${name}.pem`,
      )
      return load(name, kind)
    },
  }
}
