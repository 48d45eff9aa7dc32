// A tenancy with a PKI, an ACME directory, a name server and a web server that answer on loopback.

import { openIssuingHouse } from '#areas/certificates/server/issuing.fixture.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { openNameServer, type Zone } from '#core/server/outward/dns.fixture.ts'
import type { TestHouseOptions, TestPerson } from '#core/testing/house.ts'
import { acme } from '../contract.ts'
import { acmeClient, derOf, openWebServer, proveByFile, type AcmeClient, type Answer } from './client.fixture.ts'

export type AcmeFixture = Awaited<ReturnType<typeof openAcme>>

const loopback = [{ type: 'A', value: '127.0.0.1' }] as const

export async function openAcme(zones: { [name: string]: Zone } = {}, options: TestHouseOptions = {}) {
  const dns = await openNameServer(zones)
  const web = await openWebServer()
  const opened = await openIssuingHouse({
    ...options,
    settings: {
      CHANCERY_NAME_SERVERS: dns.address,
      CHANCERY_OUTWARD_ALLOW: '127.0.0.1',
      CHANCERY_OUTWARD_PORTS: '1024-65535',
      ...options.settings,
    },
  })
  const { house, pki, tools } = opened
  const admin: TestPerson = await pki.tenancy.person({ permissions: ['acmeConfiguration', 'certSigningRequest', 'manageCAs', 'certView'] })
  const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 0 })
  let count = 0
  const addDirectory = (more: Partial<DraftOf<typeof acme.calls.addDirectory>> = {}) =>
    admin.call(acme.calls.addDirectory, {
      name: `Directory ${(count += 1)}`,
      profiles: [{ name: 'default', templateId }],
      eabRequired: false,
      httpPort: web.port,
      ...more,
    })
  const directory = await addDirectory()
  const client = (url = directory.url, ...key: [] | [Parameters<typeof acmeClient>[2]]) =>
    acmeClient((path, init) => fetch(house.origin + path, init), url, ...key)
  const registered = async (url?: string): Promise<AcmeClient> => {
    const made = await client(url)
    await made.register()
    return made
  }
  /** A CSR in base64url; names that look like addresses are addresses. */
  const csr = (names: readonly string[], key?: string[]): string =>
    derOf(
      tools.csr({
        subject: '/',
        extensions: [`subjectAltName=${names.map((name) => (/^[\d.]+$|:/.test(name) ? `IP:${name}` : `DNS:${name}`)).join(',')}`],
        ...(key === undefined ? {} : { key }),
      }).csr,
    )
  /** The whole way by http-01. Answers the order once it is finalised. */
  const issue = async (by: AcmeClient, names: readonly string[], more: Record<string, unknown> = {}): Promise<Answer> => {
    for (const name of names) if (!dns.names.has(name)) dns.names.set(name, loopback)
    const order = await by.order(names, more)
    const ready = await proveByFile(by, web, order)
    return by.post(ready.body.finalize, { csr: csr(names) })
  }
  return {
    ...opened,
    dns,
    web,
    admin,
    templateId,
    directory,
    addDirectory,
    client,
    registered,
    csr,
    issue,
    async close() {
      await opened.close()
      await web.close()
      await dns.close()
    },
  }
}
