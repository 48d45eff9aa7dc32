// A certificate for a key that a TPM keeps, with a software TPM (swtpm) and the command of the machine; and what the server says where something is not as it should be.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTpm } from '#apps/cli/tpm-device.ts'
import { tpm } from '#apps/cli/tpm.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { licensing } from '#areas/licensing/contract.ts'
import { protocolRoom } from '#areas/protocols/contract.ts'
import { openProtocols, type ProtocolFixture } from '#areas/protocols/server/protocols.fixture.ts'
import { addToken } from '#areas/sessions/service.ts'
import { inTenant } from '#core/server/database.ts'
import { refusal } from '#core/testing/caller.ts'
import { freePort } from '#core/testing/free-port.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'

const folder = openToolFolder()
const { prepareTpm, finishTpm, tpmAttempts } = protocolRoom.calls
let on: ProtocolFixture
let admin: TestPerson
let templateId: string
let place: string
/** Of the certificate of the endorsement key. */
let issuer: string

/** What swtpm_setup needs: a manufacturer of its own, whose certificates it makes. */
beforeAll(async () => {
  on = await openProtocols()
  admin = await on.pki.tenancy.person({ permissions: ['autoEnrollTemplateRules', 'certSigningRequest', 'certView', 'manageCAs'] })
  templateId = await on.pki.addTemplate('TLSServer', { issueApprovers: 0 })
  const [state, ca] = [folder.subfolder('state'), folder.subfolder('ca')]
  issuer = `${ca}/issuercert.pem`
  folder.write(
    'ca.conf',
    ['signingkey', 'issuercert', 'certserial'].map((name) => `${name} = ${ca}/${name}.pem\n`).join('') + `statedir = ${ca}\n`,
  )
  folder.write('options', '--platform-manufacturer Example\n--platform-version 1\n--platform-model Example\n')
  folder.write(
    'setup.conf',
    `create_certs_tool=/usr/bin/swtpm_localca\ncreate_certs_tool_config=${folder.path('ca.conf')}\ncreate_certs_tool_options=${folder.path('options')}\n`,
  )
  const user = execFileSync('id', ['-un']).toString().trim()
  execFileSync('swtpm_setup', ['--tpm2', '--runas', user, '--tpmstate', state, '--create-ek-cert', '--config', folder.path('setup.conf')])
  const [port, control] = [await freePort(), await freePort()]
  place = `tcp:127.0.0.1:${port}`
  // It listens when this returns.
  execFileSync('swtpm', [
    'socket',
    '--tpm2',
    '--tpmstate',
    `dir=${state}`,
    '--server',
    `type=tcp,port=${port}`,
    '--ctrl',
    `type=tcp,port=${control}`,
    '--flags',
    'not-need-init,startup-clear',
    '--daemon',
    '--pid',
    `file=${folder.path('pid')}`,
  ])
  const pem = readFileSync(`${ca}/swtpm-localca-rootca-cert.pem`, 'utf8')
  await admin.call(licensing.calls.addRoot, { manufacturer: 'Example TPMs', certificate: pem })
  await admin.call(licensing.calls.setAttestation, { licensedTemplateId: templateId, required: true, roots: [] })
})
afterAll(async () => {
  if (existsSync(folder.path('pid'))) process.kill(Number(readFileSync(folder.path('pid'), 'utf8')))
  await on?.close()
  folder.remove()
})

