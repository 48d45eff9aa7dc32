// A real provider of OpenID Connect (oidc-provider) over TLS on loopback, whose answers a test may falsify on their way, with its real key. And a browser
// that goes between it and the house.

import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign, type JsonWebKey } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request as ask, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { openNameServer, type LittleNameServer } from '#core/server/outward/dns.fixture.ts'
import { opensslFolder } from '#standards/x509/openssl-keys.fixture.ts'

export type Account = { accountId: string; claims: Record<string, unknown> }
export type Token = { header: Record<string, unknown>; claims: Record<string, unknown> }

/** What a test changes of an answer; each is taken once. */
export type Tamper = {
  idToken?: (token: Token) => Token | string
  userInfo?: (claims: Record<string, unknown>) => Record<string, unknown>
  /** Asked before the code is exchanged. */
  atToken?: (body: string) => void | Promise<void>
}

export type TestProvider = {
  issuer: string
  rootsFile: string
  nameServer: LittleNameServer
  client: { id: string; secret: string }
  /** Who signs in next; undefined declines. */
  account: Account | undefined
  tamper: Tamper
  /** How often its token endpoint was asked. */
  tokenRequests: number
  key: JsonWebKey
  /** Signs with any key, under any header. */
  sign(token: Token, key?: JsonWebKey): string
  /** Signs with the public key as if it were a shared secret. */
  signShared(token: Token): string
  visit(url: string, cookies: Jar): Promise<URL>
  close(): Promise<void>
}

export type Jar = Map<string, string>

const json = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

