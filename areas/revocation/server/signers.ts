// Making, renewing and replacing those who sign an authority's OCSP answers. One is certified like everything else: its key outside any
// transaction; then one commit with the key, the row, the reservation and the record; then the signature; then the certificate in a second
// commit, which ends the one before. What a crash, or a token that is away, leaves unsigned is signed by the job as it stands.

import { wholeSecond } from '#areas/authorities/rules.ts'
import {
  findIssuer,
  markRevoked,
  reservationAbout,
  reserve,
  revokedAuthorities,
  signReserved,
  storeSigned,
  tellStatusChange,
  voidReservation,
  type Issuer,
} from '#areas/authorities/service.ts'
import { destroyOnToken, KeyUnavailable, makeKey, tokenChoices, tokensOfKeys, type NewKey } from '#areas/keys/places.ts'
import type { KeyAlgorithm } from '#areas/keys/rules.ts'
import { destroyKey } from '#areas/keys/service.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { Actor, House } from '#core/server/house.ts'
import type { TenancyTurn } from '#core/server/serve.ts'
import { fingerprint, parseCertificate } from '#standards/x509/certificate.ts'
import type { Extension } from '#standards/x509/extension-types.ts'
import { KEY_PURPOSES } from '#standards/x509/key-purposes.ts'
import { attribute, commonNameOf, parseName, type Name } from '#standards/x509/names.ts'
import { OIDS } from '#standards/x509/oids.ts'
import { revocation } from '../contract.ts'
import { lifeOfSigner, signerIsDue, signerKeyFor, signerMarginMilliseconds, signerServes, type Life, type SignerEnd } from '../signing.ts'
import {
  delegatingAuthorities,
  endSigners,
  insertSigner,
  lockSigners,
  newestSigner,
  noteKeyDestroyed,
  signersWithSpareKeys,
  storeSignerCertificate,
  unsignedSigner,
  type CertifiedSigner,
} from './signer-store.ts'
import { statusSettingsOf, type OcspSignerRow } from './store.ts'

const clerk: Actor = { name: 'OCSP signers' }

export const lifeOf = ({ not_before: notBefore, not_after: notAfter }: Pick<OcspSignerRow, 'not_before' | 'not_after'>): Life => ({
  notBefore,
  notAfter,
})

/** Who signs the answers now; undefined where it is the authority itself, by choice or because there is no signer (yet). */
export async function servingSigner(db: Database, tenantId: string, caId: string, now: Date): Promise<CertifiedSigner | undefined> {
  const signer = await newestSigner(db, tenantId, caId)
  return signer !== undefined && signerServes(lifeOf(signer), now) ? signer : undefined
}

type Due =
  | { issuer: Issuer; unsigned: OcspSignerRow }
  | { issuer: Issuer; unsigned?: undefined; algorithm: KeyAlgorithm; tokenId: string | undefined }

/** What there is to do; undefined where there is nothing. An authority whose own certificate is revoked, or one above it, certifies nobody any more. */
export async function dueSigner(db: Database, tenantId: string, caId: string, now: Date): Promise<Due | undefined> {
  const issuer = await findIssuer(db, tenantId, caId, now)
  const { signedBy } = await statusSettingsOf(db, tenantId, caId)
  if (
    issuer?.status !== 'ActiveCert' ||
    issuer.revokedAbove !== undefined ||
    signedBy === 'authority' ||
    (await revokedAuthorities(db, tenantId)).has(caId)
  )
    return undefined
  const unsigned = await unsignedSigner(db, tenantId, caId)
  if (unsigned !== undefined) return { issuer, unsigned }
  const current = await newestSigner(db, tenantId, caId)
  if (!signerIsDue(current && lifeOf(current), issuer, now)) return undefined
  const tokenId = signedBy === 'signerOnToken' ? await tokenOf(db, issuer) : undefined
  return { issuer, tokenId, algorithm: tokenId === undefined ? signerKeyFor(issuer.algorithm) : await keyOnToken(db, issuer, tokenId) }
}

