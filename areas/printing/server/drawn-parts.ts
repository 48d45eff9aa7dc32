// Many cards drawn in parts, so that a large batch needs no more memory than a small one. Each part is read when the one before was taken, and asks again which
// cards may be printed.

import { commonFault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { FaceDesign } from '../contract.ts'
import type { FaceFacts, SkipReason } from '../rules.ts'
import { drawMany, type Faces, type ToDraw } from './faces.ts'
import { boundPhoto, factsOf, hindered } from './facts.ts'
import { presentCards } from './presenter.ts'
import { findFace, type PrintedRecord } from './store.ts'

type Shown = Awaited<ReturnType<typeof presentCards>>[number]
export type DrawnPart = {
  drawn: { card: Shown; facts: FaceFacts; faces: Faces }[]
  left: { card: Shown; reason: SkipReason }[]
}

const atATime = 40
const mostWaiting = 5
const emptyFace = FaceDesign.parse({ front: {}, back: {} })

export async function* drawnParts(
  { house, tenantId }: { house: House; tenantId: string },
  rows: readonly PrintedRecord[],
): AsyncGenerator<DrawnPart> {
  const designs = new Map<string, FaceDesign>()
  for (let at = 0; at < rows.length; at += atATime) {
    const some = rows.slice(at, at + atATime)
    const { shown, reasons, made } = await withTenancy(house, tenantId, async (tenancy) => {
      const hindrances = await hindered(tenancy, some)
      const toDraw = new Map<string, ToDraw>()
      for (const row of some) {
        if (hindrances.has(row.id)) continue
        const design = designs.get(row.card_template_id) ?? (await findFace(tenancy, row.card_template_id))?.design ?? emptyFace
        designs.set(row.card_template_id, design)
        const facts = await factsOf(tenancy, row.user_id, row.card_serial)
        toDraw.set(row.id, { design, facts, photo: await boundPhoto(tenancy, row) })
      }
      return { shown: await presentCards(tenancy, some), reasons: hindrances, made: toDraw }
    })
    const faces = await drawMany([...made.values()])
    const facesOf = new Map([...made.keys()].map((id, n) => [id, faces[n]]))
    const part: DrawnPart = { drawn: [], left: [] }
    for (const card of shown) {
      const [reason, face] = [reasons.get(card.id), facesOf.get(card.id)]
      if (reason !== undefined) part.left.push({ card, reason })
      else if (face !== undefined) part.drawn.push({ card, facts: made.get(card.id)?.facts ?? {}, faces: face })
    }
    yield part
  }
}

/** Who waits until the file before is taken, by tenancy; a tenancy without a file in the making has no entry. */
const queues = new Map<string, (() => void)[]>()

/** Refuses before anything is sent where too many of the tenancy wait already. */
export function needRoom(tenantId: string): void {
  if ((queues.get(tenantId)?.length ?? 0) >= mostWaiting) throw commonFault('unavailable')
}

/** Who takes a file more slowly loses the place, so that a client which reads nothing holds nobody off. */
const leastBytesASecond = 64 * 1024
const patienceMilliseconds = 60_000

/** Makes one file of a tenancy at a time: faces of many cards cost memory and a processor. */
export async function* oneAtATime(
  tenantId: string,
  parts: AsyncIterable<Uint8Array>,
  patience: number = patienceMilliseconds,
): AsyncGenerator<Uint8Array> {
  // Asked again, because those who come in the same moment all found room.
  needRoom(tenantId)
  const queue = queues.get(tenantId)
  if (queue === undefined) queues.set(tenantId, [])
  else await new Promise<void>((resolve) => void queue.push(resolve))
  let isOver = false
  const letGo = () => {
    if (isOver) return
    isOver = true
    const next = queues.get(tenantId)?.shift()
    if (next === undefined) queues.delete(tenantId)
    else next()
  }
  try {
    let [given, waited] = [0, 0]
    for await (const part of parts) {
      given += part.length
      const [began, most] = [performance.now(), patience + (given / leastBytesASecond) * 1_000]
      const impatience = setTimeout(letGo, most - waited)
      try {
        yield part
      } finally {
        clearTimeout(impatience)
      }
      waited += performance.now() - began
      if (isOver) throw new Error('A file of a batch was taken too slowly')
    }
  } finally {
    letGo()
  }
}
