// The ACME clients of Debian: how each is told to get, renew and revoke a certificate, and to give up its account. What a client cannot do is not in its row.

import { execFile, spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '#core/testing/until.ts'

export const keyTypes = ['RSA', 'P-256', 'P-384'] as const
export type KeyType = (typeof keyTypes)[number]
export type Proof = 'http-01' | 'dns-01' | 'tls-alpn-01'

/** Where a client works: its own folder, the directory, and the ports and hooks that answer challenges. */
export type Site = {
  folder: string
  directoryUrl: string
  rootFile: string
  /** For clients that are a web server themselves. */
  httpPort: number
  tlsPort: number
  /** A folder that is served as /.well-known/acme-challenge, for those that write files; its directory knows another port. */
  webroot: string
  /** Puts `name value` into the DNS. */
  txtHook: string
  eab: { kid: string; hmacKey: string } | undefined
  /** Where another version of it lies. */
  program?: string
}

export type Client = {
  name: string
  proofs: readonly Proof[]
  keyTypes: readonly KeyType[]
  /** Writes files itself and needs a web server beside it. */
  webroot?: true
  /** Of PyPI, in place of Debian's. */
  certbot?: string
  eab?: true
  obtain(site: Site, ask: { name: string; proof: Proof; key: KeyType }): Promise<string>
  renew?(site: Site, ask: { name: string; proof: Proof; key: KeyType }): Promise<string>
  revoke?(site: Site, ask: { name: string }): Promise<string>
  /** Renews where the directory says that it is time (RFC 9773), and only then. */
  renewIfTold?(site: Site, ask: { name: string }): Promise<string>
  changeKey?(site: Site): Promise<string>
  deactivate?(site: Site): Promise<string>
  /** The file with the chain. */
  chainFile(site: Site, name: string): string
}

/** Runs a client; throws with all that it said where it was not content. */
export function run(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd, env: { ...process.env, ...env }, timeout: 300_000, encoding: 'utf8' }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout + stderr)
      else reject(new Error(`${program} ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error }))
    })
  })
}

export const newFolder = (name: string): string => mkdtempSync(join(tmpdir(), `chancery-${name}-`))

const script = (site: Site, name: string, text: string): string => {
  const file = join(site.folder, name)
  writeFileSync(file, `#!/bin/bash\n${text}\n`, { mode: 0o755 })
  return file
}

/** A version from PyPI, installed beside the tests. */
export async function installCertbot(version: string): Promise<string> {
  const folder = join(import.meta.dirname, `../../node_modules/.cache/protocols/certbot-${version}`)
  if (!existsSync(join(folder, 'bin/certbot')))
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, `certbot==${version}`], { cwd: tmpdir() })
  return folder
}

const certbotRun = (site: Site, ...args: string[]) =>
  run(
    site.program === undefined ? 'certbot' : join(site.program, 'bin/certbot'),
    [...args, '--server', site.directoryUrl, '--config-dir', 'config', '--work-dir', 'work', '--logs-dir', 'logs', '--non-interactive'],
    { cwd: site.folder, env: { REQUESTS_CA_BUNDLE: site.rootFile, ...(site.program === undefined ? {} : { PYTHONPATH: site.program }) } },
  )
const certbotKey: Record<KeyType, string[]> = {
  RSA: ['--key-type', 'rsa', '--rsa-key-size', '2048'],
  'P-256': ['--key-type', 'ecdsa', '--elliptic-curve', 'secp256r1'],
  'P-384': ['--key-type', 'ecdsa', '--elliptic-curve', 'secp384r1'],
}
const certbotEab = ({ eab }: Site): string[] => (eab === undefined ? [] : ['--eab-kid', eab.kid, '--eab-hmac-key', eab.hmacKey])
const certbotObtain: Client['obtain'] = (site, { name, proof, key }) => {
  const common = ['certonly', '--agree-tos', '--register-unsafely-without-email', '-d', name, ...certbotKey[key], ...certbotEab(site)]
  if (proof === 'http-01') return certbotRun(site, ...common, '--standalone', '--http-01-port', String(site.httpPort))
  const hook = script(site, 'auth', `${site.txtHook} "_acme-challenge.$CERTBOT_DOMAIN" "$CERTBOT_VALIDATION"`)
  return certbotRun(site, ...common, '--manual', '--preferred-challenges', 'dns', '--manual-auth-hook', hook)
}

const legoRun = (site: Site, args: string[], command: string[]) =>
  run('lego', ['--accept-tos', '--email', 'admin@example.org', '--server', site.directoryUrl, '--path', 'lego', ...args, ...command], {
    cwd: site.folder,
    env: { LEGO_CA_CERTIFICATES: site.rootFile, EXEC_PATH: join(site.folder, 'exec') },
  })
