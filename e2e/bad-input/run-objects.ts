// Bad certificates, lists, messages and files at the doors that take them, with what each answers.

import { authorities } from '#areas/authorities/contract.ts'
import { decoder } from '#areas/decoder/contract.ts'
import { imports } from '#areas/imports/contract.ts'
import { CallRefused } from '#core/testing/caller.ts'
import { decodePem } from '#standards/pem/pem.ts'
import type { ObjectCase, ObjectDoor, Row } from './case.ts'
import { costOf } from './cost.ts'
import { certificate, certificatePem } from './make.ts'
import { objectCases, ownRoot } from './objects.ts'
import type { Place } from './run.ts'

type Heard = { status: number; says: string; accepted: boolean }
const refusal = (error: unknown): Heard => {
  if (!(error instanceof CallRefused)) throw error
  return { status: error.status, says: error.message, accepted: false }
}

export async function runObjects({ ada, product, caId }: Place, cases: readonly ObjectCase[] = objectCases): Promise<Row[]> {
  const outside = await ada.call(authorities.calls.create, {
    kind: 'outside',
    friendlyName: 'Matrix Outside',
    subject: { CN: 'Matrix Outside' },
    keyAlgorithm: 'P-256',
  })
  const { addresses } = await ada.call(authorities.calls.view, { caId })
  const ocspPath = new URL(addresses.ocsp).pathname
  const leaf = certificatePem(certificate())
  const roots = certificatePem(ownRoot)
  const bytesOf = (text: string): Uint8Array => decodePem(text)[0]?.bytes ?? new Uint8Array()
  /** The status is the second byte behind the header: an OCSPResponse that is not successful is five bytes long (RFC 6960 4.2.1). */
  const heardOcsp = async (response: Response): Promise<Heard> => {
    const answer = new Uint8Array(await response.arrayBuffer())
    const status =
      answer.length === 5
        ? (['successful', 'malformedRequest', 'internalError', 'tryLater', '', 'sigRequired', 'unauthorized'][answer[4] ?? 0] ?? '')
        : `an answer of ${answer.length} bytes`
    return { status: response.status, says: `request: ${status}`, accepted: answer.length !== 5 }
  }
  const verify = (more: { leaf: string; crls?: string }): Promise<Heard> =>
    ada.call(decoder.calls.verifyChain, { roots, ...more }).then(
      ({ verdict, reasons, says }) => ({
        status: 200,
        says: `${says} ${reasons.map((reason) => `${reason.certificate}: ${reason.says}`).join(' | ')}`,
        accepted: verdict === 'valid',
      }),
      refusal,
    )
  const doors: Record<ObjectDoor, (text: string, password: string) => Promise<Heard>> = {
    decoder: (text, password) =>
      ada.call(decoder.calls.decode, { text, password }).then(({ items }) => {
        const says = items.flatMap(({ fault, findings, fields }) => [
          ...(fault === undefined ? [] : [`${fault.path ?? ''}: ${fault.says}`]),
          ...findings.map(({ field, message }) => `${field}: ${message}`),
          ...(JSON.stringify(fields).match(/"note":"[^"]*"/g) ?? []),
        ])
        return {
          status: 200,
          says: says.join(' | '),
          accepted: items.every(({ fault, findings }) => fault === undefined && findings.length === 0) && says.length === 0,
        }
      }, refusal),
    upload: (text) =>
      ada.call(imports.calls.upload, { text }).then(
        ({ added, known, faults }) => ({
          status: 200,
          says: faults.map(({ place, says }) => `${place}: ${says}`).join(' | '),
          accepted: added.length + known > 0 && faults.length === 0,
        }),
        refusal,
      ),
    'authority import': (text) =>
      ada
        .call(authorities.calls.importCertificate, { caId: outside.caId, certificate: text })
        .then(() => ({ status: 200, says: '', accepted: true }), refusal),
    'verify chain': (text) => verify({ leaf: text }),
    'verify chain lists': (text) => verify({ leaf, crls: text }),
    'OCSP POST': async (text) =>
      heardOcsp(
        await fetch(product.origin + ocspPath, {
          method: 'POST',
          headers: { 'content-type': 'application/ocsp-request' },
          body: Buffer.from(bytesOf(text)),
        }),
      ),
    'OCSP GET': async (text) =>
      heardOcsp(await fetch(`${product.origin}${ocspPath}/${encodeURIComponent(Buffer.from(bytesOf(text)).toString('base64'))}`)),
  }
  const rows: Row[] = []
  for (const one of cases) {
    const text = await one.make()
    const through = async (door: ObjectDoor) => ({ door, ...(await doors[door](text, one.password ?? '')) })
    const { answer, seconds, tooMuch } = await costOf(product, () => Promise.all(one.doors.map(through)))
    const judged = ({ door, status, says, accepted }: Heard & { door: ObjectDoor }): Row => {
      const wrong =
        status >= 500
          ? `The answer is ${status}`
          : tooMuch !== ''
            ? tooMuch
            : accepted
              ? 'It was accepted'
              : one.reason.test(says)
                ? ''
                : `The reason is another: ${says.slice(0, 200)}`
      return {
        class: one.class,
        name: one.name,
        door,
        outcome: accepted ? 'accepted' : status === 200 ? 'shown with its faults' : `refused ${status}`,
        reason: says.slice(0, 500),
        issuedAsAsked: '',
        wrong,
        seconds,
      }
    }
    rows.push(...answer.map(judged))
  }
  return rows
}
