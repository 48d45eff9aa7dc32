// The least that a Node server does that writes the rows of a certificate: it reads a request, verifies it, signs, writes all the rows in one commit that
// many share, and answers. Nobody signs in, nothing is planned, checked or looked over, and no event is numbered. For the bench `bare` alone.

import { createPublicKey, generateKeyPairSync, hash, randomBytes, randomUUID, sign, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { deserialize } from 'node:v8'
import { reservationEnded } from '#areas/authorities/server/reservation-store.ts'
import { certificatesInserted } from '#areas/certificates/server/inventory/certificate-store.ts'
import { issuing } from '#areas/certificates/server/issuing/issue.ts'
import { requestsInserted } from '#areas/certificates/server/requests/request-store.ts'
import type { CertificateRecord, RequestRecord } from '#areas/certificates/server/store.ts'
import { openBatches } from '#core/server/batch.ts'
import { openBatcher } from '#core/server/batcher.ts'
import type { ConnectionSettings } from '#core/server/database.ts'
import { doneEvent, quietEvents, timeOrderedId } from '#core/server/events.ts'
import { readDer } from '#standards/der/reader.ts'

/** `withRows` false leaves the database out as well. Records and body are those of a certificate that the product issued. */
export type BareOrder = {
  port: number
  connection: ConnectionSettings
  withRows: boolean
  request: RequestRecord
  certificate: CertificateRecord
  eventBody: unknown
}

const [, , orderFile = ''] = process.argv
const { port, connection, withRows, request, certificate, eventBody } = deserialize(readFileSync(orderFile)) as BareOrder
const batches = openBatches(connection, 2)
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

type Read = { csr: Uint8Array; publicKey: Uint8Array; name: string }

const issue = openBatcher<Read, string>({
  maxParallel: 2,
  maxSize: 128,
  mayBeFaultOfOne: () => false,
  async runBatch(all) {
    const now = new Date()
    const issued = all.map(({ csr, publicKey, name }) => {
      const [id, serial] = [timeOrderedId(now), randomBytes(16)]
      const signed = Buffer.concat([certificate.certificate.subarray(0, -72), serial])
      const der = Buffer.concat([signed, sign('sha256', signed, privateKey)])
      const named = { id, serial_hex: serial.toString('hex'), subject: `CN=${name}` }
      return {
        serial,
        request: {
          ...request,
          ...named,
          certificate_id: id,
          csr: Buffer.from(csr),
          public_key: Buffer.from(publicKey),
          typed: { CommonName: [name], DNS: [name] },
          idempotency_key: randomUUID(),
          created_at: now,
          updated_at: now,
        },
        certificate: {
          ...certificate,
          ...named,
          request_id: id,
          name,
          sans: [name],
          device_name: name,
          not_before: now,
          issued_at: now,
          fingerprint_sha256: hash('sha256', der),
          certificate: der,
        },
        event: doneEvent(now, issuing, { area: 'certificates', name: 'issued', body: eventBody, about: id }),
      }
    })
    const reservation = {
      tenant_id: request.tenant_id,
      id: randomUUID(),
      ca_id: request.ca_id,
      signature_algorithm: 'ecdsa-with-SHA256' as const,
      serials: issued.map(({ serial }) => serial),
      about_ids: issued.map((one) => one.request.id),
      ends: issued.map((one) => one.certificate.not_after),
      crl_shards: issued.map(() => 0),
      reserved_at: now,
    }
    const statements = () => [
      requestsInserted(issued.map((one) => one.request)),
      ...certificatesInserted(issued.map((one) => one.certificate)),
      ...reservationEnded(
        reservation,
        issued.map((one) => hash('sha256', one.certificate.certificate, 'buffer')),
        now,
      ),
      ...quietEvents(
        request.tenant_id,
        issued.map(({ event }) => event),
      ),
    ]
    if (withRows) await batches.transact(request.tenant_id, () => Promise.resolve({ value: undefined, last: statements() }))
    return issued.map((one) => one.certificate.id)
  },
})

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Undefined where the signature is wrong. */
function readRequest(body: Buffer): Read | undefined {
  const { csr: pem, values } = JSON.parse(body.toString()) as { csr: string; values: { CommonName: [string] } }
  const csr = Buffer.from(pem.replace(/-----[^-]*-----/g, ''), 'base64')
  const [info, , signature] = readDer(csr).children
  const publicKey = info?.children[2]?.encoded
  if (info === undefined || signature === undefined || publicKey === undefined) return undefined
  const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' })
  return verify('sha256', info.encoded, key, signature.content.subarray(1)) ? { csr, publicKey, name: values.CommonName[0] } : undefined
}

createServer((incoming, outgoing) => {
  void readBody(incoming).then(async (body) => {
    const read = readRequest(body)
    outgoing.statusCode = read === undefined ? 400 : 200
    const answer = JSON.stringify(read === undefined ? {} : { requestId: await issue(read), status: 'issued' })
    outgoing.setHeader('content-length', answer.length)
    outgoing.end(answer)
  })
}).listen(port, '127.0.0.1', () => console.log('ready'))
