// A folder of tokens of SoftHSM2, which is a real PKCS#11 module: what tests on tokens run against.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const candidates = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
]

export type SoftHsm = {
  modulePath: string
  folder: string
  /** Makes a token. */
  token(label: string, pin: string): void
  /** As if its reader were pulled out, and put back. */
  takeAway(): void
  putBack(): void
  /** Puts back what is away, if anything is. */
  restore(): void
  changePin(label: string, before: string, after: string): void
  /** Anything of SoftHSM's own tool. */
  tool(...args: string[]): string
  close(): void
}

/** The modules of this process and its children see these tokens from now on. */
export function openSoftHsm(): SoftHsm {
  const modulePath = candidates.find((path) => existsSync(path))
  if (modulePath === undefined) throw new Error('SoftHSM2 is not installed: apt-get install softhsm2')
  const folder = mkdtempSync(join(tmpdir(), 'chancery-tokens-'))
  const tokens = join(folder, 'tokens')
  mkdirSync(tokens)
  writeFileSync(join(folder, 'softhsm2.conf'), `directories.tokendir = ${tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`)
  process.env['SOFTHSM2_CONF'] = join(folder, 'softhsm2.conf')
  const tool = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('softhsm2-util', args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`softhsm2-util ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const putBack = () => {
    rmSync(tokens, { recursive: true })
    renameSync(join(folder, 'away'), tokens)
  }
  return {
    modulePath,
    folder,
    tool,
    token: (label, pin) => void tool('--init-token', '--free', '--label', label, '--so-pin', '13572468', '--pin', pin),
    changePin(label, before, after) {
      const { status, stderr } = spawnSync(
        'pkcs11-tool',
        ['--module', modulePath, '--token-label', label, '--login', '--pin', before, '--change-pin', '--new-pin', after],
        { encoding: 'utf8' },
      )
      if (status !== 0) throw new Error(`pkcs11-tool: ${stderr}`)
    },
    takeAway() {
      renameSync(tokens, join(folder, 'away'))
      mkdirSync(tokens)
    },
    putBack,
    restore: () => void (existsSync(join(folder, 'away')) && putBack()),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