/** The token on which the authority's own key lives. */
export const tokenOf = async (db: Database, { tenantId, keyId }: Pick<Issuer, 'tenantId' | 'keyId'>): Promise<string | undefined> =>
  (await tokensOfKeys(db, tenantId)).get(keyId)?.tokenId

/** The token makes a key like the authority's for certain. */
async function keyOnToken(db: Database, { tenantId, algorithm }: Issuer, tokenId: string): Promise<KeyAlgorithm> {
  const wanted = signerKeyFor(algorithm)
  return (await tokenChoices(db, tenantId)).find((token) => token.tokenId === tokenId)?.algorithms.includes(wanted) === true
    ? wanted
    : algorithm
}

/** Makes the signer that is due. Throws KeyUnavailable; what is on record by then is signed by the job. Not inside a transaction. */
export async function keepSigner(house: House, tenantId: string, caId: string, actor: Actor = clerk): Promise<void> {
  const due = await inTenant(house.database, tenantId, (db) => dueSigner(db, tenantId, caId, house.now()))
  if (due === undefined) return
  if (due.unsigned !== undefined) return certify(house, due.issuer, due.unsigned, actor)
  const made = await makeKey(house, { tenantId, algorithm: due.algorithm, label: `${due.issuer.friendlyName} OCSP`, tokenId: due.tokenId })
  const recorded = await record(house, due.issuer, due.algorithm, made, actor).catch(async (error: unknown) => {
    await made.discard()
    throw error
  })
  if (recorded === undefined) await made.discard()
  else await certify(house, due.issuer, recorded, actor)
}

/** Undefined where another server was quicker, or nobody wants it any more. */
const record = (
  house: House,
  { tenantId, caId }: Issuer,
  algorithm: KeyAlgorithm,
  made: NewKey,
  actor: Actor,
): Promise<OcspSignerRow | undefined> =>
  house.work(tenantId, actor, async ({ db, emitFor }) => {
    const now = house.now()
    await lockSigners(db, caId)
    const due = await dueSigner(db, tenantId, caId, now)
    if (due === undefined || due.unsigned !== undefined) return undefined
    const { issuer } = due
    const id = timeOrderedId(now)
    const keyId = await made.keep(db, now)
    const { notBefore, notAfter } = lifeOfSigner(issuer, now)
    // Issuing may be switched off by hand: status goes on.
    const draft = {
      subject: signerName(issuer),
      notBefore,
      notAfter,
      publicKey: made.spki,
      extensions,
      unaddressed: true,
      about: { kind: 'signer', id },
    } as const
    const { serialHex } = await reserve(db, { ...issuer, enabled: true }, draft, now)
    const row = {
      tenant_id: tenantId,
      id,
      ca_id: caId,
      key_id: keyId,
      key_algorithm: algorithm,
      serial_hex: serialHex,
      certificate: null,
      not_before: notBefore,
      not_after: notAfter,
      made_at: now,
      ended_at: null,
      ended_as: null,
      key_destroyed: false,
    }
    await insertSigner(db, row)
    emitFor(revocation)(
      'signerRecorded',
      { caId, signerId: id, keyId, keyAlgorithm: algorithm, serialNumber: serialHex, notAfter: notAfter.toISOString() },
      caId,
    )
    return row
  })

/** RFC 6960 4.2.2.2 and 4.2.2.2.1: for answers alone, and nobody need ask about it. */
const extensions: readonly Extension[] = [
  { type: 'basicConstraints', critical: true, cA: false },
  { type: 'keyUsage', critical: true, usages: ['digitalSignature'] },
  { type: 'extKeyUsage', critical: false, purposes: [KEY_PURPOSES.OCSPSigning] },
  { type: 'ocspNoCheck', critical: false },
]

const longestCommonName = 64

/** The authority's name with another common name, so that constraints on names above it hold for both. */
function signerName(issuer: Pick<Issuer, 'subjectEncoded' | 'friendlyName'>): Name {
  const name = parseName(issuer.subjectEncoded)
  const remaining = name.filter((attributes) => attributes.every(({ type }) => type !== OIDS.commonName))
  const suffix = ' OCSP signer'
  return [
    ...remaining,
    [attribute('CN', `${(commonNameOf(name) ?? issuer.friendlyName).slice(0, longestCommonName - suffix.length)}${suffix}`)],
  ]
}

