// Runs as a process of its own: draws the sides of cards that it reads from the standard input, and writes them to the standard output. What people wrote and
// their photos are drawn by native code, so whatever that does wrong ends this process and not the server.

import { createCanvas, loadImage, type Image, type SKRSContext2D } from '@napi-rs/canvas'
import { buffer } from 'node:stream/consumers'
import { encode } from 'uqr'
import { code128, quietModules } from '#standards/code128/code128.ts'

type Warning = 'tooLong' | 'noGlyph' | 'noPhoto' | 'noBarcode' | 'noQr'
type Element = {
  kind: 'text' | 'photo' | 'qr' | 'barcode' | 'box'
  x: number
  y: number
  width: number
  height: number
  text: string
  colour: string
}
type Side = { background: string; elements: Element[] }
type Card = { sides: Side[]; photo?: string }
type Work = { width: number; height: number; dots: number; cards: Card[] }

const { width, height, dots, cards } = JSON.parse((await buffer(process.stdin)).toString('utf8')) as Work
const smallest = 8
/** The room of a line, from above its capitals to below its descenders, for each unit of its size. */
const lineHeight = 1.18
const fonts = '"DejaVu Sans", "Noto Sans", sans-serif'

const drawn: { pictures: string[]; warnings: { side: number; element: number; warning: Warning }[] }[] = []
for (const { sides, photo } of cards) {
  const picture = photo === undefined ? undefined : await loadImage(Buffer.from(photo, 'base64')).catch(() => undefined)
  const pictures: string[] = []
  const warnings: { side: number; element: number; warning: Warning }[] = []
  for (const [side, { background, elements }] of sides.entries()) {
    const canvas = createCanvas(Math.round(width * dots), Math.round(height * dots))
    const context = canvas.getContext('2d')
    context.fillStyle = background
    context.fillRect(0, 0, canvas.width, canvas.height)
    for (const [at, element] of elements.entries()) {
      const warning = draw(context, element, picture)
      if (warning !== undefined) warnings.push({ side, element: at, warning })
    }
    pictures.push(canvas.toBuffer('image/jpeg', 90).toString('base64'))
  }
  drawn.push({ pictures, warnings })
}
await new Promise((resolve) => process.stdout.write(JSON.stringify(drawn), resolve))

function draw(context: SKRSContext2D, { kind, text, colour, ...place }: Element, photo: Image | undefined): Warning | undefined {
  const [x, y, wide, high] = [place.x, place.y, place.width, place.height].map((length) => length * dots) as [
    number,
    number,
    number,
    number,
  ]
  context.fillStyle = colour
  if (kind === 'box') {
    context.fillRect(x, y, wide, high)
    return undefined
  }
  if (kind === 'photo') return drawPhoto(context, [x, y, wide, high], photo)
  if (text === '') return undefined
  if (kind === 'qr') return drawQr(context, [x, y, Math.min(wide, high)], { text, colour })
  if (kind === 'barcode') return drawBars(context, [x, y, wide, high], { text, colour })
  return drawText(context, [x, y, wide, high], text)
}

/** Fills its box; what sticks out over it is cut off in the middle. */
function drawPhoto(context: SKRSContext2D, [x, y, wide, high]: [number, number, number, number], photo: Image | undefined) {
  if (photo === undefined) {
    context.fillStyle = '#e4e7ec'
    context.fillRect(x, y, wide, high)
    return 'noPhoto' as const
  }
  const scale = Math.max(wide / photo.width, high / photo.height)
  const [across, down] = [wide / scale, high / scale]
  context.drawImage(photo, (photo.width - across) / 2, (photo.height - down) / 2, across, down, x, y, wide, high)
  return undefined
}

function drawQr(context: SKRSContext2D, [x, y, edge]: [number, number, number], { text, colour }: { text: string; colour: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  const cell = edge / size
  context.fillStyle = '#ffffff'
  context.fillRect(x, y, edge, edge)
  context.fillStyle = colour
  for (const [row, cells] of data.entries())
    for (const [column, isDark] of cells.entries())
      if (isDark) context.fillRect(x + column * cell, y + row * cell, Math.ceil(cell), Math.ceil(cell))
  // Two dots of 300 dots an inch are what printers of cards keep apart.
  return cell < 2 ? ('noQr' as const) : undefined
}

/** Bars of whole dots, because a reader measures them: what does not get two dots for each module is not drawn. */
function drawBars(
  context: SKRSContext2D,
  [x, y, wide, high]: [number, number, number, number],
  { text, colour }: { text: string; colour: string },
) {
  const widths = code128(text)
  const modules = (widths ?? []).reduce((sum, one) => sum + one, 2 * quietModules)
  const cell = Math.floor(wide / modules)
  if (widths === undefined || cell < 2) return 'noBarcode' as const
  context.fillStyle = '#ffffff'
  context.fillRect(x, y, wide, high)
  context.fillStyle = colour
  let at = Math.round(x + (wide - modules * cell) / 2) + quietModules * cell
  for (const [n, one] of widths.entries()) {
    if (n % 2 === 0) context.fillRect(at, Math.round(y), one * cell, Math.round(high))
    at += one * cell
  }
  return undefined
}

/** Shrinks to its box down to what can be read, and is cut there. */
function drawText(context: SKRSContext2D, [x, y, wide, high]: [number, number, number, number], text: string): Warning | undefined {
  let size = Math.max(smallest, Math.floor(high / lineHeight))
  do context.font = `${size}px ${fonts}`
  while (context.measureText(text).width > wide && (size -= 1) > smallest)
  const isTooLong = context.measureText(text).width > wide
  context.save()
  context.beginPath()
  context.rect(x, y, wide, Math.max(high, size * lineHeight))
  context.clip()
  context.textBaseline = 'top'
  context.fillText(text, x, y)
  context.restore()
  if (isTooLong) return 'tooLong'
  return [...new Set(text)].some((character) => (character.codePointAt(0) ?? 0) > 0x7e && isMissing(character)) ? 'noGlyph' : undefined
}

/** Whether a character looks as one that nobody has: no font here can write it. */
function isMissing(character: string): boolean {
  const looks = (one: string): string => {
    const canvas = createCanvas(40, 40)
    const context = canvas.getContext('2d')
    context.font = `24px ${fonts}`
    context.fillText(one, 4, 30)
    return Buffer.from(context.getImageData(0, 0, 40, 40).data).toString('base64')
  }
  return /\S/u.test(character) && looks(character) === looks('\u{10fffe}')
}
