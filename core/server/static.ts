// The built console: hashed assets for ever, the page itself never cached, with a fresh nonce for its styles. Every path that is not a
// call answers the page, and the console's own routes decide what it shows. The page names all files that the asked address needs, so
// that the browser fetches them at once.

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { clientAddresses } from '#core/contract/client-ports.ts'
import { homePath, pagesFile, signInPath, type PageFiles } from '#core/contract/pages.ts'
import { paramNames } from '#core/contract/paths.ts'
import { hostPrefix } from './facts.ts'
import { pack, unpacks } from './packing.ts'
import { matcherOf } from './router.ts'
import { sessionCookie } from './steps/forgery.ts'

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

const headersOfDocuments = ['x-frame-options', 'referrer-policy', 'cross-origin-opener-policy', 'x-request-id']

type Asset = { type: string; plain: Buffer; brotli: Buffer | undefined }

export type StaticFiles = (incoming: IncomingMessage, outgoing: ServerResponse, path: string) => boolean

const contentPolicy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    // The security client on the machine of whoever looks at the page.
    `connect-src 'self' ${clientAddresses.join(' ')}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Loads the built files of `folder` into memory; where there is no build, every page says how to make one. */
export function serveStatic(folder: string): StaticFiles {
  const assets = loadAssets(folder)
  const page =
    assets.get('/index.html')?.plain.toString('utf8') ??
    '<!doctype html><title>Chancery</title><p>The console is not built. Start with <code>npm start</code>.'
  const whatLoads = whatPagesLoad(assets.get(`/${pagesFile}`)?.plain.toString('utf8'))
  assets.delete(`/${pagesFile}`)

  return (incoming, outgoing, path) => {
    const asset = assets.get(path)
    if (asset !== undefined && path !== '/index.html') {
      const brotli = asset.brotli !== undefined && unpacks(incoming.headers, 'br')
      // A worker's script carries the policy that the worker is held by; the page's own holds for all else.
      outgoing.removeHeader('content-security-policy')
      // A page loads some twenty files, and each would say a line of these again that only a document means.
      if (path.startsWith('/assets/')) for (const name of headersOfDocuments) outgoing.removeHeader(name)
      const body = (brotli ? asset.brotli : undefined) ?? asset.plain
      outgoing.writeHead(200, {
        'content-type': asset.type,
        'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
        vary: 'accept-encoding',
        'content-length': body.length,
        ...(brotli ? { 'content-encoding': 'br' } : {}),
      })
      outgoing.end(incoming.method === 'HEAD' ? undefined : body)
      return true
    }
    if (path.startsWith('/assets/') || path.startsWith('/api') || !/text\/html|\*\/\*|^$/.test(incoming.headers.accept ?? '')) return false
    const nonce = randomBytes(16).toString('base64url')
    const { asked, files } = whatLoads(path, incoming.headers.cookie ?? '')
    // Nothing that anybody chose stands in the page, and its nonce is good for this once.
    const { body, headers } = pack(
      page
        .replace('<head>', () => `<head>${asked}`)
        .replace('</head>', () => `${files}</head>`)
        .replaceAll('__CSP_NONCE__', nonce),
      incoming,
    )
    outgoing.writeHead(200, {
      'content-type': types['.html'],
      'cache-control': 'no-store',
      'content-security-policy': contentPolicy(nonce),
      'content-length': body.length,
      ...headers,
    })
    outgoing.end(incoming.method === 'HEAD' ? undefined : body)
    return true
  }
}

/** Scripts come after what the page itself begins with, which can be at work while the others arrive. */
const tag = (file: string): string =>
  file.endsWith('.css')
    ? `<link rel="stylesheet" crossorigin href="${file}">`
    : `<link rel="modulepreload" fetchpriority="low" crossorigin href="${file}">`

/** In the words that the console will ask with: the browser hands the answer over once. */
const ahead = (call: string): string => `<link rel="preload" as="fetch" href="${call}" crossorigin="use-credentials">`

const holdsSession = new RegExp(`(?:^|;\\s*)(?:${hostPrefix})?${sessionCookie}=`)

type Loads = { asked: string; files: string }
const nothing: Loads = { asked: '', files: '' }

/** What an address reads first and its files, as tags for the head of its page. Only what it will load: without a session that is the page to sign in on. */
function whatPagesLoad(built: string | undefined): (path: string, cookies: string) => Loads {
  const pages = (built === undefined ? [] : (JSON.parse(built) as PageFiles[]))
    .toSorted((a, b) => paramNames(a.path).length - paramNames(b.path).length)
    .map(({ path, shell, files, asks }) => ({
      fits: matcherOf([path]),
      shell,
      tags: { asked: asks === undefined ? '' : ahead(asks), files: files.map(tag).join('') },
    }))
  const find = (path: string) => pages.find(({ fits }) => fits(path))
  return (path, cookies) => {
    const asked = find(path === '/' ? homePath : path)
    const open = asked?.shell === 'public' || holdsSession.test(cookies)
    return (open ? asked : find(signInPath))?.tags ?? nothing
  }
}

function loadAssets(folder: string): Map<string, Asset> {
  const assets = new Map<string, Asset>()
  const read = (at: string, path: string): void => {
    for (const name of readdirSync(at)) {
      const file = join(at, name)
      if (statSync(file).isDirectory()) read(file, `${path}/${name}`)
      else if (!name.endsWith('.br'))
        assets.set(`${path}/${name}`, {
          type: types[extname(name)] ?? 'application/octet-stream',
          plain: readFileSync(file),
          brotli: undefined,
        })
    }
    for (const name of readdirSync(at)) {
      const asset = assets.get(`${path}/${name.slice(0, -3)}`)
      if (name.endsWith('.br') && asset !== undefined) asset.brotli = readFileSync(join(at, name))
    }
  }
  try {
    read(folder, '')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  return assets
}
