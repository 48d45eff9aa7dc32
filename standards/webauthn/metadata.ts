// What manufacturers and the FIDO Alliance say of authenticators (FIDO Metadata Service 3): one statement, a list of them, or the signed list of all, whose
// signature must lead to a root that is trusted for it. Nothing here asks the network.

import { createPublicKey, verify, X509Certificate } from 'node:crypto'
import { readBase64url } from '../acme/base64url.ts'
import { readJson } from '../json/read.ts'
import { verifyCertificate } from '../verify/verify.ts'
import { parseCertificate, type Certificate } from '../x509/certificate.ts'

/** `no`: the number of a list, which rises with each issue (FIDO Metadata Service 3, 3.1.6). A single statement has none. */
export type Metadata = { models: AuthenticatorModel[]; no?: number }
export type AuthenticatorModel = { aaguid: string; name: string; icon: string; roots: Buffer[]; compromised: boolean }

export class MetadataError extends Error {
  override name = 'MetadataError'
}

/** Who signs the list of all. */
const listSigner = 'mds.fidoalliance.org'
const mostModels = 5000
/** The list of all has some three hundred models with a hundred values each. */
const mostValues = 200_000
const mostRoots = 50
const longestIcon = 40_000
const compromising = [
  'REVOKED',
  'USER_VERIFICATION_BYPASS',
  'ATTESTATION_KEY_COMPROMISE',
  'USER_KEY_REMOTE_COMPROMISE',
  'USER_KEY_PHYSICAL_COMPROMISE',
]

type Trust = { roots: readonly Certificate[]; at: Date }

/** Throws MetadataError with a sentence for who imports it. */
export function readMetadata(text: string, trust: Trust): Metadata {
  const trimmed = text.trim()
  const list = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(trimmed) ? readSigned(trimmed, trust) : parse(trimmed)
  const entries = entriesOf(list)
  if (entries.length > mostModels) throw new MetadataError(`it holds more than ${mostModels} models`)
  const models = entries.flatMap((entry) => modelOf(entry) ?? [])
  if (models.length === 0) throw new MetadataError('no model in it has an AAGUID')
  const no = isRecord(list) && Array.isArray(list['entries']) ? list['no'] : undefined
  return { models, ...(isListNumber(no) ? { no } : {}) }
}

const isListNumber = (no: unknown): no is number => Number.isInteger(no) && Number(no) > 0 && Number(no) < 2 ** 31

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function parse(text: string): unknown {
  try {
    return readJson(text, { values: mostValues })
  } catch {
    throw new MetadataError('it is neither JSON nor a signed list')
  }
}

/** A list's entries, or statements that stand alone. */
function entriesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return isRecord(value) && Array.isArray(value['entries']) ? value['entries'] : [value]
}

function modelOf(entry: unknown): AuthenticatorModel | undefined {
  if (!isRecord(entry)) return undefined
  const statement = isRecord(entry['metadataStatement']) ? entry['metadataStatement'] : entry
  const aaguid = String(entry['aaguid'] ?? statement['aaguid'] ?? '').toLowerCase()
  // Older kinds of keys have none; they do not make passkeys.
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(aaguid) || /^[0-]+$/.test(aaguid)) return undefined
  const { description, icon } = statement
  const statuses = listOf(entry['statusReports']).map((report) => (isRecord(report) ? report['status'] : undefined))
  return {
    aaguid,
    name: typeof description === 'string' && description.trim() !== '' ? description.trim().slice(0, 200) : aaguid,
    icon: typeof icon === 'string' && icon.length <= longestIcon && /^data:image\/png;base64,[\w+/=]+$/.test(icon) ? icon : '',
    roots: listOf(statement['attestationRootCertificates'])
      .slice(0, mostRoots)
      .flatMap((root) => (typeof root === 'string' ? (certificateOf(root) ?? []) : [])),
    compromised: compromising.includes(String(statuses.at(-1))) || statuses.includes('REVOKED'),
  }
}

/** Some manufacturers break the lines. */
function certificateOf(base64: string): Buffer | undefined {
  const der = Buffer.from(base64.replace(/\s/g, ''), 'base64')
  return readCertificate(der) === undefined ? undefined : der
}

export function readCertificate(der: Uint8Array): Certificate | undefined {
  try {
    return parseCertificate(der)
  } catch {
    return undefined
  }
}

function readSigned(text: string, { roots, at }: Trust): unknown {
  const [head = '', body = '', signature = ''] = text.split('.')
  const header: unknown = parse(String(readBase64url(head)))
  const algorithm = isRecord(header) ? header['alg'] : undefined
  const chain = listOf(isRecord(header) ? header['x5c'] : undefined).map((one) => Buffer.from(String(one), 'base64'))
  const [leaf, ...intermediates] = chain.map(readCertificate)
  if (chain[0] === undefined || leaf === undefined || intermediates.some((one) => one === undefined) || chain.length > 6)
    throw new MetadataError('its signature has no certificates that can be read')
  const { verdict } = verifyCertificate({
    leaf,
    intermediates: intermediates.filter((one) => one !== undefined),
    roots,
    at,
    name: { type: 'dns', value: listSigner },
  })
  if (verdict !== 'valid') throw new MetadataError(`its signature does not lead from ${listSigner} to a root that is trusted for it`)
  const key = createPublicKey({
    key: new X509Certificate(chain[0]).publicKey.export({ type: 'spki', format: 'der' }),
    format: 'der',
    type: 'spki',
  })
  const fitting = algorithm === 'RS256' ? key.asymmetricKeyType === 'rsa' : algorithm === 'ES256' && key.asymmetricKeyType === 'ec'
  const bytes = readBase64url(signature)
  if (!fitting || bytes === undefined || !verify('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' }, bytes))
    throw new MetadataError('its signature does not fit')
  return parse(String(readBase64url(body)))
}
