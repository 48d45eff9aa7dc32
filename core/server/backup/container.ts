// The file that a backup is: one line of plain JSON that says what it is and whose key opens it, then compressed data in sealed frames.
// Each frame is AES-256-GCM under a key derived from the installation key and the file's own salt, with a counter and an end mark in the
// nonce (the STREAM construction) and the first line as additional data: a file that was cut, reordered, edited or mixed does not open.

import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { sealWith, type InstallationKey } from '../installation-key.ts'

/** A backup that cannot be used, in a sentence for the person at the terminal. */
export class BackupError extends Error {
  override name = 'BackupError'
}

type SealedKey = { salt: string; sealed: string }

type Header = {
  format: 'chancery-backup'
  version: 1
  madeAt: string
  salt: string
  /** Tells whether an installation key is the right one, and nothing of it. */
  keyCheck: string
  /** The installation key under a passphrase (scrypt), where the person wanted it in the file. */
  installationKey?: SealedKey
}

const frameSize = 1 << 20
const longestHeader = 4096
const scryptCost = { N: 1 << 17, r: 8, p: 1, maxmem: 256 << 20 }
const deriveFrom = promisify<string, Buffer, number, typeof scryptCost, Buffer>(scrypt)

export type KeyInFile = { passphrase: string; key: Uint8Array }

/** Writes `content` as a new file, mode 600. An existing file is refused. */
export async function writeBackup(
  file: string,
  installationKey: InstallationKey,
  madeAt: Date,
  content: AsyncIterable<Buffer>,
  keyInFile?: KeyInFile,
): Promise<void> {
  const salt = randomBytes(16).toString('base64')
  const header: Header = {
    format: 'chancery-backup',
    version: 1,
    madeAt: madeAt.toISOString(),
    salt,
    keyCheck: keyCheck(installationKey, salt),
    ...(keyInFile === undefined ? {} : { installationKey: await sealKey(keyInFile) }),
  }
  const line = Buffer.from(`${JSON.stringify(header)}\n`)
  const key = installationKey.derive(`backup:${salt}`)
  async function* sealed(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    yield line
    let at = 0
    let last: Buffer | undefined
    for await (const frame of framesOf(compressed)) {
      if (last !== undefined) yield seal(key, line, at++, last, false)
      last = frame
    }
    yield seal(key, line, at, last ?? Buffer.alloc(0), true)
  }
  await pipeline(
    Readable.from(content, { objectMode: false }),
    createZstdCompress(),
    sealed,
    createWriteStream(file, { flags: 'wx', mode: 0o600 }),
  )
}

async function* framesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let size = 0
  for await (const chunk of source) {
    held.push(chunk)
    size += chunk.length
    while (size >= frameSize) {
      const all = Buffer.concat(held)
      yield all.subarray(0, frameSize)
      held = [all.subarray(frameSize)]
      size -= frameSize
    }
  }
  if (size > 0) yield Buffer.concat(held)
}

const nonceOf = (at: number, isLast: boolean): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(at), 3)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

/** Four bytes of length, the ciphertext, 16 bytes of tag. */
function seal(key: Uint8Array, header: Buffer, at: number, plain: Buffer, isLast: boolean): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(at, isLast))
  cipher.setAAD(header)
  const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}

function open(key: Uint8Array, header: Buffer, at: number, body: Buffer, isLast: boolean): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(at, isLast))
  decipher.setAAD(header)
  decipher.setAuthTag(body.subarray(body.length - 16))
  try {
    return Buffer.concat([decipher.update(body.subarray(0, body.length - 16)), decipher.final()])
  } catch {
    throw new BackupError(`The backup is damaged in its frame ${at + 1}: it was changed or cut after it was made.`)
  }
}

export type BackupHeader = {
  madeAt: Date
  hasKey: boolean
  opensWith(key: InstallationKey): boolean
  keyIn(passphrase: string): Promise<Buffer>
}

