// Reads the certificates of an Azure Key Vault, page by page, as a client that signs in by its secret (RFC 6749 4.4). Keys and secrets are not asked for.

import * as z from 'zod'
import type { House } from '#core/server/house.ts'
import { say } from '#standards/say/say.ts'
import { jsonOf, ProviderError, tlsOf, type Asked, type Found, type ProviderPage } from './provider-page.ts'

const version = '7.4'
const itemsAPage = 25

const Token = z.object({ access_token: z.string().min(1).max(20_000) })
const List = z.object({
  value: z.array(z.object({ id: z.string().max(2_000) })).max(itemsAPage),
  nextLink: z.string().max(20_000).nullish(),
})
const One = z.object({ cer: z.base64().max(100_000).nullish() })

export const publicLogin = 'https://login.microsoftonline.com'

export async function readVault(house: House, asked: Asked): Promise<ProviderPage> {
  const vault = new URL(asked.url)
  const token = await signIn(house, asked, vault)
  const get = async (url: string): Promise<unknown> => {
    const { origin } = new URL(url, vault)
    // The token is meant for the vault alone, whatever address a page names.
    if (origin !== vault.origin) throw new ProviderError(say`The vault sends on to another address`)
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
    const { tenant_id: tenantId, signal } = asked
    const answer = await house.outward.request({ use: 'cloud', url, tenantId, headers, signal, ...tlsOf(asked) })
    if (answer.status === 401) throw new ProviderError(say`The vault does not accept the sign-in`)
    if (answer.status === 403) throw new ProviderError(say`The client may not list certificates of this vault`)
    if (answer.status === 429) throw new ProviderError(say`Azure asks for more patience: read it again later`)
    if (answer.status !== 200) throw new ProviderError(say`The vault answered with status ${answer.status}`)
    return jsonOf(answer)
  }
  const first = `certificates?api-version=${version}&maxresults=${itemsAPage}`
  const list = List.safeParse(await get(new URL(asked.cursor === '' ? first : asked.cursor, vault).href))
  if (!list.success) throw new ProviderError(say`The answer of the vault is no list of certificates`)
  const found: Found[] = []
  for (const { id } of list.data.value) {
    if (!URL.canParse(id)) continue
    const one = One.safeParse(await get(`${id}?api-version=${version}`))
    const der = one.success && one.data.cer ? Buffer.from(one.data.cer, 'base64') : undefined
    if (der !== undefined) found.push({ place: new URL(id).pathname.replace(/^\/certificates\//, ''), certificate: der, chain: [] })
  }
  const next = list.data.nextLink ?? ''
  if (next !== '' && next === asked.cursor) throw new ProviderError(say`The vault answers the same page again`)
  return { found, refused: list.data.value.length - found.length, next, done: next === '' }
}

async function signIn(house: House, asked: Asked, vault: URL): Promise<string> {
  const login = (asked.login === '' ? publicLogin : asked.login).replace(/\/+$/, '')
  // `shop.vault.azure.net` is meant by a token for `vault.azure.net`, and so in the clouds of states.
  const resource = /^[^.]+\.(vault\..+)$/.exec(vault.hostname)?.[1] ?? 'vault.azure.net'
  const answer = await house.outward.request({
    use: 'cloud',
    url: `${login}/${encodeURIComponent(asked.scope)}/oauth2/v2.0/token`,
    tenantId: asked.tenant_id,
    signal: asked.signal,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: asked.account,
      client_secret: asked.secret,
      scope: `https://${resource}/.default`,
    }).toString(),
    ...tlsOf(asked),
  })
  if (answer.status === 400 || answer.status === 401) throw new ProviderError(say`Azure does not accept the client or its secret`)
  const token = Token.safeParse(jsonOf(answer))
  if (answer.status !== 200 || !token.success) throw new ProviderError(say`The sign-in answered with status ${answer.status}`)
  return token.data.access_token
}
