// The second engine of the tests: Debian's own PostgreSQL, in a throw-away cluster on a unix socket, started without a service manager.
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const versions = '/usr/lib/postgresql'

/** The newest installed PostgreSQL's programs; undefined where there is none. */
export function findPostgres() {
  const found = existsSync(versions)
    ? readdirSync(versions).filter((name) => /^\d+$/.test(name) && existsSync(join(versions, name, 'bin/initdb')))
    : []
  const newest = found.sort((a, b) => Number(b) - Number(a))[0]
  return newest === undefined ? undefined : { major: newest, bin: join(versions, newest, 'bin') }
}

/** Runs `work` with the address of a fresh cluster, which is gone afterwards. */
export async function withPostgres({ bin }, work) {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-pg-'))
  // PostgreSQL refuses to run as root; Debian's package brings the user for it.
  const isRoot = process.getuid?.() === 0
  const account = isRoot ? { uid: Number(execFileSync('id', ['-u', 'postgres'])), gid: Number(execFileSync('id', ['-g', 'postgres'])) } : {}
  if (isRoot) chownSync(folder, account.uid, account.gid)
  const cluster = join(folder, 'cluster')
  const run = (program, args) => execFileSync(join(bin, program), args, { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    run('initdb', ['-D', cluster, '-U', 'chancery', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'])
    run('pg_ctl', [
      '-D',
      cluster,
      '-w',
      '-o',
      `-k ${folder} -c listen_addresses='' -c fsync=off -c synchronous_commit=off -c max_connections=200`,
      '-l',
      join(folder, 'log'),
      'start',
    ])
    try {
      return await work(`postgres://chancery@${encodeURIComponent(folder)}/postgres`)
    } finally {
      run('pg_ctl', ['-D', cluster, '-m', 'immediate', 'stop'])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
