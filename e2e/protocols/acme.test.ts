// The ACME clients that people use, against the running product behind a proxy that ends TLS. Each cell of docs/acme-clients.md is a run of this file.

import { readFileSync, rmSync } from 'node:fs'
import { writeFileSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { acme } from '#areas/acme/contract.ts'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { templatePresets } from '#areas/templates/presets.ts'
import { openNameServer, type LittleNameServer } from '#core/server/outward/dns.fixture.ts'
import { freePort } from '#core/testing/free-port.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { setUp, type Person } from '../support/people.ts'
import { startProduct, type Product } from '../support/product.ts'
import { openSecureFront, type SecureFront } from '../support/secure-front.ts'
import { clients, installCertbot, newFolder, type Client, type KeyType, type Proof, type Site } from './acme-clients.ts'

const bench = openToolFolder()
let dns: LittleNameServer
let front: SecureFront
let product: Product
let ada: Person
let standalone: { id: string; url: string }
let served: { id: string; url: string }
let ports: { http: number; tls: number; web: number; control: number }
const folders: string[] = []
const webroot = newFolder('webroot')

/** Serves the files of those clients that write them, and takes TXT records from the hooks of all. */
const web = createServer((incoming, outgoing) => {
  const url = new URL(incoming.url ?? '', 'http://localhost')
  if (url.pathname === '/txt') {
    dns.names.set(url.searchParams.get('name') ?? '', [{ type: 'TXT', value: url.searchParams.get('value') ?? '' }])
    return void outgoing.end()
  }
  try {
    outgoing.end(readFileSync(join(webroot, url.pathname.split('/').at(-1) ?? '')))
  } catch {
    outgoing.writeHead(404).end()
  }
})

beforeAll(async () => {
  dns = await openNameServer({})
  front = await openSecureFront(bench)
  ports = { http: await freePort(), tls: await freePort(), web: await freePort(), control: 0 }
  await new Promise<void>((resolve) => web.listen(ports.web, '127.0.0.1', resolve))
  product = await startProduct({
    CHANCERY_ORIGIN: front.origin,
    CHANCERY_TRUST_PROXY: '127.0.0.1',
    CHANCERY_NAME_SERVERS: dns.address,
    CHANCERY_OUTWARD_ALLOW: '127.0.0.1',
    CHANCERY_OUTWARD_PORTS: '1024-65535',
  })
  front.leadTo(product.origin)
  ada = (await setUp(product, 'ada', { organisation: 'Northwind', rootName: 'Northwind Root', issuingName: 'Northwind Issuing' }))
    .administrator
  const caId = (await ada.call(authorities.calls.list, {})).rows.find(({ friendlyName }) => friendlyName === 'Northwind Issuing')?.id ?? ''
  const preset = templatePresets.find(({ templateName }) => templateName === 'TLSServer')
  if (preset === undefined) throw new Error('There is no preset')
  const { says: _says, ...draft } = preset
  const { templateId } = await ada.call(templates.calls.add, { ...draft, templateName: 'AcmeServer', caId, issueApprovers: 0 })
  const add = (name: string, httpPort: number) =>
    ada.call(acme.calls.addDirectory, {
      name,
      httpPort,
      tlsPort: ports.tls,
      profiles: [{ name: 'default', templateId }],
      eabRequired: name.endsWith('EAB'),
    })
  standalone = await add('Standalone with EAB', ports.http)
  served = await add('Served files', ports.web)
})
afterAll(async () => {
  await product?.stop()
  await front?.close()
  await dns?.close()
  await new Promise((resolve) => web.close(resolve))
  for (const folder of [webroot, ...folders]) rmSync(folder, { recursive: true, force: true })
  writeTable()
  bench.remove()
})

async function siteFor(client: Client): Promise<Site> {
  const folder = newFolder(client.name)
  folders.push(folder)
  const directory = client.webroot === true ? served : standalone
  const hook = join(folder, 'txt')
  writeFileSync(
    hook,
    `#!/bin/sh\nexec curl -sG --data-urlencode "name=$1" --data-urlencode "value=$2" http://127.0.0.1:${ports.web}/txt\n`,
    { mode: 0o755 },
  )
  return {
    folder,
    directoryUrl: directory.url,
    rootFile: front.rootFile,
    httpPort: ports.http,
    tlsPort: ports.tls,
    webroot,
    txtHook: hook,
    ...(client.certbot === undefined ? {} : { program: await installCertbot(client.certbot) }),
    eab:
      client.webroot === true
        ? undefined
        : await ada.call(acme.calls.addEab, { directoryId: directory.id, name: client.name, names: ['*.example.org'] }),
  }
}

const cells = new Map<string, string>()
const cell = (client: string, proof: string, key: string, step: string): string => `${client} ${proof} ${key} ${step}`

function subjectOf(file: string): { serial: string; names: string; curve: string } {
  const text = bench.run('openssl', 'x509', '-in', file, '-noout', '-text')
  return {
    serial: bench.run('openssl', 'x509', '-in', file, '-noout', '-serial').trim().replace('serial=', '').toLowerCase(),
    names: /DNS:\S+/.exec(text)?.[0] ?? '',
    curve: /ASN1 OID: (\S+)/.exec(text)?.[1] ?? 'rsa',
  }
}

const curves: Record<KeyType, string> = { RSA: 'rsa', 'P-256': 'prime256v1', 'P-384': 'secp384r1' }
const statusOf = async (serial: string): Promise<string | undefined> =>
  (await ada.call(certificates.calls.search, { text: serial })).rows[0]?.status

describe.each(clients)('$name', (client) => {
  let site: Site
  beforeAll(async () => {
    site = await siteFor(client)
  })

  const all = client.proofs.flatMap((proof) => client.keyTypes.map((key): [Proof, KeyType] => [proof, key]))
  test.each(all)('by %s with a key of %s', async (proof, key) => {
    const name = `${client.name}-${proof}-${key}.example.org`.toLowerCase()
    dns.names.set(name, [{ type: 'A', value: '127.0.0.1' }])
    const ask = { name, proof, key }
    const done = (step: string) => void cells.set(cell(client.name, proof, key, step), 'yes')
    await client.obtain(site, ask)
    const first = subjectOf(client.chainFile(site, name))
    expect(first).toMatchObject({ names: `DNS:${name}`, curve: curves[key] })
    done('new')
    await client.renew?.(site, ask)
    const second = subjectOf(client.chainFile(site, name))
    expect([second.serial === first.serial, second.names]).toEqual([client.renew === undefined, first.names])
    if (client.renew !== undefined) done('renew')
    await client.revoke?.(site, ask)
    expect(await statusOf(second.serial)).toBe(client.revoke === undefined ? 'active' : 'revoked')
    if (client.revoke !== undefined) done('revoke')
  })

  test.runIf(client.renewIfTold !== undefined)('renews when it is told to, and not before', async () => {
    const obtain = async (label: string) => {
      const name = `${client.name}-${label}.example.org`
      dns.names.set(name, [{ type: 'A', value: '127.0.0.1' }])
      await client.obtain(site, { name, proof: 'http-01', key: 'P-256' })
      return { name, serial: subjectOf(client.chainFile(site, name)).serial }
    }
    const fresh = await obtain('fresh')
    await client.renewIfTold?.(site, fresh)
    expect(subjectOf(client.chainFile(site, fresh.name)).serial).toBe(fresh.serial)
    expect(front.asked.some((path) => path.includes('/renewal-info/'))).toBe(true)
    const ended = await obtain('ended')
    const [row] = (await ada.call(certificates.calls.search, { text: ended.serial })).rows
    await ada.call(revocation.calls.revoke, { certId: row?.certificateId ?? '', reason: 'superseded' })
    await client.renewIfTold?.(site, ended)
    expect(subjectOf(client.chainFile(site, ended.name)).serial).not.toBe(ended.serial)
    cells.set(cell(client.name, 'account', '', 'ari'), 'yes')
  })

  test.runIf(client.changeKey !== undefined)('changes the key of its account and goes on', async () => {
    await client.changeKey?.(site)
    const name = `${client.name}-after.example.org`
    dns.names.set(name, [{ type: 'A', value: '127.0.0.1' }])
    await client.obtain(site, { name, proof: 'http-01', key: 'P-256' })
    expect(subjectOf(client.chainFile(site, name)).names).toBe(`DNS:${name}`)
    cells.set(cell(client.name, 'account', '', 'key change'), 'yes')
  })

  test.runIf(client.deactivate !== undefined)('gives up its account', async () => {
    await client.deactivate?.(site)
    const { rows } = await ada.call(acme.calls.accounts, { status: 'deactivated' })
    expect(rows.length).toBeGreaterThan(0)
    cells.set(cell(client.name, 'account', '', 'deactivate'), 'yes')
  })
})

/** The cells of this run, for docs/acme-clients.md. */
function writeTable(): void {
  const folder = join(import.meta.dirname, '../../node_modules/.cache/tests')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'acme-clients.json'), JSON.stringify([...cells.keys()], null, 2))
}
