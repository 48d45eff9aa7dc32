// Names that a request (CSR) asks for and its certificate will not have: told to whoever asks, and to whoever agrees.

import { afterAll, expect, test } from 'vitest'
import { certificates } from '../../contract.ts'
import { openIssuingHouse } from '../issuing.fixture.ts'

const { calls } = certificates
const { tools, pki, close } = await openIssuingHouse()
afterAll(close)

const csrOf = (...hosts: string[]) =>
  tools.csr({ subject: `/CN=${hosts[0]}`, extensions: [`subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}`] }).csr
const told = (names: string) => ({
  severity: 'warn',
  code: 'certificateLeavesOut',
  field: 'csr',
  message: `The request names ${names}, which the certificate leaves out`,
})
const toAgree = async (requestId: string) => (await pki.bob.call(calls.approval, { requestId })).findings

test('Of a request whose names are typed otherwise the approver reads which are left out, as its requester does before and after sending it', async () => {
  const draft = {
    templateId: pki.template['TLSServer'] ?? '',
    csr: csrOf('Shop.example.org', 'mail.example.org', 'intern'),
    values: { DNS: ['shop.example.org'], CommonName: ['shop.example.org'] },
  }
  expect((await pki.ada.call(calls.check, { entity: 'device', ...draft })).findings).toContainEqual(told('mail.example.org, intern'))
  const { requestId, findings } = await pki.ada.call(calls.requestForDevice, draft)
  expect(findings).toContainEqual(told('mail.example.org, intern'))
  expect(await toAgree(requestId)).toContainEqual(told('mail.example.org, intern'))
  await pki.ada.call(calls.edit, { requestId, csr: csrOf('shop.example.org'), values: draft.values })
  expect(await toAgree(requestId)).toEqual([])
})

test('Of a template that reads no names from requests the approver reads all that the request says otherwise, the first five by name', async () => {
  const templateId = await pki.addTemplate('Device', { issueApprovers: 1 })
  const hosts = Array.from({ length: 7 }, (_, at) => `h${at}.example.org`)
  const { requestId } = await pki.ada.call(calls.requestForDevice, {
    templateId,
    csr: csrOf(...hosts),
    values: { DNS: ['own.example.org'] },
  })
  expect(await toAgree(requestId)).toContainEqual(told(`${hosts.slice(0, 5).join(', ')} and 2 more`))
})

test('What the certificate names as the request does is no remark', async () => {
  const { requestId } = await pki.ada.call(calls.requestForDevice, {
    templateId: pki.template['TLSServer'] ?? '',
    csr: csrOf('Same.example.org', 'same.example.org'),
    values: {},
  })
  expect(await toAgree(requestId)).toEqual([])
})
