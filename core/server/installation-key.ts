// The installation key wraps every secret that is stored: tenant keys, code secrets, the checkpoint key. AES-256-GCM; what a
// ciphertext is for (a table and an id) is its additional data, so that one cannot be moved to another place.
// Layout: version byte 1, 12 bytes nonce, ciphertext, 16 bytes tag.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export type InstallationKey = {
  seal(plain: Uint8Array, purpose: string): Buffer
  /** Throws where the ciphertext was changed, or made for another purpose or key. */
  unseal(sealed: Uint8Array, purpose: string): Buffer
  /** Another key for another use, by HKDF-SHA-256 (RFC 5869). */
  derive(purpose: string): Buffer
}

export const sealWith = (key: Uint8Array): InstallationKey => ({
  seal(plain, purpose) {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    cipher.setAAD(Buffer.from(purpose, 'utf8'))
    return Buffer.concat([Buffer.of(1), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  },
  unseal(sealed, purpose) {
    if (sealed[0] !== 1 || sealed.length < 29) throw new Error(`The sealed value for ${purpose} is not one of ours`)
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 13))
    decipher.setAAD(Buffer.from(purpose, 'utf8'))
    decipher.setAuthTag(sealed.subarray(sealed.length - 16))
    return Buffer.concat([decipher.update(sealed.subarray(13, sealed.length - 16)), decipher.final()])
  },
  derive: (purpose) => Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), purpose, 32)),
})

/** The file appears under its name whole or not at all; of two servers that start at once, one makes it and both read it. */
async function makeKeyFile(file: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  const made = await open(draft, 'wx', 0o600)
  try {
    await made.writeFile(`${randomBytes(32).toString('base64')}\n`)
    await made.sync()
    await made.close()
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await unlink(draft)
  }
}

type KeyPlace = { keyFile: string | undefined; dataDirectory: string }

export const installationKeyFile = ({ keyFile, dataDirectory }: KeyPlace): string => keyFile ?? join(dataDirectory, 'installation.key')

/**
 * Reads the key file, or makes it on the first start unless `mayMake` is false. `warn` hears when the key lies beside the data that it
 * protects.
 */
export async function openInstallationKey(
  options: KeyPlace & { mayMake?: boolean; warn(sentence: string): void },
): Promise<InstallationKey> {
  const beside = options.keyFile === undefined
  const file = installationKeyFile(options)
  if (!existsSync(file)) {
    if (options.mayMake === false)
      throw new Error(
        `There is no installation key at ${file}, and what is stored was sealed with one. Put the key file back there, or set CHANCERY_KEY_FILE to where it lies; a new key could open nothing, so none was made.`,
      )
    await mkdir(dirname(file), { recursive: true })
    await makeKeyFile(file)
  }
  if (beside)
    options.warn(
      `The installation key lies beside the data, in ${file}. Whoever copies both can read every key: set CHANCERY_KEY_FILE to a place that is not backed up with the data.`,
    )
  const mode = (await stat(file)).mode & 0o777
  if ((mode & 0o077) !== 0) options.warn(`The installation key ${file} can be read by others (mode ${mode.toString(8)}). Set it to 600.`)
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64')
  if (key.length !== 32) throw new Error(`${file} should hold 32 bytes in base64 and holds ${key.length}.`)
  return sealWith(key)
}

const checkMilliseconds = 10_000
const sayAgainMilliseconds = 600_000

export type KeyWatch = { missing(): string | undefined; stop(): void }

/**
 * Says while the server runs that its key file is gone, cannot be read or holds another key: the running server has the key in memory and goes on,
 * and the next start would be refused. Said at once and every ten minutes.
 */
export function watchInstallationKey(
  place: KeyPlace,
  key: InstallationKey,
  say: (sentence: string) => void,
  checkEvery = checkMilliseconds,
): KeyWatch {
  const file = installationKeyFile(place)
  const own = key.derive(watchPurpose)
  const missing = (): string | undefined => {
    const why = whyNot(file, own)
    return why === undefined
      ? undefined
      : `${why} This server still has it in memory and goes on; the next start will be refused, and no backup can be opened without it. Put the file back from your copy before you stop this server.`
  }
  let saidAt = -Infinity
  let gone = false
  const look = () => {
    const sentence = missing()
    if (sentence === undefined) {
      if (gone) say(`The installation key is back in ${file}.`)
      gone = false
      saidAt = -Infinity
    } else if (performance.now() - saidAt >= sayAgainMilliseconds) {
      gone = true
      saidAt = performance.now()
      say(sentence)
    }
  }
  const timer = setInterval(look, checkEvery).unref()
  return { missing, stop: () => clearInterval(timer) }
}

const watchPurpose = 'watch'

function whyNot(file: string, own: Buffer): string | undefined {
  try {
    const found = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
    return found.length === 32 && sealWith(found).derive(watchPurpose).equals(own)
      ? undefined
      : `The installation key in ${file} is not the one that this server was started with.`
  } catch (error) {
    return existsSync(file)
      ? `The installation key ${file} cannot be read (${error instanceof Error ? error.message : String(error)}).`
      : `The installation key ${file} is GONE.`
  }
}
