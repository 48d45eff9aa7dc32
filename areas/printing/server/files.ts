// The files of a batch: its list, its faces to be printed here, and what a bureau gets, sealed to its certificate. Who took which is on record.

import { randomUUID } from 'node:crypto'
import { findPeople } from '#areas/users/service.ts'
import { Id } from '#core/contract/shapes.ts'
import { exportAnswer } from '#core/server/export.ts'
import { commonFault, faultOfCall } from '#core/server/fault.ts'
import type { EndpointAnswer, EndpointRequest } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { buildEnvelopedData, receives } from '#standards/cms/enveloped-data.ts'
import { DerError } from '#standards/der/reader.ts'
import { splitCertificateText } from '#standards/pem/certificate-text.ts'
import { PemError } from '#standards/pem/pem.ts'
import { parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import { formatName } from '#standards/x509/names.ts'
import { FaceDesign, printing } from '../contract.ts'
import { fileKinds, type FileKind } from '../rules.ts'
import { drawMany, pagesOf, type Faces, type ToDraw } from './faces.ts'
import { factsOf, facePhoto } from './facts.ts'
import { presentCards } from './presenter.ts'
import { findBatch, findBureau, findFace, insertTaking, listCards, type BureauRecord, type PrintedRecord } from './store.ts'

const emptyFace = FaceDesign.parse({ front: {}, back: {} })
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

/** What is drawn of cards, in their order. */
export async function toDraw(tenancy: Tenancy, cards: readonly PrintedRecord[]): Promise<ToDraw[]> {
  const designs = new Map<string, FaceDesign>()
  for (const id of new Set(cards.map(({ card_template_id: templateId }) => templateId)))
    designs.set(id, (await findFace(tenancy, id))?.design ?? emptyFace)
  const made: ToDraw[] = []
  for (const { card_template_id: templateId, user_id: userId, card_serial: serial } of cards)
    made.push({
      design: designs.get(templateId) ?? emptyFace,
      facts: await factsOf(tenancy, userId, serial),
      photo: await facePhoto(tenancy, userId, templateId),
    })
  return made
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
        const drawn = file === 'list' ? [] : await toDraw(tenancy, cards)
        return {
          batch,
          cards,
          people,
          shown: await presentCards(tenancy, cards),
          drawn,
          bureau: await findBureau(tenancy),
          now: tenancy.now,
        }
      })
    : undefined
  if (found === undefined) throw commonFault('missing')
  const { batch, shown, people, drawn, bureau, now } = found
  const of = batch.id.slice(0, 8)
  const told = () =>
    house.work(tenantId, { userId: viewer.userId, name: actorOf(viewer), address }, async ({ tenancy, emitFor }) => {
      await insertTaking(tenancy, { id: randomUUID(), batch_id: batch.id, file, by_name: actorOf(viewer) })
      emitFor(printing)('fileTaken', { batchId: batch.id, file }, batch.id)
    })
  const asFile = async (type: string, name: string, body: Uint8Array): Promise<EndpointAnswer> => {
    // Before the bytes leave: who has them is on record.
    await told()
    return { headers: { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` }, body: Buffer.from(body) }
  }
  if (file === 'faces') return asFile('application/pdf', `batch-${of}.pdf`, pagesOf(await drawMany(drawn)))
  if (file === 'bureau') {
    const certificate = bureau === undefined ? undefined : parseCertificate(bureau.certificate)
    // To a bureau that is none any more nothing is sealed.
    if (certificate === undefined || isOver(certificate, now)) throw commonFault('missing')
    const faces = await drawMany(drawn)
    const content = Buffer.from(JSON.stringify(bureauContent(batch.id, shown, people, drawn, faces)))
    return asFile('application/pkcs7-mime', `batch-${of}.p7m`, buildEnvelopedData({ content, recipients: [certificate] }))
  }
  let isTaken = false
  return exportAnswer({
    name: 'batch',
    of,
    columns: {
      Name: (row) => row.userName,
      Username: (row) => people.get(row.userId ?? '')?.username,
      Template: (row) => row.cardTemplateName,
      State: (row) => row.state,
      Trouble: (row) => row.says,
    },
    read: async () => {
      const rows = isTaken ? [] : shown
      isTaken = true
      return rows
    },
    ended: async () => void (await told()),
  })
}

/** What a bureau needs of each card, and no more: both faces as JPEG of 300 dots an inch, and what stands on them. */
function bureauContent(
  batchId: string,
  shown: Awaited<ReturnType<typeof presentCards>>,
  people: ReadonlyMap<string, { username: string }>,
  drawn: readonly ToDraw[],
  faces: readonly Faces[],
): object {
  return {
    format: 'chancery-bureau-1',
    batchId,
    cards: shown.flatMap((card, n) => {
      const face = faces[n]
      if (face === undefined || card.state === 'skipped' || card.state === 'deactivated') return []
      return [
        {
          id: card.id,
          name: card.userName,
          username: people.get(card.userId ?? '')?.username ?? '',
          template: card.cardTemplateName,
          texts: drawn[n]?.facts ?? {},
          front: face.front.toString('base64'),
          back: face.back.toString('base64'),
        },
      ]
    }),
  }
}