/** What the machine does, up to its answer. `change` spoils it. */
async function attempt(change: { qualifyingData?: Buffer; secret?: Buffer; otherKey?: boolean } = {}) {
  const device = await openTpm(place)
  try {
    const ekCertificate = (await device.endorsementCertificate()).toString('base64')
    const ek = await device.endorsementKey()
    const ak = await device.attestationKey()
    const chain = [execFileSync('openssl', ['x509', '-in', issuer, '-outform', 'DER']).toString('base64')]
    const ekPublic = ek.publicArea.toString('base64')
    const begun = await admin.call(prepareTpm, { templateId, ekPublic, ekCertificate, chain, akPublic: ak.publicArea.toString('base64') })
    const secret = await device.activate(ak.handle, ek.handle, Buffer.from(begun.credential, 'base64'))
    const key = await device.newKey(randomBytes(32))
    const asked = change.qualifyingData ?? Buffer.from(begun.qualifyingData, 'base64')
    const { attestation, signature } = await device.certify(change.otherKey === true ? ak.handle : key.handle, ak.handle, asked)
    return {
      attemptId: begun.attemptId,
      secret: (change.secret ?? secret).toString('base64'),
      keyPublic: key.publicArea.toString('base64'),
      attestation: attestation.toString('base64'),
      signature: signature.toString('base64'),
      values: { DNS: ['plant.example.org'] },
    }
  } finally {
    await device.close()
  }
}

test('the command has a key of the TPM certified, by a template that no other door serves', async () => {
  const now = on.house.clock.now()
  const { token } = await inTenant(on.house.house.database, admin.tenantId, (db) =>
    addToken(
      db,
      {
        tenantId: admin.tenantId,
        userId: admin.id,
        name: '',
        scopes: ['certSigningRequest'],
        expiresAt: new Date(now.getTime() + 86_400_000),
      },
      now,
    ),
  )
  const { csr } = on.tools.csr({ subject: '/CN=plant.example.org', extensions: ['subjectAltName=DNS:plant.example.org'] })
  const verdict = (await refusal(admin.call(certificates.calls.requestForDevice, { templateId, csr }))).fields.map(({ says }) => says)
  expect(verdict).toEqual(['This template takes only keys that a TPM attests, and this request carries no attestation'])
  process.env['CHANCERY_TOKEN'] = token
  const said: string[] = []
  const terminal = { out: (text: string) => void said.push(text), error: (text: string) => void said.push(text) }
  const out = folder.path('device.pem')
  const args = ['enrol', '--server', on.house.origin, '--template', templateId, '--name', 'plant.example.org', '--out', out, '--tpm', place]
  const code = await tpm([...args, '--chain', issuer], terminal)
  delete process.env['CHANCERY_TOKEN']
  expect(said.join('')).toContain('The key is kept in the TPM at 0x81010010')
  expect(code).toBe(0)
  expect(folder.run('openssl', 'x509', '-in', out, '-noout', '-ext', 'subjectAltName')).toContain('DNS:plant.example.org')
})

test.each([
  ['data of another request', { qualifyingData: Buffer.alloc(32) }, 'qualifyingOther'],
  ['a secret that the TPM did not give out', { secret: Buffer.alloc(32) }, 'secretWrong'],
  ['an attestation of another key', { otherKey: true }, 'attestationOther'],
])('%s is refused with its own reason, once and for all', async (_what, change, code) => {
  const given = await attempt(change)
  const refused = await refusal(admin.call(finishTpm, given))
  expect(refused.code).toBe(code)
  expect((await refusal(admin.call(finishTpm, given))).code).toBe('gone')
  const [row] = (await admin.call(tpmAttempts, {})).rows
  expect(row).toMatchObject({ state: 'refused', manufacturer: 'Example TPMs' })
  expect(refused.message).toContain(row?.reason)
})

test('an attempt is that of whoever began it, and good once', async () => {
  const given = await attempt()
  expect((await refusal(on.pki.ada.call(finishTpm, given))).code).toBe('gone')
  expect((await admin.call(finishTpm, given)).certificateId).toBeDefined()
  expect((await refusal(admin.call(finishTpm, given))).code).toBe('gone')
})

test('a TPM whose manufacturer is not accepted for the template gets no secret', async () => {
  const { roots } = await admin.call(licensing.calls.attestation, {})
  for (const { id } of roots) await admin.call(licensing.calls.removeRoot, { id })
  expect((await refusal(attempt())).code).toBe('ekUntrusted')
})
