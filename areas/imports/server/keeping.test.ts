// What is said of certificates in the inventory, and how those that were uploaded leave it.

import { afterAll, describe, expect, test } from 'vitest'
import { bulk } from '#areas/bulk/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { assignAction } from '#areas/certificates/rules.ts'
import { openIssuing, openSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { refusal, useHouse } from '#core/testing/house.ts'
import { imports } from '../contract.ts'

const { search, assign, markReplaced, removeUploaded, choices } = certificates.calls

const tools = openSsl()
const config = tools.write('[req]\ndistinguished_name=dn\n[dn]\n')
const house = await useHouse()
const pki = await openIssuing(house, tools, 'Acme')
const ada = await pki.tenancy.person({ permissions: 'all', givenName: 'Ada', familyName: 'Byron' })
const stranger = (await house.tenancy('Globex')).administrator
afterAll(() => tools.close())

async function uploaded(name: string, days = 90): Promise<string> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '/dev/null']
  const text = tools.run('req', '-x509', '-config', config, ...key, '-days', String(days), '-subj', `/CN=${name}`)
  const { added } = await ada.call(imports.calls.upload, { text })
  const [first] = added
  if (first === undefined) throw new Error(`${name} was not added`)
  return first.certificateId
}

const names = async (query: object) => (await ada.call(search, query)).rows.map(({ name }) => name).toSorted()

describe('Owner and tags', () => {
  test('are found by filter and by text, and offered as choices', async () => {
    const certificateId = await uploaded('tagged.acme.example')
    await ada.call(assign, { certificateId, owner: ada.username, tags: ['Production', 'load balancer'] })
    const [row] = (await ada.call(search, { tag: 'production' })).rows
    expect(row).toMatchObject({ name: 'tagged.acme.example', owner: 'Ada Byron', tags: ['Production', 'load balancer'] })
    expect(await names({ owner: ada.id })).toEqual(['tagged.acme.example'])
    expect(await names({ text: 'balancer' })).toEqual(['tagged.acme.example'])
    expect(await names({ tag: 'prod' })).toEqual([])
    expect(await ada.call(choices, {})).toMatchObject({
      tags: ['load balancer', 'Production'],
      owners: [{ value: ada.id, label: 'Ada Byron' }],
    })
    await ada.call(assign, { certificateId, owner: '', tags: ['Staging'] })
    expect([await names({ tag: 'Production' }), await names({ owner: ada.id }), await names({ tag: 'staging' })]).toEqual([
      [],
      [],
      ['tagged.acme.example'],
    ])
  })

  test('are refused where the user is not known here, and belong to their own tenancy', async () => {
    const certificateId = await uploaded('owned.acme.example')
    expect(await refusal(ada.call(assign, { certificateId, owner: 'nobody.at.all' }))).toMatchObject({ fields: [{ field: 'owner' }] })
    expect(await refusal(ada.call(assign, { certificateId, owner: stranger.username }))).toMatchObject({ fields: [{ field: 'owner' }] })
    expect(await refusal(ada.call(assign, { certificateId, tags: ['a;b'] }))).toMatchObject({ code: 'invalid' })
    expect(await refusal(stranger.call(assign, { certificateId, tags: ['x'] }))).toMatchObject({ code: 'noSuchCertificate' })
  })

  test('are given to many at once', async () => {
    const ids = [await uploaded('one.many.example'), await uploaded('two.many.example')]
    const selection = { selectAll: false, inclusionList: ids, exclusionList: [] }
    const { runId } = await ada.call(bulk.calls.prepare, { action: assignAction, selection, query: {} })
    const parameters = { owner: 'set', username: ada.username, addTags: 'fleet, edge' }
    await ada.call(bulk.calls.start, { runId, parameters, count: 2 })
    await house.runJob(bulk.jobs.work)
    expect(await names({ tag: 'fleet', owner: ada.id })).toEqual(['one.many.example', 'two.many.example'])
  })
})

describe('An uploaded certificate', () => {
  test('that is marked as replaced does not expire soon, until that is taken back', async () => {
    const certificateId = await uploaded('old.acme.example', 10)
    expect(await names({ text: 'old.acme', status: ['expiring'] })).toEqual(['old.acme.example'])
    await ada.call(markReplaced, { certificateId, replaced: true })
    expect(await names({ text: 'old.acme', status: ['expiring'] })).toEqual([])
    expect(await names({ text: 'old.acme', expires: 'month' })).toEqual([])
    expect((await ada.call(search, { text: 'old.acme' })).rows).toMatchObject([{ status: 'active', replaced: true }])
    await ada.call(markReplaced, { certificateId, replaced: false })
    expect(await names({ text: 'old.acme', expires: 'month' })).toEqual(['old.acme.example'])
  })

  test('can be removed, is counted no more, and can be uploaded again', async () => {
    const certificateId = await uploaded('wrong.acme.example')
    const { total } = await ada.call(search, {})
    expect(await refusal(stranger.call(removeUploaded, { certificateId }))).toMatchObject({ code: 'noSuchCertificate' })
    await ada.call(removeUploaded, { certificateId })
    expect((await ada.call(search, {})).total).toBe(total - 1)
    expect(await names({ text: 'wrong.acme' })).toEqual([])
    expect(await refusal(ada.call(certificates.calls.info, { certId: certificateId }))).toMatchObject({ code: 'noSuchCertificate' })
    expect(await refusal(ada.call(removeUploaded, { certificateId }))).toMatchObject({ code: 'noSuchCertificate' })
  })
})

test('A certificate that was issued here is neither removed nor marked as replaced', async () => {
  const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 0 })
  const { certificateId = '' } = await ada.call(certificates.calls.request, { entity: 'device', templateId, csr: tools.csr().csr })
  expect(await refusal(ada.call(removeUploaded, { certificateId }))).toMatchObject({ code: 'issuedHere' })
  expect(await refusal(ada.call(markReplaced, { certificateId, replaced: true }))).toMatchObject({ code: 'issuedHere' })
})
