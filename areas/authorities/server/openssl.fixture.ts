// OpenSSL and GnuTLS as second opinions: each gets files in a folder of its own and says what it thinks.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type SecondOpinion = {
  folder: string
  write(name: string, content: string | Uint8Array): string
  run(program: 'openssl' | 'certtool', ...args: string[]): string
  /** What it says and whether it was content. */
  ask(program: 'openssl' | 'certtool', args: readonly string[], input?: string): { ok: boolean; text: string }
  close(): void
}

export function secondOpinion(): SecondOpinion {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-openssl-'))
  return {
    folder,
    write(name, content) {
      const path = join(folder, name)
      writeFileSync(path, content)
      return path
    },
    run: (program, ...args) => execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
    ask(program, args, input = '') {
      const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', input })
      return { ok: status === 0, text: stdout + stderr }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
