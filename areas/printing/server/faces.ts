// Both sides of cards as pictures and as pages to print, drawn in a process of its own.

import { spawn } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import type { FaceDesign } from '../contract.ts'
import { cardSize, dotsPerMillimetre, faceWarnings, filled, isShown, type FaceFacts, type FaceWarning } from '../rules.ts'

export type Warned = { side: 'front' | 'back'; element: number; warning: FaceWarning }
export type Faces = { front: Buffer; back: Buffer; warnings: Warned[] }
export type ToDraw = { design: FaceDesign; facts: FaceFacts; photo?: Uint8Array | undefined }

const milliseconds = 60_000
const together = 2
/** So many cards are drawn by one process, which costs more to start than a card to draw. */
const atATime = 40
let running = 0
const waiting: (() => void)[] = []

const programFile = (): string => fileURLToPath(new URL('draw-face.ts', import.meta.url))

export async function drawFaces(design: FaceDesign, facts: FaceFacts, photo?: Uint8Array): Promise<Faces> {
  const [faces] = await drawMany([{ design, facts, photo }])
  if (faces === undefined) throw new Error('The face of a card could not be drawn')
  return faces
}

/** Elements are numbered as in the design, also where one of them is left out. */
export async function drawMany(cards: readonly ToDraw[]): Promise<Faces[]> {
  const drawn: Faces[] = []
  for (let at = 0; at < cards.length; at += atATime) drawn.push(...(await inTurn(() => draw(cards.slice(at, at + atATime)))))
  return drawn
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

/** A PDF of two pages for each card, each exactly as large as a card, so that no printer scales or turns it. */
export function pagesOf(cards: readonly Pick<Faces, 'front' | 'back'>[]): Buffer {
  const [width, height] = [(cardSize.width * point).toFixed(3), (cardSize.height * point).toFixed(3)]
  const [across, down] = [Math.round(cardSize.width * dotsPerMillimetre), Math.round(cardSize.height * dotsPerMillimetre)]
  const sides = cards.flatMap(({ front, back }) => [front, back])
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  const put = (text: string, data?: Buffer): void => {
    offsets.push(length)
    const written: Buffer[] = [Buffer.from(`${offsets.length} 0 obj\n${text}\n`)]
    if (data !== undefined) written.push(Buffer.from('stream\n'), data, Buffer.from('\nendstream\n'))
    written.push(Buffer.from('endobj\n'))
    for (const part of written) length += part.length
    parts.push(...written)
  }
  put('<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>')
  put(`<< /Type /Pages /Count ${sides.length} /Kids [${sides.map((_, at) => `${3 + at * 3} 0 R`).join(' ')}] >>`)
  for (const [at, picture] of sides.entries()) {
    const first = 3 + at * 3
    const content = Buffer.from(`q ${width} 0 0 ${height} 0 0 cm /Side Do Q`)
    put(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Resources << /XObject << /Side ${first + 1} 0 R >> >> /Contents ${first + 2} 0 R >>`,
    )
    put(
      `<< /Type /XObject /Subtype /Image /Width ${across} /Height ${down} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${picture.length} >>`,
      picture,
    )
    put(`<< /Length ${content.length} >>`, content)
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(
    Buffer.from(
      `xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${offsets.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}
