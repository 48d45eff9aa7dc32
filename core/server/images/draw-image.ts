// Runs as a process of its own: decodes one picture from the standard input and writes it anew to the standard output. Native decoders read what anybody has
// made, so whatever they do wrong ends this process and not the server, and it can take no more memory and time than it was told.

import { createCanvas, loadImage } from '@napi-rs/canvas'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { crc32, inflateSync } from 'node:zlib'

/** 16 megapixels of four times 16 bits, and a byte for each row. */
const mostUnpacked = 130_000_000
const [, , edge = '', memory = '', type = ''] = process.argv

// A decoder blocks this thread, so another one watches; nothing is decoded before it does.
const watch = new Worker(
  `const { workerData } = require('node:worker_threads')
  setInterval(() => { if (process.memoryUsage.rss() > workerData) process.kill(process.pid, 'SIGKILL') }, 5)`,
  { eval: true, workerData: Number(memory) },
)
await once(watch, 'online')

const given = await buffer(process.stdin)
if (isPng(given)) proveWhole(given)
const image = await loadImage(given)
const scale = Math.min(1, Number(edge) / Math.max(image.width, image.height))
const [width, height] = [image.width, image.height].map((length) => Math.max(1, Math.round(length * scale))) as [number, number]
const canvas = createCanvas(width, height)
const context = canvas.getContext('2d')
if (type === 'image/jpeg') {
  // A JPEG has no holes: what is clear would be black.
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, width, height)
}
// Turned as its metadata say; what is drawn has none.
context.drawImage(image, 0, 0, width, height)
const bytes = type === 'image/jpeg' ? canvas.toBuffer('image/jpeg', 85) : canvas.toBuffer('image/png')
// On a busy machine the watcher may have slept meanwhile.
if (mostTaken() > Number(memory)) throw new Error('It took too much memory')
await new Promise((resolve) => process.stdout.write(bytes, resolve))
await watch.terminate()

/** The most bytes that this process ever took, as the kernel counts them; where it does not tell, those of now. */
function mostTaken(): number {
  const status = '/proc/self/status'
  const told = existsSync(status) ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1] : undefined
  return told === undefined ? process.memoryUsage.rss() : Number(told) * 1024
}

/** Fails where a checksum is wrong or the pixels cannot be unpacked: the decoder would leave the rest of the picture empty, and say nothing. */
function proveWhole(png: Buffer): void {
  const packed: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const end = at + 8 + png.readUInt32BE(at)
    const name = png.toString('latin1', at + 4, at + 8)
    if (crc32(png.subarray(at + 4, end)) !== png.readUInt32BE(end)) throw new Error('A checksum is wrong')
    if (name === 'IDAT') packed.push(png.subarray(at + 8, end))
    if (name === 'IEND') break
  }
  inflateSync(Buffer.concat(packed), { maxOutputLength: mostUnpacked })
}

function isPng(bytes: Buffer): boolean {
  return bytes.toString('latin1', 1, 4) === 'PNG'
}
