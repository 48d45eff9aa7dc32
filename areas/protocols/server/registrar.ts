// The key of a profile: it opens what clients encrypt for it and signs what they are answered. The authority of the profile's template certifies it, and it is made
// like everything that is certified: its key outside any transaction; then one commit with the row, the reservation and the record; then the signature; then the
// certificate in a second commit. What a crash leaves unsigned is signed by whoever comes next.

import { createPrivateKey, sign, type KeyObject } from 'node:crypto'
import { findUsableIssuer } from '#areas/authorities/licensing.ts'
import { wholeSecond } from '#areas/authorities/rules.ts'
import { findIssuer, reservationAbout, reserve, signReserved, storeSigned, type Issuer } from '#areas/authorities/service.ts'
import { sealForTenant, unsealForTenant } from '#areas/keys/sealing.ts'
import { generateKeyPair } from '#areas/keys/service.ts'
import { findTemplate } from '#areas/templates/service.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { Actor, House } from '#core/server/house.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { fingerprint, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import type { Extension } from '#standards/x509/extension-types.ts'
import { KEY_PURPOSES } from '#standards/x509/key-purposes.ts'
import { attribute, parseName, type Name } from '#standards/x509/names.ts'
import { OIDS } from '#standards/x509/oids.ts'
import { protocolRoom } from '../contract.ts'
import { protocols } from '../rules.ts'
import {
  findProfile,
  insertRegistrar,
  listRegistrars,
  lockProfile,
  storeRegistrarCertificate,
  type ProfileRecord,
  type RegistrarRecord,
} from './store.ts'

export type Registrar = {
  certificate: Certificate
  privateKey: KeyObject
  algorithm: 'sha256WithRSAEncryption'
  sign(data: Uint8Array): Uint8Array
}

/** `current` signs; all of `all` open, because clients keep the certificate that they were given. `chain`: of the authority, itself first. DER. */
export type Registrars = { current: Registrar; all: Registrar[]; issuer: Issuer; chain: Uint8Array[] }

const clerk: Actor = { name: 'Enrolment protocols' }
const year = 365 * 86_400_000
const backdated = 3_600_000

const purposeOf = (id: string): string => `enrolment registrar ${id}`

/** The authority behind the profile's template, where it is the tenancy's own and can certify now. */
async function issuerOf(house: House, tenantId: string, profile: ProfileRecord): Promise<Issuer | undefined> {
  return withTenancy(house, tenantId, async ({ db, now }) => {
    const template = await findTemplate(db, tenantId, profile.template_id, now)
    const issuer = template && (await findUsableIssuer(db, tenantId, template.caId, now))
    return issuer?.tenantId === tenantId ? findIssuer(db, tenantId, issuer.caId, now) : undefined
  })
}

/** The keys of a profile; the first asker makes one. Undefined where its authority certifies nobody now. Not inside a transaction. */
export async function registrarsOf(house: House, tenantId: string, profile: ProfileRecord): Promise<Registrars | undefined> {
  const issuer = await issuerOf(house, tenantId, profile)
  if (issuer === undefined) return undefined
  const { caId } = issuer
  const list = () => withTenancy(house, tenantId, (tenancy) => listRegistrars(tenancy, { profileId: profile.id, caId }))
  let rows = await list()
  if (issuer.status === 'ActiveCert' && issuer.revokedAbove === undefined && isDue(rows, issuer, house.now())) {
    await make(house, tenantId, profile, issuer)
    rows = await list()
  }
  const all: Registrar[] = []
  for (const row of rows) if (row.certificate !== null) all.push(await opened(house, tenantId, row, row.certificate))
  const [current] = all
  return current && { current, all, issuer, chain: issuer.chain }
}

/** Where there is none, where one waits for its signature, and where a third of its life is left. */
function isDue(rows: readonly RegistrarRecord[], { notAfter }: Pick<Issuer, 'notAfter'>, now: Date): boolean {
  const [newest] = rows
  if (newest === undefined || newest.certificate === null) return true
  if (newest.not_after.getTime() >= wholeSecond(notAfter).getTime()) return false
  const life = newest.not_after.getTime() - newest.not_before.getTime()
  return now.getTime() > newest.not_after.getTime() - life / 3
}

