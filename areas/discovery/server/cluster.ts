// Reads the TLS secrets of a Kubernetes cluster, page by page. A secret also holds a private key, which is dropped where it is read.

import * as z from 'zod'
import type { House } from '#core/server/house.ts'
import { decodePem } from '#standards/pem/pem.ts'
import { say } from '#standards/say/say.ts'
import { jsonOf, ProviderError, tlsOf, type Asked, type ProviderPage } from './provider-page.ts'

const pageSize = 50
const mostBytes = 10 * 1024 * 1024
/** RFC 1123 2.1, as the cluster names its namespaces. */
const namespaceName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

export const isScope = (scope: string): boolean => scope === '' || namespaceName.test(scope)

const Secrets = z.object({
  metadata: z.object({ continue: z.string().max(8_000).optional() }).optional(),
  items: z
    .array(
      z.object({
        metadata: z.object({ name: z.string().min(1).max(253), namespace: z.string().min(1).max(63) }),
        data: z.object({ 'tls.crt': z.string().optional() }).nullish(),
      }),
    )
    .max(5_000)
    .nullable(),
})

export async function readSecrets(house: House, provider: Asked): Promise<ProviderPage> {
  const base = provider.url.replace(/\/+$/, '')
  const list = provider.scope === '' ? 'secrets' : `namespaces/${provider.scope}/secrets`
  const query = new URLSearchParams({ fieldSelector: 'type=kubernetes.io/tls', limit: String(pageSize) })
  if (provider.cursor !== '') query.set('continue', provider.cursor)
  const answer = await house.outward.request({
    use: 'cluster',
    url: `${base}/api/v1/${list}?${query.toString()}`,
    tenantId: provider.tenant_id,
    signal: provider.signal,
    mostBytes,
    headers: { authorization: `Bearer ${provider.secret}`, accept: 'application/json' },
    ...tlsOf(provider),
  })
  if (answer.status === 401) throw new ProviderError(say`The cluster does not accept the token`)
  if (answer.status === 403) throw new ProviderError(say`The token may not list secrets there`)
  if (answer.status !== 200) throw new ProviderError(say`The cluster answered with status ${answer.status}`)
  const page = Secrets.safeParse(jsonOf(answer))
  if (!page.success) throw new ProviderError(say`The answer of the cluster is no list of secrets`)
  const items = page.data.items ?? []
  const next = page.data.metadata?.continue ?? ''
  if (next !== '' && next === provider.cursor) throw new ProviderError(say`The cluster answers the same page again`)
  const found = items.flatMap(({ metadata: { name, namespace }, data }) => {
    const [certificate, ...chain] = certificatesOf(data?.['tls.crt'] ?? '')
    return certificate === undefined ? [] : [{ place: `${namespace}/${name}`, certificate, chain }]
  })
  return { found, refused: items.length - found.length, next, done: next === '' }
}

/** The leaf and what stands behind it; none where the text is no PEM. */
function certificatesOf(base64: string): Uint8Array[] {
  try {
    return decodePem(Buffer.from(base64, 'base64').toString('latin1')).flatMap(({ label, bytes }) =>
      label === 'CERTIFICATE' ? [bytes] : [],
    )
  } catch {
    return []
  }
}
