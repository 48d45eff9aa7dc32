// The lists of an authority whose key is elsewhere: brought by a person, held against the authority and against the list before, and given out at its
// address as those that are made here.

import { createHash } from 'node:crypto'
import { findIssuer } from '#areas/authorities/service.ts'
import { findOffline, noteRevokedExternally, type OfflineAuthority } from '#areas/authorities/stakes.ts'
import type { Database } from '#core/server/database.ts'
import { invalidField } from '#core/server/fault.ts'
import type { Handlers, Work } from '#core/server/serve.ts'
import { parseCrl, type ParsedCrl } from '#standards/crl/parse.ts'
import { DerError } from '#standards/der/reader.ts'
import { splitCertificateText } from '#standards/pem/certificate-text.ts'
import { PemError } from '#standards/pem/pem.ts'
import { reachOf } from '#standards/verify/crl-scope.ts'
import { checkSignature, isSignatureAlgorithm, type SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { formatName, nameEquals, parseName } from '#standards/x509/names.ts'
import type { revocation } from '../contract.ts'
import { wholeList } from '../rules.ts'
import { crlSummaries, insertCrl, insertFrame, lastCrlNumber, latestSignedCrl, lockNumbers, storeSignedCrl } from './crl-store.ts'
import { stateOf } from './publication.ts'
import type { CrlRow } from './store.ts'

type UploadHandlers = Pick<Handlers<typeof revocation>, 'uploadedList' | 'uploadList'>

const refuse = (says: string) => invalidField('list', says)

/** A clock that runs a little ahead is no reason to refuse. */
const leewayMilliseconds = 300_000

export const uploadHandlers: UploadHandlers = {
  async uploadedList({ caId }, { db, viewer, now, fault }) {
    const authority = (await findOffline(db, viewer.tenantId, caId)) ?? fault('missing')
    const list = (await crlSummaries(db, viewer.tenantId, caId)).find(({ part }) => part === wholeList)
    return {
      url: authority.crlUrl,
      state: stateOf(list, now),
      ...(list === undefined
        ? {}
        : {
            list: {
              number: list.number,
              entries: list.entry_count,
              bytes: list.bytes,
              thisUpdate: list.this_update.toISOString(),
              nextUpdate: list.next_update.toISOString(),
            },
          }),
    }
  },

  async uploadList({ caId, list: text }, { viewer, now, transact, fault }) {
    const { tenantId } = viewer
    const find = async (db: Database) =>
      (await findOffline(db, tenantId, caId)) ?? fault((await findIssuer(db, tenantId, caId, now)) === undefined ? 'missing' : 'online')
    // Reading two million characters and checking their signature takes a while, and nobody waits for it meanwhile: no transaction is open.
    const read = readList(text, await transact(({ db }) => find(db)), now)
    return transact(async ({ db, emit }) => {
      await find(db)
      await lockNumbers(db, caId)
      const before = await latestSignedCrl(db, { tenantId, caId, part: wholeList })
      requireLater(read, { number: await lastCrlNumber(db, tenantId, caId), thisUpdate: before?.this_update })
      return publishRead({ db, emit }, { tenantId, caId }, read)
    })
  },
}

type Publishing = Pick<Work<typeof revocation>, 'db' | 'emit'>

async function publishRead(
  { db, emit }: Publishing,
  { tenantId, caId }: { tenantId: string; caId: string },
  { bytes, crl, number, nextUpdate, algorithm }: Read,
): Promise<{ number: number; entries: number; revoked: number }> {
  const row: CrlRow = {
    tenant_id: tenantId,
    ca_id: caId,
    part: wholeList,
    number,
    revision: 0,
    entry_count: crl.entryCount,
    this_update: crl.thisUpdate,
    next_update: nextUpdate,
    algorithm,
    to_be_signed_sha256: createHash('sha256').update(crl.tbsCertList).digest(),
    head: null,
    tail: null,
    bytes: 0,
    etag: null,
    base_number: null,
    alarmed: false,
  }
  const start = crl.tbsCertList.byteOffset - bytes.byteOffset
  const sha256 = createHash('sha256').update(bytes).digest()
  await insertFrame(db, row, { head: crl.tbsCertList, tail: new Uint8Array() })
  await insertCrl(db, row)
  await storeSignedCrl(db, row, {
    head: Buffer.from(bytes.subarray(0, start)),
    tail: Buffer.from(bytes.subarray(start + crl.tbsCertList.length)),
    bytes: bytes.length,
    etag: sha256.toString('base64url'),
  })
  emit('listUploaded', { caId, number, entries: crl.entryCount, sha256: sha256.toString('hex') }, caId)
  const revoked = await noteRevokedExternally(db, tenantId, caId, (serial) => {
    const entry = crl.find(serial)
    return entry && { at: entry.revocationDate, reason: entry.reason }
  })
  for (const { caId: fallen, at, reason } of revoked)
    emit('authorityFoundRevoked', { caId: fallen, issuerId: caId, at: at.toISOString(), reason }, fallen)
  return { number, entries: crl.entryCount, revoked: revoked.length }
}

type Read = { bytes: Uint8Array; crl: ParsedCrl; number: number; nextUpdate: Date; algorithm: SignatureAlgorithm }

/** The list, if it is one of this authority that holds now. Throws a Fault on the field `list`. */
function readList(text: string, authority: OfflineAuthority, now: Date): Read {
  const { bytes, crl } = parseList(text)
  const subject = parseName(authority.subjectEncoded)
  if (!nameEquals(crl.issuer, subject)) throw refuse(`This list is of ${formatName(crl.issuer)}, not of ${formatName(subject)}`)
  const signed = checkSignature(
    crl.signatureAlgorithm,
    parseCertificate(authority.certificate).publicKey.spki,
    crl.tbsCertList,
    crl.signature,
  )
  if (!signed.ok) throw refuse(`The signature of the list is not that of ${authority.friendlyName}. ${signed.reason}`)
  const algorithm = crl.signatureAlgorithm
  if (!isSignatureAlgorithm(algorithm)) throw refuse('The signature algorithm is not supported')
  if (crl.unknownCritical.length > 0)
    throw refuse(`The list has critical extensions that are not known here: ${crl.unknownCritical.join(', ')}`)
  if (crl.deltaBase !== undefined) throw refuse('This is a delta list. Bring the whole list')
  const scope = crl.issuingDistributionPoint
  if (
    scope !== undefined &&
    (scope.onlyContainsUserCerts ||
      scope.onlyContainsCaCerts ||
      scope.onlyContainsAttributeCerts ||
      scope.indirectCrl ||
      scope.onlySomeReasons !== undefined)
  ) {
    throw refuse('The list speaks about some certificates only, or of those of others. Bring the whole list')
  }
  if (scope !== undefined && scope.uris.length > 0 && !scope.uris.includes(authority.crlUrl))
    throw refuse(`The list speaks for ${scope.uris.join(', ')} only, and not for ${authority.crlUrl}`)
  if (crl.crlNumber === undefined) throw refuse('The list has no number (RFC 5280 5.2.3): make it with the extension crlNumber')
  if (crl.crlNumber > BigInt(Number.MAX_SAFE_INTEGER))
    throw refuse(`The number of the list, ${crl.crlNumber}, is larger than ${Number.MAX_SAFE_INTEGER}`)
  const number = Number(crl.crlNumber)
  const { nextUpdate } = crl
  if (nextUpdate === undefined) throw refuse('The list does not say when the next one comes (nextUpdate)')
  if (nextUpdate <= now) throw refuse(`The list has ended on ${nextUpdate.toISOString()}`)
  if (crl.thisUpdate.getTime() > now.getTime() + leewayMilliseconds)
    throw refuse(`The list begins on ${crl.thisUpdate.toISOString()}, which lies ahead`)
  return { bytes, crl, number, nextUpdate, algorithm }
}

/** Held against the last one. Throws a Fault on the field `list`. */
function requireLater({ number, crl }: Read, last: { number: number | undefined; thisUpdate: Date | undefined }): void {
  if (last.number !== undefined && number <= last.number)
    throw refuse(
      number === last.number
        ? `The list with the number ${number} is here already`
        : `The number of a list never goes back: this is ${number}, and the last was ${last.number}`,
    )
  if (last.thisUpdate !== undefined && crl.thisUpdate < last.thisUpdate)
    throw refuse(`The list is of ${crl.thisUpdate.toISOString()}, older than the last, which is of ${last.thisUpdate.toISOString()}`)
}

function parseList(text: string): { bytes: Uint8Array; crl: ParsedCrl } {
  try {
    const items = splitCertificateText(text)
    const [item, more] = items
    if (items.some(({ kind }) => kind === 'privateKey'))
      throw refuse('This holds a private key. Bring the list only, and count that key as exposed')
    if (item?.kind !== 'crl') throw refuse('Bring a revocation list (CRL), in PEM or base64')
    if (more !== undefined) throw refuse('Bring one list alone')
    const crl = parseCrl(item.bytes)
    reachOf(crl)
    return { bytes: item.bytes, crl }
  } catch (error) {
    if (error instanceof PemError || error instanceof DerError) throw refuse(error.message)
    throw error
  }
}
