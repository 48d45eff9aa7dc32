// The files of a group policy from SYSVOL by `smbclient` of Samba, which speaks SMB. It is led to the domain controller over a connection of ours, that every
// address is judged alike; it signs each message, and what it reads stays in memory. A domain may refer it to another server (DFS), to which it would go by itself: so
// whoever runs Chancery says that it may be used (`CHANCERY_SMBCLIENT`).

import { spawn } from 'node:child_process'
import { createServer, type AddressInfo } from 'node:net'
import type { House } from '#core/server/house.ts'
import { readTar } from './read-tar.ts'

const smbPort = 445
/** For the files of one policy. */
export const sysvolMilliseconds = 30_000
const mostBytes = 50 * 1024 * 1024

/** Why the files could not be read, in a sentence for whoever asked. */
export class SysvolError extends Error {
  override name = 'SysvolError'
}

export type Share = { tenantId: string; host: string; account: string; password: string }

export async function readSysvol(house: House, { tenantId, host, account, password }: Share, folder: string) {
  const program = house.settings.smbclient
  if (program === undefined) throw new SysvolError('Whoever runs Chancery has not set CHANCERY_SMBCLIENT, so no files of domains are read')
  if (account.includes('%')) throw new SysvolError('The name of the account has a sign that SMB does not take')
  const socket = await house.outward.connect({ tenantId, use: 'files', host, port: smbPort })
  // One connection alone is led on.
  const door = createServer((near) => {
    door.close()
    near.on('error', () => socket.destroy())
    socket.on('error', () => near.destroy())
    near.pipe(socket).pipe(near)
  })
  try {
    await new Promise<void>((resolve, reject) => door.once('error', reject).listen(0, '127.0.0.1', resolve))
    const { port } = door.address() as AddressInfo
    return readTar(await run(program, port, { account, password }, folder))
  } finally {
    door.close()
    socket.destroy()
  }
}

/** The password goes by a pipe, where no list of processes shows it. */
function run(program: string, port: number, { account, password }: Pick<Share, 'account' | 'password'>, folder: string): Promise<Buffer> {
  const options = ['--configfile=/dev/null', '--client-protection=sign', '--max-protocol=SMB3', '--use-kerberos=off', `--user=${account}`]
  return new Promise((resolve, reject) => {
    const child = spawn(program, [String.raw`\\127.0.0.1\sysvol`, `--port=${port}`, ...options, '-Tc', '-', folder], {
      env: { PASSWD_FD: '3', PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      timeout: sysvolMilliseconds,
      killSignal: 'SIGKILL',
    })
    const parts: Buffer[] = []
    let [length, complaint] = [0, '']
    const secret = child.stdio[3] as NodeJS.WritableStream
    secret.on('error', () => {})
    secret.end(`${password}\n`)
    child.stdout?.on('data', (part: Buffer) => {
      length += part.length
      if (length > mostBytes) child.kill('SIGKILL')
      else parts.push(part)
    })
    child.stderr?.on('data', (part: Buffer) => void (complaint = (complaint + part.toString('latin1')).slice(-2_000)))
    child.on('error', () => reject(new SysvolError('smbclient of Samba is not where CHANCERY_SMBCLIENT says')))
    child.on('close', (code) => {
      if (code === 0 && length <= mostBytes) resolve(Buffer.concat(parts))
      else reject(new SysvolError(length > mostBytes ? 'The files are more than 50 MB' : sayOf(complaint)))
    })
  })
}

function sayOf(complaint: string): string {
  if (/LOGON_FAILURE|ACCOUNT_/.test(complaint)) return 'SYSVOL refused the account or its password'
  if (/ACCESS_DENIED/.test(complaint)) return 'The account may not read the files'
  if (/NOT_FOUND|BAD_NETWORK_NAME/.test(complaint)) return 'The files are not there'
  return 'The files could not be read'
}
