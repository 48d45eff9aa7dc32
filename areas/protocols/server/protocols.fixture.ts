// A tenancy with a PKI, whoever configures its enrolment protocols, and a profile of each kind that a test asks for.

import { openIssuingHouse } from '#areas/certificates/server/issuing.fixture.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { protocolRoom } from '../contract.ts'
import type { Protocol } from '../rules.ts'
import { scepClient } from './scep-client.fixture.ts'

export type ProtocolFixture = Awaited<ReturnType<typeof openProtocols>>

export async function openProtocols() {
  const opened = await openIssuingHouse()
  const { house, pki } = opened
  const admin: TestPerson = await pki.tenancy.person({
    permissions: ['manageIntuneScepAuthConfiguration', 'certScep', 'certSigningRequest', 'manageCAs', 'certView'],
  })
  const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 0 })
  const approvedId = await pki.addTemplate('TLSServer', { issueApprovers: 1 })
  let count = 0
  const addProfile = (protocol: Protocol, more: Partial<DraftOf<typeof protocolRoom.calls.addProfile>> = {}) =>
    admin.call(protocolRoom.calls.addProfile, { protocol, name: `Profile ${(count += 1)}`, templateId, ...more })
  const fetchFrom = (path: string, init?: RequestInit) => fetch(house.origin + path, init)
  return {
    ...opened,
    admin,
    templateId,
    approvedId,
    addProfile,
    fetchFrom,
    client: (url: string) => scepClient(fetchFrom, url),
    secret: (profileId: string, more: Partial<DraftOf<typeof protocolRoom.calls.addSecret>> = {}) =>
      admin.call(protocolRoom.calls.addSecret, {
        profileId,
        name: 'A router',
        names: { DNS: ['router.example.org'] },
        uses: 1,
        ...more,
      }),
  }
}
