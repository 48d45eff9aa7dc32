import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, chmodSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openInstallationKey, sealWith, watchInstallationKey } from './installation-key.ts'

describe('What the installation key seals', () => {
  const key = sealWith(randomBytes(32))
  const plain = Buffer.from('the key of the tenancy')

  test('is opened for its own purpose', () => {
    expect(key.unseal(key.seal(plain, 'keys:7'), 'keys:7')).toEqual(plain)
    expect(key.unseal(key.seal(Buffer.alloc(0), 'keys:7'), 'keys:7')).toEqual(Buffer.alloc(0))
  })

  test('differs each time and shows nothing of what is in it', () => {
    const [one, two] = [key.seal(plain, 'keys:7'), key.seal(plain, 'keys:7')]
    expect(one.equals(two)).toBe(false)
    expect(one.includes(plain.subarray(0, 8))).toBe(false)
  })

  test('does not open where it was moved to', () => {
    expect(() => key.unseal(key.seal(plain, 'keys:7'), 'keys:8')).toThrow()
  })

  test('does not open once any byte of it was changed, or one is missing', () => {
    const sealed = key.seal(plain, 'keys:7')
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => key.unseal(changed, 'keys:7'), `byte ${at}`).toThrow()
      expect(() => key.unseal(sealed.subarray(0, at), 'keys:7'), `${at} bytes`).toThrow()
    }
  })

  test('does not open under another key', () => {
    expect(() => sealWith(randomBytes(32)).unseal(key.seal(plain, 'keys:7'), 'keys:7')).toThrow()
  })

  test('is another thing than the keys derived for other uses', () => {
    expect(key.derive('pepper')).toEqual(key.derive('pepper'))
    expect(key.derive('pepper').equals(key.derive('salt'))).toBe(false)
    expect(key.derive('pepper')).toHaveLength(32)
  })
})

describe('The file of the installation key', () => {
  function inFolder() {
    const folder = mkdtempSync(join(tmpdir(), 'chancery-key-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const warnings: string[] = []
    const open = (keyFile?: string) =>
      openInstallationKey({ keyFile, dataDirectory: folder, warn: (sentence) => void warnings.push(sentence) })
    return { folder, warnings, open }
  }

  test('is made at the first start, for its owner alone, with a warning that it lies beside the data', async () => {
    const { folder, warnings, open } = inFolder()
    const sealed = (await open()).seal(Buffer.from('x'), 'a')
    expect(statSync(join(folder, 'installation.key')).mode & 0o777).toBe(0o600)
    expect(warnings).toEqual([expect.stringMatching(/lies beside the data.*CHANCERY_KEY_FILE/)])
    expect((await open()).unseal(sealed, 'a').toString()).toBe('x')
  })

  test('elsewhere brings no warning, unless others can read it', async () => {
    const { folder, warnings, open } = inFolder()
    const file = join(folder, 'deep/in/a/vault.key')
    await open(file)
    expect(warnings).toEqual([])
    chmodSync(file, 0o644)
    await open(file)
    expect(warnings).toEqual([expect.stringMatching(/can be read by others \(mode 644\)/)])
  })

  test('is one and whole although ten servers start at once', async () => {
    const { folder, open } = inFolder()
    const keys = await Promise.all(Array.from({ length: 10 }, () => open()))
    const sealed = keys[0]?.seal(Buffer.from('x'), 'a') ?? Buffer.alloc(0)
    for (const key of keys) expect(key.unseal(sealed, 'a').toString()).toBe('x')
    expect(readdirSync(folder)).toEqual(['installation.key'])
    expect(Buffer.from(readFileSync(join(folder, 'installation.key'), 'utf8'), 'base64')).toHaveLength(32)
  })

  test('that holds something else stops the start with a sentence and stays as it is', async () => {
    const { folder, open } = inFolder()
    const file = join(folder, 'installation.key')
    for (const text of ['', 'short', randomBytes(31).toString('base64'), randomBytes(33).toString('base64')]) {
      writeFileSync(file, text, { mode: 0o600 })
      await expect(open()).rejects.toThrow(/should hold 32 bytes in base64 and holds \d+/)
      expect(readFileSync(file, 'utf8')).toBe(text)
    }
  })
})

describe('A key file that is lost while the server runs', () => {
  test('is said at once, with what the next start will do, and again when it is back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chancery-key-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const place = { keyFile: join(folder, 'kept.key'), dataDirectory: folder }
    const key = await openInstallationKey({ ...place, warn: () => {} })
    const content = readFileSync(place.keyFile)
    const said: string[] = []
    const watch = watchInstallationKey(place, key, (sentence) => said.push(sentence), 10)
    onTestFinished(() => watch.stop())
    expect(watch.missing()).toBeUndefined()

    rmSync(place.keyFile)
    await expect
      .poll(() => said)
      .toEqual([expect.stringMatching(/kept\.key is GONE\. .*the next start will be refused.*Put the file back/)])
    writeFileSync(place.keyFile, content, { mode: 0o600 })
    await expect.poll(() => said.at(-1)).toBe(`The installation key is back in ${place.keyFile}.`)
    writeFileSync(place.keyFile, randomBytes(32).toString('base64'))
    await expect.poll(() => said.at(-1)).toMatch(/is not the one that this server was started with/)
    expect(said).toHaveLength(3)
  })
})
