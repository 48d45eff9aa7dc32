import { listUsableIssuers } from '#areas/authorities/licensing.ts'
import { insertExternal, knownByFingerprint, signerOf } from '#areas/certificates/service.ts'
import { invalidField } from '#core/server/fault.ts'
import { serve } from '#core/server/serve.ts'
import { say } from '#standards/say/say.ts'
import { checkIssuedBy, fingerprint, isSelfIssued } from '#standards/x509/certificate.ts'
import { commonNameOf, formatName } from '#standards/x509/names.ts'
import { imports } from '../contract.ts'
import type { UploadState } from '../rules.ts'
import { readUpload, type Uploaded, type Refused, type Upload } from './read.ts'

export default serve(imports, {
  async check(uploaded, { db, viewer, now, fault }) {
    const { found, faults } = readOrRefuse(uploaded, fault)
    const certificates = found.map(({ certificate }) => certificate)
    const known = await knownByFingerprint(
      db,
      viewer.tenantId,
      certificates.map((certificate) => fingerprint(certificate)),
    )
    const issuers = await listUsableIssuers(db, viewer.tenantId, now)
    return {
      found: found.map(({ certificate, file }) => {
        const sha256 = fingerprint(certificate)
        const there = known.get(sha256)
        const state: UploadState = there === undefined ? 'new' : there.caId === undefined ? 'known' : 'ours'
        const subject = formatName(certificate.subject)
        const signer = signerOf(certificate, issuers)
        return {
          sha256,
          name: commonNameOf(certificate.subject) ?? subject,
          subject,
          issuer: formatName(certificate.issuer),
          serialNumber: certificate.serialHex,
          notBefore: certificate.notBefore.toISOString(),
          notAfter: certificate.notAfter.toISOString(),
          state,
          issuerKnown: signer !== undefined || (isSelfIssued(certificate) && checkIssuedBy(certificate, certificate).ok),
          ...(signer === undefined ? {} : { signedBy: signer.friendlyName }),
          ...(there === undefined ? {} : { certificateId: there.id }),
          ...(file === undefined ? {} : { file }),
        }
      }),
      faults,
    }
  },

  async upload({ friendlyName, contactEmail, ...uploaded }, { db, viewer, emit, now, fault }) {
    const { found, faults } = readOrRefuse(uploaded, fault)
    if (found.length === 0)
      return fault('nothing', {
        fields: faults.map(({ file, says }) => ({ field: 'text', says: file === undefined ? says : say`${file}: ${says}` })),
      })
    const certificates = found.map(({ certificate }) => certificate)
    const added = await insertExternal(db, viewer.tenantId, certificates, { uploader: viewer, friendlyName, contactEmail }, now)
    const known = certificates.length - added.length
    emit(
      'uploaded',
      { certificates: added.map(({ id, fingerprint_sha256: sha256 }) => ({ certificateId: id, sha256 })), known },
      added[0]?.id,
    )
    return { added: added.map(({ id, name }) => ({ certificateId: id, name })), known, faults }
  },
})

function readOrRefuse(uploaded: Uploaded, fault: (code: Extract<Refused, { refused: string }>['refused']) => never): Upload {
  const read = readUpload(uploaded)
  if ('unreadable' in read) throw invalidField('text', read.unreadable)
  if ('refused' in read) return fault(read.refused)
  return read
}
