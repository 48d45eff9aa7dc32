// A key that is made here lives for one call: made, certified and handed out in one file, kept nowhere but in the archive, where its template
// wants that. So it is certified only while the call
// that holds it goes on. Where that call dies the request goes back to awaiting a key, and the serial that was reserved is void for ever:
// a certificate for a key that nobody has would be worse than none.

import { archiveKey, type KeyToArchive } from '#areas/archive/service.ts'
import { signReserved, voidReservation } from '#areas/authorities/service.ts'
import { isHolderKey } from '#areas/keys/rules.ts'
import { generateKeyPair } from '#areas/keys/service.ts'
import { atOwner, ownerOf } from '#areas/licensing/service.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import type { Handlers } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { buildPkcs12 } from '#standards/pkcs12/pkcs12.ts'
import { certificates } from '../../contract.ts'
import type { RequestStage } from '../../rules.ts'
import { fileName } from '../inventory/files.ts'
import { mayCollect } from '../policy.ts'
import { changeRequest, findRequest, lockRequest } from '../requests/request-store.ts'
import { bringsKey, type CertificateRecord, type RequestRecord } from '../store.ts'
import { nameOf } from './certificate-record.ts'
import { issuing, reserveRequest, standOf, storeRequest, type Issued, type Moving } from './issue.ts'
import { tellIssued } from './issued-mail.ts'

export const collectKey: Handlers<typeof certificates>['collectKey'] = async (
  { requestId, password, form },
  { viewer, now, house, request: facts, transact, fault },
) => {
  const { tenantId } = viewer
  const found = await transact(({ db }) => findRequest(db, tenantId, requestId))
  // A person's key is for that person alone, whoever asked for it.
  if (found === undefined || !mayCollect(viewer, found)) return fault('noSuchRequest')
  if (bringsKey(found)) return fault('keyGone')
  const refuseStage = (stage: RequestStage, error: string): void => {
    if (stage === 'waiting') fault('notReady')
    if (stage === 'approved' || stage === 'reserved') fault('underWay')
    if (stage === 'denied' || stage === 'withdrawn' || stage === 'failed')
      fault('notIssued', { params: { reason: error === '' ? 'it was denied' : error } })
    if (stage !== 'awaitingKey') fault('keyGone')
  }
  refuseStage(found.stage, found.error)
  const kind = found.key_kind
  if (kind === null || !isHolderKey(kind)) throw new Error(`The request ${requestId} names no key that can be made`)

  const { privateKey, spki } = await generateKeyPair(kind)
  const due = await transact(async ({ db, emit }) => {
    const request = await lockRequest(db, tenantId, requestId)
    refuseStage(request?.stage ?? 'withdrawn', request?.error ?? '')
    return reserveRequest({ db, tenantId, requestId, now, emit }, { madeKey: spki })
  })
  if ('stage' in due) return fault('notIssued', { params: { reason: due.error } })
  const { serialHex } = due.reserved
  // As it stands by the rules of today.
  const { request } = due
  const name = nameOf(request, serialHex)

  let pkcs12: Uint8Array | undefined
  let stored: Issued | undefined
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' })
  try {
    const certificate = await signReserved(house, due.issuer, due.reserved)
    // Before the certificate is stored: one that is in the inventory has its file.
    pkcs12 = await buildPkcs12({
      privateKeyPkcs8: pkcs8,
      certificates: [certificate, ...due.issuer.chain],
      password,
      friendlyName: request.friendly_name || name,
      form,
    })
    stored = await transact(async ({ db, emit }) => {
      const { record, ...stands } = await storeRequest({ db, tenantId, requestId, now, emit }, { ...due, certificate })
      if (record === undefined) return stands
      const by = { userId: viewer.userId, name: actorOf(viewer), address: facts.address }
      const made = { certificate, chain: due.issuer.chain, privateKey: pkcs8, by }
      await archiveIfWanted(db, house, { request, record, made, now })
      await tellIssued(db, house, record, now)
      emit('keyCollected', { requestId, certificateId: record.id }, record.id)
      return stands
    })
  } catch (error) {
    stored = await dropMadeKey(house, tenantId, requestId, serialHex).catch(
      (failure: unknown) =>
        void house.log.warn({ error: failure, request: requestId }, 'a key that was made here could not be dropped yet'),
    )
    // A commit whose answer was lost is a commit: the file is still at hand.
    if (stored?.stage !== 'issued') throw error
  } finally {
    pkcs8.fill(0)
  }
  if (stored.stage === 'denied' || stored.stage === 'failed') return fault('notIssued', { params: { reason: stored.error } })
  if (stored.certificateId === undefined || stored.serialHex !== serialHex || pkcs12 === undefined) return fault('overtaken')
  return {
    certificateId: stored.certificateId,
    caId: request.ca_id,
    serialNumber: serialHex,
    fileName: `${fileName(name)}.p12`,
    pkcs12: Buffer.from(pkcs12).toString('base64'),
    archived: request.plan.extensions.keyArchival === true,
  }
}

type MadeKey = Pick<KeyToArchive, 'certificate' | 'chain' | 'privateKey' | 'by'>

/** In the commit that stores the certificate, so that there is none of an archiving template without its key. */
async function archiveIfWanted(
  db: Database,
  house: House,
  {
    request: { plan, key_kind: keyKind },
    record,
    made,
    now,
  }: { request: RequestRecord; record: CertificateRecord; made: MadeKey; now: Date },
): Promise<void> {
  if (plan.extensions.keyArchival !== true) return
  const {
    id: certificateId,
    tenant_id: tenantId,
    name,
    subject,
    ca_name: caName,
    serial_hex: serialHex,
    holder,
    holder_user_id: holderUserId,
    template_name: templateName,
    not_after: notAfter,
  } = record
  await archiveKey(
    db,
    house,
    {
      ...made,
      tenantId,
      certificateId,
      name,
      subject,
      caId: record.ca_id ?? '',
      caName,
      serialHex,
      holder,
      holderUserId,
      templateName,
      keyKind: keyKind ?? '',
      notAfter,
      recoveryApprovers: plan.extensions.recoveryApprovers ?? 1,
    },
    now,
  )
}

/**
 * Takes a request back to awaiting its key where the call that made one is gone, and says where it stands; any other request is left as it is.
 * With `serialHex` only that try is dropped, not one that came after it. Not inside a transaction.
 */
export const dropMadeKey = (house: House, tenantId: string, requestId: string, serialHex?: string): Promise<Issued> =>
  house.work(tenantId, issuing, ({ db, emitFor }) =>
    dropIn({ db, tenantId, requestId, now: house.now(), emit: emitFor(certificates) }, serialHex),
  )

async function dropIn({ db, tenantId, requestId, now, emit }: Moving, serialHex: string | undefined): Promise<Issued> {
  const request = await lockRequest(db, tenantId, requestId)
  if (request === undefined) throw new Error(`There is no request ${requestId}`)
  if (bringsKey(request) || (request.stage !== 'approved' && request.stage !== 'reserved')) return standOf(request)
  if (serialHex !== undefined && request.serial_hex !== serialHex) return standOf(request)
  const ownerId = await ownerOf(db, tenantId, request.ca_id, now)
  await atOwner(db, tenantId, ownerId, () => voidReservation(db, ownerId, requestId))
  await changeRequest(db, tenantId, requestId, { stage: 'awaitingKey', public_key: null, serial_hex: null, updated_at: now })
  emit('keyDropped', { requestId, ...(request.serial_hex === null ? {} : { serialNumber: request.serial_hex }) }, requestId)
  return { stage: 'awaitingKey', certificateId: undefined, serialHex: undefined, error: '' }
}
