// A real OpenLDAP server for a test: its own folder, its own certificate, on loopback.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#core/testing/free-port.ts'
import { until } from '#core/testing/until.ts'

export const base = 'dc=example,dc=org'
export const reader = `cn=reader,${base}`
export const readerPassword = 'reads everything'
export const writer = `cn=writer,${base}`
export const writerPassword = 'writes everything'

export type LittleDirectory = {
  /** For StartTLS, and encrypted from the beginning. */
  port: number
  securePort: number
  /** The certificate of the server, PEM. */
  certificate: string
  /** LDIF, as ldapmodify takes it: entries are added, changed and deleted. */
  modify(ldif: string): void
  stop(): Promise<void>
}

export const person = (uid: string, more = ''): string =>
  `dn: uid=${uid},ou=people,${base}\nchangetype: add\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\ngivenName: Given ${uid}\nsn: Family ${uid}\nmail: ${uid}@example.org\n${more}\n`

export async function openDirectory(): Promise<LittleDirectory> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-slapd-'))
  const file = (name: string) => join(folder, name)
  mkdirSync(file('data'))
  execFileSync(
    'openssl',
    // prettier-ignore
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost', '-keyout', file('key.pem'), '-out', file('certificate.pem')],
    { stdio: 'ignore' },
  )
  writeFileSync(
    file('slapd.conf'),
    `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload ppolicy
pidfile ${file('slapd.pid')}
TLSCertificateFile ${file('certificate.pem')}
TLSCertificateKeyFile ${file('key.pem')}
sizelimit size.soft=500 size.hard=500 size.prtotal=unlimited
security simple_bind=56
database mdb
maxsize 1073741824
dbnosync
suffix "${base}"
rootdn "cn=admin,${base}"
rootpw secret
directory ${file('data')}
index objectClass,uid,entryUUID eq
access to * by dn.exact="${writer}" write by dn.exact="${reader}" read by anonymous auth
overlay ppolicy
`,
  )
  const [port, securePort] = [await freePort(), await freePort()]
  const server = spawn(
    '/usr/sbin/slapd',
    ['-d', '0', '-f', file('slapd.conf'), '-h', `ldap://127.0.0.1:${port} ldaps://127.0.0.1:${securePort}`],
    {
      stdio: 'ignore',
    },
  )
  await reachable(server, port)
  const modify = (ldif: string): void =>
    void execFileSync('ldapmodify', ['-x', '-H', `ldaps://127.0.0.1:${securePort}`, '-D', `cn=admin,${base}`, '-w', 'secret'], {
      input: ldif,
      env: { ...process.env, LDAPTLS_CACERT: file('certificate.pem') },
      stdio: ['pipe', 'ignore', 'pipe'],
    })
  modify(`dn: ${base}
changetype: add
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ou=people,${base}
changetype: add
objectClass: organizationalUnit
ou: people

dn: ${reader}
changetype: add
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: ${readerPassword}

dn: ${writer}
changetype: add
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: writer
userPassword: ${writerPassword}
`)
  return {
    port,
    securePort,
    certificate: readFileSync(file('certificate.pem'), 'utf8'),
    modify,
    async stop() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      if (server.exitCode === null && server.kill()) await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until the port answers; fails where the server ended instead. */
async function reachable(server: ChildProcess, port: number): Promise<void> {
  let gone: Error | undefined
  server.once('error', (error) => (gone = error))
  server.once('exit', (code) => (gone ??= new Error(`slapd ended with ${code}; is the package slapd installed?`)))
  await until(`slapd at port ${port}`, () => {
    if (gone !== undefined) throw gone
    return new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        resolve(true)
      })
      socket.once('error', () => resolve(false))
    })
  })
}
