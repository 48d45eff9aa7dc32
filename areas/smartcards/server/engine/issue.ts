// The issue of a card (SP 800-73-5 and the certificates on it), step by step. Whatever stops it, the next try goes on: what is done is not done again, what may
// be half done is read and done over.

import { createPublicKey, randomBytes, X509Certificate } from 'node:crypto'
import { protocolRequestState, requestByProtocol } from '#areas/certificates/protocols.ts'
import { findCertificate } from '#areas/certificates/service.ts'
import { rightsHere } from '#areas/users/rights.ts'
import { findPerson, fullName } from '#areas/users/service.ts'
import { noPermission } from '#core/contract/permissions.ts'
import { Fault, faultOfCall } from '#core/server/fault.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { generateKey, pinTries, readObject, resetPin, signOnCard, verifyPin, writeObject, type PivCard } from '#standards/piv/client.ts'
import { objects, slotNamed, type Slot } from '#standards/piv/identifiers.ts'
import {
  encodeCapability,
  encodeCertificate,
  encodeChuid,
  encodeKeyHistory,
  encodePrinted,
  parseCertificate,
} from '#standards/piv/objects.ts'
import { spkiOf } from '#standards/piv/public-keys.ts'
import { signatureAlgorithmOf } from '#standards/piv/signing.ts'
import { say } from '#standards/say/say.ts'
import { checkSignature } from '#standards/x509/algorithms.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { buildCsrInfo } from '#standards/x509/csr.ts'
import { attribute } from '#standards/x509/names.ts'
import { smartcards } from '../../contract.ts'
import { issueSteps, moreSteps, type IssueStep } from '../../rules.ts'
import { CardFault } from '../agents/readers.ts'
import { listReplacing } from '../life-store.ts'
import { listSlots, putSlot, replaceCurrent, updateOperation, updateSlot } from '../operation-store.ts'
import { lockCard, type TemplateSlot } from '../store.ts'
import { currentPuk, openManager, openPin, ownManagementKey, ownPuk, PukUnknown } from './access.ts'
import { attest } from './attest.ts'
import { atCard, changeCard, inTenancy, runStep, type Driving } from './operation.ts'
import { masterKey } from './secrets.ts'

/** Steps of slots are counted from here, ten for each. */
const firstOfSlots = 20
const numbers: Readonly<Record<Exclude<IssueStep, 'key' | 'certificate' | 'write'>, number>> = {
  read: 1,
  plan: 2,
  managementKey: 3,
  puk: 4,
  pin: 5,
  objects: 90,
  prove: 91,
  finish: 92,
}
const ofSlot = { key: 0, certificate: 1, write: 2 } as const

const fail = (code: keyof typeof smartcards.calls.issue.faults, params: Record<string, string> = {}) =>
  faultOfCall(smartcards.calls.issue, code, { params })

const same = (left: Uint8Array | undefined, right: Uint8Array) => left !== undefined && Buffer.compare(left, right) === 0

/** `keepsPin`: the PIN is the one that the card has. `before`: what is done once it is known that the card takes it. */
export type Issuing = { keepsPin: boolean; before?: () => Promise<void> }

