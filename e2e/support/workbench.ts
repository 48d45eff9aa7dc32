// A folder with the tools that people check certificates with: OpenSSL, GnuTLS, NSS, curl.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Tool = 'openssl' | 'certtool' | 'ocsptool' | 'certutil' | 'crlutil' | 'pk12util' | 'curl'
export type Opinion = { ok: boolean; text: string }

export type Workbench = {
  write(name: string, content: string | Uint8Array): string
  read(name: string): Buffer
  /** A new empty folder in it. */
  folder(name: string): string
  /** What the tool says, and whether it was content. */
  ask(tool: Tool, ...args: readonly string[]): Opinion
  /** Throws where the tool is not content. */
  run(tool: Tool, ...args: readonly string[]): string
  clear(): void
}

export function openWorkbench(): Workbench {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-workbench-'))
  const ask = (tool: Tool, ...args: readonly string[]): Opinion => {
    const { status, stdout, stderr, error } = spawnSync(tool, args, { cwd: folder, encoding: 'utf8', input: '', timeout: 30_000 })
    if (error !== undefined) throw error
    return { ok: status === 0, text: stdout + stderr }
  }
  return {
    ask,
    write(name, content) {
      writeFileSync(join(folder, name), content)
      return name
    },
    folder: (name) => mkdtempSync(join(folder, name)),
    read: (name) => readFileSync(join(folder, name)),
    run(tool, ...args) {
      const { ok, text } = ask(tool, ...args)
      if (!ok) throw new Error(`${tool} ${args.join(' ')}:\n${text}`)
      return text
    },
    clear: () => rmSync(folder, { recursive: true, force: true }),
  }
}
