// Reads what a picture says of itself, before anything decodes it: its type by its bytes, its size, and whether it is whole. Decoders give half a picture for half a
// file, and take memory for whatever size a header names.

export type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/bmp'
export type ImageHeader = { type: ImageType; width: number; height: number }

type Size = { width: number; height: number }
type Reader = { type: ImageType; begins: readonly number[]; read(view: DataView): Size | undefined }

const readers: readonly Reader[] = [
  { type: 'image/png', begins: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], read: readPng },
  { type: 'image/jpeg', begins: [0xff, 0xd8, 0xff], read: readJpeg },
  { type: 'image/gif', begins: [0x47, 0x49, 0x46, 0x38], read: readGif },
  { type: 'image/bmp', begins: [0x42, 0x4d], read: readBmp },
]

/** Undefined where it is none of the four, is cut off, or is not built as its type says. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const found = readers.find(({ begins }) => begins.every((byte, at) => bytes[at] === byte))
  if (found === undefined) return undefined
  try {
    const size = found.read(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    return size === undefined || size.width < 1 || size.height < 1 ? undefined : { type: found.type, ...size }
  } catch (error) {
    // Something points behind the end of the file.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Chunks one after another, from the size to the end. */
function readPng(view: DataView): Size | undefined {
  if (view.getUint32(8) !== 13 || chunkName(view, 8) !== chunk.header) return undefined
  const size = { width: view.getUint32(16), height: view.getUint32(20) }
  let data = false
  for (let at = 8; ; at += 12 + view.getUint32(at)) {
    const name = chunkName(view, at)
    // The checksum of each chunk must be in the file.
    view.getUint32(at + 8 + view.getUint32(at))
    if (name === chunk.data) data = true
    if (name === chunk.end) return data ? size : undefined
  }
}

/** `IHDR`, `IDAT` and `IEND` as numbers: of ten megabytes, a million chunks may be empty. */
const chunk = { header: 0x49484452, data: 0x49444154, end: 0x49454e44 } as const
const chunkName = (view: DataView, at: number): number => view.getUint32(at + 4)

/** Segments up to the first scan; from there the end must be in the file. Segments with a length are passed over, so that the end of a thumbnail is not the end. */
function readJpeg(view: DataView): Size | undefined {
  let size: Size | undefined
  let scanned = false
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  for (let at = 2; ;) {
    if (view.getUint8(at) !== 0xff) {
      if (!scanned) return undefined
      const next = bytes.indexOf(0xff, at)
      if (next < 0) return undefined
      at = next
      continue
    }
    const marker = view.getUint8(at + 1)
    if (marker === 0xd9) return scanned ? size : undefined
    if (marker === 0xff) at += 1
    // A filled-in zero of a scan, a restart.
    else if (marker === 0 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else {
      const length = view.getUint16(at + 2)
      if (length < 2) return undefined
      if (isFrame(marker)) {
        // A second frame could name another size than was judged.
        if (size !== undefined) return undefined
        size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
      }
      if (marker === 0xda) {
        if (size === undefined) return undefined
        scanned = true
      }
      at += 2 + length
    }
  }
}

const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Blocks up to the trailer; a frame must lie within the screen. */
function readGif(view: DataView): Size | undefined {
  const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) }
  const tableOf = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))
  const afterBlocks = (from: number): number => {
    let at = from
    for (let length = view.getUint8(at); length > 0; length = view.getUint8(at)) at += length + 1
    return at + 1
  }
  let frames = 0
  for (let at = 13 + tableOf(view.getUint8(10)); ;) {
    const kind = view.getUint8(at)
    if (kind === 0x3b) return frames > 0 ? size : undefined
    if (kind === 0x21) at = afterBlocks(at + 2)
    else if (kind === 0x2c) {
      const [left, top, width, height] = [1, 3, 5, 7].map((offset) => view.getUint16(at + offset, true))
      if ((left ?? 0) + (width ?? 0) > size.width || (top ?? 0) + (height ?? 0) > size.height) return undefined
      frames += 1
      at = afterBlocks(at + 10 + tableOf(view.getUint8(at + 9)) + 1)
    } else return undefined
  }
}

/** The pixels must be in the file, unless they are packed. */
function readBmp(view: DataView): Size | undefined {
  const start = view.getUint32(10, true)
  const headerSize = view.getUint32(14, true)
  if (headerSize === 12) {
    const size = { width: view.getUint16(18, true), height: view.getUint16(20, true) }
    return holdsPixels(view, start, size, view.getUint16(24, true)) ? size : undefined
  }
  if (![40, 52, 56, 108, 124].includes(headerSize)) return undefined
  // A negative height is a picture that is written from the top.
  const size = { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) }
  const packing = view.getUint32(30, true)
  if (packing === 1 || packing === 2)
    return start + view.getUint32(34, true) <= view.byteLength && start < view.byteLength ? size : undefined
  if (packing !== 0 && packing !== 3 && packing !== 6) return undefined
  return holdsPixels(view, start, size, view.getUint16(28, true)) ? size : undefined
}

const holdsPixels = (view: DataView, start: number, { width, height }: Size, bits: number): boolean =>
  [1, 2, 4, 8, 16, 24, 32].includes(bits) && start >= 26 && start + Math.ceil((width * bits) / 32) * 4 * height <= view.byteLength