/** The first line of the file, without opening the rest. */
export async function readBackupHeader(file: string): Promise<BackupHeader> {
  const { header } = await headerOf(file)
  const sealedKey = header.installationKey
  return {
    madeAt: new Date(header.madeAt),
    hasKey: sealedKey !== undefined,
    opensWith: (key) => keyCheck(key, header.salt) === header.keyCheck,
    async keyIn(passphrase) {
      if (sealedKey === undefined) throw new BackupError('The backup was made without the installation key.')
      try {
        return sealWith(await deriveFrom(passphrase, Buffer.from(sealedKey.salt, 'base64'), 32, scryptCost)).unseal(
          Buffer.from(sealedKey.sealed, 'base64'),
          'backup:installation-key',
        )
      } catch {
        throw new BackupError('The passphrase does not open the installation key in the backup.')
      }
    },
  }
}

/** The content, frame by frame. Throws a BackupError at the first frame that is not as it was made, and where the end is missing. */
export async function* readBackup(file: string, installationKey: InstallationKey): AsyncGenerator<Buffer> {
  const { line, header } = await headerOf(file)
  if (keyCheck(installationKey, header.salt) !== header.keyCheck)
    throw new BackupError('The backup was made with another installation key.')
  const key = installationKey.derive(`backup:${header.salt}`)
  const opened = Readable.from(openFrames(createReadStream(file, { start: line.length }), key, line), { objectMode: false })
  const plain = createZstdDecompress()
  // Destroying the reader of a damaged file is how its error reaches whoever reads the content.
  opened.once('error', (error) => plain.destroy(error))
  yield* opened.pipe(plain) as AsyncIterable<Buffer>
}

async function* openFrames(source: AsyncIterable<Buffer>, key: Uint8Array, line: Buffer): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  let at = 0
  let pending: Buffer | undefined
  for await (const chunk of source) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    for (let body = frameIn(held); body !== undefined; body = frameIn(held)) {
      if (pending !== undefined) yield open(key, line, at++, pending, false)
      pending = body
      held = held.subarray(4 + body.length)
    }
  }
  if (pending === undefined || held.length > 0)
    throw new BackupError('The backup ends in the middle: it was cut after it was made, or never finished.')
  yield open(key, line, at, pending, true)
}

function frameIn(held: Buffer): Buffer | undefined {
  if (held.length < 4) return undefined
  const length = held.readUInt32BE()
  if (length < 16 || length > frameSize + 16) throw new BackupError('The backup is damaged: a frame has an impossible length.')
  return held.length < 4 + length ? undefined : held.subarray(4, 4 + length)
}

async function headerOf(file: string): Promise<{ line: Buffer; header: Header }> {
  let start: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(file, { end: longestHeader - 1 })) start = Buffer.concat([start, chunk])
  const end = start.indexOf('\n')
  const line = start.subarray(0, end + 1)
  const header = end < 0 ? undefined : parseHeader(line.toString())
  if (header === undefined) throw new BackupError(`${file} is not a backup of Chancery.`)
  if (header.version !== 1) throw new BackupError(`${file} was made by a later Chancery, in a form that this one does not know.`)
  return { line, header }
}

function parseHeader(text: string): Header | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'format' in value && value.format === 'chancery-backup'
      ? (value as Header)
      : undefined
  } catch {
    return undefined
  }
}

const keyCheck = (key: InstallationKey, salt: string): string =>
  createHash('sha256')
    .update(key.derive(`backup-check:${salt}`))
    .digest('base64')

async function sealKey({ passphrase, key }: KeyInFile): Promise<SealedKey> {
  const salt = randomBytes(16)
  const sealed = sealWith(await deriveFrom(passphrase, salt, 32, scryptCost)).seal(key, 'backup:installation-key')
  return { salt: salt.toString('base64'), sealed: sealed.toString('base64') }
}
