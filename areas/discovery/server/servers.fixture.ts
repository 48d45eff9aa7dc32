// Real TLS servers at many addresses of loopback: one listener, which shows each address a certificate of its own.

import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { createSecureContext, TLSSocket, type SecureContext } from 'node:tls'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'

export type LittleServers = {
  port: number
  /** Addresses and names that were connected to, in their order. */
  seen: string[]
  /** Serves at an address what is valid for so many days under a name, signed by the fixture's own authority, by another one of a name (`/CN=…`), or by itself. */
  serve(address: string, options: { name: string; days: number; selfSigned?: boolean; issuer?: string }): string
  /** Serves another certificate, PEM, for the same key. */
  replace(address: string, pem: string): void
  /** A request for a certificate, PEM, by the key that is served at an address. */
  request(address: string): string
  /** Answers nothing at an address, and keeps the connection open. */
  hang(address: string): void
  /** All that hang are as if nobody listened there. */
  unhang(): void
  /** How many connections are open. */
  open(): number
  close(): Promise<void>
}

type Place = { context: SecureContext; keyFile: string; name: string }

export async function openServers(): Promise<LittleServers> {
  const tools = openToolFolder()
  const at = (name: string) => join(tools.folder, name)
  const ca = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  tools.run('openssl', 'req', '-x509', ...ca, '-keyout', at('ca.key'), '-out', at('ca.pem'), '-days', '3650', '-subj', '/CN=Somebody else')
  const authorityOf = (issuer: string) => {
    const [key, pem] = [at('another.key'), at('another.pem')]
    tools.run('openssl', 'req', '-x509', ...ca, '-keyout', key, '-out', pem, '-days', '3650', '-subj', issuer)
    return ['-CA', pem, '-CAkey', key]
  }
  const places = new Map<string, Place>()
  const hanging = new Set<string>()
  const sockets = new Set<Socket>()
  const seen: string[] = []
  const server = createServer((socket) => {
    const address = (socket.localAddress ?? '').replace('::ffff:', '')
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    seen.push(address)
    // It reads and says nothing, so that it sees when the other side closes.
    if (hanging.has(address)) return void socket.resume()
    const place = places.get(address)
    if (place === undefined) return socket.destroy()
    const secured = new TLSSocket(socket, { isServer: true, secureContext: place.context })
    secured.on('error', () => socket.destroy())
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    serve(address, { name, days, selfSigned = false, issuer }) {
      const [keyFile, csr, leaf] = [at(`${address}.key`), at(`${address}.csr`), at(`${address}.pem`)]
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      writeFileSync(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }))
      const about = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
      const authority = issuer === undefined ? ['-CA', at('ca.pem'), '-CAkey', at('ca.key')] : authorityOf(issuer)
      const signed = selfSigned ? [] : authority
      const span = ['-days', String(days)]
      if (days >= 0) tools.run('openssl', 'req', '-x509', '-new', '-key', keyFile, ...about, ...signed, ...span, '-out', leaf)
      else {
        // OpenSSL 3.0 dates a certificate in the past only by its own small authority.
        tools.run('openssl', 'req', '-new', '-key', keyFile, ...about, '-out', csr)
        writeFileSync(at('index.txt'), '')
        writeFileSync(at('ca.cnf'), `[ca]\ndefault_ca=d\n[d]\ndatabase=${at('index.txt')}\nnew_certs_dir=${tools.folder}\nrand_serial=yes\ndefault_md=sha256\npolicy=p\ncopy_extensions=copy\n[p]\ncommonName=supplied\n`) // prettier-ignore
        tools.run('openssl', 'ca', '-batch', '-config', at('ca.cnf'), '-cert', at('ca.pem'), '-keyfile', at('ca.key'), '-in', csr, '-out', leaf, '-startdate', '20200101000000Z', '-enddate', '20210101000000Z', '-notext') // prettier-ignore
      }
      const cert = readFileSync(leaf, 'utf8')
      places.set(address, { context: createSecureContext({ key: readFileSync(keyFile), cert }), keyFile, name })
      return createHash('sha256').update(new X509Certificate(cert).raw).digest('hex')
    },
    replace(address, pem) {
      const place = places.get(address)
      if (place !== undefined)
        places.set(address, { ...place, context: createSecureContext({ key: readFileSync(place.keyFile), cert: pem }) })
    },
    request(address) {
      const { keyFile = '', name = '' } = places.get(address) ?? {}
      tools.run('openssl', 'req', '-new', '-key', keyFile, '-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`, '-out', at(`${address}.csr`)) // prettier-ignore
      return readFileSync(at(`${address}.csr`), 'utf8')
    },
    hang: (address) => void hanging.add(address),
    unhang: () => hanging.clear(),
    open: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      tools.remove()
    },
  }
}
