// Pictures that people upload: JPEG, PNG, GIF or BMP, judged by their bytes, decoded and written anew in a process of its own. What is kept has no metadata, is turned
// upright, is no larger than asked for, and holds nothing but the picture.

import { spawn } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { commonFault, invalidField } from '../fault.ts'
import { readImageHeader, type ImageType } from './image-header.ts'

/** The specified texts. */
export const imageTexts = {
  none: 'Please upload an image.',
  type: 'Image format not supported.',
  corrupt: 'Image file is corrupt.',
} as const

/** Of the file; a data URL is a third longer. */
export const mostImageBytes = 10 * 1024 * 1024
/** Judged by the header, before anything is decoded: 16 megapixels are 64 MB. */
const mostPixels = 16_000_000
const longestSide = 16_384
const mostMemory = 400 * 1024 * 1024
/** On a busy machine; on a quiet one 16 megapixels take two seconds. */
const mostMilliseconds = 30_000
const together = 2
const mostWaiting = 50

export type CleanImage = { type: 'image/jpeg' | 'image/png'; width: number; height: number; bytes: Uint8Array }
export type ImageWish = {
  /** Whose picture it is: tenancies take turns, so that one with many pictures keeps no other waiting. */
  tenantId: string
  /** Where a fault is shown. */
  field: string
  /** The longer side at most; a smaller picture stays as it is. */
  edge: number
  /** Becomes a JPEG whatever it was, on white: a photograph as PNG is ten times as large. */
  isPhotograph?: boolean
}
type Limits = { memory?: number; milliseconds?: number }

const types: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/bmp'] satisfies ImageType[]

const spellings: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-ms-bmp': 'image/bmp',
  'image/x-bmp': 'image/bmp',
}
const mostBase64 = 4 * Math.ceil(mostImageBytes / 3)

/** Reads `data:image/png;base64,...` as forms send it. Photographs stay JPEG, everything else becomes PNG. Not inside a transaction. */
export async function cleanImage(
  dataUrl: string,
  { tenantId, field, edge, isPhotograph = false }: ImageWish,
  limits: Limits = {},
): Promise<CleanImage> {
  const refuse = (says: string): never => {
    throw invalidField(field, says)
  }
  const [head = '', claimed = '', parameters = ''] = /^data:(image\/[\w.+-]+)((?:;[\w=.-]+)*),/i.exec(dataUrl.slice(0, 200)) ?? []
  if (head === '') return refuse(imageTexts.none)
  const type = spellings[claimed.toLowerCase()] ?? claimed.toLowerCase()
  if (!types.includes(type) || dataUrl.length - head.length > mostBase64) return refuse(imageTexts.type)
  const base64 = dataUrl.slice(head.length)
  const bytes = Buffer.from(base64, 'base64')
  // What is no base64 is passed over in silence by the decoder.
  if (!/;base64$/i.test(parameters) || bytes.toString('base64') !== base64) return refuse(imageTexts.corrupt)
  if (bytes.length > mostImageBytes) return refuse(imageTexts.type)
  const header = readImageHeader(bytes)
  if (header === undefined || header.type !== type) return refuse(imageTexts.corrupt)
  const { width, height } = header
  if (width * height > mostPixels || Math.max(width, height) > longestSide) return refuse(imageTexts.type)
  return (await inTurn(tenantId, () => draw(bytes, isPhotograph ? 'image/jpeg' : header.type, edge, limits))) ?? refuse(imageTexts.corrupt)
}

let running = 0
/** Who waits, by tenancy; the tenancy whose turn is next stands first. */
const waiting = new Map<string, (() => void)[]>()

/** Lets so many decode at a time, one of each tenancy before the second of any. */
async function inTurn<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
  if (running >= together) {
    const queue = waiting.get(tenantId) ?? []
    if (queue.length >= mostWaiting) throw commonFault('unavailable')
    waiting.set(tenantId, queue)
    await new Promise<void>((resolve) => void queue.push(resolve))
  } else running += 1
  try {
    return await work()
  } finally {
    const next = takeNext()
    if (next === undefined) running -= 1
    else next()
  }
}

function takeNext(): (() => void) | undefined {
  for (const [tenantId, queue] of waiting) {
    const next = queue.shift()
    // Goes to the end of the line, so that the other tenancies come before its second.
    waiting.delete(tenantId)
    if (queue.length > 0) waiting.set(tenantId, queue)
    return next
  }
  return undefined
}

/** Found when it is needed: where screens are tested beside a house, modules have no file. */
const programFile = (): string => fileURLToPath(new URL('draw-image.ts', import.meta.url))

/** Undefined where the process failed, or was ended for its memory or its time. */
async function draw(
  bytes: Uint8Array,
  type: ImageType,
  edge: number,
  { memory = mostMemory, milliseconds = mostMilliseconds }: Limits,
): Promise<CleanImage | undefined> {
  const made = type === 'image/jpeg' ? 'image/jpeg' : 'image/png'
  // It may run its decoder, and write, start and ask for nothing: no environment, no files to write.
  const rights = ['--permission', '--allow-addons', '--allow-worker', '--allow-fs-read=*', '--no-warnings']
  const child = spawn(process.execPath, ['--max-old-space-size=64', ...rights, programFile(), String(edge), String(memory), made], {
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
  child.stdin.end(bytes)
  const [written, code] = await Promise.all([buffer(child.stdout), ended])
  const header = code === 0 ? readImageHeader(written) : undefined
  if (header === undefined || header.type !== made) return undefined
  return { type: made, width: header.width, height: header.height, bytes: written }
}
