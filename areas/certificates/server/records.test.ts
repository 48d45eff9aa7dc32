import { afterAll, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { users } from '#areas/users/contract.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { certificates } from '../contract.ts'
import { openIssuingHouse } from './issuing.fixture.ts'

const { tools, pki, close } = await openIssuingHouse()
afterAll(close)

const { calls } = certificates
const ask = (name: string) =>
  pki.ada.call(calls.requestForDevice, {
    templateId: pki.template['TLSServer'] ?? '',
    csr: tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] }).csr,
  })
const namedFor = async (reader: TestPerson, about: string) =>
  (await reader.call(audit.calls.search, { about })).rows.map(({ named }) => named)
const each = <T>(values: readonly T[]) =>
  [...new Set(values.map((value) => JSON.stringify(value)))].map((text): unknown => JSON.parse(text))

test('the log names what its events are about and leads there, for as many as stand on a page', async () => {
  const auditor = await pki.tenancy.person({ permissions: ['audit', 'certView', 'certApprovals', 'manageCAs', 'userView', 'roleView'] })
  const { requestId } = await ask('named.example.org')
  const { certificateId = '' } = await pki.bob.call(calls.decide, { requestId, round: 1, verdict: 'approve' })
  const serialNumber = (await pki.ada.call(calls.search, { text: 'named.example.org' })).rows[0]?.serialNumber ?? ''
  expect(each(await namedFor(auditor, certificateId))).toEqual([
    {
      name: 'named.example.org',
      detail: serialNumber.toLowerCase(),
      path: `/credentials/certificates/view/${pki.caId}:${serialNumber.toLowerCase()}`,
    },
  ])
  expect(each(await namedFor(auditor, requestId))).toEqual([
    { name: 'named.example.org', path: `/credentials/certificates/approval/${requestId}` },
  ])
  expect(each(await namedFor(auditor, pki.caId))).toEqual([
    { name: 'Acme Issuing', path: `/pki/manage/certificate-authorities/${pki.caId}` },
  ])
  const templateId = pki.template['TLSServer'] ?? ''
  expect(each(await namedFor(auditor, templateId))).toEqual([
    { name: 'TLS server', path: `/pki/manage/certificate-templates/${templateId}` },
  ])
  await pki.tenancy.administrator.call(users.calls.setEnabled, { id: pki.eve.id, enabled: false })
  const [event] = (await auditor.call(audit.calls.search, { about: pki.eve.id, name: 'disabled' })).rows
  expect(event?.named).toMatchObject({ detail: pki.eve.username, path: `/identity/user/view/${pki.eve.id}` })
  expect((await auditor.call(audit.calls.event, { eventId: event?.id ?? '' })).named).toEqual(event?.named)

  // What is recorded and proven stays the id.
  expect(event?.about).toBe(pki.eve.id)
  expect((await auditor.call(audit.calls.search, { size: 100 })).rows.filter(({ named }) => named !== undefined).length).toBeGreaterThan(5)
})

test('the log is searched by the names that it shows, and by what an event is called there', async () => {
  const auditor = await pki.tenancy.person({ permissions: ['audit'] })
  const find = async (text: string) => (await auditor.call(audit.calls.search, { text, size: 100 })).rows
  const { requestId } = await ask('web-01.example.org')
  const { certificateId = '' } = await pki.bob.call(calls.decide, { requestId, round: 1, verdict: 'approve' })
  const denied = await ask('web-02.example.org')
  await pki.bob.call(calls.decide, { requestId: denied.requestId, round: 1, verdict: 'deny', comment: 'No' })
  const abouts = async (text: string) => new Set((await find(text)).map(({ about }) => about))
  expect(await abouts('web-01.example.org')).toEqual(new Set([requestId, certificateId]))
  expect(await abouts('CN=web-01.example.org')).toEqual(new Set([requestId, certificateId]))
  expect(await abouts('web-02.example.org')).toEqual(new Set([denied.requestId]))
  const { named } = (await find('web-01.example.org')).find(({ about }) => about === certificateId) ?? {}
  expect(await abouts(named?.detail ?? 'no serial number')).toContain(certificateId)
  expect((await find('Certificate issued')).some((row) => row.about === certificateId && row.name === 'issued')).toBe(true)
  for (const [name, about] of [
    ['Acme Issuing', pki.caId],
    ['TLS server', pki.template['TLSServer'] ?? ''],
  ] as const)
    expect(await abouts(name)).toContain(about)
  const csv = await (await auditor.fetch('/api2/Monitoring-v1/ExportAuditEvents?text=web-01.example.org')).text()
  expect(csv.match(/\r\n/g)).toHaveLength(1 + (await find('web-01.example.org')).length)
})

test('who may not open a page is not led to it', async () => {
  const auditor = await pki.tenancy.person({ permissions: ['audit'] })
  const { requestId } = await ask('unled.example.org')
  expect(each(await namedFor(auditor, requestId))).toEqual([{ name: 'unled.example.org' }])
})
