// What programs read as the name of a server where it stands in the common name: it is held against the template's rules, however it is written.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { templates } from '#areas/templates/contract.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { certificates } from '../../contract.ts'
import { openIssuingHouse } from '../issuing.fixture.ts'

const { calls } = certificates
const { tools, pki, close } = await openIssuingHouse()
afterAll(close)

const byName: DraftOf<typeof templates.calls.add>['extensions'] = {
  validityPeriod: 1,
  validityPeriodUnits: 'YEARS',
  renewalMode: 'MANUAL',
  ignoreCsrDetails: true,
  certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
  certificateSans: [],
  keyUsages: ['digitalSignature'],
}
const rules = { keys: ['P-256' as const], maximumNames: 5, allowedDomains: ['example.org', '*.example.org'], wildcards: false }
const { csr } = tools.csr({ subject: '/CN=ignored' })
const template = { client: '', open: '', noUsage: '', reads: '' }
beforeAll(async () => {
  const add = (change: object, own: object = rules, more: object = {}) =>
    pki.addTemplate('TLSClient', {
      issueApprovers: 0,
      extensions: { ...byName, extendedUsages: ['clientAuth' as const], ...change },
      rules: { ...rules, ...own },
      ...more,
    })
  template.client = await add({})
  template.open = await add({}, { allowedDomains: [] })
  template.noUsage = await add({ extendedUsages: [] }, { allowedDomains: [] })
  template.reads = await add({ ignoreCsrDetails: false }, {}, { issueApprovers: 1 })
})

const faultsOf = async (templateId: string, name: string) =>
  (await pki.ada.call(calls.check, { entity: 'device', templateId, csr, values: { CommonName: [name] } })).faults
const issue = (templateId: string, name: string) =>
  pki.ada.call(calls.requestForDevice, { templateId, csr, values: { CommonName: [name] } })

describe('a common name that is read as a host, an address or a mailbox', () => {
  test.each([
    'www.evil.example',
    'WWW.EVIL.EXAMPLE',
    '*.evil.example',
    'w*.evil.example',
    'www.*.example.org',
    '*.example.org',
    '*',
    'www.evil.example.',
    '.evil.example',
    'www.evil.example:443',
    'http://www.evil.example',
    'https://www.evil.example:8443/path',
    'www.evil.example/x',
    'https://www.example.org@www.evil.example/',
    'https://www.evil.example/x@www.example.org',
    '_x.evil.example',
    'ceo@evil.example',
    'mailto:ceo@evil.example',
    'www.example.org,www.evil.example',
    'www\uff0eevil\uff0eexample',
    'www\u3002evil\u3002example',
    'www.\u00e9vil.example',
    '10.0.0.1',
    '10.0.0.1:443',
    'https://10.0.0.1/',
    '[2001:db8::1]:443',
    '2001:db8::1',
    'fe80::1%eth0',
  ])('%s is refused by a template of other domains, beside its field', async (name) => {
    const faults = await faultsOf(template.client, name)
    expect(faults.map(({ field }) => field)).toEqual(faults.map(() => 'values.CommonName'))
    expect(faults.map(({ says }) => says).join()).toMatch(
      /outside the names that this template allows|wildcard|whole first part|is an address, and this template/,
    )
  })

  test.each([
    'www.example.org',
    'www.example.org.',
    'www.example.org:443',
    'https://www.example.org/',
    '_x.example.org',
    'ada.lovelace@example.org',
    'sip:desk.7@example.org',
  ])('%s is issued by the template whose domain it is of', async (name) => {
    expect(await issue(template.client, name)).toMatchObject({ status: 'issued' })
  })

  test.each(['*.evil.example', 'w*.evil.example', '*.evil.example:443', '*'])(
    '%s is refused as a wildcard where the template allows any name and no wildcards',
    async (name) => {
      expect((await faultsOf(template.open, name)).map(({ says }) => says).join()).toMatch(/wildcard|whole first part/)
    },
  )

  test('must be one of the names where the certificate has no extended usage, and so is good for servers', async () => {
    for (const name of ['www.evil.example', 'www.evil.example.', '10.0.0.1'])
      expect((await faultsOf(template.noUsage, name)).map(({ says }) => says).join()).toContain(
        'must be one of its DNS names or addresses as well',
      )
    expect(await issue(template.noUsage, 'Printer 12')).toMatchObject({ status: 'issued' })
  })

  test('is refused at every door', async () => {
    const { csr: asking } = tools.csr({ subject: '/CN=www.evil.example:443', extensions: [] })
    const says = expect.stringContaining('"www.evil.example" is outside') as string
    const asks = { templateId: template.reads, csr: asking }
    expect((await pki.ada.call(calls.check, { entity: 'device', ...asks })).faults).toMatchObject([{ field: 'csr', says }])
    const refused = { code: 'invalid', fields: [{ field: 'csr', says }] }
    await expect(pki.ada.call(calls.request, { entity: 'device', ...asks })).rejects.toMatchObject(refused)
    await expect(pki.ada.call(calls.requestForDevice, asks)).rejects.toMatchObject(refused)
    await expect(
      pki.ada.call(calls.requestForDevice, { templateId: template.client, values: { CommonName: ['www.evil.example:443'] } }),
    ).rejects.toMatchObject({ fields: [{ field: 'values.CommonName', says }] })
    const { requestId } = await pki.ada.call(calls.requestForDevice, {
      ...asks,
      csr: tools.csr({ subject: '/CN=www.example.org', extensions: [] }).csr,
    })
    await expect(pki.ada.call(calls.edit, { requestId, csr: asking })).rejects.toMatchObject(refused)
  })
})

describe('a common name that is a person or a thing', () => {
  test.each([
    'Ada Lovelace',
    'Printer 12',
    'Dr. No',
    'printer_12',
    'printer-12',
    'Acme, Inc.',
    'AT&T',
    'Version 2.0',
    'v2.0',
    'Model-3.5',
    'Gateway v1.2.3 (node.js)',
    '1.2.3.4.5',
    'std::vector',
    '00:11:22:33:44:55',
    'O\u2019Brien',
    'Zo\u00eb',
    'Who is it?',
    'C*',
  ])('is issued as before: %s', async (name) => {
    expect(await issue(template.client, name)).toMatchObject({ status: 'issued' })
    const { certificateId = '' } = await issue(template.open, name)
    expect((await pki.ada.call(calls.info, { certId: certificateId })).certificate.subject).toContain(name.split(',')[0])
  })
})
