// The yardstick: what OpenSSL's own command does on this machine, each measured in the same run as what it is compared to.

import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** P-256 signatures and verifications per second of one core's time, whoever else uses the machine. */
export async function speedOfP256(seconds = 2): Promise<{ signs: number; verifies: number }> {
  const { stdout } = await run('openssl', ['speed', '-mr', '-seconds', String(seconds), 'ecdsap256'])
  // +F4:<which>:<bits>:<signatures per second>:<verifications per second>, by user time.
  const [, , , sign, verify] =
    stdout
      .split('\n')
      .find((line) => line.startsWith('+F4:'))
      ?.split(':') ?? []
  if (sign === undefined || verify === undefined) throw new Error(`openssl speed printed no figures:\n${stdout}`)
  return { signs: Number(sign), verifies: Number(verify) }
}

/** What a request must cost at least: one verification and one signature, per second of one core. */
export const leastWork = ({ signs, verifies }: { signs: number; verifies: number }): number => 1 / (1 / signs + 1 / verifies)

const configuration = `[ca]
default_ca = authority
[authority]
database = index.txt
new_certs_dir = issued
certificate = ca.pem
private_key = ca.key
default_md = sha256
default_days = 30
policy = names
rand_serial = yes
unique_subject = no
copy_extensions = copy
[names]
commonName = supplied
`

/** Certificates per second of `openssl ca -batch` over these requests (PEM), all in one process: no process to start for each. */
export function rateOfOpensslCa(requests: readonly string[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-openssl-ca-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe', maxBuffer: 64 * 1024 * 1024 })
  try {
    mkdirSync(join(folder, 'issued'))
    writeFileSync(join(folder, 'index.txt'), '')
    writeFileSync(join(folder, 'ca.cnf'), configuration)
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'ca.key')
    openssl('req', '-x509', '-new', '-key', 'ca.key', '-subj', '/CN=Peer', '-days', '60', '-out', 'ca.pem')
    const files = requests.map((request, at) => {
      writeFileSync(join(folder, `${at}.pem`), request)
      return `${at}.pem`
    })
    const began = performance.now()
    openssl('ca', '-batch', '-notext', '-config', 'ca.cnf', '-infiles', ...files)
    const seconds = (performance.now() - began) / 1000
    const issued = readFileSync(join(folder, 'index.txt'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('V')).length
    if (issued !== requests.length) throw new Error(`openssl ca issued ${issued} of ${requests.length}`)
    return issued / seconds
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
