// A tenancy with a PKI, whoever configures its enrolment protocols, and a profile of each kind that a test asks for.

import { openIssuingHouse } from '#areas/certificates/server/issuing.fixture.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { opensslFolder } from '#standards/x509/openssl-keys.fixture.ts'
import { protocolRoom } from '../contract.ts'
import type { Protocol } from '../rules.ts'
import { scepClient } from './scep-client.fixture.ts'

export type ProtocolFixture = Awaited<ReturnType<typeof openProtocols>>

/** `certificatePort`: where clients show their certificates. */
export async function openProtocols({
  certificatePort,
  settings = {},
  ...options
}: { certificatePort?: number; settings?: Record<string, string>; background?: boolean } = {}) {
  const folder = opensslFolder()
  const tls = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'tls.key', '-out', 'tls.pem', '-days', '2']
  folder.run('req', '-x509', ...tls, '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost')
  const opened = await openIssuingHouse({
    ...options,
    settings: {
      ...settings,
      ...(certificatePort === undefined
        ? {}
        : {
            CHANCERY_CERT_SIGN_IN_PORT: String(certificatePort),
            CHANCERY_CERT_SIGN_IN_TLS_CERT: `${folder.path}/tls.pem`,
            CHANCERY_CERT_SIGN_IN_TLS_KEY: `${folder.path}/tls.key`,
          }),
    },
  })
  return {
    ...opened,
    async close() {
      await opened.close()
      folder.remove()
    },
    ...(await protocolsIn(opened)),
  }
}

/** Profiles and secrets in a house with a PKI. */
export async function protocolsIn({ house, pki }: Pick<Awaited<ReturnType<typeof openIssuingHouse>>, 'house' | 'pki'>) {
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