/** Issues the card; answers its certificates. The PIN is in memory and nowhere else. */
export async function issueCard(driving: Driving, pin: string, { keepsPin, before }: Issuing): Promise<string[]> {
  const { house, viewer, plan } = driving
  const master = await masterKey(house, viewer.tenantId)
  const person = await inTenancy(driving, ({ db }) => findPerson(db, viewer.tenantId, plan.userId))
  if (person === undefined) throw fail('unknownPerson')
  const name = fullName(person)
  const step = <T>(of: keyof typeof numbers, work: () => Promise<T>, write?: (tenancy: Tenancy, made: T) => Promise<void>) =>
    runStep(driving, { n: numbers[of], name: issueSteps[of] }, work, write)
  const isDone = (n: number) => driving.done.has(n)
  /** Says what is done again when it is granted. */
  const waits = (slot: string) =>
    faultOfCall(keepsPin ? smartcards.calls.reissue : smartcards.calls.issue, 'waitsForApproval', { params: { slot } })

  await step('read', () => atCard(driving, issueSteps.read, async () => {}))
  await step('plan', async () => {})
  if (!isDone(numbers.managementKey))
    await step('managementKey', () => atCard(driving, issueSteps.managementKey, (card) => ownManagementKey(driving, master, card)))
  if (!isDone(numbers.puk))
    await step('puk', () =>
      atCard(driving, issueSteps.puk, async (card) => {
        // Proves first that it is the card, which alone knows its management key: a client only names one.
        await openManager(driving, master, card)
        await ownPuk(driving, card)
      }),
    )
  if (keepsPin)
    await runStep(driving, { n: numbers.pin, name: moreSteps.checkPin }, () =>
      atCard(driving, moreSteps.checkPin, async (card) => {
        if (!(await verifyPin(card, pin)).ok) throw new CardFault('cardRefused', { reason: say`The PIN is another one now` })
      }),
    )
  // The PIN that an earlier try set is known to nobody here: it is set anew each time.
  else
    await step('pin', () =>
      atCard(driving, issueSteps.pin, async (card) => {
        await openManager(driving, master, card)
        if (!(await resetPin(card, { puk: await currentPuk(driving), pin })).ok) throw new PukUnknown()
      }),
    )
  if (before !== undefined) await runStep(driving, { n: numbers.pin + 1, name: moreSteps.revoke }, before)

  const works = plan.slots.map((planned, index) => {
    const slot = slotNamed(planned.slot)
    if (slot === undefined) throw new Error(`There is no slot ${planned.slot}`)
    const ofThis = (of: keyof typeof ofSlot) => ({ n: firstOfSlots + index * 10 + ofSlot[of], name: issueSteps[of], slot: planned.slot })
    return { slot, planned, ofThis }
  })
  for (const { slot, planned, ofThis } of works)
    if (!isDone(ofThis('key').n))
      await runStep(
        driving,
        ofThis('key'),
        () => atCard(driving, issueSteps.key, (card) => makeKey(driving, master, card, { slot, planned, pin, name })),
        (tenancy, made) =>
          putSlot(tenancy, {
            operation_id: driving.operationId,
            card_id: driving.cardId,
            slot: planned.slot,
            algorithm: planned.algorithm,
            state: 'making',
            ...made,
            request_id: null,
            certificate_id: null,
            written_at: null,
          }),
      )
  // Asks for all certificates before it waits for one, so that whoever agrees is asked once.
  const waiting: string[] = []
  for (const { planned, ofThis } of works) {
    if (isDone(ofThis('certificate').n)) continue
    try {
      await runStep(driving, ofThis('certificate'), () => certify(driving, planned, waits))
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'waitsForApproval') throw error
      waiting.push(planned.slot)
    }
  }
  if (waiting.length > 0) throw waits(waiting.join(', '))
  for (const { slot, planned, ofThis } of works)
    if (!isDone(ofThis('write').n))
      await runStep(
        driving,
        ofThis('write'),
        () => atCard(driving, issueSteps.write, (card) => writeCertificate(driving, master, card, slot, planned)),
        (tenancy) => updateSlot(tenancy, driving.operationId, planned.slot, { written_at: tenancy.now }),
      )

  await step('objects', () => atCard(driving, issueSteps.objects, (card) => writeObjects(driving, master, card, { name, pin })))
  await step('prove', () => atCard(driving, issueSteps.prove, (card) => prove(driving, card, pin)))
  return step('finish', () => finish(driving, keepsPin ? 'reissued' : 'issued'))
}

type SlotWork = { slot: Slot; planned: TemplateSlot; pin: string; name: string }

/** Makes the key, and lets it sign for itself while nobody else can reach the card: so it is known to be on it. */
async function makeKey(driving: Driving, master: Uint8Array, card: PivCard, { slot, planned, pin, name }: SlotWork) {
  await openManager(driving, master, card)
  const publicKey = await generateKey(card, slot, planned.algorithm)
  const spki = Buffer.from(spkiOf(publicKey))
  const algorithm = signatureAlgorithmOf(planned.algorithm)
  const info = buildCsrInfo({ subject: [[attribute('CN', name)]], publicKey: spki })
  await openPin(card, pin)
  const signature = await signOnCard(card, slot, planned.algorithm, info)
  if (!checkSignature(algorithm, spki, info, signature).ok) throw fail('notProved', { slot: planned.slot })
  const origin = await attest(driving, card, slot, spki)
  if (driving.plan.attested === true && origin.origin !== 'attested')
    throw fail('notAttested', { slot: planned.slot, reason: origin.origin_says })
  return { spki, ...origin, csr: Buffer.from(assembleSigned(info, algorithm, signature)) }
}

