// The calls about certificates: the list with its facets, one with everything about it, and its files.

import * as z from 'zod'
import { activityOf } from '#areas/audit/service.ts'
import { listUsableIssuers } from '#areas/authorities/licensing.ts'
import { revokedAbove } from '#areas/authorities/stakes.ts'
import { atOwner } from '#areas/licensing/service.ts'
import { keyUsages } from '#areas/templates/rules.ts'
import { listTemplates } from '#areas/templates/service.ts'
import { findPerson, fullName } from '#areas/users/service.ts'
import type { Statement } from '#core/server/batch.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { commonFault, faultOfCall } from '#core/server/fault.ts'
import type { EndpointHandler, Handlers, Viewer } from '#core/server/serve.ts'
import { parseExactly, readQuery } from '#core/server/steps/input.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { fingerprint, parseCertificate } from '#standards/x509/certificate.ts'
import { formatName, commonNameOf } from '#standards/x509/names.ts'
import { describeKey } from '#standards/x509/public-key.ts'
import { certificates } from '../../contract.ts'
import { textFormats, type CertificateFormat } from '../../file-formats.ts'
import { findRecord } from '../../service.ts'
import { Reference } from '../../shapes.ts'
import { mayKnowCertificate } from '../policy.ts'
import { serialsOfCards } from './cards.ts'
import { certificateFile, type CertificateFile } from './files.ts'
import { findIssuerOf } from './issuer-chain.ts'
import { saidChoices } from './keeping-store.ts'
import { listInventory } from './listing.ts'
import { ownCertificates } from './own-store.ts'
import { insideOf, presentRow } from './presenter.ts'

type ViewingHandlers = Pick<Handlers<typeof certificates>, 'search' | 'own' | 'choices' | 'info' | 'download'>

export const viewingHandlers: ViewingHandlers = {
  async search({ page, size, sort, direction, facets, ...filter }, { viewer, now, house, transact }) {
    const source = {
      read: (statement: Statement) => house.batches.read(viewer.tenantId, statement),
      within: <T>(work: (db: Database) => Promise<T>) => transact(({ db }) => work(db)),
    }
    const found = await listInventory(source, viewer.tenantId, filter, { page, size, sort, direction }, now)
    return {
      rows: found.rows.map((row) => presentRow(row, now)),
      total: found.total,
      more: found.more,
      ...(facets && found.facets !== undefined ? { facets: found.facets } : {}),
    }
  },

  async own({ page, size, ...asked }, { db, viewer, now }) {
    const { rows, ...counted } = await ownCertificates(db, viewer.tenantId, viewer.userId, asked, { page, size }, now)
    return {
      rows: rows.map((row) => ({
        ...presentRow(row, now),
        entity: row.entity,
        ...(row.request_id === null ? {} : { requestId: row.request_id }),
        renewed: row.renewed_by !== null,
      })),
      ...counted,
    }
  },

  choices: (_input, { db, viewer, now }) => choicesOf(db, viewer.tenantId, now),

  async info(reference, { db, viewer, now, house, tenancy, fault }) {
    const { tenantId } = viewer
    const record = (await findRecord(db, tenantId, reference)) ?? fault('noSuchCertificate')
    const { parsed, keyUsages: usages, purposeNames, crl, ocsp } = insideOf(record.certificate)
    const { issuers, issuer, chain } = await findIssuerOf(db, tenantId, record, now)
    const fallen = issuer && (await atOwner(db, tenantId, issuer.tenantId, () => revokedAbove(db, issuer.tenantId, issuer.caId)))
    const person = record.holder_user_id === null ? undefined : await findPerson(db, tenantId, record.holder_user_id)
    return {
      cn: record.name,
      dn: record.subject,
      certificate: {
        ...presentRow(record, now),
        deviceId: record.device_name,
        cert_template: record.template_name,
        ...(record.request_id === null ? {} : { requestId: record.request_id }),
        pem: encodePem('CERTIFICATE', record.certificate),
        fingerprintSha256: record.fingerprint_sha256,
        fingerprintSha1: fingerprint(parsed, 'sha1'),
        key: describeKey(parsed.publicKey),
        signatureAlgorithm: parsed.signatureAlgorithm,
        keyUsages: usages.map((name) => keyUsages[name]),
        extendedUsages: purposeNames,
        issuer: formatName(parsed.issuer),
        friendlyName: record.friendly_name,
        contactEmail: record.contact_email,
        requester: record.requester,
        renewalMode: record.renewal_mode,
        crl,
        ocsp,
        ...(record.revoked_at === null ? {} : { revokedAt: record.revoked_at.toISOString() }),
      },
      ...(fallen === undefined ? {} : { revokedAbove: { name: fallen.friendlyName, at: fallen.at.toISOString(), reason: fallen.reason } }),
      issuerKnown: issuer !== undefined || chain.root !== undefined,
      rootKnown: chain.root !== undefined,
      ...(record.ca_id !== null || issuer === undefined ? {} : { signedBy: { caId: issuer.caId, name: issuer.friendlyName } }),
      chain: chain.above.map((der) => {
        const issuer = parseCertificate(der)
        const caId = issuers.find(({ certificate }) => Buffer.compare(certificate, der) === 0)?.caId
        const subject = formatName(issuer.subject)
        return {
          name: commonNameOf(issuer.subject) ?? subject,
          subject,
          serialNumber: issuer.serialHex,
          notAfter: issuer.notAfter.toISOString(),
          ...(caId === undefined ? {} : { caId }),
        }
      }),
      ...(person === undefined
        ? {}
        : { associatedUser: { id: person.id, username: person.username, name: fullName(person), emailAddress: person.emailAddress } }),
      ...(record.device_name === ''
        ? {}
        : { associatedDevice: { device_oid: record.device_name, hostname: record.device_name, serial_number: record.device_serial } }),
      associatedSmartcardDetails: (await serialsOfCards(house, tenancy, record.id)).map((serial) => ({ card_serial: serial })),
      activity: await activityAround(db, tenantId, record.id, record.request_id),
    }
  },

  async download({ format, ...reference }, { db, viewer, now, fault }) {
    const found = (await fileFor(db, viewer, format, reference, now)) ?? fault('noSuchCertificate')
    const { content, ...file } = found.file ?? fault('noRoot')
    return { ...file, content: Buffer.from(content).toString('base64') }
  },
}