const legoKey: Record<KeyType, string> = { RSA: 'rsa2048', 'P-256': 'ec256', 'P-384': 'ec384' }
/** It wants them with every command, also where the account is there. */
const legoEab = ({ eab }: Site): string[] => (eab === undefined ? [] : ['--eab', '--kid', eab.kid, '--hmac', eab.hmacKey])
const legoArgs = (site: Site, { name, proof, key }: { name: string; proof: Proof; key: KeyType }): string[] => {
  const common = ['--domains', name, '--key-type', legoKey[key]]
  const eab = legoEab(site)
  if (proof === 'http-01') return [...common, ...eab, '--http', '--http.port', `:${site.httpPort}`]
  if (proof === 'tls-alpn-01') return [...common, ...eab, '--tls', '--tls.port', `:${site.tlsPort}`]
  script(site, 'exec', `[ "$1" = present ] && ${site.txtHook} "\${2%.}" "$3"; exit 0`)
  return [...common, ...eab, '--dns', 'exec', '--dns.disable-cp']
}

const dehydratedAlgorithm: Record<KeyType, string> = { RSA: 'rsa', 'P-256': 'prime256v1', 'P-384': 'secp384r1' }
const dehydratedRun = (site: Site, ...args: string[]) => {
  writeFileSync(
    join(site.folder, 'config'),
    [
      `CA="${site.directoryUrl}"`,
      `BASEDIR="${site.folder}"`,
      `WELLKNOWN="${site.webroot}"`,
      `CURL_OPTS="--cacert ${site.rootFile}"`,
      'KEYSIZE=2048',
      ...(site.eab === undefined ? [] : [`EAB_KID="${site.eab.kid}"`, `EAB_HMAC_KEY="${site.eab.hmacKey}"`]),
    ].join('\n'),
  )
  return run('dehydrated', ['--config', join(site.folder, 'config'), ...args], { cwd: site.folder })
}
const dehydratedObtain =
  (...more: string[]): Client['obtain'] =>
  async (site, { name, proof, key }) => {
    const hook = script(site, 'hook', `if [ "$1" = deploy_challenge ]; then ${site.txtHook} "_acme-challenge.$2" "$4"; fi; exit 0`)
    const dns = proof === 'dns-01' ? ['--hook', hook] : []
    await dehydratedRun(site, '--register', '--accept-terms')
    return dehydratedRun(site, '--cron', '--domain', name, '--challenge', proof, '--algo', dehydratedAlgorithm[key], ...dns, ...more)
  }

/** It reads the system's roots alone: it gets ours in a mount namespace of its own. */
const uacmeRun = (site: Site, ...args: string[]) => {
  const hook = script(
    site,
    'hook',
    [
      '[ "$1" = begin ] || exit 0',
      'case "$2" in',
      `  http-01) [ "$PROOF" = http-01 ] && printf %s "$5" > "${site.webroot}/$4" ;;`,
      `  dns-01) [ "$PROOF" = dns-01 ] && ${site.txtHook} "_acme-challenge.$3" "$5" ;;`,
      '  *) exit 1 ;;',
      'esac',
    ].join('\n'),
  )
  const eab = site.eab === undefined ? [] : ['-e', `${site.eab.kid}:${site.eab.hmacKey}`]
  const inside = 'mount --bind "$0" /etc/ssl/certs/ca-certificates.crt && exec uacme "$@"'
  return (proof: Proof) =>
    run('unshare', ['-m', 'sh', '-c', inside, site.rootFile, '-a', site.directoryUrl, '-c', 'uacme', '-h', hook, '-y', ...eab, ...args], {
      cwd: site.folder,
      env: { PROOF: proof },
    })
}
const uacmeKey: Record<KeyType, string[]> = {
  RSA: ['-t', 'RSA', '-b', '2048'],
  'P-256': ['-t', 'EC', '-b', '256'],
  'P-384': ['-t', 'EC', '-b', '384'],
}

const makeKey: Record<KeyType, string[]> = {
  RSA: ['rsa:2048'],
  'P-256': ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'P-384': ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
}

const caddyKey: Record<KeyType, string> = { RSA: 'rsa2048', 'P-256': 'p256', 'P-384': 'p384' }
const caddyChain = (site: Site, name: string): string => globSync(`caddy/certificates/*/${name}/${name}.crt`, { cwd: site.folder })[0] ?? ''

/** It asks when it starts, and goes on to serve: it is stopped once it has its certificate. */
const caddyObtain: Client['obtain'] = async (site, { name, proof, key }) => {
  const other = proof === 'http-01' ? 'disable_tlsalpn_challenge' : 'disable_http_challenge'
  const eab = site.eab === undefined ? '' : `eab ${site.eab.kid} ${site.eab.hmacKey}`
  writeFileSync(
    join(site.folder, 'Caddyfile'),
    `{
  admin off
  http_port ${site.httpPort}
  https_port ${site.tlsPort}
  storage file_system ${join(site.folder, 'caddy')}
  key_type ${caddyKey[key]}
}
${name} {
  tls {
    issuer acme {
      dir ${site.directoryUrl}
      trusted_roots ${site.rootFile}
      ${eab}
      ${other}
    }
  }
  respond "It works"
}
`,
  )
  const child = spawn('caddy', ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'], {
    cwd: site.folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let printed = ''
  child.stderr.on('data', (part: Buffer) => void (printed += part.toString()))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    const isDone = () => caddyChain(site, name) !== '' || child.exitCode !== null
    await until(`the certificate of Caddy for ${name}`, isDone, { state: () => printed, every: 100 })
  } finally {
    child.kill('SIGTERM')
    await ended
  }
  if (caddyChain(site, name) === '') throw new Error(printed)
  return printed
}

