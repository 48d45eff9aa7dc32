// The calls about orders: begun, taken from step to step, checked, cleared, renewed, collected.

import { randomUUID } from 'node:crypto'
import { lookAt, type LookSettings } from '#areas/acme/service.ts'
import { unsealForTenant } from '#areas/keys/sealing.ts'
import { addPublicAddress } from '#areas/tenancy/service.ts'
import { findPerson, fullName } from '#areas/users/service.ts'
import type { FieldFault } from '#core/contract/faults.ts'
import type { Handlers, Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { bareValue } from '#standards/acme/identifiers.ts'
import { decodePem } from '#standards/pem/pem.ts'
import { buildPkcs12 } from '#standards/pkcs12/pkcs12.ts'
import { say } from '#standards/say/say.ts'
import type { ordering } from '../contract.ts'
import { challengeAddressKind, challengeOf, identifierOf, type Step } from '../rules.ts'
import { readBroughtCsr } from './certificate-key.ts'
import { beginRenewal, stepOrder, untouched } from './drive.ts'
import {
  deleteOrder,
  findByCertificate,
  findChallengeAddress,
  findOrder,
  findOrders,
  insertChallengeAddress,
  insertOrder,
  lockOrder,
  updateOrder,
} from './order-store.ts'
import { presentOrder, presentRow, renewalOf } from './presenter.ts'
import { driveSoon } from './running.ts'
import { orderKeyPurpose } from './sealing.ts'
import { cleanUp } from './steps.ts'
import { findAuthority, findResponder, listAuthorities, listResponders, type OrderRecord } from './store.ts'

type OrderCalls = Omit<
  Handlers<typeof ordering>,
  | 'authorities'
  | 'authority'
  | 'addAuthority'
  | 'changeAuthority'
  | 'removeAuthority'
  | 'checkDirectory'
  | 'responders'
  | 'responder'
  | 'addResponder'
  | 'changeResponder'
  | 'removeResponder'
  | 'tryResponder'
>
type StepCall = OrderCalls['register']

/** The address that the web servers of a tenancy's names forward challenges to; made at its first use. */
async function challengeAddressFor(tenancy: Tenancy): Promise<string> {
  const found = await findChallengeAddress(tenancy)
  if (found !== undefined) return found
  const { db, tenantId } = tenancy
  const made = await addPublicAddress(db, { tenantId, kind: challengeAddressKind, target: tenantId })
  return (await insertChallengeAddress(tenancy, made)) ? made : ((await findChallengeAddress(tenancy)) ?? made)
}

/** As the inventory names owners; of somebody of another tenancy what the log calls them. */
async function ownerName({ db, tenantId }: Tenancy, viewer: Viewer): Promise<string> {
  const person = await findPerson(db, tenantId, viewer.userId)
  return person === undefined ? actorOf(viewer) : fullName(person)
}

/** Takes the one step that the call is for, in the name of the caller's click; what fails is on the order. */
const stepCall =
  (step: Exclude<Step, 'done'>): StepCall =>
  async ({ id }, { transact, viewer, house, fault }) => {
    const { tenantId } = viewer
    const before = await transact(async ({ tenancy }) => (await findOrder(tenancy, id)) ?? fault('missing'))
    if (before.step !== step) return fault('notNow', { params: { step: before.step } })
    if ((await stepOrder(house, tenantId, id, step)) === 'busy') return fault('busy')
    return transact(async ({ tenancy }) => presentOrder(house, tenancy, (await findOrder(tenancy, id)) ?? fault('missing'), viewer.userId))
  }

const isClaimed = ({ claimed_until: until }: OrderRecord, now: Date): boolean => until !== null && until > now

export const orderCalls: OrderCalls = {
  async choices(_input, { tenancy }) {
    return { authorities: await listAuthorities(tenancy), responders: await listResponders(tenancy) }
  },

  async orders(question, { tenancy }) {
    const { rows, total } = await findOrders(tenancy, question)
    const names = new Map((await listAuthorities(tenancy)).map(({ id, name }) => [id, name]))
    return { rows: rows.map((row) => presentRow(row, names.get(row.authority_id) ?? '')), total }
  },

  async order({ id }, { tenancy, viewer, house, fault }) {
    return presentOrder(house, tenancy, (await findOrder(tenancy, id)) ?? fault('missing'), viewer.userId)
  },

  async start({ authorityId, names, proof, responderId, keyKind, csr, profile, renews }, { transact, viewer, house, fault }) {
    const brought = keyKind === undefined ? readBroughtCsr(csr, names) : undefined
    const id = randomUUID()
    await transact(async ({ tenancy, emit }) => {
      const faults: FieldFault[] = []
      if ((await findAuthority(tenancy, authorityId)) === undefined)
        faults.push({ field: 'authorityId', says: say`Choose one of the authorities` })
      if (proof === 'responder' && (await findResponder(tenancy, responderId ?? '')) === undefined)
        faults.push({ field: 'responderId', says: say`Choose one of the DNS responders` })
      if (brought !== undefined && 'says' in brought) faults.push({ field: 'csr', says: brought.says })
      if (faults.length > 0) return fault('invalid', { fields: faults })
      if (proof === 'forward') await challengeAddressFor(tenancy)
      await insertOrder(tenancy, {
        ...untouched,
        tenant_id: tenancy.tenantId,
        id,
        authority_id: authorityId,
        names: names.map((name) => identifierOf(name)?.value ?? name),
        proof,
        responder_id: proof === 'responder' ? (responderId ?? null) : null,
        key_kind: keyKind ?? null,
        csr: brought !== undefined && 'csr' in brought ? brought.csr : null,
        profile,
        renews,
        owner_id: viewer.userId,
        owner_name: await ownerName(tenancy, viewer),
        created_at: tenancy.now,
        runs: true,
        next_at: tenancy.now,
        claim: null,
        claimed_until: null,
        tenant_key_id: null,
        certificate_id: null,
        not_before: null,
        not_after: null,
        chain: '',
        key_sealed: null,
        key_tenant_key_id: null,
        renew_at: null,
        ari: null,
        ari_check_at: null,
      })
      emit('started', { orderId: id, authorityId, names }, id)
    })
    driveSoon(house, viewer.tenantId, id)
    return { id }
  },

  register: stepCall('registration'),
  place: stepCall('order'),
  authorize: stepCall('authorization'),
  validate: stepCall('validation'),
  finalise: stepCall('finalisation'),
  certificate: stepCall('certificate'),

  async goOn({ id }, { transact, viewer, house, fault }) {
    const answer = await transact(async ({ tenancy, emit }) => {
      const order = (await lockOrder(tenancy, id)) ?? fault('missing')
      if (order.step === 'done') return fault('notNow', { params: { step: order.step } })
      if (isClaimed(order, tenancy.now)) return fault('busy')
      await updateOrder(tenancy, id, { runs: true, next_at: tenancy.now })
      emit('stepped', { orderId: id, step: order.step }, id)
      return presentOrder(house, tenancy, { ...order, runs: true }, viewer.userId)
    })
    driveSoon(house, viewer.tenantId, id)
    return answer
  },

  async renewNow({ id }, { transact, viewer, house, fault }) {
    const answer = await transact(async ({ tenancy, emit }) => {
      const order = (await lockOrder(tenancy, id)) ?? fault('missing')
      if (order.step !== 'done') return fault('notNow', { params: { step: order.step } })
      await beginRenewal(tenancy, order)
      emit('renewalDue', { orderId: id, ...(order.certificate_id === null ? {} : { certificateId: order.certificate_id }) }, id)
      return presentOrder(house, tenancy, (await findOrder(tenancy, id)) ?? fault('missing'), viewer.userId)
    })
    driveSoon(house, viewer.tenantId, id)
    return answer
  },

  async clear({ id }, { transact, viewer, house, fault }) {
    const before = await transact(async ({ tenancy, emit }) => {
      const order = (await lockOrder(tenancy, id)) ?? fault('missing')
      if (isClaimed(order, tenancy.now)) return fault('busy')
      // What was obtained goes on as if nothing had been begun.
      await updateOrder(tenancy, id, { ...untouched, runs: false })
      emit('cleared', { orderId: id }, id)
      return order
    })
    await cleanUp(house, viewer.tenantId, before)
    return transact(async ({ tenancy }) => presentOrder(house, tenancy, (await findOrder(tenancy, id)) ?? fault('missing'), viewer.userId))
  },

  async check({ id }, { transact, viewer, house, fault }) {
    const order = await transact(async ({ tenancy }) => (await findOrder(tenancy, id)) ?? fault('missing'))
    const results = []
    for (const one of order.state.authorizations ?? []) {
      if (one.status !== 'pending') continue
      const steps: string[] = []
      const [token = '', thumbprint = ''] = one.challenge.keyAuthorization.split('.')
      const problem = await lookAt(challengeOf[order.proof], {
        house,
        tenantId: viewer.tenantId,
        settings: publicPorts,
        identifier: identifierOf(one.name) ?? { type: 'dns', value: bareValue({ value: one.name }) },
        wildcard: one.wildcard,
        token,
        thumbprint,
        accountUrl: '',
        servers: undefined,
        note: (step) => void steps.push(step),
      })
      const says = problem === undefined ? 'This is what the authority wants to see' : problem.detail
      results.push({ name: one.wildcard ? `*.${one.name}` : one.name, ok: problem === undefined, steps, says })
    }
    return { results }
  },

  async setRenewal({ id, renews }, { tenancy, emit, fault }) {
    const order = (await lockOrder(tenancy, id)) ?? fault('missing')
    if (order.renews !== renews) {
      await updateOrder(tenancy, id, { renews })
      emit('renewalChanged', { orderId: id, renews }, id)
    }
    return {}
  },

  async takeOver({ id }, { tenancy, viewer, emit, fault }) {
    const order = (await lockOrder(tenancy, id)) ?? fault('missing')
    if (order.owner_id === viewer.userId) return {}
    // A key is for the person in whose name it was made.
    await updateOrder(tenancy, id, {
      owner_id: viewer.userId,
      owner_name: await ownerName(tenancy, viewer),
      key_sealed: null,
      key_tenant_key_id: null,
    })
    emit('takenOver', { orderId: id, before: order.owner_name }, id)
    return {}
  },

  async collectKey({ id, password, form }, { transact, viewer, house, fault }) {
    const { tenantId } = viewer
    const { order, pkcs8 } = await transact(async ({ tenancy }) => {
      const found = (await findOrder(tenancy, id)) ?? fault('missing')
      // Somebody else's key answers as a missing one does.
      if (found.owner_id !== viewer.userId) return fault('missing')
      const { key_sealed: sealed, key_tenant_key_id: tenantKeyId } = found
      if (sealed === null || tenantKeyId === null) return fault('keyGone')
      return {
        order: found,
        pkcs8: await unsealForTenant(tenancy.db, house, { tenantId, purpose: orderKeyPurpose(id), sealed, tenantKeyId }),
      }
    })
    const name = fileNameOf(order)
    const pkcs12 = await buildPkcs12({
      privateKeyPkcs8: pkcs8,
      certificates: decodePem(order.chain, 'CERTIFICATE').map(({ bytes }) => bytes),
      password,
      friendlyName: order.names[0] ?? name,
      form,
    }).finally(() => pkcs8.fill(0))
    await transact(async ({ tenancy, emit }) => {
      const current = (await lockOrder(tenancy, id)) ?? fault('missing')
      // Of two that collect at once, the first has it; one that was renewed meanwhile has another key.
      if (current.key_sealed === null || order.key_sealed === null || !current.key_sealed.equals(order.key_sealed)) return fault('keyGone')
      await updateOrder(tenancy, id, { key_sealed: null, key_tenant_key_id: null })
      emit('keyCollected', { orderId: id, certificateId: order.certificate_id ?? '' }, order.certificate_id ?? id)
    })
    return { fileName: `${name}.p12`, pkcs12: Buffer.from(pkcs12).toString('base64') }
  },

  async chain({ id }, { tenancy, fault }) {
    const order = (await findOrder(tenancy, id)) ?? fault('missing')
    return { fileName: `${fileNameOf(order)}.pem`, content: order.chain }
  },

  async remove({ id }, { transact, viewer, house, fault }) {
    const before = await transact(async ({ tenancy, emit }) => {
      const order = (await lockOrder(tenancy, id)) ?? fault('missing')
      if (isClaimed(order, tenancy.now)) return fault('busy')
      await deleteOrder(tenancy, id)
      emit('removed', { orderId: id, names: order.names }, id)
      return order
    })
    await cleanUp(house, viewer.tenantId, before)
    return {}
  },

  async ofCertificate({ certId }, { tenancy }) {
    const order = await findByCertificate(tenancy, certId)
    if (order === undefined) return {}
    const authority = await findAuthority(tenancy, order.authority_id)
    return {
      order: {
        id: order.id,
        authorityName: authority?.name ?? '',
        ownerName: order.owner_name,
        current: true,
        renewal: renewalOf(order),
        step: order.step,
        ...(order.renew_at === null || !order.renews ? {} : { renewAt: order.renew_at.toISOString() }),
      },
    }
  },
}

const publicPorts: LookSettings = { httpPort: 80, tlsPort: 443, caaIdentities: [] }

const fileNameOf = ({ names: [first = 'certificate'] }: OrderRecord): string =>
  first.replace(/^\*\./, 'wildcard.').replaceAll(/[^a-z0-9.-]/gi, '_')