export async function openProvider(name = 'idp.example.org', nameServer?: LittleNameServer): Promise<TestProvider> {
  const dns = nameServer ?? (await openNameServer({}))
  dns.names.set(name, [{ type: 'A', value: '127.0.0.1' }])
  const folder = opensslFolder()
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  folder.run('req', '-x509', ...ec, '-keyout', 'root.key', '-out', 'root.pem', '-subj', '/CN=Root', '-days', '30')
  folder.run('req', '-new', ...ec, '-keyout', 'leaf.key', '-out', 'leaf.csr', '-subj', '/CN=IdP', '-addext', `subjectAltName=DNS:${name}`)
  folder.run(
    'x509',
    '-req',
    '-in',
    'leaf.csr',
    '-CA',
    'root.pem',
    '-CAkey',
    'root.key',
    '-copy_extensions',
    'copyall',
    '-days',
    '30',
    '-out',
    'leaf.pem',
  )
  const root = folder.run('x509', '-in', 'root.pem').toString()

  const key: JsonWebKey = {
    ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
    kid: `key of ${name}`,
    alg: 'RS256',
    use: 'sig',
  }
  let answerHere: (incoming: IncomingMessage, outgoing: ServerResponse) => void = () => {}
  const server: Server = createServer(
    { cert: folder.run('x509', '-in', 'leaf.pem'), key: folder.run('pkey', '-in', 'leaf.key') },
    (incoming, outgoing) => answerHere(incoming, outgoing),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `https://${name}:${(server.address() as AddressInfo).port}`
  const client = { id: 'chancery', secret: 'a secret of at least thirty-two characters' }

  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: ['https://replaced.example.org/'],
        grant_types: ['authorization_code'],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['of a test'] },
    pkce: { required: () => true },
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: {
      openid: ['sub', 'acr', 'amr'],
      profile: ['preferred_username', 'given_name', 'family_name', 'name'],
      email: ['email', 'email_verified', 'xms_edov'],
      groups: ['groups'],
    },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: async () => ({ sub, ...self.account?.claims }) }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new provider.Grant({ clientId: oidc.client?.clientId ?? '', accountId: oidc.session?.accountId ?? '' })
      grant.addOIDCScope('openid profile email groups')
      await grant.save()
      return grant
    },
    ttl: { AuthorizationCode: 60, AccessToken: 60, IdToken: 300, Interaction: 600, Session: 600, Grant: 600 },
  })
  // Providers have as many redirect addresses as tests make.
  provider.Client.prototype.redirectUriAllowed = () => true
  const callback = provider.callback()

  const self: TestProvider = {
    issuer,
    rootsFile: folder.write('roots.pem', root),
    nameServer: dns,
    client,
    account: undefined,
    tamper: {},
    tokenRequests: 0,
    key,
    sign({ header, claims }, by = key) {
      const text = `${json(header)}.${json(claims)}`
      return `${text}.${sign('sha256', Buffer.from(text), createPrivateKey({ key: by, format: 'jwk' })).toString('base64url')}`
    },
    signShared({ header, claims }) {
      const text = `${json(header)}.${json(claims)}`
      const publicKey = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
      return `${text}.${createHmac('sha256', publicKey).update(text).digest('base64url')}`
    },
    visit,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      if (nameServer === undefined) await dns.close()
      folder.remove()
    },
  }

  answerHere = (incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '/', issuer)
    void (async () => {
      if (pathname.startsWith('/interaction/')) {
        const { account } = self
        const result =
          account === undefined
            ? { error: 'access_denied', error_description: 'The person declined' }
            : { login: { accountId: account.accountId, ...(Array.isArray(account.claims['amr']) ? { amr: account.claims['amr'] } : {}) } }
        return provider.interactionFinished(incoming, outgoing, result)
      }
      if (pathname === '/token') {
        self.tokenRequests += 1
        falsify(outgoing, (body) => {
          const { idToken } = self.tamper
          if (idToken === undefined || typeof body['id_token'] !== 'string') return body
          delete self.tamper.idToken
          const [header = '', claims = ''] = body['id_token'].split('.').map((part) => Buffer.from(part, 'base64url').toString())
          const changed = idToken({ header: JSON.parse(header), claims: JSON.parse(claims) })
          return { ...body, id_token: typeof changed === 'string' ? changed : self.sign(changed) }
        })
      }
      if (pathname === '/me')
        falsify(outgoing, (body) => {
          const { userInfo } = self.tamper
          delete self.tamper.userInfo
          return userInfo === undefined ? body : userInfo(body)
        })
      await self.tamper.atToken?.(pathname)
      await callback(incoming, outgoing)
    })().catch(() => outgoing.destroy())
  }

  /** As a browser: follows the provider until it leads away from it. */
  async function visit(url: string, cookies: Jar): Promise<URL> {
    let at = new URL(url)
    for (let hop = 0; hop < 10 && at.origin === issuer; hop += 1) {
      const { status, location, set } = await new Promise<{ status: number; location: string; set: string[] }>((resolve, reject) => {
        const header = [...cookies].map(([one, value]) => `${one}=${value}`).join('; ')
        ask(
          at,
          { ca: root, headers: { cookie: header }, lookup: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]) },
          (incoming) => {
            incoming.resume()
            incoming.once('end', () =>
              resolve({
                status: incoming.statusCode ?? 0,
                location: incoming.headers.location ?? '',
                set: incoming.headers['set-cookie'] ?? [],
              }),
            )
          },
        )
          .once('error', reject)
          .end()
      })
      if (location === '') throw new Error(`The provider answered ${status} at ${at.pathname}`)
      keepCookies(cookies, set)
      at = new URL(location, at)
    }
    return at
  }
  return self
}

export function keepCookies(cookies: Jar, set: readonly string[]): void {
  for (const line of set) {
    const [pair = ''] = line.split(';')
    cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
  }
}

/** Changes a JSON body before it is sent. */
function falsify(outgoing: ServerResponse, change: (body: Record<string, unknown>) => Record<string, unknown>): void {
  const end = outgoing.end.bind(outgoing)
  outgoing.end = ((body: unknown) => {
    const text = body instanceof Uint8Array ? Buffer.from(body).toString() : String(body)
    if (outgoing.statusCode !== 200 || !text.startsWith('{')) return end(text)
    const changed = JSON.stringify(change(JSON.parse(text) as Record<string, unknown>))
    outgoing.setHeader('content-length', Buffer.byteLength(changed))
    return end(changed)
  }) as typeof outgoing.end
}
