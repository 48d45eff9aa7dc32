// Certificates for keys that a TPM attests. First the machine shows its endorsement key with the manufacturer's certificate and an attestation key, and is sent a secret
// that only this TPM gives out, and only where it holds that attestation key. Then it sends the secret back with what the attestation key certified about the key.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { protocolRequestState, requestByProtocol } from '#areas/certificates/protocols.ts'
import { listAttestationRoots } from '#areas/licensing/service.ts'
import { findTemplate } from '#areas/templates/service.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { Handlers } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { DerError } from '#standards/der/reader.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { say } from '#standards/say/say.ts'
import { makeCredential } from '#standards/tpm/credential.ts'
import { isTpmSignature, nameOfPublic, parseCertify, parseTpmPublic, TpmError, type TpmPublic } from '#standards/tpm/structures.ts'
import { verifyCertificate } from '#standards/verify/verify.ts'
import { parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { checkPublicKey } from '#standards/x509/key-checks.ts'
import { protocolRoom } from '../contract.ts'
import { issuedOf } from './enrol.ts'
import type { TpmAttemptRecord } from './store.ts'
import { insertTpmAttempt, listTpmAttempts, takeTpmAttempt, updateTpmAttempt } from './tpm-store.ts'

type TpmCalls = Pick<Handlers<typeof protocolRoom>, 'prepareTpm' | 'finishTpm' | 'tpmAttempts'>
type Reason = keyof (typeof protocolRoom)['calls']['finishTpm']['faults'] & keyof typeof reasons

const goodFor = 5 * 60_000
/** tcg-kp-EKCertificate */
const ekPurpose = '2.23.133.8.1'

/** Each its own, as people read them among the attempts. */
export const reasons = {
  secretWrong: 'The TPM did not give out the secret: it is not the one of this endorsement key, or does not hold this attestation key',
  keyUnfit: 'The key was not made in its TPM, or may leave it',
  attestationOther: 'The attestation is about another key',
  qualifyingOther: 'The attestation was not made for this request',
  signatureWrong: 'The attestation is not signed by the attestation key',
} as const

const bytes = (text: string): Buffer => Buffer.from(text, 'base64')
const sha256 = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex')
const same = (one: Uint8Array, other: Uint8Array): boolean => one.length === other.length && timingSafeEqual(one, other)

/** A key that signs what its TPM says, and nothing that looks alike; and that never leaves it. */
const isAttestationKey = ({ has }: TpmPublic): boolean =>
  has('fixedTPM') && has('fixedParent') && has('sensitiveDataOrigin') && has('restricted') && has('sign') && !has('decrypt')

const isBound = ({ has }: TpmPublic): boolean => has('fixedTPM') && has('fixedParent') && has('sensitiveDataOrigin') && !has('restricted')

/** What the attestation says besides who signed it, in the order in which it is looked at. */
export function attestationFault(
  attempt: Pick<TpmAttemptRecord, 'secret_hash' | 'qualifying_data' | 'ak_public'>,
  given: { secret: Uint8Array; key: TpmPublic; attestation: Uint8Array; signature: Uint8Array },
): Reason | undefined {
  if (!same(Buffer.from(sha256(given.secret), 'hex'), Buffer.from(attempt.secret_hash, 'hex'))) return 'secretWrong'
  if (!isBound(given.key)) return 'keyUnfit'
  const { name, qualifyingData } = parseCertify(given.attestation)
  if (!same(name, nameOfPublic(given.key))) return 'attestationOther'
  if (!same(qualifyingData, attempt.qualifying_data)) return 'qualifyingOther'
  if (!isTpmSignature(parseTpmPublic(attempt.ak_public).key, given.attestation, given.signature)) return 'signatureWrong'
  return undefined
}

const hasPurpose = ({ extensions }: Certificate): boolean =>
  extensions.some((extension) => extension.type === 'extKeyUsage' && (extension.purposes as readonly string[]).includes(ekPurpose))

/** Runs what reads bytes of others. Undefined where they are not what they should be. */
function read<T>(work: () => T): { is: T } | { says: string } {
  try {
    return { is: work() }
  } catch (error) {
    if (error instanceof TpmError || error instanceof DerError) return { says: error.message }
    throw error
  }
}

type AttemptOutcome = { state: 'begun' | 'requested' | 'refused'; reason: string }

/** One whose machine did not come back is none that goes on. */
function outcomeOf({ state, reason, expires_at: end }: TpmAttemptRecord, now: Date): AttemptOutcome {
  if (state === 'requested' || state === 'refused') return { state, reason }
  return end > now ? { state: 'begun', reason } : { state: 'refused', reason: say`The machine did not come back with what its TPM says` }
}

export const tpmCalls: TpmCalls = {
  async prepareTpm({ templateId, ekPublic, ekCertificate, chain, akPublic }, { transact, viewer, now, request, fault }) {
    const unreadable = (field: string, says: string): never => fault('invalid', { fields: [{ field, says }] })
    const ek = read(() => parseTpmPublic(bytes(ekPublic), 'The endorsement key'))
    if ('says' in ek) return unreadable('ekPublic', ek.says)
    const ak = read(() => parseTpmPublic(bytes(akPublic), 'The attestation key'))
    if ('says' in ak) return unreadable('akPublic', ak.says)
    const leaf = read(() => parseCertificate(bytes(ekCertificate)))
    if ('says' in leaf) return unreadable('ekCertificate', leaf.says)
    const intermediates = read(() => chain.map((text) => parseCertificate(bytes(text))))
    if ('says' in intermediates) return unreadable('chain', intermediates.says)
    if (!isAttestationKey(ak.is)) return fault('akUnfit')
    if (ek.is.aesBits === undefined || !ek.is.has('restricted') || !ek.is.has('decrypt') || !ek.is.has('fixedTPM')) return fault('ekUnfit')
    if (!same(leaf.is.publicKey.spki, ek.is.spki)) return fault('ekOther')
    if (!hasPurpose(leaf.is)) return fault('ekPurpose')
    const weak = checkPublicKey(leaf.is.publicKey).find(({ severity }) => severity === 'error')
    if (weak !== undefined) return unreadable('ekCertificate', weak.message)
    const ekSha256 = sha256(ek.is.spki)
    const attempt = {
      tenant_id: viewer.tenantId,
      id: timeOrderedId(now),
      requester_id: viewer.userId,
      requester: actorOf(viewer),
      template_id: templateId,
      manufacturer: '',
      ek_sha256: ekSha256,
      ak_public: bytes(akPublic),
      secret_hash: '',
      qualifying_data: Buffer.alloc(0),
      state: 'refused',
      reason: protocolRoom.calls.prepareTpm.faults.ekUntrusted.says,
      request_id: null,
      address: request.address,
      expires_at: now,
      created_at: now,
    }
    const prepared = await transact(async ({ db, tenancy, emit }) => {
      const template = (await findTemplate(db, viewer.tenantId, templateId, now)) ?? fault('missing')
      const named = template.narrowing.attestationRoots
      const roots = (await listAttestationRoots(db, viewer.tenantId)).filter(({ id }) => named.length === 0 || named.includes(id))
      const trusted = roots.find(
        ({ certificate }) =>
          verifyCertificate({ leaf: leaf.is, intermediates: intermediates.is, roots: [parseCertificate(certificate)], at: now }).verdict ===
          'valid',
      )
      if (trusted === undefined) {
        // On record, because whoever lists roots looks there for the machine that was turned away.
        await insertTpmAttempt(tenancy, attempt)
        emit('tpmRefused', { attemptId: attempt.id, reason: attempt.reason }, attempt.id)
        return undefined
      }
      const secret = randomBytes(32)
      const qualifyingData = randomBytes(32)
      const { id } = attempt
      const expiresAt = new Date(now.getTime() + goodFor)
      await insertTpmAttempt(tenancy, {
        ...attempt,
        manufacturer: trusted.manufacturer,
        secret_hash: sha256(secret),
        qualifying_data: qualifyingData,
        state: 'prepared',
        reason: '',
        expires_at: expiresAt,
      })
      emit('tpmPrepared', { attemptId: id, templateId, ekSha256 }, id)
      return {
        attemptId: id,
        credential: makeCredential(ek.is, nameOfPublic(ak.is), secret).toString('base64'),
        qualifyingData: qualifyingData.toString('base64'),
        expiresAt: expiresAt.toISOString(),
      }
    })
    return prepared ?? fault('ekUntrusted')
  },

  async finishTpm({ attemptId, secret, keyPublic, attestation, signature, values }, { transact, viewer, house, request, fault }) {
    const unreadable = (field: string, says: string): never => fault('invalid', { fields: [{ field, says }] })
    const key = read(() => parseTpmPublic(bytes(keyPublic), 'The key'))
    if ('says' in key) return unreadable('keyPublic', key.says)
    // Taken before it is judged: a secret is tried once.
    const attempt = (await transact(({ tenancy }) => takeTpmAttempt(tenancy, attemptId, viewer.userId))) ?? fault('gone')
    const end = (state: string, reason: string, requestId?: string) =>
      transact(async ({ tenancy, emit }) => {
        await updateTpmAttempt(tenancy, attempt.id, { state, reason, request_id: requestId ?? null })
        if (state === 'refused') emit('tpmRefused', { attemptId: attempt.id, reason }, attempt.id)
        else emit('tpmAttested', { attemptId: attempt.id, ekSha256: attempt.ek_sha256, requestId: requestId ?? '' }, attempt.id)
      })
    const judged = read(() =>
      attestationFault(attempt, { secret: bytes(secret), key: key.is, attestation: bytes(attestation), signature: bytes(signature) }),
    )
    if ('says' in judged) {
      await end('refused', judged.says)
      return unreadable('attestation', judged.says)
    }
    if (judged.is !== undefined) {
      await end('refused', reasons[judged.is])
      return fault(judged.is)
    }
    const outcome = await requestByProtocol(house, {
      tenantId: viewer.tenantId,
      viewer,
      templateId: attempt.template_id,
      provenKey: key.is.spki,
      attested: true,
      values,
      key: `tpm:${attempt.id}`,
      by: actorOf(viewer),
      address: request.address,
    })
    if ('refused' in outcome) {
      await end('refused', outcome.refused.map(({ says }) => says).join('; '))
      return fault('invalid', { fields: outcome.refused.map(({ field, says }) => ({ field, says })) })
    }
    await end('requested', '', outcome.requestId)
    const state = await transact(({ db }) => protocolRequestState(db, viewer.tenantId, outcome.requestId))
    const issued = state?.certificateId === undefined ? undefined : await issuedOf(house, viewer.tenantId, state.certificateId)
    return {
      requestId: outcome.requestId,
      ...(issued === undefined
        ? {}
        : {
            certificateId: issued.certificate.id,
            certificates: [issued.certificate.certificate, ...issued.chain].map((der) => encodePem('CERTIFICATE', der)).join(''),
          }),
    }
  },

  async tpmAttempts({ page, size }, { tenancy, now }) {
    const { rows, total } = await listTpmAttempts(tenancy, { page, size })
    return {
      rows: rows.map((row) => ({
        id: row.id,
        requester: row.requester,
        manufacturer: row.manufacturer,
        ekSha256: row.ek_sha256,
        ...outcomeOf(row, now),
        ...(row.request_id === null ? {} : { requestId: row.request_id }),
        address: row.address,
        createdAt: row.created_at.toISOString(),
      })),
      total,
    }
  },
}