/** The holder asks, by the card; who is at the desk is the one who did it. */
async function certify(driving: Driving, planned: TemplateSlot, waits: (slot: string) => Error): Promise<void> {
  const { house, viewer, operationId, plan, address } = driving
  const { tenantId } = viewer
  const row = (await inTenancy(driving, (tenancy) => listSlots(tenancy, operationId))).find(({ slot }) => slot === planned.slot)
  if (row?.csr == null) throw new Error(`The key of ${planned.slot} is not on record`)
  let requestId = row.request_id
  if (requestId === null) {
    const holder = await holderViewer(driving)
    const outcome = await requestByProtocol(house, {
      tenantId,
      viewer: holder,
      templateId: planned.templateId,
      csr: encodePem('CERTIFICATE REQUEST', row.csr),
      values: {},
      key: `card:${operationId}:${planned.slot}`,
      by: `Card desk: ${viewer.username}`,
      detail: planned.slot,
      address,
      forPerson: true,
      onCard: true,
      actorId: viewer.userId,
    })
    if ('refused' in outcome)
      throw fail('refusedRequest', { slot: planned.slot, reason: outcome.refused.map(({ says }) => says).join('; ') })
    requestId = outcome.requestId
    const asked = requestId
    await inTenancy(driving, (tenancy) => updateSlot(tenancy, operationId, planned.slot, { request_id: asked, state: 'making' }))
  }
  const asked = requestId
  const state = await inTenancy(driving, ({ db }) => protocolRequestState(db, tenantId, asked))
  const certificateId = state?.certificateId
  if (certificateId === undefined) {
    if (state?.stage === 'denied' || state?.stage === 'withdrawn' || state?.stage === 'failed' || state === undefined)
      throw fail('refusedRequest', {
        slot: planned.slot,
        reason: state === undefined || state.error === '' ? 'it was denied' : state.error,
      })
    throw waits(planned.slot)
  }
  const certificate = await inTenancy(driving, ({ db, now }) => findCertificate(db, tenantId, { certId: certificateId }, now))
  if (certificate === undefined || !same(spkiOfCertificate(certificate.certificate), row.spki))
    throw new Error(`The certificate for ${planned.slot} of card ${plan.guid} is for another key`)
  await inTenancy(driving, (tenancy) => updateSlot(tenancy, operationId, planned.slot, { certificate_id: certificateId }))
}

const spkiOfCertificate = (der: Uint8Array): Uint8Array =>
  new X509Certificate(Buffer.from(der)).publicKey.export({ format: 'der', type: 'spki' })

async function holderViewer({ house, viewer, plan, operationId }: Driving): Promise<Viewer> {
  const rights = await house.work(viewer.tenantId, { name: 'Card desk' }, ({ db }) => rightsHere(db, viewer.tenantId, plan.userId))
  if (rights === undefined) throw fail('unknownPerson')
  return {
    userId: plan.userId,
    username: rights.person.username,
    tenantId: viewer.tenantId,
    homeTenantId: rights.person.tenantId,
    permission: noPermission,
    via: 'job',
    credentialId: operationId,
  }
}

async function certificateOf(driving: Driving, slot: string): Promise<{ id: string; der: Uint8Array }> {
  const { viewer, operationId } = driving
  return inTenancy(driving, async (tenancy) => {
    const row = (await listSlots(tenancy, operationId)).find((one) => one.slot === slot)
    const found =
      row?.certificate_id == null
        ? undefined
        : await findCertificate(tenancy.db, viewer.tenantId, { certId: row.certificate_id }, tenancy.now)
    if (found === undefined) throw new Error(`The certificate for ${slot} is gone`)
    return { id: found.id, der: found.certificate }
  })
}

async function writeCertificate(driving: Driving, master: Uint8Array, card: PivCard, slot: Slot, planned: TemplateSlot): Promise<void> {
  const { der } = await certificateOf(driving, planned.slot)
  await openManager(driving, master, card)
  await writeAndCompare(card, slot.object, encodeCertificate(der))
}

async function writeAndCompare(card: PivCard, tag: number, content: Uint8Array): Promise<void> {
  await writeObject(card, tag, content)
  if (!same(await readObject(card, tag), content)) throw new Error('The card does not keep what was written to it')
}

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']