const certbot: Client = {
  name: 'certbot',
  proofs: ['http-01', 'dns-01'],
  keyTypes,
  eab: true,
  obtain: certbotObtain,
  renew: (site, { name }) => certbotRun(site, 'renew', '--force-renewal', '--no-random-sleep-on-renew', '--cert-name', name),
  revoke: (site, { name }) => certbotRun(site, 'revoke', '--cert-name', name, '--no-delete-after-revoke', '--reason', 'superseded'),
  deactivate: (site) => certbotRun(site, 'unregister'),
  chainFile: (site, name) => join(site.folder, 'config/live', name, 'fullchain.pem'),
}

export const clients: readonly Client[] = [
  certbot,
  {
    ...certbot,
    name: 'certbot-5.8.0',
    certbot: '5.8.0',
    renewIfTold: (site, { name }) => certbotRun(site, 'renew', '--no-random-sleep-on-renew', '--cert-name', name),
  },
  {
    name: 'lego',
    proofs: ['http-01', 'dns-01', 'tls-alpn-01'],
    keyTypes,
    eab: true,
    obtain: (site, ask) => legoRun(site, legoArgs(site, ask), ['run']),
    renew: (site, ask) => legoRun(site, legoArgs(site, ask), ['renew', '--days', '10000', '--no-random-sleep']),
    revoke: (site, { name }) => legoRun(site, ['--domains', name, ...legoEab(site)], ['revoke', '--keep']),
    chainFile: (site, name) => join(site.folder, 'lego/certificates', `${name}.crt`),
  },
  {
    name: 'dehydrated',
    proofs: ['http-01', 'dns-01'],
    keyTypes,
    webroot: true,
    eab: true,
    obtain: dehydratedObtain(),
    renew: dehydratedObtain('--force'),
    revoke: (site, { name }) => dehydratedRun(site, '--revoke', join(site.folder, 'certs', name, 'cert.pem')),
    deactivate: (site) => dehydratedRun(site, '--deactivate'),
    chainFile: (site, name) => join(site.folder, 'certs', name, 'fullchain.pem'),
  },
  {
    name: 'uacme',
    proofs: ['http-01', 'dns-01'],
    keyTypes,
    webroot: true,
    eab: true,
    async obtain(site, { name, proof, key }) {
      if (!readdirSync(site.folder).includes('uacme')) await uacmeRun(site, 'new')(proof)
      return uacmeRun(site, ...uacmeKey[key], 'issue', name)(proof)
    },
    renew: (site, { name, proof, key }) => uacmeRun(site, '-f', ...uacmeKey[key], 'issue', name)(proof),
    revoke: (site, { name }) => uacmeRun(site, 'revoke', join(site.folder, 'uacme', name, 'cert.pem'))('http-01'),
    changeKey: (site) => uacmeRun(site, 'newkey')('http-01'),
    deactivate: (site) => uacmeRun(site, 'deactivate')('http-01'),
    chainFile: (site, name) => join(site.folder, 'uacme', name, 'cert.pem'),
  },
  {
    name: 'acme-tiny',
    proofs: ['http-01'],
    keyTypes,
    webroot: true,
    async obtain(site, { name, key }) {
      const openssl = (...args: string[]) => run('openssl', args, { cwd: site.folder })
      if (!readdirSync(site.folder).includes('account.key')) await openssl('genrsa', '-out', 'account.key', '2048')
      await openssl(
        'req',
        '-new',
        '-newkey',
        ...makeKey[key],
        '-nodes',
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.csr`,
        '-subj',
        '/',
        '-addext',
        `subjectAltName=DNS:${name}`,
      )
      const chain = await run(
        'acme-tiny',
        [
          '--quiet',
          '--disable-check',
          '--account-key',
          'account.key',
          '--csr',
          `${name}.csr`,
          '--acme-dir',
          site.webroot,
          '--directory-url',
          site.directoryUrl,
        ],
        { cwd: site.folder, env: { SSL_CERT_FILE: site.rootFile } },
      )
      writeFileSync(join(site.folder, `${name}.pem`), chain)
      return chain
    },
    renew(site, ask) {
      return this.obtain(site, ask)
    },
    chainFile: (site, name) => join(site.folder, `${name}.pem`),
  },
  {
    name: 'caddy',
    proofs: ['http-01', 'tls-alpn-01'],
    keyTypes,
    eab: true,
    obtain: caddyObtain,
    chainFile: (site, name) => join(site.folder, caddyChain(site, name)),
  },
]
