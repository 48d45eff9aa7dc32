// A little system that manages devices: a list in pages over TLS on loopback, as Microsoft Graph gives it.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'

export type ManagedDevice = { id: string; deviceName: string; serialNumber?: string; operatingSystem?: string; wiFiMacAddress?: string }

export type LittleMdm = {
  port: number
  url: string
  /** PEM of its certificate, which signs itself. */
  roots: string
  token: string
  devices: ManagedDevice[]
  /** Where its second page is said to stand; its own server unless a test wants another. */
  nextOrigin: string | undefined
  /** Told in place of an answer. */
  silent: (() => void) | undefined
  /** The tokens that it was asked with. */
  seen: string[]
  close(): Promise<void>
}

const pageSize = 2

export async function openMdm(): Promise<LittleMdm> {
  const tools = openToolFolder()
  const [keyFile, certificateFile] = [join(tools.folder, 'mdm.key'), join(tools.folder, 'mdm.pem')]
  tools.run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=mdm', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', keyFile, '-out', certificateFile) // prettier-ignore
  const roots = readFileSync(certificateFile, 'utf8')
  const mdm: LittleMdm = {
    port: 0,
    url: '',
    roots,
    token: 'secret',
    devices: [],
    nextOrigin: undefined,
    silent: undefined,
    seen: [],
    close: async () => {},
  }
  const server = createServer({ key: readFileSync(keyFile), cert: roots }, (incoming, outgoing) => {
    const asked = incoming.headers.authorization ?? ''
    mdm.seen.push(asked)
    if (mdm.silent !== undefined) return mdm.silent()
    if (asked !== `Bearer ${mdm.token}`) {
      outgoing.writeHead(401)
      return outgoing.end()
    }
    const from = Number(new URL(incoming.url ?? '/', 'https://mdm').searchParams.get('$skip') ?? '0')
    const next =
      from + pageSize < mdm.devices.length
        ? `${mdm.nextOrigin ?? `https://127.0.0.1:${mdm.port}`}/managedDevices?$skip=${from + pageSize}`
        : undefined
    outgoing.setHeader('content-type', 'application/json')
    return outgoing.end(
      JSON.stringify({ value: mdm.devices.slice(from, from + pageSize), ...(next === undefined ? {} : { '@odata.nextLink': next }) }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  mdm.port = (server.address() as AddressInfo).port
  mdm.url = `https://127.0.0.1:${mdm.port}/managedDevices`
  mdm.close = async () => {
    await new Promise((resolve) => server.close(resolve))
    tools.remove()
  }
  return mdm
}
