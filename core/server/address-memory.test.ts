import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { rememberAddress, withRememberedAddress } from './address-memory.ts'
import { readSettings } from './settings.ts'

test('a command without an address of its own takes the one that the server last had', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'chancery-address-'))
  onTestFinished(() => rmSync(dataDirectory, { recursive: true }))
  const at = async (environment: Record<string, string>) => {
    const { origin, pkiUrl } = readSettings(await withRememberedAddress(environment, dataDirectory))
    return [origin, pkiUrl]
  }
  expect(await at({})).toEqual(['http://localhost:8080', 'http://localhost:8080'])
  await rememberAddress({ dataDirectory, origin: 'https://pki.example.org', pkiUrl: 'http://pki.example.org' })
  expect(await at({})).toEqual(['https://pki.example.org', 'http://pki.example.org'])
  expect(await at({ CHANCERY_PORT: '9000' })).toEqual(['http://localhost:9000', 'http://localhost:9000'])
  expect(await at({ CHANCERY_ORIGIN: 'http://other.example' })).toEqual(['http://other.example', 'http://other.example'])
  writeFileSync(join(dataDirectory, 'address.json'), '{"origin":"ftp://x"')
  expect(await at({})).toEqual(['http://localhost:8080', 'http://localhost:8080'])
})
