// SCEP by clients of others: certmonger enrols and renews, jscep, whose messages are BER, waits besides, and scepclient of micromdm is refused for its cipher. What is not
// installed, or cannot be fetched, is named and not run.

import { execFile, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { protocolRoom } from '#areas/protocols/contract.ts'
import { openProtocols, type ProtocolFixture } from '#areas/protocols/server/protocols.fixture.ts'
import { deviceOf } from '#areas/protocols/server/scep-client.fixture.ts'
import { openToolFolder, type ToolFolder } from '#standards/tool-folder.fixture.ts'
import { fingerprint } from '#standards/x509/certificate.ts'

let on: ProtocolFixture
const folders: ToolFolder[] = []
beforeAll(async () => {
  on = await openProtocols()
})
afterAll(async () => {
  for (const folder of folders) folder.remove()
  await on.close()
})

const name = 'router.example.org'

function workplace(): string {
  const folder = openToolFolder()
  folders.push(folder)
  return folder.folder
}

/** The server answers from this process: it must not wait for the client. */
const run = (program: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(program, args, { cwd, env: { ...process.env, ...env }, encoding: 'utf8', timeout: 300_000 }, (error, stdout, stderr) =>
      error === null ? resolve(stdout + stderr) : reject(new Error(`${program} ${args.join(' ')}\n${stdout}\n${stderr}`)),
    )
  })

async function profile(templateId = on.templateId) {
  const { id, url } = await on.addProfile('scep', { templateId })
  const { secret } = await on.secret(id)
  return { id, url: on.house.origin + new URL(url).pathname, secret }
}

const namesIn = (folder: string, file: string): Promise<string> =>
  run('openssl', ['x509', '-in', file, '-noout', '-ext', 'subjectAltName'], folder)

async function newest() {
  const [row] = (await on.admin.call(protocolRoom.calls.transactions, { protocol: 'scep', size: 1 })).rows
  return row
}

async function approveNewest(): Promise<void> {
  const row = await newest()
  await on.pki.bob.call(certificates.calls.decide, { requestId: row?.requestId ?? '', round: 1, verdict: 'approve' })
}

const missing = (says: string): false => {
  console.warn(says)
  return false
}

const hasProgram = (program: string, from: string): boolean =>
  spawnSync('which', [program]).status === 0 || missing(`${program} of ${from} is not installed, so it was not run`)

const certmongers = existsSync('/usr/lib/certmonger/scep-submit') && hasProgram('certmonger', 'certmonger')

/** A daemon of this folder alone, which ends when the script does. */
async function byCertmonger(folder: string, script: string): Promise<string> {
  const file = join(folder, 'script')
  writeFileSync(file, `set -e\n${script}\n`)
  const env = Object.fromEntries(
    ['CONFIG', 'REQUESTS', 'CAS'].map((one) => [`CERTMONGER_${one}_DIR`, folder + (one === 'CONFIG' ? '' : `/${one.toLowerCase()}`)]),
  )
  await run('mkdir', ['-p', `${folder}/requests`, `${folder}/cas`, `${folder}/tmp`], folder)
  return run('certmonger', ['-L', '-n', '-F', '-c', `bash ${file}`], folder, { ...env, TMPDIR: `${folder}/tmp` })
}

test.runIf(certmongers)('certmonger enrols, and renews by the certificate that there is', async () => {
  const { url, secret } = await profile()
  const folder = workplace()
  const said = await byCertmonger(
    folder,
    [
      `getcert add-scep-ca -c chancery -u ${url}`,
      `getcert request -c chancery -k ${folder}/device.key -f ${folder}/device.crt -N CN=${name} -D ${name} -L ${secret} -I device -w`,
      `cp ${folder}/device.crt ${folder}/first.crt`,
      'getcert resubmit -i device -w',
      'getcert list -i device',
    ].join('\n'),
  )
  expect(said).toContain('status: MONITORING')
  for (const file of ['first.crt', 'device.crt']) expect(await namesIn(folder, file)).toContain(`DNS:${name}`)
})

const scepclients = hasProgram('scepclient', 'micromdm')

test.runIf(scepclients)('scepclient of micromdm, which encrypts by DES alone, is refused, and its challenge is still good', async () => {
  const { url, secret } = await profile()
  const client = await on.client(url)
  // It encrypts for every certificate that it is given, of whatever key, unless it is told for which.
  const registrar = fingerprint(client.registrar)
  const folder = workplace()
  const words = ['-server-url', url, '-private-key', 'device.key', '-certificate', 'device.crt', '-cn', name, '-challenge', secret]
  await expect(run('scepclient', [...words, '-ca-fingerprint', registrar], folder)).rejects.toThrow('badMessageCheck')
  const { csr, holder } = deviceOf(on.tools, { challenge: secret })
  expect((await client.send({ type: 'PKCSReq', content: csr, by: holder })).certificates.length).toBeGreaterThan(1)
})

/** No dependency: it is fetched for this run alone, and compiled by no one but Java itself. */
function jscepClasses(): string | undefined {
  if (!hasProgram('java', 'OpenJDK') || !hasProgram('mvn', 'Maven')) return undefined
  const folder = workplace()
  writeFileSync(
    join(folder, 'pom.xml'),
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version><dependencies><dependency><groupId>com.google.code.jscep</groupId><artifactId>jscep</artifactId><version>2.5.8</version></dependency></dependencies></project>',
  )
  const { status, stdout } = spawnSync('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'], { cwd: folder })
  return status === 0 ? `${folder}/lib/*` : (missing(`jscep cannot be fetched: ${String(stdout).slice(0, 200)}`), undefined)
}

const classes = jscepClasses()
const jscep = (folder: string, ...words: string[]): Promise<string> =>
  run('java', ['-cp', classes ?? '', new URL('Jscep.java', import.meta.url).pathname, ...words], folder)

test.runIf(classes)('jscep enrols and renews with messages in BER', async () => {
  // It takes each certificate for RSA's when it looks whether the certificate has signed itself.
  const { caId } = await on.pki.ada.call(authorities.calls.create, {
    kind: 'subordinate',
    friendlyName: 'RSA Issuing',
    subject: { CN: 'RSA Issuing' },
    keyAlgorithm: 'RSA-2048',
    issuerId: on.pki.rootId,
  })
  const { url, secret } = await profile(await on.pki.addTemplate('TLSServer', { issueApprovers: 0, caId }))
  const folder = workplace()
  expect(await jscep(folder, 'enrol', url, name, secret)).toContain('issued')
  expect(await jscep(folder, 'renew', url, name)).toContain('issued')
  for (const file of ['device.crt', 'next.crt']) expect(await namesIn(folder, file)).toContain(`DNS:${name}`)
  await expect(jscep(workplace(), 'enrol', url, name, secret)).rejects.toThrow('badRequest')
})

test.runIf(classes)('jscep waits where somebody must agree, and polls', async () => {
  const { url, secret } = await profile(on.approvedId)
  const folder = workplace()
  const [, transaction = ''] = /pending (\S+)/.exec(await jscep(folder, 'enrol', url, name, secret)) ?? []
  expect(await jscep(folder, 'poll', url, name, transaction)).toContain('pending')
  await approveNewest()
  expect(await jscep(folder, 'poll', url, name, transaction)).toContain('issued')
  expect(await namesIn(folder, 'device.crt')).toContain(`DNS:${name}`)
})
