// What is wrong on purpose, by class, through every door of the product as it runs: each is refused with its own reason, or issued with the
// names and extensions of the template alone. `npm run -s bad-input` prints the same as a table, with every case at every door.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { imports } from '#areas/imports/contract.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { integer, sequence } from '#standards/der/writer.ts'
import { OIDS } from '#standards/x509/oids.ts'
import { payloads } from './bad-input/asking.ts'
import { classes, type Row } from './bad-input/case.ts'
import { certificate, certificatePem, ec, extension, generalText, rdn } from './bad-input/make.ts'
import { runObjects } from './bad-input/run-objects.ts'
import { allRequestCases, openPlace, runRequests, type Place } from './bad-input/run.ts'
import { openBrowser, openWindowOf, settled } from './support/browser.ts'

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
    expect(
      of()
        .filter(({ wrong }) => wrong !== '')
        .map(({ name: one, door, wrong }) => `${one}, ${door}: ${wrong}`),
    ).toEqual([])
  })

  test('is never issued as asked', () => {
    expect(of().filter(({ issuedAsAsked }) => issuedAsAsked !== '')).toEqual([])
  })
})

test('the server answers as before after all of it', async () => {
  expect((await place.ada.fetch('/api2/PKI-v1/CertificateTemplates?entity=device')).status).toBe(200)
})

describe('payloads in certificates that others issued, which stand in the inventory as they are', () => {
  /** What a spreadsheet reads as a formula at the beginning of a cell. */
  const formula = /^[=+\-@\t\r]/
  let uploaded: OutputOf<typeof imports.calls.upload>

  beforeAll(async () => {
    const all = payloads.map(({ text }, at) => {
      const subject = sequence(rdn(OIDS.organizationName, text), rdn(OIDS.commonName, text))
      const names = extension(OIDS.subjectAltName, sequence(generalText(1, text), generalText(6, text)))
      return certificatePem(certificate({ serial: integer(9000 + at), subject, issuer: subject, extensions: [names], spki: ec.spki }))
    })
    uploaded = await place.ada.call(imports.calls.upload, { text: all.join(''), friendlyName: '=1+1' })
  })

  test('are taken in, as what others wrote', () => {
    expect([uploaded.added.length, uploaded.faults]).toEqual([payloads.length, []])
  })

  test('begin no cell of the CSV export as a formula, and no line of it anew', async () => {
    const text = await (await place.ada.fetch('/api2/PKI-v1/CertificatesExport?text=')).text()
    const cells = cellsOf(text)
    expect(cells.length).toBeGreaterThan(payloads.length)
    expect(new Set(cells.map((row) => row.length)).size).toBe(1)
    expect(cells.flat().filter((cell) => formula.test(cell))).toEqual([])
  })

  test('are shown in the console as text, and run nothing', async () => {
    const { rows: found } = await place.ada.call(certificates.calls.search, { text: 'onerror' })
    const browser = await openBrowser()
    try {
      const { page, complaints } = await openWindowOf(browser, place.product.origin, place.ada)
      await page.goto(to(certificates.screens.view, { certId: found[0]?.certificateId ?? '' }))
      await settled(page)
      await expect.poll(() => page.getByText('<img src=x onerror=document.title=1>').count()).toBeGreaterThan(0)
      expect(await page.locator('img[src="x"]').count()).toBe(0)
      expect(await page.title()).not.toBe('1')
      expect(complaints).toEqual([])
    } finally {
      await browser.close()
    }
  })
})

/** RFC 4180: cells in quotation marks may hold commas, line breaks, and quotation marks twice. */
function cellsOf(text: string): string[][] {
  const lines: string[][] = [[]]
  for (const [, quoted, plain, end] of text.replace(/^\ufeff/, '').matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end !== ',') lines.push([])
  }
  return lines.filter((line) => line.length > 1)
}
