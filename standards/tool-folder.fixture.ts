// For tests: a folder with the programs that people make and check certificates with. They read and write its files, and say what they think.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Tool = 'openssl' | 'certtool' | 'ocsptool' | 'certutil' | 'crlutil' | 'pk12util' | 'curl'
export type Opinion = { ok: boolean; text: string }

export type ToolFolder = {
  folder: string
  path(name: string): string
  /** Returns where it is. */
  write(name: string, content: string | Uint8Array): string
  read(name: string): Buffer
  /** A new empty folder in it. */
  subfolder(name: string): string
  /** What the tool prints; throws with its complaint where it is not content. */
  run(tool: Tool, ...args: readonly string[]): string
  /** The same as bytes. */
  runForBytes(tool: Tool, ...args: readonly string[]): Buffer
  /** What the tool says on both channels, and whether it was content. */
  ask(tool: Tool, ...args: readonly string[]): Opinion
  remove(): void
}

export function openToolFolder(): ToolFolder {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-tools-'))
  const path = (name: string): string => join(folder, name)
  const runForBytes = (tool: Tool, ...args: readonly string[]): Buffer =>
    execFileSync(tool, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  return {
    folder,
    path,
    write(name, content) {
      writeFileSync(path(name), content)
      return path(name)
    },
    read: (name) => readFileSync(path(name)),
    subfolder: (name) => mkdtempSync(path(name)),
    runForBytes,
    run: (...words) => runForBytes(...words).toString(),
    ask(tool, ...args) {
      const { status, stdout, stderr, error } = spawnSync(tool, args, { cwd: folder, encoding: 'utf8', input: '', timeout: 120_000 })
      if (error !== undefined) throw error
      return { ok: status === 0, text: stdout + stderr }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
