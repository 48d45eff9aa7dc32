// A folder with the tools that people check certificates with: OpenSSL, GnuTLS, NSS, curl.

import { openToolFolder, type Opinion, type Tool } from '#standards/tool-folder.fixture.ts'

export type { Opinion } from '#standards/tool-folder.fixture.ts'

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
  const tools = openToolFolder()
  return {
    ask: tools.ask,
    write(name, content) {
      tools.write(name, content)
      return name
    },
    folder: tools.subfolder,
    read: tools.read,
    run(tool, ...args) {
      const { ok, text } = tools.ask(tool, ...args)
      if (!ok) throw new Error(`${tool} ${args.join(' ')}:\n${text}`)
      return text
    },
    clear: tools.remove,
  }
}