async function make(house: House, tenantId: string, profile: ProfileRecord, issuer: Issuer): Promise<void> {
  const { privateKey, spki } = await generateKeyPair('RSA-2048')
  const row = await house.work(tenantId, clerk, async ({ db, tenancy, emitFor }) => {
    const { now } = tenancy
    // One at a time makes it, and finds what another has made meanwhile.
    if ((await lockProfile(tenancy, profile.id)) === undefined) return undefined
    const rows = await listRegistrars(tenancy, { profileId: profile.id, caId: issuer.caId })
    if (!isDue(rows, issuer, now)) return undefined
    const unsigned = rows.find(({ certificate }) => certificate === null)
    if (unsigned !== undefined) return unsigned
    const id = timeOrderedId(now)
    const document = privateKey.export({ format: 'der', type: 'pkcs8' })
    const { sealed, tenantKeyId } = await sealForTenant(db, house, { tenantId, purpose: purposeOf(id), plain: document, now })
    document.fill(0)
    const notBefore = wholeSecond(new Date(Math.max(issuer.notBefore.getTime(), now.getTime() - backdated)))
    const notAfter = wholeSecond(new Date(Math.min(issuer.notAfter.getTime(), now.getTime() + year)))
    const draft = {
      subject: registrarName(issuer, profile),
      notBefore,
      notAfter,
      publicKey: spki,
      extensions,
      about: { kind: 'signer', id },
    } as const
    // Issuing may be switched off by hand: those who hold certificates still ask for lists and renewals.
    const { serialHex } = await reserve(db, { ...issuer, enabled: true }, draft, now)
    const made: RegistrarRecord = {
      tenant_id: tenantId,
      id,
      profile_id: profile.id,
      ca_id: issuer.caId,
      key_sealed: sealed,
      tenant_key_id: tenantKeyId,
      serial_hex: serialHex,
      certificate: null,
      not_before: notBefore,
      not_after: notAfter,
      made_at: now,
    }
    await insertRegistrar(tenancy, made)
    emitFor(protocolRoom)(
      'registrarRecorded',
      { profileId: profile.id, registrarId: id, caId: issuer.caId, serialNumber: serialHex },
      profile.id,
    )
    return made
  })
  if (row !== undefined) await certify(house, tenantId, issuer, row)
}

async function certify(house: House, tenantId: string, issuer: Issuer, row: RegistrarRecord): Promise<void> {
  const reservation = await withTenancy(house, tenantId, ({ db }) => reservationAbout(db, tenantId, row.id))
  if (reservation === undefined) return
  const certificate = await signReserved(house, issuer, reservation)
  await house.work(tenantId, clerk, async ({ db, tenancy, emitFor }) => {
    if ((await findProfile(tenancy, row.profile_id)) === undefined) return
    if (!(await storeRegistrarCertificate(tenancy, row.id, certificate))) return
    if (!(await storeSigned(db, issuer, reservation.serialHex, certificate, house.now())))
      throw new Error(`The key ${row.id} of an enrolment profile has no reservation any more`)
    emitFor(protocolRoom)(
      'registrarCertified',
      {
        profileId: row.profile_id,
        registrarId: row.id,
        caId: issuer.caId,
        serialNumber: reservation.serialHex,
        sha256: fingerprint(parseCertificate(certificate)),
      },
      row.profile_id,
    )
  })
}

/** It opens and signs messages and nothing else: no TLS server and no client is taken for it. */
const extensions: readonly Extension[] = [
  { type: 'basicConstraints', critical: true, cA: false },
  { type: 'keyUsage', critical: true, usages: ['digitalSignature', 'keyEncipherment'] },
  { type: 'extKeyUsage', critical: false, purposes: [KEY_PURPOSES.cmcRA] },
]

const longestCommonName = 64

/** The authority's name with another common name, so that constraints on names above it hold for both. */
function registrarName({ subjectEncoded }: Pick<Issuer, 'subjectEncoded'>, { protocol, name }: ProfileRecord): Name {
  const remaining = parseName(subjectEncoded).filter((attributes) => attributes.every(({ type }) => type !== OIDS.commonName))
  const suffix = ` ${protocols[protocol].label} RA`
  return [...remaining, [attribute('CN', `${name.slice(0, longestCommonName - suffix.length)}${suffix}`)]]
}

async function opened(house: House, tenantId: string, row: RegistrarRecord, certificate: Uint8Array): Promise<Registrar> {
  const known = keys.get(house) ?? new Map<string, Registrar>()
  keys.set(house, known)
  const found = known.get(row.id)
  if (found !== undefined) return found
  const document = await withTenancy(house, tenantId, ({ db }) =>
    unsealForTenant(db, house, { tenantId, purpose: purposeOf(row.id), sealed: row.key_sealed, tenantKeyId: row.tenant_key_id }),
  )
  const privateKey = createPrivateKey({ key: document, format: 'der', type: 'pkcs8' })
  document.fill(0)
  const registrar: Registrar = {
    certificate: parseCertificate(certificate),
    privateKey,
    algorithm: 'sha256WithRSAEncryption',
    sign: (data) => sign('sha256', data, privateKey),
  }
  if (known.size >= mostKeys) known.clear()
  known.set(row.id, registrar)
  return registrar
}

const keys = new WeakMap<House, Map<string, Registrar>>()
const mostKeys = 500
