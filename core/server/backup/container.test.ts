import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { sealWith } from '../installation-key.ts'
import { readBackup, readBackupHeader, writeBackup } from './container.ts'

const folder = mkdtempSync(join(tmpdir(), 'chancery-container-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const secret = randomBytes(32)
const key = sealWith(secret)
// Random, so that it stays larger than a few frames when it is compressed.
const content = randomBytes(3_500_000)
const madeAt = new Date('2026-01-02T03:04:05Z')
let count = 0
const newFile = () => join(folder, `${(count += 1)}`)

async function* inChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 70_001) yield bytes.subarray(at, at + 70_001)
}

async function made(bytes = content): Promise<string> {
  const file = newFile()
  await writeBackup(file, key, madeAt, inChunks(bytes))
  return file
}

async function read(file: string, by = key): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of readBackup(file, by)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The frames' bounds, the first line before them. */
function boundsOf(bytes: Buffer): number[] {
  const bounds = [bytes.indexOf('\n') + 1]
  for (let at = bounds[0] ?? 0; at < bytes.length;) bounds.push((at += 4 + bytes.readUInt32BE(at)))
  return bounds
}

test('What goes into a backup file comes out of it, much or nothing', async () => {
  expect((await read(await made())).equals(content)).toBe(true)
  expect((await read(await made(Buffer.alloc(0)))).length).toBe(0)
})

test('A backup file tells when it was made, and shows nothing of its content', async () => {
  const file = await made(Buffer.from('a very secret row\n'.repeat(1000)))
  expect((await readBackupHeader(file)).madeAt).toEqual(madeAt)
  expect(readFileSync(file).includes('secret')).toBe(false)
})

test('A backup file that was cut, edited, reordered or lengthened is refused, wherever', async () => {
  const whole = readFileSync(await made())
  const bounds = boundsOf(whole)
  expect(bounds.length).toBeGreaterThan(4)
  const [start = 0, first = 0, second = 0] = bounds
  const edited = (at: number) => {
    const bytes = Buffer.from(whole)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    return bytes
  }
  const spoilt: Buffer[] = [
    ...bounds.slice(0, -1).map((end) => whole.subarray(0, end)),
    whole.subarray(0, whole.length - 1),
    Buffer.concat([whole, whole.subarray(start, first)]),
    Buffer.concat([whole, Buffer.from([1])]),
    Buffer.concat([whole.subarray(0, start), whole.subarray(first, second), whole.subarray(start, first), whole.subarray(second)]),
    ...bounds.slice(0, -1).flatMap((at) => [edited(at + 4), edited(at + 3)]),
    edited(whole.indexOf('madeAt') + 10),
  ]
  for (const bytes of spoilt) {
    const file = newFile()
    writeFileSync(file, bytes)
    await expect(read(file)).rejects.toMatchObject({ name: 'BackupError' })
  }
})

test('A backup file opens with its own installation key only, and can bring it along under a passphrase', async () => {
  const other = sealWith(randomBytes(32))
  const file = await made()
  expect((await readBackupHeader(file)).opensWith(other)).toBe(false)
  await expect(read(file, other)).rejects.toThrow('another installation key')
  await expect((await readBackupHeader(file)).keyIn('correct horse battery')).rejects.toThrow('without the installation key')

  const carrying = newFile()
  await writeBackup(carrying, key, madeAt, inChunks(content), { passphrase: 'correct horse battery', key: secret })
  const header = await readBackupHeader(carrying)
  expect((await header.keyIn('correct horse battery')).equals(secret)).toBe(true)
  await expect(header.keyIn('wrong horse battery')).rejects.toThrow('does not open')
})

test('A file that is something else is refused by its name', async () => {
  for (const text of ['', '\n', '{"format":"zip"}\n', 'x'.repeat(10_000)]) {
    const file = newFile()
    writeFileSync(file, text)
    await expect(readBackupHeader(file)).rejects.toThrow('is not a backup')
  }
})
