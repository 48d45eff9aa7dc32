// PostgreSQL refuses to run as root. Started as root, the database therefore runs under an account without rights, and that
// account must be able to enter every folder above its programs and its data. Under a 0700 folder such as /root it cannot,
// and then programs and data go elsewhere; `reaches` is the question that decides it.
import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseError, systemCode } from './error.ts'

export type Account = { readonly name: string; readonly uid: number; readonly gid: number }

/** The first of these in /etc/passwd is used; `initdb` insists on an entry there. */
const unprivileged = ['postgres', 'nobody']

/** The account to drop to, or undefined when this process is not root and the database runs as the same user. */
export function databaseAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const name of unprivileged) {
    const entry = entries.find((fields) => fields[0] === name)
    const uid = Number(entry?.[2])
    const gid = Number(entry?.[3])
    if (entry && uid > 0 && Number.isInteger(uid) && Number.isInteger(gid)) return { name, uid, gid }
  }
  throw new DatabaseError(
    'not-allowed',
    `PostgreSQL does not run as root, and neither of the accounts ${unprivileged.join(', ')} exists. Start Chancery as an ordinary user.`,
  )
}

/** Whether the account may enter `directory` and every folder above it. A folder that does not exist yet will be made enterable. */
export function reaches(account: Account | undefined, directory: string): boolean {
  if (!account) return true
  for (let folder = directory; ; folder = dirname(folder)) {
    if (!enters(account, folder)) return false
    if (dirname(folder) === folder) return true
  }
}

function enters(account: Account, folder: string): boolean {
  try {
    const { mode, uid, gid } = statSync(folder)
    if (uid === account.uid) return (mode & 0o100) !== 0
    if (gid === account.gid) return (mode & 0o010) !== 0
    return (mode & 0o001) !== 0
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return true
    throw error
  }
}
