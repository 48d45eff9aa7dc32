import type { KyselyPlugin } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { templatePresets } from '#areas/templates/presets.ts'
import { inTenant } from '#core/server/database.ts'
import { certificates } from '../../contract.ts'
import { openIssuingHouse } from '../issuing.fixture.ts'
import { findRequest } from '../requests/request-store.ts'
import { takenKeyRefusal } from './siblings.ts'

const { house, tools, pki, close } = await openIssuingHouse()
afterAll(close)

const preset = templatePresets.find(({ templateName }) => templateName === 'Device')
if (preset === undefined) throw new Error('There is no preset Device')
const extensions = { ...preset.extensions, renewalMode: 'AUTOMATIC_NEW_KEY' as const }

/** Does something after each look into a table, before whoever looked goes on. */
function afterEachCheck(act: () => Promise<void>): KyselyPlugin {
  const looks = new WeakSet<object>()
  return {
    transformQuery({ node, queryId }) {
      if (node.kind === 'SelectQueryNode') looks.add(queryId)
      return node
    },
    async transformResult({ result, queryId }) {
      if (looks.has(queryId)) await act()
      return result
    },
  }
}

test('A new key is taken where its other certificate is stored just between the looks at requests and at certificates', async () => {
  const { id: tenantId } = pki.tenancy
  const templateId = await pki.addTemplate('Device', { issueApprovers: 0, extensions })
  const issue = async (name: string) => {
    const { csr } = tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] })
    return pki.ada.call(certificates.calls.requestForDevice, { templateId, csr, values: { DNS: [name] } })
  }
  const [first, second, old] = [await issue('first.example.org'), await issue('second.example.org'), await issue('old.example.org')]
  const request = await inTenant(house.house.database, tenantId, (db) => findRequest(db, tenantId, second.requestId))
  const key = (await inTenant(house.house.database, tenantId, (db) => findRequest(db, tenantId, first.requestId)))?.public_key
  if (request === undefined || key == null) throw new Error('There are no requests')
  // The first as it stands while its key signs: reserved, and no certificate of it yet.
  const stand = (stage: string, certificateOf: string) =>
    house.asOwner(
      `update certificate_requests set stage = '${stage}' where id = '${first.requestId}'; update certificates set request_id = ${certificateOf} where id = '${first.certificateId}'`,
    )
  await stand('reserved', 'null')
  const refusal = await inTenant(house.house.database, tenantId, (db) =>
    takenKeyRefusal(
      db.withPlugin(afterEachCheck(() => stand('issued', `'${first.requestId}'`))),
      { ...request, renews: old.certificateId ?? '' },
      key,
    ),
  )
  expect(refusal?.says).toContain('This key is in another certificate already')
})