/** Those that differ from what they should be. The GUID is another with each issue, because Windows keeps certificates by it. */
async function writeObjects(
  driving: Driving,
  master: Uint8Array,
  card: PivCard,
  { name, pin }: { name: string; pin: string },
): Promise<void> {
  const { plan, serial } = driving
  const guid = Buffer.from(plan.guid.replaceAll('-', ''), 'hex')
  const expires = plan.expires.slice(0, 10).replaceAll('-', '')
  const printedEnd = `${expires.slice(0, 4)}${monthNames[Number(expires.slice(4, 6)) - 1] ?? ''}${expires.slice(6)}`
  const wanted: [number, Uint8Array][] = [
    [objects.chuid, encodeChuid({ guid, expires })],
    [objects.capability, encodeCapability(guid)],
    [objects.keyHistory, encodeKeyHistory({ onCard: 0, offCard: 0 })],
    [objects.printed, encodePrinted({ name, affiliation: '', expires: printedEnd, serial, issuer: 'Chancery' })],
  ]
  await openManager(driving, master, card)
  await openPin(card, pin)
  for (const [tag, content] of wanted) if (!same(await readObject(card, tag), content)) await writeAndCompare(card, tag, content)
}

/** Each key signs a fresh challenge, and its certificate is on the card and good. */
async function prove(driving: Driving, card: PivCard, pin: string): Promise<void> {
  for (const planned of driving.plan.slots) {
    const slot = slotNamed(planned.slot)
    if (slot === undefined) throw new Error(`There is no slot ${planned.slot}`)
    const { der, id } = await certificateOf(driving, planned.slot)
    const onCard = await readObject(card, slot.object)
    if (onCard === undefined || !same(parseCertificate(onCard), der)) throw fail('notProved', { slot: planned.slot })
    const certificate = await inTenancy(driving, ({ db, now }) => findCertificate(db, driving.viewer.tenantId, { certId: id }, now))
    if (certificate?.revoked !== undefined) throw fail('notProved', { slot: planned.slot })
    await openPin(card, pin)
    const challenge = randomBytes(64)
    const signature = await signOnCard(card, slot, planned.algorithm, challenge)
    const spki = createPublicKey({ key: Buffer.from(spkiOfCertificate(der)), format: 'der', type: 'spki' }).export({
      format: 'der',
      type: 'spki',
    })
    if (!checkSignature(signatureAlgorithmOf(planned.algorithm), spki, challenge, signature).ok)
      throw fail('notProved', { slot: planned.slot })
  }
  if ((await pinTries(card)) !== undefined) throw fail('notProved', { slot: 'PIN' })
}

/** The card that it stands for may have come back into use, or got another one, while this one was made. */
async function checkStanding(tenancy: Tenancy, oldId: string, cardId: string): Promise<void> {
  const old = await lockCard(tenancy, oldId)
  if (old?.status !== 'SUSPENDED') throw fail('notReplaceable')
  const other = (await listReplacing(tenancy, oldId)).find(({ id }) => id !== cardId)
  if (other !== undefined) throw fail('replacedAlready', { serial: other.serial })
}

/** What was on the card before is revoked soon by the job: its keys are overwritten, and nobody can use it. */
async function finish(driving: Driving, event: 'issued' | 'reissued'): Promise<string[]> {
  const { house, viewer, operationId, plan, cardId, serial, address } = driving
  return house.work(
    viewer.tenantId,
    { userId: viewer.userId, name: viewer.username, address },
    async ({ tenancy, emitFor, afterCommit }) => {
      // Locks the card that it stands for first, as an assignment does.
      if (event === 'issued' && plan.replacesId !== undefined) await checkStanding(tenancy, plan.replacesId, cardId)
      // What became of the card in the meantime stands.
      if ((await lockCard(tenancy, cardId))?.status !== driving.status) throw new CardFault('cardBusy')
      const slots = await listSlots(tenancy, operationId)
      const made = slots.flatMap(({ certificate_id: id }) => id ?? [])
      const attested = slots.filter(({ origin }) => origin === 'attested').map(({ slot }) => slot)
      await changeCard(driving, tenancy, {
        status: 'ISSUED',
        holder_id: plan.userId,
        card_template_id: plan.cardTemplateId,
        guid: plan.guid,
        expires_at: new Date(plan.expires),
        next_template_id: null,
        temporary: plan.replacesId !== undefined,
        replaces_id: plan.replacesId ?? null,
        pin_left: null,
        read_at: tenancy.now,
      })
      await replaceCurrent(tenancy, cardId, operationId)
      await updateOperation(tenancy, { id: operationId, fence: driving.fence }, { state: 'done', error: '' })
      emitFor(smartcards)(event, { cardId, serial, userId: plan.userId, certificateIds: made, attested }, cardId)
      afterCommit(() => house.wake(smartcards.jobs.orphans))
      return made
    },
  )
}