/** The certificate as PEM, for programs that save the answer as it is. */
export const certificatePem: EndpointHandler = {
  async handle({ viewer, house, url, now }) {
    if (viewer === undefined) throw commonFault('not_logged_in')
    const { format, ...reference } = parseExactly(PemAsked, readQuery(url, PemAsked))
    const found = await inTenant(house.database, viewer.tenantId, (db) => fileFor(db, viewer, format, reference, now))
    if (found === undefined) throw faultOfCall(certificates.calls.download, 'noSuchCertificate')
    if (found.file === undefined) throw faultOfCall(certificates.calls.download, 'noRoot')
    return { headers: { 'content-type': 'application/pem-certificate-chain', 'cache-control': 'no-store' }, body: found.file.content }
  },
}

const PemAsked = Reference.extend({ format: z.enum(textFormats).default('pem') })

/** Undefined where there is no such certificate for the viewer, `file` undefined where there is no such file of it. */
async function fileFor(
  db: Database,
  viewer: Viewer,
  format: CertificateFormat,
  reference: z.output<typeof Reference>,
  now: Date,
): Promise<{ file: CertificateFile | undefined } | undefined> {
  const record = await findRecord(db, viewer.tenantId, reference)
  if (record === undefined || !mayKnowCertificate(viewer, record)) return undefined
  const { chain } = await findIssuerOf(db, viewer.tenantId, record, now)
  return { file: await certificateFile(format, record.name, record.certificate, chain) }
}

/** What happened to the certificate and, before it, to its request. */
async function activityAround(db: Database, tenantId: string, certificateId: string, requestId: string | null) {
  // What was issued at once has its request's id.
  const earlier = requestId === null || requestId === certificateId ? [] : await activityOf(db, tenantId, requestId, 100)
  const events = [...(await activityOf(db, tenantId, certificateId, 100)), ...earlier]
  return events
    .toSorted((a, b) => b.at.getTime() - a.at.getTime())
    .slice(0, 100)
    .map(({ id, at, actor, area, name, outcome }) => ({ id, at: at.toISOString(), actor, area, name, outcome }))
}

/** What the list can be filtered by; with more than fifty, search is quicker. */
async function choicesOf(db: Database, tenantId: string, now: Date) {
  const templates = (await listTemplates(db, tenantId, now)).slice(0, 50)
  const issuers = (await listUsableIssuers(db, tenantId, now)).slice(0, 50)
  return {
    templates: templates.map(({ id, displayName, templateName }) => ({ value: id, label: displayName || templateName })),
    authorities: issuers.map(({ caId, friendlyName }) => ({ value: caId, label: friendlyName })),
    ...(await saidChoices(db, tenantId)),
  }
}
