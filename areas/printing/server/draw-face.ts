// Runs as a process of its own: draws the sides of cards that it reads from the standard input, and writes them to the standard output. What people wrote is
// drawn by native code, so whatever that does wrong ends this process and not the server.

import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { buffer } from 'node:stream/consumers'
import { encode } from 'uqr'

type Element = { kind: 'text' | 'qr' | 'box'; x: number; y: number; width: number; height: number; text: string; colour: string }
type Side = { background: string; elements: Element[] }
type Work = { width: number; height: number; dots: number; sides: Side[] }

const { width, height, dots, sides } = JSON.parse((await buffer(process.stdin)).toString('utf8')) as Work
const smallest = 8

const pictures = sides.map(({ background, elements }) => {
  const canvas = createCanvas(Math.round(width * dots), Math.round(height * dots))
  const context = canvas.getContext('2d')
  context.fillStyle = background
  context.fillRect(0, 0, canvas.width, canvas.height)
  for (const element of elements) draw(context, element)
  return canvas.toBuffer('image/jpeg', 90).toString('base64')
})
await new Promise((resolve) => process.stdout.write(JSON.stringify(pictures), resolve))

function draw(context: SKRSContext2D, { kind, text, colour, ...place }: Element): void {
  const [x, y, wide, high] = [place.x, place.y, place.width, place.height].map((length) => length * dots) as [
    number,
    number,
    number,
    number,
  ]
  context.fillStyle = colour
  if (kind === 'box') return context.fillRect(x, y, wide, high)
  if (text === '') return undefined
  if (kind === 'qr') {
    const { data, size } = encode(text, { ecc: 'M', border: 2 })
    const cell = Math.min(wide, high) / size
    context.fillStyle = '#ffffff'
    context.fillRect(x, y, cell * size, cell * size)
    context.fillStyle = colour
    for (const [row, cells] of data.entries())
      for (const [column, isDark] of cells.entries())
        if (isDark) context.fillRect(x + column * cell, y + row * cell, Math.ceil(cell), Math.ceil(cell))
    return undefined
  }
  // Shrinks to its box down to what can be read, and is cut there.
  let size = Math.max(smallest, high)
  do context.font = `${size}px "DejaVu Sans", "Noto Sans", sans-serif`
  while (context.measureText(text).width > wide && (size -= 1) > smallest)
  context.save()
  context.beginPath()
  context.rect(x, y, wide, Math.max(high, size))
  context.clip()
  context.textBaseline = 'top'
  context.fillText(text, x, y)
  context.restore()
  return undefined
}
