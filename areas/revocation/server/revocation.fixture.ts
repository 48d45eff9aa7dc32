// A house with an administrator and an approver, authorities and certificates to revoke, and the public services asked as anybody asks them.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import type { KeyAlgorithm } from '#areas/keys/rules.ts'
import { templates } from '#areas/templates/contract.ts'
import { openTestHouse, type TestHouseOptions } from '#core/testing/house.ts'
import { parseCrl } from '#standards/crl/parse.ts'
import { certIdFor } from '#standards/ocsp/cert-id.ts'
import { buildOcspRequest } from '#standards/ocsp/request.ts'
import { parseOcspResponse } from '#standards/ocsp/response.ts'
import { decodePem } from '#standards/pem/pem.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { parseCertificate, type Certificate } from '#standards/x509/certificate.ts'

/** `file`: its PEM, where `run` finds it. */
export type Authority = { caId: string; publicId: string; pem: string; certificate: Certificate; file: string; templateId: string }
export type Leaf = { id: string; serial: string; pem: string; file: string; caId: string }
export type Revocations = Awaited<ReturnType<typeof openRevocations>>

const execute = promisify(execFile)

export const derOf = (pem: string) => decodePem(pem)[0]?.bytes ?? new Uint8Array()
export const statusIn = (answer: ReturnType<typeof parseOcspResponse>) =>
  'responses' in answer ? answer.responses[0]?.status : answer.status

/** To be awaited where the file begins, so that what it gives is there for every test. */
export async function openRevocations(options: TestHouseOptions = {}) {
  const house = await openTestHouse(options)
  const acme = await house.tenancy('Acme')
  const ada = await acme.person({ permissions: 'all', username: 'ada' })
  const grace = await acme.person({ permissions: 'all', username: 'grace' })
  const { folder, write: file, read, remove } = openToolFolder()

  /** Not in this thread, as the folder's own `run`: the server that is asked runs in it. */
  async function run(program: string, ...args: string[]): Promise<string> {
    const { stdout, stderr } = await execute(program, args, { cwd: folder, maxBuffer: 1e7 }).catch(
      (error: { stdout: string; stderr: string }) => error,
    )
    return stderr + stdout
  }

  let made = 0

  async function authority(
    keyAlgorithm: KeyAlgorithm = 'P-256',
    { revocationApprovers = 0, tokenId }: { revocationApprovers?: number; tokenId?: string } = {},
  ): Promise<Authority> {
    const name = `CA ${(made += 1)}`
    const { caId } = await ada.call(authorities.calls.create, {
      kind: 'root',
      friendlyName: name,
      subject: { CN: name, O: 'Acme', C: 'GB' },
      keyAlgorithm,
      ...(tokenId === undefined ? {} : { tokenId }),
    })
    const { publicId, certificate } = await ada.call(authorities.calls.view, { caId })
    const { templateId } = await ada.call(templates.calls.add, {
      templateName: `Server ${made}`,
      caId,
      class: 'DEVICE',
      revocationApprovers,
      extensions: {
        certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
        certificateSans: [{ sanField: 'DNS', fieldValue: 'DNS' }],
        extendedUsages: ['serverAuth'],
      },
      rules: { keys: ['P-256'] },
    })
    const pem = certificate?.pem ?? ''
    return { caId, publicId, pem, certificate: parseCertificate(derOf(pem)), file: file(`ca${made}.pem`, pem), templateId }
  }

  async function issue({ templateId, caId }: Authority): Promise<Leaf> {
    const name = `host${(made += 1)}.example.org`
    await run(
      'openssl',
      'req',
      '-new',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      `/CN=${name}`,
      '-addext',
      `subjectAltName=DNS:${name}`,
    )
    const { certificateId } = await ada.call(certificates.calls.requestForDevice, {
      templateId,
      csr: read(`${name}.csr`).toString(),
      values: { CommonName: [name], DNS: [name] },
    })
    const info = await ada.call(certificates.calls.info, { certId: certificateId ?? '' })
    const { serialNumber: serial, pem } = info.certificate
    return { id: certificateId ?? '', serial, pem, file: file(`${name}.pem`, pem), caId }
  }

  /** The OCSP answer of this moment, by POST. */
  async function ask(ca: Authority, serial: string, nonce?: Uint8Array) {
    const request = buildOcspRequest({ certIds: [certIdFor(ca.certificate, Buffer.from(serial, 'hex'))], nonce })
    const response = await house.fetch(`/pki/ocsp/${ca.publicId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/ocsp-request' },
      body: Buffer.from(request),
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/ocsp-response')
    return parseOcspResponse(new Uint8Array(await response.arrayBuffer()))
  }

  const fetchCrl = async (ca: Authority) => new Uint8Array(await (await house.fetch(`/pki/crl/${ca.publicId}.crl`)).arrayBuffer())

  /** The list of this moment, once it shows this serial. */
  const listShows = async (ca: Authority, serial: string, reason: string): Promise<void> => {
    await expect.poll(async () => parseCrl(await fetchCrl(ca)).find(Buffer.from(serial, 'hex'))?.reason).toBe(reason)
  }

  const close = async (): Promise<void> => {
    await house.close()
    remove()
  }
  return { house, acme, ada, grace, run, file, read, authority, issue, ask, fetchCrl, listShows, close }
}
