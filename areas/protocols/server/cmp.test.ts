// CMP by OpenSSL's own client: first certificate by a secret, the next by the certificate, confirmation, polling, revocation and refusals.

import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certificates as certificateRoom } from '#areas/certificates/contract.ts'
import { countAttempt } from '#core/server/limits.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { protocolRoom } from '../contract.ts'
import { openProtocols, type ProtocolFixture } from './protocols.fixture.ts'

let on: ProtocolFixture
beforeAll(async () => {
  on = await openProtocols()
})
afterAll(() => on.close())
const folder = openToolFolder()
afterAll(() => folder.remove())

/** The server answers from this process: it must not wait for the client. */
const shell = (script: string): Promise<{ ok: boolean; said: string }> =>
  new Promise((resolve) => {
    execFile('bash', ['-ec', script], { cwd: folder.path('') }, (error, stdout, stderr) =>
      resolve({ ok: error === null, said: `${stdout}${stderr}` }),
    )
  })

let count = 0
async function ready(more: Parameters<ProtocolFixture['addProfile']>[1] = {}) {
  const { id, url } = await on.addProfile('cmp', more)
  const { secret, reference } = await on.secret(id)
  const server = `-server ${new URL(on.house.origin).host} -path ${new URL(url).pathname.slice(1)}`
  const name = (what: string) => `${(count += 1)}.${what}`
  const newKey = async () => {
    const file = name('key')
    await shell(`openssl ecparam -name prime256v1 -genkey -noout -out ${file}`)
    return file
  }
  const bySecret = `-ref ${reference} -secret pass:${secret} -recipient /CN=CA`
  const cmp = (line: string) => shell(`openssl cmp ${server} ${line}`)
  return { id, url, server, secret, reference, newKey, name, bySecret, cmp }
}

const asks = '-subject /CN=router.example.org -sans router.example.org'
const leafIn = (file: string) => new X509Certificate(readFileSync(folder.path(file)))

test('The lines of the console get, update and revoke a certificate as they are copied', async () => {
  const { id, url, secret, reference } = await ready()
  const { clients } = await on.admin.call(protocolRoom.calls.commandLines, { id })
  const script = (clients[0]?.text ?? 'false')
    .replaceAll(new URL(url).host, new URL(on.house.origin).host)
    .replaceAll('REFERENCE', reference)
    .replaceAll('SECRET', secret)
  const done = await shell(script)
  expect([done.ok, done.ok ? '' : done.said]).toEqual([true, ''])
  expect(leafIn('device.crt').subjectAltName).toBe('DNS:router.example.org')
  expect(leafIn('next.crt').subjectAltName).toBe('DNS:router.example.org')
  const { rows } = await on.admin.call(protocolRoom.calls.transactions, { protocol: 'cmp' })
  expect(rows.map(({ kind, state }) => [kind, state])).toEqual([
    ['renewal', 'issued'],
    ['initial', 'issued'],
  ])
  const shown = await on.admin.call(certificateRoom.calls.info, { certId: rows[0]?.certificateId ?? '' })
  expect(shown.certificate.status).toBe('revoked')
})

