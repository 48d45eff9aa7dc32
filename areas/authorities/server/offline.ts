// An authority whose key is never here: its certificate is brought, what it shall sign is taken to it as a sheet that people can read, and what it
// signed is brought back and held against what was asked.

import { createHash } from 'node:crypto'
import { isKeyAlgorithm, type KeyAlgorithm } from '#areas/keys/rules.ts'
import { retainedKeys, signatureAlgorithmFor } from '#areas/keys/service.ts'
import { addPublicAddress } from '#areas/tenancy/service.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { bytesEqual } from '#standards/der/values.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { say } from '#standards/say/say.ts'
import { fingerprint, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { parseCsr } from '#standards/x509/csr.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { formatName } from '#standards/x509/names.ts'
import type { PublicKeyInfo } from '#standards/x509/public-key-info.ts'
import { describeKey, keyIdentifier } from '#standards/x509/public-key.ts'
import { addressesAt } from './addresses.ts'
import { insertHeldCertificate } from './certificate-store.ts'
import { heldRow, type AuthorityWork } from './create.ts'
import { readOffline } from './import.ts'
import { nameTaken } from './plan.ts'
import { allAuthorities, authorityNamed, findAuthority, insertAuthority, type AuthorityRow } from './store.ts'

/** The kind of a key by the names of the keys that can be made here; undefined for one that cannot. */
function algorithmOf({ algorithm, bits, curve }: PublicKeyInfo): KeyAlgorithm | undefined {
  const name = algorithm === 'RSA' ? `RSA-${bits}` : algorithm === 'EC' ? String(curve) : algorithm
  return isKeyAlgorithm(name) ? name : undefined
}

/** Throws a Fault that names the wrong field. Returns the id. */
export async function addOffline(
  { db, emit }: AuthorityWork,
  house: House,
  tenantId: string,
  { friendlyName, certificate }: { friendlyName: string; certificate: string },
  now: Date,
): Promise<string> {
  if ((await authorityNamed(db, tenantId, friendlyName)) !== undefined) throw nameTaken()
  const { own, above } = readOffline(certificate, now)
  const algorithm = algorithmOf(own.publicKey)
  if (algorithm === undefined)
    throw invalidField('certificate', say`A key ${describeKey(own.publicKey)} is none of those that are known here`)
  if ((await retainedKeys(db, tenantId)).some((spki) => bytesEqual(spki, own.publicKey.spki)))
    throw invalidField('certificate', say`The key of this authority is here: it is not offline`)
  const all = await allAuthorities(db, tenantId)
  const twin = all.find(
    (row) => row.certificate !== null && bytesEqual(parseCertificate(row.certificate).publicKey.spki, own.publicKey.spki),
  )
  if (twin !== undefined) throw invalidField('certificate', say`${twin.friendly_name} has this key`)
  const [issuer] = above
  const row = await offlineRow(db, house, {
    tenantId,
    friendlyName,
    own,
    above,
    algorithm,
    issuerId: issuer && all.find((one) => one.certificate !== null && bytesEqual(one.certificate, issuer.encoded))?.id,
    now,
  })
  await insertAuthority(db, row)
  await insertHeldCertificate(db, heldRow(own, { tenantId, caId: row.id, role: 'main', above: above.map(({ encoded }) => encoded), now }))
  emit('offlineAdded', { caId: row.id, subject: row.subject_text, sha256: fingerprint(own) }, row.id)
  return row.id
}

type Parts = {
  tenantId: string
  friendlyName: string
  own: Certificate
  above: readonly Certificate[]
  algorithm: KeyAlgorithm
  issuerId: string | undefined
  now: Date
}

async function offlineRow(
  db: Database,
  house: House,
  { tenantId, friendlyName, own, above, algorithm, issuerId, now }: Parts,
): Promise<AuthorityRow> {
  const id = timeOrderedId(now)
  const publicId = await addPublicAddress(db, { tenantId, kind: 'authority', target: id })
  return {
    tenant_id: tenantId,
    id,
    public_id: publicId,
    friendly_name: friendlyName,
    kind: 'offline',
    issuer_id: issuerId ?? null,
    key_id: null,
    key_algorithm: algorithm,
    key_identifier: Buffer.from(findExtension(own.extensions, 'subjectKeyIdentifier')?.keyIdentifier ?? keyIdentifier(own.publicKey)),
    signature_algorithm: signatureAlgorithmFor(algorithm),
    subject: Buffer.from(own.subjectEncoded),
    subject_text: formatName(own.subject),
    path_length: findExtension(own.extensions, 'basicConstraints')?.pathLenConstraint ?? null,
    certificate: Buffer.from(own.encoded),
    issuer_chain: above.map(({ encoded }) => Buffer.from(encoded)),
    not_before: own.notBefore,
    not_after: own.notAfter,
    request: null,
    issuing: false,
    ...addressesAt(house, publicId),
    crl_shards: 0,
    request_key: null,
    created_at: now,
    certified_at: now,
    predecessor_id: null,
    moves_at: null,
    moved_at: null,
    name_shared_since: null,
    given_up_at: null,
    requested_by: null,
  }
}

/** The request of an authority as a file to be carried: readable above, the PEM of the request below, which OpenSSL finds by itself. Undefined where there is none. */
export async function requestSheet(db: Database, row: AuthorityRow, now: Date): Promise<string | undefined> {
  if (row.request === null) return undefined
  const { subject, publicKey, requestedExtensions } = parseCsr(row.request)
  const issuer = row.issuer_id === null ? undefined : await findAuthority(db, row.tenant_id, row.issuer_id)
  const pathLength = findExtension(requestedExtensions, 'basicConstraints')?.pathLenConstraint
  const facts: readonly (readonly [string, string])[] = [
    ['Authority', row.friendly_name],
    ['Subject', formatName(subject)],
    ['Key', describeKey(publicKey)],
    ['Key fingerprint (SHA-256)', grouped(createHash('sha256').update(publicKey.spki).digest('hex'))],
    ['Request fingerprint (SHA-256)', grouped(createHash('sha256').update(row.request).digest('hex'))],
    [
      'Asks to be',
      `an authority (CA), ${pathLength === undefined ? 'with any number of levels below it' : pathLength === 0 ? 'with no authorities below it' : `with at most ${pathLength} levels below it`}`,
    ],
    ['Key usage asked for', findExtension(requestedExtensions, 'keyUsage')?.usages.join(', ') ?? ''],
    ['To be signed by', issuer === undefined ? 'the outside authority that this is taken to' : issuer.subject_text],
    ...(issuer === undefined
      ? []
      : [['Revocation list address', issuer.crl_url] as const, ['Issuer certificate address', issuer.ca_issuers_url] as const]),
    ['Exported', now.toISOString()],
  ]
  const width = Math.max(...facts.map(([label]) => label.length)) + 2
  const lines = facts.map(([label, value]) => `${`${label}:`.padEnd(width)}${value}`)
  const steps = [
    'Compare the key fingerprint on both sides before signing.',
    ...(issuer === undefined ? [] : ['Write both addresses into the certificate.']),
    'Bring back the certificate. It is refused where its key or its name differs from this request.',
  ]
  return `REQUEST FOR THE CERTIFICATE OF AN AUTHORITY\n\n${lines.join('\n')}\n\n${steps.map((step, at) => `${at + 1}. ${step}`).join('\n')}\n\n${encodePem('CERTIFICATE REQUEST', row.request)}`
}

const grouped = (hex: string): string => hex.replaceAll(/(.{4})(?=.)/g, '$1 ')
