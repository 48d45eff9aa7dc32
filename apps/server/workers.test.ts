// Several processes that answer at one port as one server: the product as it is started, with two workers.

import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { readFileSync, realpathSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { openCrashServer, type CrashServer } from '#core/testing/crash-server.ts'
import { setUpSite, type CrashSite } from '#core/testing/crash-site.ts'
import { until } from '#core/testing/until.ts'
import { certIdFor } from '#standards/ocsp/cert-id.ts'
import { buildOcspRequest } from '#standards/ocsp/request.ts'
import { parseOcspResponse } from '#standards/ocsp/response.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { buildCsrInfo } from '#standards/x509/csr.ts'
import { nameOf } from '#standards/x509/names.ts'

let server: CrashServer
let site: CrashSite

beforeAll(async () => {
  server = await openCrashServer({ workers: 2 })
  site = await setUpSite(server)
})
afterAll(() => server.remove())

/** On a connection of its own, so that the next one may meet another worker. */
const anew = (path: string, init: RequestInit = {}) =>
  fetch(new URL(path, server.origin), { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), connection: 'close' } })

const ready = async () => (await anew('/readyz')).status

async function issue(): Promise<{ id: string; serialHex: string }> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = `device-${randomUUID().slice(0, 13)}.example.org`
  const info = buildCsrInfo({
    subject: nameOf(['CN', name]),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }),
    requestedExtensions: [],
  })
  const csr = encodePem('CERTIFICATE REQUEST', assembleSigned(info, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', privateKey, info)))
  const { certificateId = '', serialNumber = '' } = await site.requester.call(certificates.calls.requestForDevice, {
    templateId: site.templateIds.direct,
    csr,
    values: { CommonName: [name], DNS: [name] },
  })
  return { id: certificateId, serialHex: serialNumber }
}

async function statusOf(serialHex: string): Promise<string | undefined> {
  const request = buildOcspRequest({ certIds: [certIdFor(site.authority.certificate, Buffer.from(serialHex, 'hex'))] })
  const answer = await anew(new URL(site.authority.ocspUrl).pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/ocsp-request' },
    body: request,
  })
  const response = parseOcspResponse(new Uint8Array(await answer.arrayBuffer()))
  return response.status === 'successful' ? response.responses[0]?.status : response.status
}

async function counted(): Promise<number> {
  const text = await (await anew('/metrics')).text()
  return Number(/chancery_requests_total\{route="none",status="200"\} (\d+)/.exec(text)?.[1] ?? Number.NaN)
}

test('two workers answer, and either tells what both have counted', async () => {
  expect(server.processes().workers).toHaveLength(2)
  const before = await counted()
  const after: number[] = []
  for (let asked = 0; asked < 6; asked += 1) after.push(await counted())
  // Each answer counts those before it, whoever gave them; its own is counted after it.
  expect(after).toEqual([1, 2, 3, 4, 5, 6].map((more) => before + more))
})

test('what was revoked at one worker is good at none', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { id, serialHex } = await issue()
    expect(await Promise.all([1, 2, 3, 4].map(() => statusOf(serialHex)))).toEqual(['good', 'good', 'good', 'good'])
    await site.requester.call(revocation.calls.revoke, { certId: id, reason: 'superseded' })
    expect(await Promise.all([1, 2, 3, 4].map(() => statusOf(serialHex)))).toEqual(['revoked', 'revoked', 'revoked', 'revoked'])
  }
})

test('a worker that is killed is missed by nobody for long: the other answers, and another takes its place', async () => {
  const [killed = 0, left = 0] = server.processes().workers
  process.kill(killed, 'SIGKILL')
  const { processes } = server
  const next = await until('another worker', () => processes().workers.find((pid) => pid !== killed && pid !== left), { state: processes })
  expect((await issue()).id).not.toBe('')
  process.kill(left, 'SIGKILL')
  await expect.poll(ready).toBe(200)
  expect(processes().workers).toContain(next)
})

test('a worker says why the database does not start, as the first process knows', async () => {
  const [process_ = 0] = server.processes().database
  const control = join(realpathSync(`/proc/${process_}/cwd`), 'global', 'pg_control')
  renameSync(control, `${control}.away`)
  await server.kill('database')
  const says = async () => JSON.stringify(await (await anew('/readyz')).json())
  await expect.poll(says, { interval: 200 }).toMatch(/pg_control|does not start|could not/)
  renameSync(`${control}.away`, control)
  await expect.poll(ready, { interval: 500 }).toBe(200)
})

test('workers end with the first process, however it ends, and the port is free for the next start', async () => {
  const { workers } = server.processes()
  await server.kill('server')
  await expect.poll(() => workers.filter(isAlive)).toEqual([])
  await server.start()
  expect((await issue()).id).not.toBe('')
})

/** One that has ended and was not yet asked for its code is not. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
