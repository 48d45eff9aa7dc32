// The group policies of a real domain (Samba as its controller): versions and links by LDAP, settings by SMB.

import { Attribute, Change, Client } from 'ldapts'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { directories } from '#areas/directories/contract.ts'
import { defaultFilter, defaultMapping } from '#areas/directories/mapping.ts'
import { groupPolicy } from '#areas/groupPolicy/contract.ts'
import { refusal } from '#core/testing/caller.ts'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { writeRegistryPol } from '#standards/group-policy/registry-pol.fixture.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'

/** A loopback address of its own, since a domain controller has fixed ports. */
const host = '127.0.0.77'
const password = 'A-long-1-of-the-domain'
const readerPassword = 'Reads-2-everything'
const root = 'DC=corp,DC=example'
const guid = '31b2f340-016d-11d2-945f-00c04fb984f9'
const { domains, refresh, search, view } = groupPolicy.calls

const folder = openToolFolder()
let controller: ChildProcess
let house: TestHouse
let ada: TestPerson
let directoryId: string
let files: string

beforeAll(async () => {
  const place = folder.subfolder('dc')
  const options = [`--option=interfaces=${host}/8`, '--option=bind interfaces only=yes']
  // prettier-ignore
  execFileSync('samba-tool', ['domain', 'provision', '--realm=CORP.EXAMPLE', '--domain=CORP', `--adminpass=${password}`, '--server-role=dc', '--dns-backend=SAMBA_INTERNAL', `--targetdir=${place}`, '--host-name=dc1', `--host-ip=${host}`, ...options, '--option=vfs objects=', `--option=log file=${place}/log.%m`], { stdio: 'pipe' })
  const configuration = `${place}/etc/smb.conf`
  execFileSync('samba-tool', ['user', 'create', 'reader', readerPassword, `--configfile=${configuration}`], { stdio: 'pipe' })
  const [key, certificate] = [folder.path('key.pem'), folder.path('certificate.pem')]
  // prettier-ignore
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=dc1', '-addext', `subjectAltName=IP:${host}`, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  files = `${place}/state/sysvol/corp.example/Policies/{${guid.toUpperCase()}}`
  writePolicy(1)
  // The controller reads as the user of the domain, whom the system of this machine does not know.
  execFileSync('chmod', ['a+x', folder.folder, place, `${place}/state`])
  execFileSync('chmod', ['-R', 'a+rX', `${place}/state/sysvol`])
  const tls = [`--option=tls keyfile=${key}`, `--option=tls certfile=${certificate}`, '--option=tls cafile=']
  const services = '--option=server services=s3fs,ldap,winbindd,rpc,cldap'
  controller = spawn('samba', ['-i', '-s', configuration, services, ...tls], { stdio: 'ignore', detached: true })
  await Promise.all([listens(636), listens(445)])
  house = await openTestHouse({ settings: { CHANCERY_OUTWARD_ALLOW: host, CHANCERY_SMBCLIENT: '/usr/bin/smbclient' } })
  const acme = await house.tenancy('Acme')
  ada = acme.administrator
  ;({ id: directoryId } = await ada.call(directories.calls.add, {
    name: 'Corp',
    kind: 'activeDirectory',
    host,
    port: 636,
    security: 'ldaps',
    roots: readFileSync(certificate, 'utf8'),
    bindDn: `CN=reader,CN=Users,${root}`,
    password: readerPassword,
    baseDn: root,
    filter: defaultFilter.activeDirectory,
    mapping: defaultMapping.activeDirectory,
  }))
}, 120_000)

afterAll(async () => {
  if (controller?.pid !== undefined) process.kill(-controller.pid, 'SIGTERM')
  await house?.close()
  folder.remove()
})

function writePolicy(autoEnrolment: number): void {
  const key = 'Software\\Policies\\Microsoft\\Cryptography\\AutoEnrollment'
  mkdirSync(`${files}/MACHINE`, { recursive: true })
  writeFileSync(`${files}/MACHINE/Registry.pol`, writeRegistryPol([{ key, name: 'AEPolicy', number: autoEnrolment }]))
}

/** Tries until the port answers; a controller that never does ends the time of the file. */
const listens = (port: number): Promise<void> =>
  new Promise((resolve) => {
    const knock = () =>
      connect(port, host)
        .once('connect', function (this: { destroy(): void }) {
          this.destroy()
          resolve()
        })
        .once('error', () => setTimeout(knock, 100))
    knock()
  })

async function administer(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ url: `ldaps://${host}`, tlsOptions: { rejectUnauthorized: false } })
  try {
    await client.bind('Administrator@corp.example', password)
    await work(client)
  } finally {
    await client.unbind()
  }
}

test('Every policy of the domain is read with its links, and what says the same is not kept twice', async () => {
  expect(await ada.call(domains, {})).toEqual({ domains: [{ id: directoryId, name: 'Corp' }] })
  const session = await ada.session()
  expect(await session.call(refresh, { directoryId })).toEqual({ read: 2, unchanged: 0, skipped: [] })
  const [row] = (await ada.call(search, { text: guid })).rows
  const first = await ada.call(view, { id: row?.id ?? '' })
  expect(first).toMatchObject({
    name: 'Default Domain Policy',
    autoEnrolment: [{ side: 'computer', verdict: 'partial' }],
    domain: { name: 'corp.example', state: 'enabled', links: [{ path: root, order: 1, enabled: true, enforced: false }] },
  })
  expect(await session.call(refresh, { directoryId })).toEqual({ read: 0, unchanged: 2, skipped: [] })
  writePolicy(7)
  house.clock.advance(1_000)
  expect(await session.call(refresh, { directoryId })).toMatchObject({ read: 1, unchanged: 1 })
  const second = await ada.call(view, { id: first.id })
  expect(second.autoEnrolment).toEqual([{ side: 'computer', verdict: 'full' }])
  expect(second.changes).toMatchObject([{ name: 'AEPolicy', before: '1', after: '7' }])
})

test('Files that stand on another server are not fetched, and a file that is cut keeps no other policy from being read', async () => {
  writeFileSync(`${files}/MACHINE/Registry.pol`, Buffer.from('PReg\u0001\0\0\0[', 'latin1'))
  const other = '6ac1786c-016f-11d2-945f-00c04fb984f9'
  const name = `CN={${other.toUpperCase()}},CN=Policies,CN=System,${root}`
  const values = [`\\\\evil.example\\sysvol\\corp.example\\Policies\\{${other}}`]
  await administer((client) =>
    client.modify(name, new Change({ operation: 'replace', modification: new Attribute({ type: 'gPCFileSysPath', values }) })),
  )
  const { skipped, read } = await (await ada.session()).call(refresh, { directoryId })
  expect(read).toBe(0)
  expect(skipped).toContainEqual({
    name: 'Default Domain Controllers Policy',
    reason: 'Its files stand on another server than those of the domain',
  })
  expect(skipped.find((one) => one.name === 'Default Domain Policy')?.reason).toMatch(/byte/)
})

test('Somebody of another tenancy reads nothing by it', async () => {
  const globex = await house.tenancy('Globex')
  const session = await globex.administrator.session()
  expect(await refusal(session.call(refresh, { directoryId }))).toMatchObject({ status: 404 })
  expect(await globex.administrator.call(domains, {})).toEqual({ domains: [] })
})
