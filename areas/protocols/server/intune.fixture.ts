// A little Microsoft that speaks as Intune does to authorities of others: sign-in, Graph and the service for SCEP, over TLS on loopback, with faults on demand.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { openNameServer } from '#core/server/outward/dns.fixture.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'

const host = 'intune.test'

type Answer = { status: number; headers?: Record<string, string>; body?: unknown }

export async function openLittleIntune() {
  const dns = await openNameServer({ [host]: [{ type: 'A', value: '127.0.0.1' }] })
  const tools = openToolFolder()
  const [keyFile, rootsFile] = [tools.path('intune.key'), tools.path('intune.pem')]
  tools.run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`, '-keyout', keyFile, '-out', rootsFile) // prettier-ignore
  let origin = ''
  const intune = {
    secret: 'correct horse',
    /** Where the service is at the moment: another shard is another path. */
    shard: '/shard-1',
    /** The challenges that are Intune's own, each good once. */
    challenges: new Set<string>(),
    asked: [] as string[],
    notices: [] as { action: string; notification: Record<string, unknown> }[],
    fault: undefined as ((asked: string) => Answer | undefined) | undefined,
  }

  function answer(method: string, path: string, token: string, headers: Record<string, unknown>, body: string): Answer {
    intune.asked.push(`${method} ${path}`)
    const own = intune.fault?.(`${method} ${path}`)
    if (own !== undefined) return own
    if (path.endsWith('/oauth2/v2.0/token')) {
      const form = new URLSearchParams(body)
      if (form.get('client_secret') !== intune.secret) return { status: 401, body: { error: 'invalid_client' } }
      return { status: 200, body: { access_token: `for-${form.get('scope')}`, expires_in: 3600 } }
    }
    if (path === '/v1.0/servicePrincipals/appId=0000000a-0000-0000-c000-000000000000/endpoints') {
      if (token !== `for-${origin}/.default`) return { status: 401 }
      return {
        status: 200,
        body: { value: [{ providerName: 'Other' }, { providerName: 'ScepRequestValidationFEService', uri: `${origin}${intune.shard}` }] },
      }
    }
    const action = path.startsWith(`${intune.shard}/ScepActions/`) ? path.slice(intune.shard.length + '/ScepActions/'.length) : ''
    if (action === '') return { status: 404 }
    if (token !== `for-${origin}//.default`) return { status: 401 }
    if (headers['api-version'] !== '2018-02-20') return { status: 400 }
    const said = JSON.parse(body) as { request?: { certificateRequest: string }; notification?: Record<string, unknown> }
    if (said.notification !== undefined) {
      intune.notices.push({ action, notification: said.notification })
      return { status: 200, body: { code: 'Success', errorDescription: '' } }
    }
    const csr = Buffer.from(said.request?.certificateRequest ?? '', 'base64').toString('latin1')
    const found = [...intune.challenges].find((challenge) => csr.includes(challenge))
    if (found === undefined) return { status: 200, body: { code: 'ChallengeDecryptionError', errorDescription: 'No challenge of ours' } }
    return { status: 200, body: { code: 'Success', errorDescription: '' } }
  }

  const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(rootsFile) }, (incoming, outgoing) => {
    let body = ''
    incoming.on('data', (part: Buffer) => (body += part.toString()))
    incoming.on('end', () => {
      const token = (incoming.headers.authorization ?? '').replace('Bearer ', '')
      const said = answer(incoming.method ?? '', incoming.url ?? '', token, incoming.headers, body)
      outgoing.writeHead(said.status, { 'content-type': 'application/json', ...said.headers })
      outgoing.end(said.body === undefined ? undefined : JSON.stringify(said.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `https://${host}:${(server.address() as AddressInfo).port}`
  return {
    intune,
    origin,
    settings: {
      CHANCERY_NAME_SERVERS: dns.address,
      CHANCERY_OUTWARD_ALLOW: '127.0.0.1',
      CHANCERY_OUTWARD_PORTS: '1024-65535',
      CHANCERY_OUTWARD_ROOTS: rootsFile,
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await dns.close()
      tools.remove()
    },
  }
}
