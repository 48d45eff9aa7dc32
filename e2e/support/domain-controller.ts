// A domain controller of Windows as Samba plays it, on a loopback address of its own: its ports are fixed, so one runs at a time.

import { Client } from 'ldapts'
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { until } from '#core/testing/until.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'

export const host = '127.0.0.77'
export const root = 'DC=corp,DC=example'
const password = 'A-long-1-of-the-domain'
export const administrator = { dn: `CN=Administrator,CN=Users,${root}`, password }
export const reader = { dn: `CN=reader,CN=Users,${root}`, password: 'Reads-2-everything' }

/** Where the policies of the domain lie as files. */
export const policiesIn = (place: string): string => `${place}/state/sysvol/corp.example/Policies`

export type Domain = {
  certificate: string
  /** Works with the account of the administrator. */
  administer<T>(work: (client: Client) => Promise<T>): Promise<T>
  stop(): void
}

/** `services` beside LDAP. `prepare` hears the folder of the domain before the controller runs. */
export async function openDomain({
  services,
  ports,
  prepare,
}: {
  services: string
  ports: number[]
  prepare?: (place: string) => void
}): Promise<Domain> {
  const folder = openToolFolder()
  const place = folder.subfolder('dc')
  const options = [`--option=interfaces=${host}/8`, '--option=bind interfaces only=yes']
  // prettier-ignore
  execFileSync('samba-tool', ['domain', 'provision', '--realm=CORP.EXAMPLE', '--domain=CORP', `--adminpass=${password}`, '--server-role=dc', '--dns-backend=SAMBA_INTERNAL', `--targetdir=${place}`, '--host-name=dc1', `--host-ip=${host}`, ...options, '--option=vfs objects=', `--option=log file=${place}/log.%m`], { stdio: 'pipe' })
  const configuration = `${place}/etc/smb.conf`
  execFileSync('samba-tool', ['user', 'create', 'reader', reader.password, `--configfile=${configuration}`], { stdio: 'pipe' })
  const [key, certificate] = [folder.path('key.pem'), folder.path('certificate.pem')]
  // prettier-ignore
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=dc1', '-addext', `subjectAltName=IP:${host}`, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  prepare?.(place)
  // The controller reads as the user of the domain, whom the system of this machine does not know.
  execFileSync('chmod', ['a+x', folder.folder, place, `${place}/state`])
  execFileSync('chmod', ['-R', 'a+rX', `${place}/state/sysvol`])
  const tls = [`--option=tls keyfile=${key}`, `--option=tls certfile=${certificate}`, '--option=tls cafile=']
  const controller = spawn('samba', ['-i', '-s', configuration, `--option=server services=${services}`, ...tls], {
    stdio: 'ignore',
    detached: true,
  })
  await Promise.all(ports.map(listens))
  return {
    certificate: readFileSync(certificate, 'utf8'),
    async administer(work) {
      const client = new Client({ url: `ldaps://${host}`, tlsOptions: { rejectUnauthorized: false } })
      try {
        await client.bind('Administrator@corp.example', password)
        return await work(client)
      } finally {
        await client.unbind()
      }
    },
    stop() {
      if (controller.pid !== undefined) process.kill(-controller.pid, 'SIGTERM')
      folder.remove()
    },
  }
}

const listens = (port: number): Promise<true> => {
  const knock = () =>
    new Promise<boolean>((resolve) =>
      connect(port, host)
        .once('connect', function (this: { destroy(): void }) {
          this.destroy()
          resolve(true)
        })
        .once('error', () => resolve(false)),
    )
  return until(`the domain controller at port ${port}`, knock, { every: 100 })
}