describe('A client with a secret', () => {
  test('asks by a PKCS#10 request as well', async () => {
    const { cmp, newKey, name, bySecret } = await ready()
    const key = await newKey()
    const out = name('crt')
    await shell(`openssl req -new -key ${key} -subj /CN=router.example.org -addext subjectAltName=DNS:router.example.org -out ${key}.csr`)
    const done = await cmp(`-cmd p10cr ${bySecret} -csr ${key}.csr -certout ${out}`)
    expect([done.ok, done.ok ? '' : done.said]).toEqual([true, ''])
    expect(leafIn(out).subjectAltName).toBe('DNS:router.example.org')
  })

  test('is refused for another name, in the words of every door, and the secret is still good', async () => {
    const { cmp, newKey, name, bySecret } = await ready()
    const key = await newKey()
    const out = name('crt')
    const strange = await cmp(`-cmd ir ${bySecret} -newkey ${key} -subject /CN=bank.example.org -certout ${out}`)
    expect(strange.ok).toBe(false)
    expect(strange.said).toContain('The secret is not for the name bank.example.org')
    expect((await cmp(`-cmd ir ${bySecret} -newkey ${key} ${asks} -certout ${out}`)).ok).toBe(true)
    const twice = await cmp(`-cmd ir ${bySecret} -newkey ${await newKey()} ${asks} -certout ${name('crt')}`)
    expect(twice.said).toContain('was used, or has ended')
  })

  test('whose secret is wrong, or whose reference is, hears the same', async () => {
    const { cmp, newKey, name, reference, secret } = await ready()
    const key = await newKey()
    for (const [ref, word] of [
      [reference, 'wrong'],
      ['nobody', secret],
    ]) {
      const refused = await cmp(
        `-cmd ir -ref ${ref} -secret pass:${word} -recipient /CN=CA -unprotected_errors -newkey ${key} ${asks} -certout ${name('crt')}`,
      )
      expect(refused.said).toContain('The reference is not known here, or the message is not protected by its secret')
    }
  })

  test('is let in though strangers have tried so many secrets that the profile refuses theirs', async () => {
    const { id, cmp, newKey, name, bySecret } = await ready()
    const later = new Date(on.house.clock.now().getTime() + 600_000)
    const stranger = (at: number) =>
      countAttempt(on.house.house.database, 'publicLink', { account: `enrolment ${id}`, from: `${at}` }, later)
    for (let at = 0; at < 60; at += 1) await stranger(at)
    await expect(stranger(60)).rejects.toMatchObject({ status: 429 })
    const done = await cmp(`-cmd ir ${bySecret} -newkey ${await newKey()} ${asks} -certout ${name('crt')}`)
    expect([done.ok, done.ok ? '' : done.said]).toEqual([true, ''])
  })

  test('need not confirm where it asks for that, and otherwise loses what it does not confirm', async () => {
    const { id, cmp, newKey, name, bySecret } = await ready()
    const out = name('crt')
    const implicit = await cmp(`-cmd ir ${bySecret} -implicit_confirm -newkey ${await newKey()} ${asks} -certout ${out}`)
    expect([implicit.ok, implicit.ok ? '' : implicit.said]).toEqual([true, ''])
    const again = await on.secret(id)
    const silent = await cmp(
      `-cmd ir -ref ${again.reference} -secret pass:${again.secret} -recipient /CN=CA -disable_confirm -newkey ${await newKey()} ${asks} -certout ${name('crt')}`,
    )
    expect([silent.ok, silent.ok ? '' : silent.said]).toEqual([true, ''])
    on.house.clock.advance(61 * 60_000)
    await on.house.runJob(protocolRoom.jobs.goOn)
    on.house.clock.advance(-61 * 60_000)
    const { rows } = await on.admin.call(protocolRoom.calls.transactions, { protocol: 'cmp' })
    const [later, earlier] = await Promise.all(
      rows.slice(0, 2).map(({ certificateId = '' }) => on.admin.call(certificateRoom.calls.info, { certId: certificateId })),
    )
    expect([later?.certificate.status, earlier?.certificate.status]).toEqual(['revoked', 'active'])
  })

  test('waits where somebody must agree, and asks again', async () => {
    const { cmp, newKey, name, bySecret } = await ready({ templateId: on.approvedId })
    const out = name('crt')
    const waiting = cmp(`-cmd ir ${bySecret} -total_timeout 90 -newkey ${await newKey()} ${asks} -certout ${out}`)
    const waits = async () =>
      (await on.admin.call(protocolRoom.calls.transactions, { protocol: 'cmp', state: 'pending' })).rows[0]?.requestId
    await expect.poll(waits).toBeDefined()
    await on.pki.bob.call(certificateRoom.calls.decide, { requestId: (await waits()) ?? '', round: 1, verdict: 'approve' })
    const done = await waiting
    expect([done.ok, done.ok ? '' : done.said]).toEqual([true, ''])
    expect(leafIn(out).subjectAltName).toBe('DNS:router.example.org')
  })
})

test('A stranger is told plainly that it sends no message, and an unprotected one is not taken', async () => {
  const { url, cmp, newKey, name } = await ready()
  const { pathname } = new URL(url)
  const post = (body: string) => on.fetchFrom(pathname, { method: 'POST', headers: { 'content-type': 'application/pkixcmp' }, body })
  expect((await post('nothing')).status).toBe(400)
  expect((await post('')).status).toBe(400)
  const bare = await cmp(
    `-cmd ir -unprotected_requests -unprotected_errors -recipient /CN=CA -newkey ${await newKey()} ${asks} -certout ${name('crt')}`,
  )
  expect(bare.said).toContain('The message is not protected')
})
