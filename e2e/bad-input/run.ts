// Every bad input through every door of one product as it runs, and what came of it: the rows of the matrix.

import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { decodePem } from '#standards/pem/pem.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { setUp, type Person } from '../support/people.ts'
import { startProduct, type Product } from '../support/product.ts'
import { askingCases } from './asking.ts'
import type { RequestCase, Row } from './case.ts'
import { costOf } from './cost.ts'
import { beyondTemplate, openFixtures, requestDoors, type Answer, type Fixtures, type RequestDoor } from './doors.ts'
import { keyCases, sharingPair } from './keys.ts'
import { dnsName, extensionRequest, host, infoOf, pemOf, request, sans, signed } from './make.ts'
import { requestCases } from './requests.ts'

export type Place = { product: Product; ada: Person; rootId: string; caId: string }

export async function openPlace(): Promise<Place> {
  const product = await startProduct()
  const { administrator: ada, answer } = await setUp(product, 'ada', {
    organisation: 'Northwind',
    rootName: 'Northwind Root',
    issuingName: 'Northwind Issuing',
  })
  const [rootId = '', caId = ''] = answer.authorities.map((one) => one.caId)
  return { product, ada, rootId, caId }
}

export const allRequestCases: readonly RequestCase[] = [...requestCases, ...askingCases, ...keyCases]

export async function runRequests(
  { product, ada, caId, rootId }: Place,
  cases: readonly RequestCase[] = allRequestCases,
  through?: readonly string[],
): Promise<Row[]> {
  const fixtures = await openFixtures(ada, caId, rootId)
  const doors = requestDoors(fixtures).filter(({ name }) => through === undefined || through.includes(name))
  const rows: Row[] = []
  for (const one of cases) {
    const text = one.make()
    const bring = async (door: RequestDoor) => ({ door, answer: await door.send(one, text) })
    const { answer: answers, seconds, tooMuch } = await costOf(product, () => Promise.all(doors.map(bring)))
    const judged = async ({ door, answer }: { door: RequestDoor; answer: Answer }): Promise<Row> => {
      const issuedAsAsked = answer.certificateId === undefined ? '' : await beyondTemplate(fixtures, door, answer.certificateId)
      const row = { class: one.class, name: one.name, door: door.name, seconds, issuedAsAsked }
      return { ...row, ...judge(one, door, answer, { tooMuch, issuedAsAsked }) }
    }
    rows.push(...(await Promise.all(answers.map(judged))))
  }
  return through === undefined || through.includes('request') ? [...rows, ...(await runSeenKeys(fixtures, doors, caId))] : rows
}

/** Keys that are good by themselves, and known here: revoked for compromise, with a prime of that one, or an authority's own. */
async function runSeenKeys(fixtures: Fixtures, doors: readonly RequestDoor[], caId: string): Promise<Row[]> {
  const [seen, sharing] = sharingPair().map((by) => pemOf(request({ by, attributes: [extensionRequest(sans(dnsName(host)))] })))
  const { certificateId } = await fixtures.ada.call(certificates.calls.requestForDevice, {
    templateId: fixtures.reading.server,
    csr: seen ?? '',
  })
  await fixtures.ada.call(revocation.calls.revoke, { certId: certificateId ?? '', reason: 'keyCompromise' })
  const cases: RequestCase[] = [
    { class: 'keys', name: 'revoked for compromise', make: () => seen ?? '', expects: 'refused', reason: /revoked for key compromise/ },
    {
      class: 'keys',
      name: 'RSA with a prime of a key seen before',
      make: () => sharing ?? '',
      expects: 'refused',
      reason: /shares a (prime|factor)/,
    },
    ...(await authorityKeyCases(fixtures.ada, caId)),
  ]
  const rows: Row[] = []
  // The decoder and the preview know no tenancy's keys.
  for (const one of cases) {
    for (const door of doors.filter(({ name }) => name !== 'decoder' && name !== 'preview')) {
      const answer = await door.send(one, one.make())
      const row = { class: one.class, name: one.name, door: door.name, seconds: 0, issuedAsAsked: '' }
      rows.push({ ...row, ...judge(one, door, answer, { tooMuch: '', issuedAsAsked: '' }) })
    }
  }
  return rows
}

/** The request of an authority for its own certificate carries a signature that is right; a stranger has only the key out of a certificate. */
async function authorityKeyCases(ada: Person, caId: string): Promise<RequestCase[]> {
  const outside = await ada.call(authorities.calls.create, {
    kind: 'outside',
    friendlyName: 'Matrix Replayed',
    subject: { CN: 'Matrix Replayed' },
    keyAlgorithm: 'P-256',
  })
  const { request: own = '' } = await ada.call(authorities.calls.view, { caId: outside.caId })
  const { certificate } = await ada.call(authorities.calls.view, { caId })
  const { spki } = parseCertificate(decodePem(certificate?.pem ?? '')[0]?.bytes ?? new Uint8Array()).publicKey
  const taken = pemOf(signed(infoOf({ spki, attributes: [extensionRequest(sans(dnsName(host)))] })))
  return [
    {
      class: 'keys',
      name: "an authority's own request, sent again",
      make: () => own,
      expects: 'refused',
      reason: /is the key of an authority/,
    },
    {
      class: 'keys',
      name: "the issuing authority's own key, signed by another",
      make: () => taken,
      expects: 'refused',
      reason: /signature of the request does not match its key/,
    },
  ]
}

function judge(
  one: RequestCase,
  door: RequestDoor,
  { status, faults, certificateId, shown }: Answer,
  { tooMuch, issuedAsAsked }: { tooMuch: string; issuedAsAsked: string },
): Pick<Row, 'outcome' | 'reason' | 'wrong'> {
  const reason = faults.map(({ field, says }) => `${field}: ${says}`).join(' | ')
  const outcome =
    certificateId !== undefined
      ? 'issued by the template'
      : shown === true
        ? faults.length > 0
          ? 'shown with its faults'
          : 'shown'
        : faults.length > 0
          ? `refused ${status}`
          : `passed ${status}`
  const wrong = (): string => {
    if (status >= 500) return `The answer is ${status}`
    if (tooMuch !== '') return tooMuch
    if (shown === true)
      return one.expects === 'refused' &&
        one.class !== 'asking for more' &&
        faults.length === 0 &&
        !/PEM blocks|beside it|before it/.test(one.name)
        ? 'The decoder finds nothing wrong'
        : ''
    if (certificateId !== undefined) return one.expects === 'refused' || issuedAsAsked !== '' ? 'It was issued' : ''
    if (faults.length === 0) return 'It was not refused'
    if (door.name === 'decoder') return ''
    if (!one.reason.test(reason) && !(one.expects === 'ignored' && door.name.includes('user') && notThePerson.test(reason)))
      return `The reason is another: ${reason.slice(0, 200)}`
    return faults.every(({ field }) => field !== '') || status === 200 ? '' : 'No field is named'
  }
  return { outcome, reason: reason.slice(0, 500), wrong: wrong() }
}

/** A template of people takes names from the record alone, whatever the request says. */
const notThePerson = /is not the common name of this person|for which the template has no place|is not the e-mail address of this person/
