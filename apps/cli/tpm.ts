// chancery tpm enrol: a certificate for a key that the TPM of this machine made and keeps.

import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { protocolRoom } from '#areas/protocols/contract.ts'
import type { Call, InputOf, OutputOf } from '#core/contract/contract.ts'
import type { WireFault } from '#core/contract/faults.ts'
import { splitCertificateBytes } from '#standards/pem/certificate-text.ts'
import type { Terminal } from './terminal.ts'
import { openTpm } from './tpm-device.ts'

export const tpmUsage = `Usage: chancery tpm enrol --server URL --template ID --name NAME --out FILE [options]

Makes a P-256 key in the TPM of this machine, shows the server by the TPM's endorsement key that it is there and cannot leave, and writes the
certificate with its chain. The API token is read from the variable CHANCERY_TOKEN, so that no other process sees it; its scope
is certSigningRequest.

  --server URL      where the console is, such as https://pki.example.org
  --template ID     the template, as the page of TPM key attestation writes it
  --name NAME       a DNS name; or SOURCE=VALUE for others that the template asks for. May be given several times
  --out FILE        where the certificate is written
  --handle HANDLE   where the TPM keeps the key; 0x81010010 unless said
  --ek FILE         the manufacturer's certificate, where the TPM does not have it
  --chain FILE      certificates between it and the root of the manufacturer
  --tpm PLACE       /dev/tpmrm0 unless said; tcp:HOST:PORT for a software TPM

Exit code: 0 done, 1 refused, 2 something could not be used.
`

const options = {
  server: { type: 'string' },
  template: { type: 'string' },
  name: { type: 'string', multiple: true },
  out: { type: 'string' },
  handle: { type: 'string' },
  ek: { type: 'string' },
  chain: { type: 'string', multiple: true },
  tpm: { type: 'string' },
} as const

class Unusable extends Error {}
class Refused extends Error {}

type Order = {
  server: string
  template: string
  values: Record<string, string[]>
  out: string
  handle: number
  ek: string | undefined
  chain: string[]
  tpm: string
  token: string
}

export async function tpm(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const order = orderOf(args)
    terminal.out(await enrol(order))
    return 0
  } catch (error) {
    terminal.error(`${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof Refused ? 1 : 2
  }
}

function orderOf(args: readonly string[]): Order {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  if (positionals.length !== 1 || positionals[0] !== 'enrol') throw new Unusable(`Say what to do: chancery tpm enrol\n${tpmUsage}`)
  const { server, template, name = [], out, handle = '0x81010010', ek, chain = [], tpm: place = '/dev/tpmrm0' } = values
  if (server === undefined || template === undefined || out === undefined || name.length === 0)
    throw new Unusable('--server, --template, --name and --out are needed')
  const token = process.env['CHANCERY_TOKEN'] ?? ''
  if (token === '') throw new Unusable('Put an API token into the variable CHANCERY_TOKEN (My account - API tokens)')
  if (!/^0x81[0-9a-f]{6}$/i.test(handle)) throw new Unusable('--handle is one of a kept object, 0x81000000 to 0x81ffffff')
  const named: Record<string, string[]> = {}
  for (const each of name) {
    const [source, value] = each.includes('=') ? [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)] : ['DNS', each]
    ;(named[source] ??= []).push(value)
  }
  return { server: server.replace(/\/+$/, ''), template, values: named, out, handle: Number(handle), ek, chain, tpm: place, token }
}

const certificatesIn = (file: string): string[] =>
  splitCertificateBytes(readFileSync(file)).flatMap((item) => (item.kind === 'certificate' ? [base64(item.bytes)] : []))

const base64 = (data: Uint8Array): string => Buffer.from(data).toString('base64')

async function enrol({ server, template, values, out, handle, ek: ekFile, chain, tpm: place, token }: Order): Promise<string> {
  const device = await openTpm(place)
  try {
    // Before anything is asked for, so that no attempt is left behind.
    if (await device.isTaken(handle))
      throw new Unusable(
        `The TPM keeps a key at 0x${handle.toString(16)} already. Say another place by --handle, such as 0x${(handle + 1).toString(16)}`,
      )
    const ekCertificate = ekFile === undefined ? base64(await device.endorsementCertificate()) : (certificatesIn(ekFile)[0] ?? '')
    const ek = await device.endorsementKey()
    const ak = await device.attestationKey()
    const { attemptId, credential, qualifyingData } = await ask(server, token, protocolRoom.calls.prepareTpm, {
      templateId: template,
      ekPublic: base64(ek.publicArea),
      ekCertificate,
      chain: chain.flatMap(certificatesIn),
      akPublic: base64(ak.publicArea),
    })
    const secret = await device.activate(ak.handle, ek.handle, Buffer.from(credential, 'base64'))
    const key = await device.newKey(randomBytes(32))
    const { attestation, signature } = await device.certify(key.handle, ak.handle, Buffer.from(qualifyingData, 'base64'))
    // Kept before it is asked for: a certificate whose key is gone is no use.
    await device.keep(key.handle, handle)
    const { requestId, certificates } = await ask(server, token, protocolRoom.calls.finishTpm, {
      attemptId,
      secret: base64(secret),
      keyPublic: base64(key.publicArea),
      attestation: base64(attestation),
      signature: base64(signature),
      values,
    })
    const where = `The key is kept in the TPM at 0x${handle.toString(16)}.`
    if (certificates === undefined) return `Request ${requestId} waits for somebody to agree. ${where}\n`
    writeFileSync(out, certificates)
    return `The certificate is in ${out}. ${where}\n`
  } finally {
    await device.close()
  }
}

async function ask<C extends Call>(server: string, token: string, call: C, input: InputOf<C>): Promise<OutputOf<C>> {
  const response = await fetch(server + call.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(input),
  })
  const body: unknown = await response.json()
  if (response.ok) return body as OutputOf<C>
  const { code, message, fields = [] } = body as WireFault
  if (code === 'not_logged_in') throw new Refused('The server does not know the API token in CHANCERY_TOKEN, or its time is up')
  if (code === 'denied') throw new Refused(`${message}: the API token needs the scope ${call.needs}, and its owner that permission`)
  throw new Refused([message, ...fields.map(({ says }) => says).filter((says) => says !== message)].join('\n'))
}
