// The files of a batch: its list, its faces to be printed here, and what a bureau gets, sealed to its certificate. Who took which is on record.

import { randomUUID } from 'node:crypto'
import { findPeople } from '#areas/users/service.ts'
import { Id } from '#core/contract/shapes.ts'
import { exportAnswer } from '#core/server/export.ts'
import { commonFault, faultOfCall } from '#core/server/fault.ts'
import type { EndpointAnswer, EndpointRequest } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { envelopedDataParts, receives } from '#standards/cms/enveloped-data.ts'
import { DerError } from '#standards/der/reader.ts'
import { splitCertificateText } from '#standards/pem/certificate-text.ts'
import { PemError } from '#standards/pem/pem.ts'
import { parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { formatName } from '#standards/x509/names.ts'
import { printing } from '../contract.ts'
import { fileKinds, skipLabels, type FileKind, type SkipReason } from '../rules.ts'
import { drawnParts, needRoom, oneAtATime, type DrawnPart } from './drawn-parts.ts'
import { pdfParts, type Sides } from './faces.ts'
import { presentCards } from './presenter.ts'
import { findBatch, findBureau, insertTaking, listCards, updateCompleted, type BureauRecord } from './store.ts'

const setBureau = printing.calls.setBureau

/** One certificate to which something can be sealed. Throws faults of the call that sets it. */
export function readBureau(text: string, now: Date): { der: Uint8Array; certificate: Certificate } {
  let ders: Uint8Array[]
  try {
    ders = splitCertificateText(text, 'CERTIFICATE').flatMap(({ kind, bytes }) => (kind === 'certificate' ? [bytes] : []))
    const [der] = ders
    if (der === undefined || ders.length !== 1) throw faultOfCall(setBureau, 'notOne')
    const certificate = parseCertificate(der)
    if (!receives(certificate)) throw faultOfCall(setBureau, 'cannotReceive')
    if (isOver(certificate, now)) throw faultOfCall(setBureau, 'isOver')
    return { der, certificate }
  } catch (error) {
    if (error instanceof PemError || error instanceof DerError) throw faultOfCall(setBureau, 'notOne')
    throw error
  }
}

export const isOver = ({ notBefore, notAfter }: Certificate, now: Date): boolean => now < notBefore || now > notAfter

export function presentBureau(row: BureauRecord, now: Date) {
  const certificate = parseCertificate(row.certificate)
  return {
    subject: formatName(certificate.subject),
    serial: certificate.serialHex,
    validUntil: certificate.notAfter.toISOString(),
    isOver: isOver(certificate, now),
    by: row.by_name,
    setAt: row.set_at.toISOString(),
  }
}

export async function batchFile({ viewer, house, url, facts: { address } }: EndpointRequest): Promise<EndpointAnswer> {
  if (viewer === undefined) throw commonFault('not_logged_in')
  const { tenantId } = viewer
  const id = Id.safeParse(url.searchParams.get('id'))
  const asked = url.searchParams.get('file') ?? 'list'
  const file: FileKind = fileKinds.find((one) => one === asked) ?? 'list'
  const found = id.success
    ? await withTenancy(house, tenantId, async (tenancy) => {
        const batch = await findBatch(tenancy, id.data)
        if (batch === undefined) return undefined
        const cards = await listCards(tenancy, [batch.id])
        const ids = cards.flatMap(({ user_id: userId }) => userId ?? [])
        const people = new Map((await findPeople(tenancy.db, tenantId, ids)).map((person) => [person.id, person]))
        const shown = file === 'list' ? await presentCards(tenancy, cards) : []
        return { batch, cards, people, shown, bureau: await findBureau(tenancy), now: tenancy.now }
      })
    : undefined
  if (found === undefined) throw commonFault('missing')
  const { batch, cards, shown, people, bureau, now } = found
  const of = batch.id.slice(0, 8)
  const actor = { userId: viewer.userId, name: actorOf(viewer), address }
  /** Who has the bytes is on record before they leave, and that all of them left when they have. */
  const recorded = async (body: AsyncIterable<Uint8Array | string>): Promise<AsyncIterable<Uint8Array | string>> => {
    const taking = randomUUID()
    await house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
      await insertTaking(tenancy, { id: taking, batch_id: batch.id, file, by_name: actor.name })
      emitFor(printing)('fileTaken', { batchId: batch.id, file }, batch.id)
    })
    return followedBy(body, () =>
      house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
        await updateCompleted(tenancy, taking)
        emitFor(printing)('fileCompleted', { batchId: batch.id, file }, batch.id)
      }),
    )
  }
  const asFile = async (type: string, name: string, body: AsyncIterable<Uint8Array>): Promise<EndpointAnswer> => {
    needRoom(tenantId)
    const headers = { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` }
    return { headers, body: await recorded(oneAtATime(tenantId, body)) }
  }
  const toPrint = cards.filter(({ state }) => state !== 'skipped' && state !== 'deactivated')
  const parts = () => drawnParts({ house, tenantId }, toPrint)
  if (file === 'faces') return asFile('application/pdf', `batch-${of}.pdf`, pdfParts(sidesOf(parts())))
  if (file === 'bureau') {
    const certificate = bureau === undefined ? undefined : parseCertificate(bureau.certificate)
    // To a bureau that is none any more nothing is sealed.
    if (certificate === undefined || isOver(certificate, now)) throw commonFault('missing')
    const content = bureauText(batch.id, people, parts())
    return asFile('application/pkcs7-mime', `batch-${of}.p7m`, envelopedDataParts({ content, recipients: [certificate] }))
  }
  let isTaken = false
  const list = exportAnswer({
    name: 'batch',
    of,
    columns: {
      Name: (row) => row.userName,
      Username: (row) => people.get(row.userId ?? '')?.username,
      Template: (row) => row.cardTemplateName,
      State: (row) => row.state,
      Trouble: (row) => (row.skippedFor === undefined ? row.says : skipLabels[row.skippedFor]),
    },
    read: async () => {
      const rows = isTaken ? [] : shown
      isTaken = true
      return rows
    },
  })
  return { ...list, body: await recorded(list.body) }
}

/** Done after the last part was taken; not where the reader went away before. */
async function* followedBy<T>(parts: AsyncIterable<T>, work: () => Promise<void>): AsyncGenerator<T> {
  yield* parts
  await work()
}

async function* sidesOf(parts: AsyncIterable<DrawnPart>): AsyncGenerator<Sides> {
  for await (const { drawn } of parts) for (const { faces } of drawn) yield faces
}

/** What a bureau needs of each card, and no more: both faces as JPEG of 300 dots an inch, and what stands on them; then whose cards are left out, and why. */
async function* bureauText(
  batchId: string,
  people: ReadonlyMap<string, { username: string }>,
  parts: AsyncIterable<DrawnPart>,
): AsyncGenerator<Buffer> {
  const head = JSON.stringify({ format: 'chancery-bureau-1', batchId })
  yield Buffer.from(`${head.slice(0, -1)},"cards":[`)
  const leftOut: { id: string; reason: SkipReason }[] = []
  let comma = ''
  for await (const { drawn, left } of parts) {
    for (const { card, reason } of left) leftOut.push({ id: card.id, reason })
    for (const { card, facts, faces } of drawn) {
      const told = {
        id: card.id,
        name: card.userName,
        username: people.get(card.userId ?? '')?.username ?? '',
        template: card.cardTemplateName,
        texts: facts,
        front: faces.front.toString('base64'),
        back: faces.back.toString('base64'),
      }
      yield Buffer.from(`${comma}${JSON.stringify(told)}`)
      comma = ','
    }
  }
  yield Buffer.from(`],"leftOut":${JSON.stringify(leftOut)}}`)
}
