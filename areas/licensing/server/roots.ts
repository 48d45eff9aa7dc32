// Certificates of authorities that are not ours, kept by their bytes: registered ones, and the roots of TPM manufacturers.

import { listUsableIssuers, type UsableIssuer } from '#areas/authorities/licensing.ts'
import { authorityStatus } from '#areas/authorities/rules.ts'
import { listPlainTemplates } from '#areas/templates/service.ts'
import { listTenancies } from '#areas/tenancy/service.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { Handlers } from '#core/server/serve.ts'
import { say } from '#standards/say/say.ts'
import { fingerprint, parseCertificate } from '#standards/x509/certificate.ts'
import { formatName } from '#standards/x509/names.ts'
import { describeKey } from '#standards/x509/public-key.ts'
import type { licensing } from '../contract.ts'
import { columnsOf, readExternalAuthority } from './external-authority.ts'
import { presentLicence } from './licences.ts'
import {
  listExternal,
  allRoots,
  deleteExternal,
  deleteRoot,
  insertExternal,
  insertRoot,
  type ExternalRecord,
  type RootRecord,
} from './store.ts'

type Contract = typeof licensing
type RootHandlers = Pick<Handlers<Contract>, 'registered' | 'register' | 'forget' | 'addRoot' | 'removeRoot'>

type StoredCertificate = Pick<RootRecord, 'subject' | 'serial_hex' | 'key_text' | 'not_before' | 'not_after' | 'fingerprint_sha256'>

const presentCertificate = (record: StoredCertificate, now: Date) => ({
  subject: record.subject,
  serialNumber: record.serial_hex,
  key: record.key_text,
  notBefore: record.not_before.toISOString(),
  notAfter: record.not_after.toISOString(),
  sha256: record.fingerprint_sha256,
  status: authorityStatus({ notBefore: record.not_before, notAfter: record.not_after }, now),
})

export const presentRoot = (record: RootRecord, now: Date) => ({
  id: record.id,
  manufacturer: record.manufacturer,
  addedBy: record.added_by,
  addedAt: record.added_at.toISOString(),
  ...presentCertificate(record, now),
})

const presentExternal = (record: ExternalRecord, now: Date) => ({
  id: record.id,
  friendlyName: record.friendly_name,
  origin: 'outside' as const,
  owner: '',
  issuer: record.issuer,
  enabled: true,
  ...presentCertificate(record, now),
})

/** An authority that signs here, beside those that do not. */
function presentIssuer(issuer: UsableIssuer, names: ReadonlyMap<string, string>, now: Date) {
  const certificate = parseCertificate(issuer.certificate)
  return {
    id: issuer.caId,
    friendlyName: issuer.friendlyName,
    origin: issuer.granted === undefined ? ('own' as const) : ('licensed' as const),
    owner: issuer.granted === undefined ? '' : (names.get(issuer.tenantId) ?? ''),
    ...(issuer.licence !== undefined && { licence: presentLicence(issuer.licence, now) }),
    issuer: formatName(certificate.issuer),
    enabled: issuer.enabled,
    subject: issuer.subject,
    serialNumber: certificate.serialHex,
    key: describeKey(certificate.publicKey),
    notBefore: issuer.notBefore.toISOString(),
    notAfter: issuer.notAfter.toISOString(),
    sha256: fingerprint(certificate),
    status: issuer.status,
  }
}

export const rootHandlers: RootHandlers = {
  async registered({ page, size, text, origin }, { db, viewer, now }) {
    const issuers = await listUsableIssuers(db, viewer.tenantId, now)
    const names = new Map(
      issuers.some(({ granted }) => granted !== undefined) ? (await listTenancies(db)).map(({ id, name }) => [id, name] as const) : [],
    )
    const all = [
      ...issuers.map((issuer) => presentIssuer(issuer, names, now)),
      ...(await listExternal(db, viewer.tenantId)).map((record) => presentExternal(record, now)),
    ]
    const sought = text.trim().toLowerCase()
    const fitting = all.filter(
      (row) =>
        (origin === undefined || row.origin === origin) &&
        [row.friendlyName, row.subject, row.serialNumber].some((value) => value.toLowerCase().includes(sought)),
    )
    return { rows: fitting.slice((page - 1) * size, page * size), total: fitting.length }
  },

  async register({ friendlyName, certificate: text }, { db, viewer, now, emit, fault }) {
    const certificate = readExternalAuthority(text, now, { root: false })
    const columns = columnsOf(certificate)
    const own = (await listUsableIssuers(db, viewer.tenantId, now)).find(
      (issuer) => Buffer.compare(issuer.certificate, certificate.encoded) === 0,
    )
    if (own !== undefined) fault('own', { params: { name: own.friendlyName } })
    const id = timeOrderedId(now)
    await insertExternal(db, {
      tenant_id: viewer.tenantId,
      id,
      friendly_name: friendlyName,
      issuer: formatName(certificate.issuer),
      registered_by: viewer.username,
      registered_at: now,
      ...columns,
    })
    emit('registered', { id, subject: columns.subject, sha256: columns.fingerprint_sha256 }, id)
    return { id }
  },

  async forget({ id }, { db, viewer, emit, fault }) {
    const gone = (await deleteExternal(db, viewer.tenantId, id)) ?? fault('missing')
    emit('forgotten', { id, subject: gone.subject, sha256: gone.fingerprint_sha256 }, id)
    return {}
  },

  async addRoot({ manufacturer, certificate: text }, { db, viewer, now, emit }) {
    const columns = columnsOf(readExternalAuthority(text, now, { root: true }))
    const id = timeOrderedId(now)
    await insertRoot(db, { tenant_id: viewer.tenantId, id, manufacturer, added_by: viewer.username, added_at: now, ...columns })
    emit('rootAdded', { id, manufacturer, sha256: columns.fingerprint_sha256 }, id)
    return { id }
  },

  async removeRoot({ id }, { db, viewer, now, emit, fault }) {
    if (!(await allRoots(db, viewer.tenantId)).some((root) => root.id === id)) fault('missing')
    // Without its last root a policy would accept any: that must be somebody's decision.
    const needed = (await listPlainTemplates(db, viewer.tenantId, now)).find(({ narrowing }) => narrowing.attestationRoots.includes(id))
    if (needed !== undefined)
      fault('used', { fields: [{ field: 'id', says: say`${needed.displayName || needed.templateName} names this root in its policy` }] })
    const gone = (await deleteRoot(db, viewer.tenantId, id)) ?? fault('missing')
    emit('rootRemoved', { id, sha256: gone.fingerprint_sha256 }, id)
    return {}
  },
}
