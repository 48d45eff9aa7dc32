// Little servers over TLS on loopback that speak what clouds and logs speak: the Certificate Manager and IAM of AWS, a key vault of Azure with its sign-in, and a
// log of RFC 6962 that signs its tree heads.

import { createHash, createHmac, generateKeyPairSync, sign, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { appendLeaf, EMPTY_FRONTIER, inclusionProof, leafHash, nodesFromLeaves, rootOf } from '#standards/audit-log/merkle.ts'
import { readDer } from '#standards/der/reader.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'

export const accessKey = { id: 'AKIDEXAMPLE', secret: 'the secret access key' }
export const client = { tenant: 'tenant-1', id: 'client-1', secret: 'the client secret' }

export type LittleClouds = {
  port: number
  url: string
  roots: string
  acm: Map<string, string>
  iam: Map<string, string>
  vault: Map<string, string>
  log: {
    /** The key that is told, and the entries, PEM. `pre` is the precertificate of the certificate. */
    publicKey: string
    entries: { pem: string; pre?: string }[]
    /** The certificate that it answers in place of the one in its tree, by the number of the entry. */
    shown: Map<number, string>
    /** Signs by another key. */
    forged: boolean
    /** Answers no entries, and says to wait. */
    busy: boolean
    asked: string[]
  }
  /** Where the next page of the vault is said to be. */
  nextLink: string | undefined
  /** The vault says each time that there is another page. */
  endless: boolean
  /** Lists of clouds hold so many times each entry, however few are asked for. */
  times: number
  /** Told in place of an answer. */
  silent: (() => void) | undefined
  /** Awaited before AWS answers what is in IAM, which is its last page. */
  meanwhile: (() => Promise<void>) | undefined
  certificate(name: string): string
  /** A certificate, and its precertificate (RFC 6962 3.1). */
  withPrecertificate(name: string): { pem: string; pre: string }
  close(): Promise<void>
}

const derOf = (pem: string): Buffer => Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64')
const text = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

export async function openClouds(): Promise<LittleClouds> {
  const tools = openToolFolder()
  const make = (name: string, ...about: string[]) => {
    const [keyFile, certificateFile] = [join(tools.folder, `${name}.key`), join(tools.folder, `${name}.pem`)]
    tools.run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '10', '-subj', `/CN=${name}`, ...about, '-keyout', keyFile, '-out', certificateFile) // prettier-ignore
    return { key: readFileSync(keyFile, 'utf8'), certificate: readFileSync(certificateFile, 'utf8') }
  }
  const own = make('cloud', '-addext', 'subjectAltName=IP:127.0.0.1')
  /** Both begin in one second, because OpenSSL takes no time for it. */
  const pairOf = (name: string): { pem: string; pre: string } => {
    const same = ['-set_serial', '7', '-addext', `subjectAltName=DNS:${name}`]
    for (;;) {
      const pre = make(name, ...same, '-addext', '1.3.6.1.4.1.11129.2.4.3=critical,DER:05:00').certificate
      const pem = join(tools.folder, `${name}.final.pem`)
      tools.run('openssl', 'req', '-x509', '-key', join(tools.folder, `${name}.key`), '-days', '10', '-subj', `/CN=${name}`, ...same, '-out', pem) // prettier-ignore
      const both = { pem: readFileSync(pem, 'utf8'), pre }
      if (new X509Certificate(both.pem).validFrom === new X509Certificate(pre).validFrom) return both
    }
  }
  const [logKey, other] = [generateKeyPairSync('ec', { namedCurve: 'P-256' }), generateKeyPairSync('ec', { namedCurve: 'P-256' })]
  const clouds: LittleClouds = {
    port: 0,
    url: '',
    roots: own.certificate,
    acm: new Map(),
    iam: new Map(),
    vault: new Map(),
    log: {
      publicKey: logKey.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
      entries: [],
      shown: new Map(),
      forged: false,
      busy: false,
      asked: [],
    },
    nextLink: undefined,
    endless: false,
    times: 1,
    silent: undefined,
    meanwhile: undefined,
    certificate: (name) => make(name, '-addext', `subjectAltName=DNS:${name}`).certificate,
    withPrecertificate: pairOf,
    close: async () => {},
  }
  type Answer = [status: number, body: string]
  const many = (one: string): string[] => Array.from({ length: clouds.times }, () => one)

  /** Checks the signature as AWS does, from the request as it came. */
  function isSigned(request: IncomingMessage, body: string): boolean {
    const [, scope = '', names = '', signature] =
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(request.headers.authorization ?? '') ?? [] // prettier-ignore
    const hash = (value: string) => createHash('sha256').update(value).digest('hex')
    const lines = names.split(';').map((name) => `${name}:${String(request.headers[name] ?? '')}`)
    const canonical = [request.method, '/', '', ...lines, '', names, hash(body)].join('\n')
    const toSign = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, hash(canonical)].join('\n')
    const mac = (key: Buffer | string, value: string) => createHmac('sha256', key).update(value).digest()
    const key = scope.split('/').reduce<Buffer | string>((before, part) => mac(before, part), `AWS4${accessKey.secret}`)
    return signature === mac(key, toSign).toString('hex')
  }

  function aws(request: IncomingMessage, body: string): Answer {
    const target = String(request.headers['x-amz-target'] ?? '')
    if (!isSigned(request, body))
      return target === ''
        ? [403, '<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code></Error></ErrorResponse>']
        : [400, JSON.stringify({ __type: 'UnrecognizedClientException' })]
    if (target === '') {
      const form = new URLSearchParams(body)
      const name = form.get('ServerCertificateName')
      if (form.get('Action') === 'GetServerCertificate')
        return [200, `<GetServerCertificateResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><GetServerCertificateResult><ServerCertificate><CertificateBody>${text(clouds.iam.get(name ?? '') ?? '')}</CertificateBody></ServerCertificate></GetServerCertificateResult></GetServerCertificateResponse>`] // prettier-ignore
      const members = [...clouds.iam.keys()].flatMap(many).map((one) => `<member><ServerCertificateName>${text(one)}</ServerCertificateName><Arn>arn:aws:iam::1:server-certificate/${text(one)}</Arn></member>`) // prettier-ignore
      return [200, `<ListServerCertificatesResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><ListServerCertificatesResult><IsTruncated>false</IsTruncated><ServerCertificateMetadataList>${members.join('')}</ServerCertificateMetadataList></ListServerCertificatesResult></ListServerCertificatesResponse>`] // prettier-ignore
    }
    const input = JSON.parse(body) as { NextToken?: string; CertificateArn?: string; Includes?: { keyTypes: string[] } }
    if (target === 'CertificateManager.GetCertificate') {
      const pem = clouds.acm.get(input.CertificateArn ?? '') ?? ''
      return pem === '' ? [400, JSON.stringify({ __type: 'RequestInProgressException' })] : [200, JSON.stringify({ Certificate: pem })]
    }
    // Without the kinds of key the list holds RSA alone, as that of AWS does.
    const all = input.Includes?.keyTypes.includes('EC_prime256v1') === true ? [...clouds.acm.keys()] : []
    const from = Number(input.NextToken ?? '0')
    return [
      200,
      JSON.stringify({
        CertificateSummaryList: all
          .slice(from, from + 2)
          .flatMap(many)
          .map((arn) => ({ CertificateArn: arn })),
        ...(from + 2 < all.length ? { NextToken: String(from + 2) } : {}),
      }),
    ]
  }

  function azure(request: IncomingMessage, { pathname, searchParams }: URL, body: string): Answer {
    if (pathname === `/${client.tenant}/oauth2/v2.0/token`) {
      const form = new URLSearchParams(body)
      const isClient = form.get('client_id') === client.id && form.get('client_secret') === client.secret
      return isClient && form.get('scope') === 'https://vault.azure.net/.default'
        ? [200, JSON.stringify({ access_token: 'a token' })]
        : [401, JSON.stringify({ error: 'invalid_client' })]
    }
    if (request.headers.authorization !== 'Bearer a token') return [401, '{}']
    const name = /^\/certificates\/([^/]+)$/.exec(pathname)?.[1]
    if (name !== undefined) return [200, JSON.stringify({ id: name, cer: derOf(clouds.vault.get(name) ?? '').toString('base64') })]
    const from = Number(searchParams.get('skip') ?? '0')
    const all = [...clouds.vault.keys()]
    const another = clouds.endless ? `${clouds.url}/certificates?skip=0&turn=${crypto.randomUUID()}` : undefined
    const next =
      clouds.nextLink ?? another ?? (from + 2 < all.length ? `${clouds.url}/certificates?api-version=7.4&skip=${from + 2}` : undefined)
    return [
      200,
      JSON.stringify({
        value: all
          .slice(from, from + 2)
          .flatMap(many)
          .map((one) => ({ id: `${clouds.url}/certificates/${one}` })),
        nextLink: next ?? null,
      }),
    ]
  }

  const sized = (length: number, width: number) => {
    const bytes = Buffer.alloc(width)
    bytes.writeUIntBE(length, 0, width)
    return bytes
  }
  const opaque = (bytes: Buffer) => Buffer.concat([sized(bytes.length, 3), bytes])
  /** RFC 6962 3.4 and 4.6. */
  const leafOf = ({ pem, pre }: { pem: string; pre?: string }, index: number): Buffer => {
    const der = derOf(pem)
    // The moment tells two entries of one certificate apart.
    const head = Buffer.concat([Buffer.alloc(2), sized(0, 2), sized(index, 6), sized(pre === undefined ? 0 : 1, 2)])
    const tbs = Buffer.from(readDer(der).children[0]?.encoded ?? [])
    const entry = pre === undefined ? opaque(der) : Buffer.concat([Buffer.alloc(32), opaque(tbs)])
    return Buffer.concat([head, entry, Buffer.alloc(2)])
  }
  let tree: { entries: LittleClouds['log']['entries']; size: number; hashes: Uint8Array[]; root: Buffer } | undefined
  function treeOf() {
    const { entries } = clouds.log
    if (tree?.entries === entries && tree.size === entries.length) return tree
    const hashes = entries.map((entry, index) => leafHash(leafOf(entry, index)))
    const root = Buffer.from(rootOf(hashes.reduce((frontier, hash) => appendLeaf(frontier, hash), EMPTY_FRONTIER)))
    tree = { entries, size: entries.length, hashes, root }
    return tree
  }
  async function log({ pathname, searchParams }: URL): Promise<Answer> {
    const { entries, forged, busy, shown } = clouds.log
    if (pathname === '/ct/v1/get-sth') {
      const { root } = treeOf()
      const [timestamp, size] = [Buffer.alloc(8), Buffer.alloc(8)]
      timestamp.writeBigUInt64BE(1_764_000_000_000n)
      size.writeBigUInt64BE(BigInt(entries.length))
      const key = forged ? other.privateKey : logKey.privateKey
      const signature = sign('sha256', Buffer.concat([Buffer.from([0, 1]), timestamp, size, root]), key)
      const signed = Buffer.concat([Buffer.from([4, 3]), sized(signature.length, 2), signature]).toString('base64')
      return [
        200,
        JSON.stringify({ tree_size: entries.length, timestamp: 1_764_000_000_000, sha256_root_hash: root.toString('base64'), tree_head_signature: signed }), // prettier-ignore
      ]
    }
    if (pathname === '/ct/v1/get-proof-by-hash') {
      const { hashes } = treeOf()
      const [asked, size] = [searchParams.get('hash') ?? '', Number(searchParams.get('tree_size'))]
      const index = hashes.findIndex((hash) => Buffer.from(hash).toString('base64') === asked)
      if (index < 0) return [404, 'not found']
      const path = await inclusionProof(size, index, nodesFromLeaves(hashes))
      return [200, JSON.stringify({ leaf_index: index, audit_path: path.map((hash) => Buffer.from(hash).toString('base64')) })]
    }
    if (busy) return [429, 'later']
    const [start, end] = [Number(searchParams.get('start')), Number(searchParams.get('end'))]
    clouds.log.asked.push(`${start}-${end}`)
    // A log may answer fewer than were asked for.
    const part = entries.slice(start, Math.min(end + 1, start + 100)).map((entry, at) => {
      const other = shown.get(start + at)
      const { pem, pre } = other === undefined ? entry : entry.pre === undefined ? { pem: other } : { pem: entry.pem, pre: other }
      const extra = pre === undefined ? opaque(Buffer.alloc(0)) : Buffer.concat([opaque(derOf(pre)), opaque(Buffer.alloc(0))])
      return {
        leaf_input: leafOf({ pem, ...(pre === undefined ? {} : { pre }) }, start + at).toString('base64'),
        extra_data: extra.toString('base64'),
      }
    })
    return [200, JSON.stringify({ entries: part })]
  }

  const server = createServer({ key: own.key, cert: own.certificate }, (incoming, outgoing) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8')
      const url = new URL(incoming.url ?? '/', clouds.url)
      const isVault = url.pathname.startsWith('/certificates') || url.pathname.endsWith('/token')
      const answer = ([status, said]: Answer) => {
        outgoing.writeHead(status, { 'content-type': 'application/json' })
        outgoing.end(said)
      }
      if (clouds.silent !== undefined) clouds.silent()
      else if (url.pathname.startsWith('/ct/')) void log(url).then(answer)
      else {
        const own = () => answer(isVault ? azure(incoming, url, body) : aws(incoming, body))
        const isList = url.pathname === '/certificates' || body.includes('ListServerCertificates')
        if (clouds.meanwhile !== undefined && isList) void clouds.meanwhile().then(own)
        else own()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  clouds.port = (server.address() as AddressInfo).port
  clouds.url = `https://127.0.0.1:${clouds.port}`
  clouds.close = async () => {
    await new Promise((resolve) => server.close(resolve))
    tools.remove()
  }
  return clouds
}
