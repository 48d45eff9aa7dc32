// SCEP and EST by strongSwan's client, with the lines that the console shows, as they are copied.

import { execFile } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { protocolRoom } from '#areas/protocols/contract.ts'
import type { Protocol } from '#areas/protocols/rules.ts'
import { openProtocols, type ProtocolFixture } from '#areas/protocols/server/protocols.fixture.ts'
import { freePort } from '#core/testing/free-port.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'

let on: ProtocolFixture
let port: number
beforeAll(async () => {
  port = await freePort()
  on = await openProtocols({ certificatePort: port })
})
afterAll(() => on.close())

/** The server answers from this process: it must not wait for the shell. */
const run = (script: string, cwd: string): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile('bash', ['-ec', script], { cwd }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${script}\n${stdout}\n${stderr}`)),
    )
  })

async function lineOf(protocol: Protocol, client: string, origin: string) {
  const { id, url } = await on.addProfile(protocol)
  const { secret, reference } = await on.secret(id)
  const { clients } = await on.admin.call(protocolRoom.calls.commandLines, { id })
  const text = clients.find(({ name }) => name === client)?.text ?? 'false'
  return text
    .replaceAll(new URL(url).host, new URL(origin).host)
    .replaceAll(/CHALLENGE|SECRET/g, secret)
    .replaceAll('REFERENCE', reference)
}

const namesIn = (cwd: string, file: string) => run(`openssl x509 -in ${file} -noout -ext subjectAltName`, cwd)

test('strongSwan enrols and renews by SCEP', async () => {
  const folder = openToolFolder()
  await run(await lineOf('scep', 'strongSwan pki', on.house.origin), folder.path(''))
  for (const file of ['device.crt', 'next.crt']) expect(await namesIn(folder.path(''), file)).toContain('DNS:router.example.org')
  folder.remove()
})

test('strongSwan enrols by EST', async () => {
  const folder = openToolFolder()
  const origin = `https://localhost:${port}`
  await run(await lineOf('est', 'strongSwan pki', origin), folder.path(''))
  expect(await namesIn(folder.path(''), 'device.crt')).toContain('DNS:router.example.org')
  folder.remove()
})
