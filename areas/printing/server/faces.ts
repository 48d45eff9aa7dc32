// Both sides of cards as pictures and as pages to print, drawn in a process of its own.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import type { FaceDesign } from '../contract.ts'
import { cardSize, dotsPerMillimetre, faceWarnings, filled, isShown, type FaceFacts, type FaceWarning } from '../rules.ts'

export type Warned = { side: 'front' | 'back'; element: number; warning: FaceWarning }
export type Faces = { front: Buffer; back: Buffer; warnings: Warned[]; photoHash?: string }
export type Sides = Pick<Faces, 'front' | 'back'>
export type ToDraw = { design: FaceDesign; facts: FaceFacts; photo?: Uint8Array | undefined }

const milliseconds = 60_000
const together = 2
/** So many cards are drawn by one process, which costs more to start than a card to draw; fewer where their photos are large. */
const atATime = 40
const mostPhotoBytes = 8 * 1024 * 1024
let running = 0
const waiting: (() => void)[] = []

const programFile = (): string => fileURLToPath(new URL('draw-face.ts', import.meta.url))

export async function drawFaces(design: FaceDesign, facts: FaceFacts, photo?: Uint8Array): Promise<Faces> {
  const [faces] = await drawMany([{ design, facts, photo }])
  if (faces === undefined) throw new Error('The face of a card could not be drawn')
  return photo === undefined ? faces : { ...faces, photoHash: hashOf(photo) }
}

/** Empty where there is no photo. */
export const hashOf = (photo: Uint8Array | undefined): string =>
  photo === undefined ? '' : createHash('sha256').update(photo).digest('hex')

/** Elements are numbered as in the design, also where one of them is left out. */
export async function drawMany(cards: readonly ToDraw[]): Promise<Faces[]> {
  const drawn: Faces[] = []
  for (let at = 0; at < cards.length;) {
    const some = togetherFrom(cards, at)
    drawn.push(...(await inTurn(() => draw(some))))
    at += some.length
  }
  return drawn
}

function togetherFrom(cards: readonly ToDraw[], at: number): ToDraw[] {
  const some: ToDraw[] = []
  let bytes = 0
  for (const card of cards.slice(at, at + atATime)) {
    bytes += card.photo?.length ?? 0
    if (some.length > 0 && bytes > mostPhotoBytes) break
    some.push(card)
  }
  return some
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= together) await new Promise<void>((resolve) => void waiting.push(resolve))
  else running += 1
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }
}

const Drawn = z.array(
  z.object({
    pictures: z.tuple([z.base64(), z.base64()]),
    warnings: z.array(z.object({ side: z.number(), element: z.number(), warning: z.enum(faceWarnings) })),
  }),
)

async function draw(cards: readonly ToDraw[]): Promise<Faces[]> {
  const shown = cards.map(({ design, facts, photo }) => {
    const sides = [design.front, design.back].map(({ background, elements }) => {
      const kept = elements.flatMap((element, at) =>
        isShown(element.when, facts) ? [{ ...element, text: filled(element.text, facts), at }] : [],
      )
      return { background, elements: kept }
    })
    return { sides, ...(photo === undefined ? {} : { photo: Buffer.from(photo).toString('base64') }) }
  })
  const rights = ['--permission', '--allow-addons', '--allow-worker', '--allow-fs-read=*', '--no-warnings']
  const child = spawn(process.execPath, ['--max-old-space-size=128', ...rights, programFile()], {
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: milliseconds,
    killSignal: 'SIGKILL',
  })
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', resolve)
    child.on('error', () => resolve(null))
  })
  // One that has died reads no more.
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify({ ...cardSize, dots: dotsPerMillimetre, cards: shown }))
  const [written, code] = await Promise.all([buffer(child.stdout), ended])
  if (code !== 0) throw new Error(`The face of a card could not be drawn (${code})`)
  return Drawn.parse(JSON.parse(written.toString('utf8'))).map(({ pictures: [front, back], warnings }, n) => ({
    front: Buffer.from(front, 'base64'),
    back: Buffer.from(back, 'base64'),
    warnings: warnings.map(({ side, element, warning }) => ({
      side: side === 0 ? ('front' as const) : ('back' as const),
      element: shown[n]?.sides[side]?.elements[element]?.at ?? element,
      warning,
    })),
  }))
}

const point = 72 / 25.4

/** A PDF of two pages for each card, each exactly as large as a card, so that no printer scales or turns it. Written as the cards come. */
export async function* pdfParts(cards: AsyncIterable<Sides> | Iterable<Sides>): AsyncGenerator<Buffer> {
  const [width, height] = [(cardSize.width * point).toFixed(3), (cardSize.height * point).toFixed(3)]
  const [across, down] = [Math.round(cardSize.width * dotsPerMillimetre), Math.round(cardSize.height * dotsPerMillimetre)]
  const offsets: number[] = []
  let length = 0
  const sent = (bytes: Buffer): Buffer => {
    length += bytes.length
    return bytes
  }
  const object = (number: number, text: string, data?: Buffer): Buffer => {
    offsets[number] = length
    const stream = data === undefined ? [] : [Buffer.from('stream\n'), data, Buffer.from('\nendstream\n')]
    return sent(Buffer.concat([Buffer.from(`${number} 0 obj\n${text}\n`), ...stream, Buffer.from('endobj\n')]))
  }
  yield sent(Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1'))
  yield object(1, '<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>')
  const content = Buffer.from(`q ${width} 0 0 ${height} 0 0 cm /Side Do Q`)
  const pages: number[] = []
  for await (const { front, back } of cards)
    for (const picture of [front, back]) {
      const first = 3 + pages.length * 3
      pages.push(first)
      yield object(
        first,
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Resources << /XObject << /Side ${first + 1} 0 R >> >> /Contents ${first + 2} 0 R >>`,
      )
      yield object(
        first + 1,
        `<< /Type /XObject /Subtype /Image /Width ${across} /Height ${down} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${picture.length} >>`,
        picture,
      )
      yield object(first + 2, `<< /Length ${content.length} >>`, content)
    }
  // Last, because only now it is known how many there are.
  yield object(2, `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((first) => `${first} 0 R`).join(' ')}] >>`)
  const table = offsets
    .slice(1)
    .map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
    .join('')
  yield Buffer.from(
    `xref\n0 ${offsets.length}\n0000000000 65535 f \n${table}trailer\n<< /Size ${offsets.length} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`,
  )
}

export async function pagesOf(cards: readonly Sides[]): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of pdfParts(cards)) parts.push(part)
  return Buffer.concat(parts)
}