async function certify(house: House, issuer: Issuer, signer: OcspSignerRow, actor: Actor): Promise<void> {
  const { tenantId, caId } = issuer
  const reservation = await inTenant(house.database, tenantId, (db) => reservationAbout(db, tenantId, signer.id))
  if (reservation === undefined) return
  const certificate = await signReserved(house, issuer, reservation)
  await house.work(tenantId, actor, async ({ db, emitFor }) => {
    if (!(await storeSignerCertificate(db, tenantId, signer.id, certificate))) return
    if (!(await storeSigned(db, issuer, reservation.serialHex, certificate, house.now())))
      throw new Error(`The signer ${signer.id} has no reservation any more`)
    await endSigners(db, tenantId, caId, { as: 'renewed', now: house.now(), except: signer.id })
    await tellStatusChange(db, caId)
    emitFor(revocation)(
      'signerCertified',
      { caId, signerId: signer.id, serialNumber: reservation.serialHex, sha256: fingerprint(parseCertificate(certificate)) },
      caId,
    )
  })
}

/** From this commit on nobody signs in the authority's stead. What waits for its signature is never signed. Returns those that did. */
export async function endAllSigners(
  db: Database,
  tenantId: string,
  caId: string,
  as: Exclude<SignerEnd, 'renewed'>,
  now: Date,
): Promise<OcspSignerRow[]> {
  await lockSigners(db, caId)
  const ended = await endSigners(db, tenantId, caId, { as, now })
  for (const { id, certificate } of ended) if (certificate === null) await voidReservation(db, tenantId, id)
  await tellStatusChange(db, caId)
  return ended.filter(({ certificate }) => certificate !== null)
}

/** As `endAllSigners` for an exposed key, whose certificates are revoked besides: relying parties that do ask hear of it. */
export async function endExposed(db: Database, tenantId: string, caId: string, now: Date): Promise<OcspSignerRow[]> {
  const ended = await endAllSigners(db, tenantId, caId, 'compromised', now)
  const at = wholeSecond(now)
  for (const { serial_hex: serialHex } of ended) await markRevoked(db, { tenantId, caId, serialHex, reason: 'keyCompromise', at })
  return ended
}

/** Job: what is due. One that fails does not keep the others from theirs. */
export async function keepSigners({ house, tenantId }: TenancyTurn): Promise<void> {
  for (const caId of await inTenant(house.database, tenantId, (db) => delegatingAuthorities(db, tenantId))) {
    await keepSigner(house, tenantId, caId).catch((error: unknown) => {
      if (error instanceof KeyUnavailable)
        house.log.warn({ caId, reason: error.reason }, 'a signer of OCSP answers waits for a key that is unavailable')
      else house.log.error({ error, caId }, 'a signer of OCSP answers could not be made; it is tried again')
    })
  }
  await destroySpareKeys(house, tenantId).catch((error: unknown) =>
    house.log.warn({ error }, 'the key of an earlier signer of OCSP answers could not be destroyed; it is tried again'),
  )
}

/** Not at once: what was begun with a key is finished with it. */
async function destroySpareKeys(house: House, tenantId: string): Promise<void> {
  const endedBefore = new Date(house.now().getTime() - signerMarginMilliseconds)
  for (const { id, ca_id: caId, key_id: keyId } of await inTenant(house.database, tenantId, (db) =>
    signersWithSpareKeys(db, tenantId, endedBefore),
  )) {
    await destroyOnToken(house, tenantId, keyId)
    await house.work(tenantId, clerk, async ({ db, emitFor }) => {
      await destroyKey(db, tenantId, keyId)
      await noteKeyDestroyed(db, tenantId, id)
      emitFor(revocation)('signerKeyDestroyed', { caId, signerId: id, keyId }, caId)
    })
  }
}
