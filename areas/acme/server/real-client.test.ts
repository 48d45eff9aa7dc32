// lego, as Debian has it, with the command line that the console shows: a certificate, and its renewal. All clients in every combination are `npm run e2e:protocols`.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { freePort } from '#core/testing/free-port.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { acme } from '../contract.ts'
import { openAcme, type AcmeFixture } from './acme.fixture.ts'

const run = promisify(execFile)
const folder = openToolFolder()
let on: AcmeFixture
/** The house learns its address before it has a port: what comes here is passed on. */
const front = createServer((incoming, outgoing) => {
  const passed = request(on.house.origin + (incoming.url ?? ''), { method: incoming.method, headers: incoming.headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  passed.on('error', () => outgoing.destroy())
  incoming.pipe(passed)
})

beforeAll(async () => {
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const origin = `http://localhost:${(front.address() as AddressInfo).port}`
  on = await openAcme({ 'lego.example.org': [{ type: 'A', value: '127.0.0.1' }] }, { settings: { CHANCERY_ORIGIN: origin } })
})
afterAll(async () => {
  front.closeAllConnections()
  await new Promise((resolve) => front.close(resolve))
  await on.close()
  folder.remove()
})

test('lego gets a certificate with the command line of the console, and renews it', async () => {
  const httpPort = await freePort()
  const { id: directoryId } = await on.addDirectory({ name: 'For lego', eabRequired: true, httpPort })
  const eab = await on.admin.call(acme.calls.addEab, { directoryId, name: 'lego', names: ['lego.example.org'], uses: 1 })
  const { clients } = await on.admin.call(acme.calls.commandLines, { id: directoryId })
  const line = (clients.find(({ name }) => name === 'lego')?.text ?? '')
    .replace('EAB_KID', eab.kid)
    .replace('EAB_HMAC_KEY', eab.hmacKey)
    .replace('www.example.org', 'lego.example.org')
  const serialNow = () =>
    folder.run('openssl', 'x509', '-in', join(folder.folder, '.lego/certificates/lego.example.org.crt'), '-noout', '-serial')
  await run('sh', ['-c', line], { cwd: folder.folder })
  const first = serialNow()
  await run('sh', ['-c', line.replace(/ run$/, ' renew --days 10000 --no-random-sleep')], { cwd: folder.folder })
  expect(serialNow()).not.toBe(first)
  const { rows } = await on.admin.call(certificates.calls.search, { text: 'lego.example.org' })
  expect(rows.length).toBe(2)
  expect(readFileSync(join(folder.folder, '.lego/certificates/lego.example.org.crt'), 'utf8')).toContain('BEGIN CERTIFICATE')
})
