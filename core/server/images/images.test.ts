// Pictures as cameras and as attackers make them. Each is decoded by a real process.

import { createCanvas, loadImage } from '@napi-rs/canvas'
import { crc32, deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import { readImageHeader } from './image-header.ts'
import { cleanImage, imageTexts, mostImageBytes } from './images.ts'

const wish = { tenantId: 'acme', field: 'photo', edge: 512 }
const dataUrl = (type: string, bytes: Uint8Array | string) => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'taken',
    (error: unknown) => (error instanceof Fault ? error.detail.fields : error),
  )
const refusedFor = (says: string) => [{ field: 'photo', says }]

/** Red on the left, blue on the right. */
function painted(width: number, height: number) {
  const canvas = createCanvas(width, height)
  const brush = canvas.getContext('2d')
  brush.fillStyle = '#f00'
  brush.fillRect(0, 0, width / 2, height)
  brush.fillStyle = '#00f'
  brush.fillRect(width / 2, 0, width / 2, height)
  return canvas
}
const jpeg = (width = 40, height = 20) => painted(width, height).toBuffer('image/jpeg', 95)
const png = (width = 40, height = 20) => painted(width, height).toBuffer('image/png')

function bmp(width = 2, height = 2): Buffer {
  const row = Math.ceil((width * 24) / 32) * 4
  const bytes = Buffer.alloc(54 + row * Math.abs(height), 0x7f)
  bytes.fill(0, 0, 54)
  bytes.write('BM')
  bytes.writeUInt32LE(bytes.length, 2)
  bytes.writeUInt32LE(54, 10)
  bytes.writeUInt32LE(40, 14)
  bytes.writeInt32LE(width, 18)
  bytes.writeInt32LE(height, 22)
  bytes.writeUInt16LE(1, 26)
  bytes.writeUInt16LE(24, 28)
  return bytes
}
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** EXIF with an orientation and a place, as a telephone writes them. */
function withExif(bytes: Buffer, orientation: number): Buffer {
  const place = Buffer.from('GPS 51.5007 N 0.1246 W')
  const exif = Buffer.concat([
    Buffer.from('45786966000049492a000800000001001201030001000000', 'hex'),
    Buffer.from([orientation, 0, 0, 0, 0, 0, 0, 0]),
    place,
  ])
  const head = Buffer.from([0xff, 0xe1, (exif.length + 2) >> 8, (exif.length + 2) & 255])
  return Buffer.concat([bytes.subarray(0, 2), head, exif, bytes.subarray(2)])
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A PNG that says to have another size than its data. */
function pngOf(width: number, height: number, data: Buffer): Buffer {
  const size = Buffer.alloc(13)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  size.set([8, 6], 8)
  return Buffer.concat([png().subarray(0, 8), chunk('IHDR', size), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

async function pixel(bytes: Uint8Array, x: number, y: number): Promise<string> {
  const image = await loadImage(Buffer.from(bytes))
  const canvas = createCanvas(image.width, image.height)
  const brush = canvas.getContext('2d')
  brush.drawImage(image, 0, 0)
  const [red = 0, , blue = 0] = brush.getImageData(x, y, 1, 1).data
  return red > 200 ? 'red' : blue > 200 ? 'blue' : 'other'
}

describe('A picture', () => {
  test.each([
    ['JPEG', 'image/jpeg', jpeg(), 'image/jpeg', 40, 20],
    ['JPEG by its old name', 'image/jpg', jpeg(), 'image/jpeg', 40, 20],
    ['PNG', 'image/png', png(), 'image/png', 40, 20],
    ['GIF', 'image/gif', gif, 'image/png', 1, 1],
    ['BMP', 'image/bmp', bmp(3, 5), 'image/png', 3, 5],
    ['BMP that is written from the top', 'image/bmp', bmp(3, -5), 'image/png', 3, 5],
  ])('is written anew: %s', async (_name, type, bytes, made, width, height) => {
    const clean = await cleanImage(dataUrl(type, bytes), wish)
    expect({ ...clean, bytes: readImageHeader(clean.bytes) }).toEqual({ type: made, width, height, bytes: { type: made, width, height } })
  })

  test('is turned upright, and loses its place and all else that is no picture', async () => {
    const photo = Buffer.concat([withExif(jpeg(), 6), Buffer.from('<script>alert(1)</script>')])
    const clean = await cleanImage(dataUrl('image/jpeg', photo), wish)
    expect([clean.width, clean.height]).toEqual([20, 40])
    expect([await pixel(clean.bytes, 10, 2), await pixel(clean.bytes, 10, 37)]).toEqual(['red', 'blue'])
    const text = Buffer.from(clean.bytes).toString('latin1')
    for (const trace of ['Exif', 'GPS', 'script']) expect(text).not.toContain(trace)
  })

  test('is a JPEG where it is a photograph, whatever it was, and white where it was clear', async () => {
    const clean = await cleanImage(dataUrl('image/gif', gif), { ...wish, isPhotograph: true })
    expect([clean.type, readImageHeader(clean.bytes)?.type]).toEqual(['image/jpeg', 'image/jpeg'])
    const clear = createCanvas(4, 4).toBuffer('image/png')
    const { bytes } = await cleanImage(dataUrl('image/png', clear), { ...wish, isPhotograph: true })
    const looked = createCanvas(4, 4).getContext('2d')
    looked.drawImage(await loadImage(bytes), 0, 0)
    expect([...looked.getImageData(1, 1, 1, 1).data]).toEqual([255, 255, 255, 255])
  })

  test('is made smaller to the edge that was asked for, and never larger', async () => {
    const { width, height } = await cleanImage(dataUrl('image/jpeg', jpeg(1_000, 10)), { ...wish, edge: 96 })
    expect([width, height]).toEqual([96, 1])
  })
})

describe('What is no picture', () => {
  test.each([
    ['nothing', '', imageTexts.none],
    ['a text file', dataUrl('text/plain', 'hello'), imageTexts.none],
    ['an address', 'https://example.org/a.png', imageTexts.none],
    ['a page', dataUrl('text/html', '<script>'), imageTexts.none],
    ['WebP', dataUrl('image/webp', 'RIFF'), imageTexts.type],
    ['SVG', dataUrl('image/svg+xml', '<svg/>'), imageTexts.type],
    ['more than 10 MB', dataUrl('image/png', Buffer.alloc(mostImageBytes + 1)), imageTexts.type],
    ['SVG that says it is PNG', dataUrl('image/png', '<svg xmlns="http://www.w3.org/2000/svg"/>'), imageTexts.corrupt],
    ['a JPEG that says it is PNG', dataUrl('image/png', jpeg()), imageTexts.corrupt],
    ['PNG without base64', 'data:image/png,abc', imageTexts.corrupt],
    [
      'base64 with something between',
      `data:image/png;base64,${png()
        .toString('base64')
        .replace(/^(.{8})/, '$1\n')}`,
      imageTexts.corrupt,
    ],
    ['an empty one', 'data:image/png;base64,', imageTexts.corrupt],
    ['a PNG whose pixels are none', dataUrl('image/png', pngOf(4, 4, Buffer.from('nothing'))), imageTexts.corrupt],
  ])('is refused in the specified words: %s', async (_name, sent, says) =>
    expect(await refusalOf(cleanImage(sent, wish))).toEqual(refusedFor(says)),
  )

  test('is refused wherever it is cut off', () => {
    for (const [whole, ends] of [
      [png(), 1],
      [jpeg(), 1],
      [gif, 1],
      [bmp(), 1],
      [withExif(jpeg(), 6), 1],
    ] as const)
      for (let length = 0; length <= whole.length - ends; length += 1)
        expect([length, readImageHeader(whole.subarray(0, length))]).toEqual([length, undefined])
  })
})

describe('A bomb', () => {
  const zeros = deflateSync(Buffer.alloc(1_000_000))
  test.each([
    ['a PNG of 30,000 by 30,000', 'image/png', pngOf(30_000, 30_000, zeros), imageTexts.type],
    ['a PNG of 2 by 2,000,000,000', 'image/png', pngOf(2, 2_000_000_000, zeros), imageTexts.type],
    [
      'a GIF of 65,535 by 65,535',
      'image/gif',
      Buffer.concat([gif.subarray(0, 6), Buffer.from([255, 255, 255, 255]), gif.subarray(10)]),
      imageTexts.type,
    ],
    [
      'a GIF whose frame is larger than its screen',
      'image/gif',
      Buffer.concat([gif.subarray(0, 32), Buffer.from([255, 255]), gif.subarray(34)]),
      imageTexts.corrupt,
    ],
    [
      'a BMP of 65,000 by 65,000',
      'image/bmp',
      Buffer.concat([bmp().subarray(0, 18), Buffer.from([0xe8, 0xfd, 0, 0, 0xe8, 0xfd, 0, 0]), bmp().subarray(26)]),
      imageTexts.corrupt,
    ],
    ['a PNG of no width', 'image/png', pngOf(0, 10, zeros), imageTexts.corrupt],
  ])('is refused before it is decoded: %s', async (_name, type, bytes, says) =>
    expect(await refusalOf(cleanImage(dataUrl(type, bytes), wish, { milliseconds: 1 }))).toEqual(refusedFor(says)),
  )

  test('that takes too much memory, or too long, ends its process and nothing else', async () => {
    const [small, large] = [jpeg(), jpeg(4_000, 4_000)].map((bytes) => dataUrl('image/jpeg', bytes)) as [string, string]
    const memory = 140 * 1024 * 1024
    expect(await refusalOf(cleanImage(large, wish, { memory }))).toEqual(refusedFor(imageTexts.corrupt))
    expect(await refusalOf(cleanImage(small, wish, { memory }))).toBe('taken')
    expect(await refusalOf(cleanImage(large, wish, { milliseconds: 1 }))).toEqual(refusedFor(imageTexts.corrupt))
    expect((await cleanImage(large, wish)).width).toBe(512)
  })
})

test('One tenancy with many pictures keeps no other waiting', async () => {
  const ended: string[] = []
  const clean = (tenantId: string) => cleanImage(dataUrl('image/png', png()), { ...wish, tenantId }).then(() => void ended.push(tenantId))
  await Promise.all([...Array.from({ length: 8 }, () => clean('many')), clean('one')])
  expect(ended.indexOf('one')).toBeLessThan(6)
})
