// What is wrong on purpose, by class, through every door of the product as it runs: each is refused with its own reason, or issued with the
// names and extensions of the template alone. `node e2e/bad-input/matrix.ts` prints the same as a table, with every case at every door.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { classes, type Row } from './bad-input/case.ts'
import { allRequestCases, openPlace, runRequests, type Place } from './bad-input/run.ts'
import { runObjects } from './bad-input/run-objects.ts'

let place: Place
let rows: Row[]

/** Of the payloads, which are many texts in many fields, every fifth: each text and each field is among them. */
const few = allRequestCases.filter(({ class: name }, at) => name !== 'payloads' || at % 5 === 0)

beforeAll(async () => {
  place = await openPlace()
  rows = [...(await runObjects(place)), ...(await runRequests(place, few, ['request', 'CSR for a device', 'CSR for a user']))]
})
afterAll(() => place.product.stop())

describe.each(classes)('bad input of the class %s', (name) => {
  const of = () => rows.filter((row) => row.class === name)

  test('comes to every door it is for', () => {
    expect(of().length).toBeGreaterThan(10)
  })

  test('is refused with its own reason, or passed over', () => {
    expect(of().filter(({ wrong }) => wrong !== '').map(({ name: one, door, wrong }) => `${one}, ${door}: ${wrong}`)).toEqual([])
  })

  test('is never issued as asked', () => {
    expect(of().filter(({ issuedAsAsked }) => issuedAsAsked !== '')).toEqual([])
  })
})

test('the server answers as before after all of it', async () => {
  expect((await place.ada.fetch('/api2/PKI-v1/CertificateTemplates?entity=device')).status).toBe(200)
})
