// A request that hides in its names what no row can hold, and what nobody would read to the end: it holds up no renewal but its own.

import { generateKeyPairSync } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { bulk } from '#areas/bulk/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { buildCsrInfo } from '#standards/x509/csr.ts'
import { nameOf } from '#standards/x509/names.ts'
import { renewal } from '../contract.ts'
import { day, openRenewalFixture } from './renewal.fixture.ts'

const pki = await openRenewalFixture()
afterAll(() => pki.close())

function csrOf(organization: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const info = buildCsrInfo({
    subject: nameOf(['CN', 'hostile.example.org'], ['O', organization]),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }),
  })
  return encodePem('CERTIFICATE REQUEST', assembleSigned(info, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', privateKey, info)))
}

async function issued(templateId: string, name: string, organization: string): Promise<string> {
  const { certificateId = '' } = await pki.ada.call(certificates.calls.requestForDevice, {
    templateId,
    csr: csrOf(organization),
    values: { DNS: [name] },
  })
  return certificateId
}

test('A template that reads requests from now on refuses what theirs say, asks for others, and renews the rest', async () => {
  const templateId = await pki.template90('Device', 'AUTOMATIC_SAME_KEY', { extensions: { ignoreCsrDetails: true } })
  const [hidden, long] = [
    await issued(templateId, 'hidden.example.org', 'a\u0000b'),
    await issued(templateId, 'long.example.org', 'x'.repeat(60_000)),
  ]
  const other = (await pki.device(await pki.template90('Device', 'AUTOMATIC_SAME_KEY'), 'other.example.org')).certificateId
  const { caName: _, updatedAt: __, ...draft } = await pki.ada.call(templates.calls.get, { templateId })
  await pki.ada.call(templates.calls.edit, {
    ...draft,
    templateId,
    extensions: { ...draft.extensions, ignoreCsrDetails: false, namesWithoutPlace: 'REFUSE' },
  })
  pki.house.clock.advance(75 * day)

  const rita = await pki.tenancy.person({ permissions: ['certView', 'certSigningRequest', 'certSigningRequestUser'], username: 'rita' })
  const { prepare, start, view } = bulk.calls
  const { runId, total } = await rita.call(prepare, {
    action: 'renewal.renew',
    selection: { selectAll: false, inclusionList: [hidden, long], exclusionList: [] },
    query: {},
  })
  await rita.call(start, { runId, count: total, parameters: {} })
  await pki.house.runJob(bulk.jobs.work)
  // Their holder can send another request.
  expect(await rita.call(view, { runId })).toMatchObject({ state: 'done', reached: 2, failed: 0, outcomes: { invited: 2 } })
  const faults = await Promise.all(
    [hidden, long].map((certId) => rita.call(renewal.calls.renew, { certId, key: 'same' }).then(() => '', String)),
  )
  const says = [...faults, ...(await Promise.all([hidden, long].map(async (certId) => (await pki.check(certId)).verdict.says)))]
  expect(says.filter((sentence) => sentence.includes(String.raw`O=a\00b, for which the template has no place`))).toHaveLength(2)
  for (const sentence of says) expect(sentence.length).toBeLessThan(400)

  await pki.house.runJob(renewal.jobs.run)
  expect((await pki.check(other)).renewedBy).toBeDefined()
})
