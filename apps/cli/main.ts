// The command `chancery`: one table of commands, each a function from its arguments to an exit code. It needs no server and no
// database; what a command reads are the files that it is given.

import { stdout, stderr } from 'node:process'
import type { Terminal } from './terminal.ts'
import { tpm, tpmUsage } from './tpm.ts'
import { verify, verifyUsage } from './verify.ts'

type Command = { about: string; usage: string; run(args: readonly string[], terminal: Terminal): number | Promise<number> }

const commands: Readonly<Record<string, Command>> = {
  verify: { about: 'Verify a certificate against roots, intermediates and revocation lists', usage: verifyUsage, run: verify },
  tpm: { about: 'Have a key of the TPM of this machine certified', usage: tpmUsage, run: tpm },
}

/** 0 is success, 1 a verdict of no, 2 arguments or files that could not be used. */
export async function runCommand([name = '', ...args]: readonly string[], terminal: Terminal): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    const asked = ['', 'help', '--help', '-h'].includes(name)
    const listed = Object.entries(commands).map(([each, { about }]) => `  ${each.padEnd(10)} ${about}`)
    const text = ['Usage: chancery COMMAND [arguments]', '', ...listed, '', 'chancery COMMAND --help says more.', ''].join('\n')
    if (asked) terminal.out(text)
    else terminal.error(`"${name}" is no command.\n${text}`)
    return asked && name !== '' ? 0 : 2
  }
  if (args.includes('--help') || args.includes('-h')) {
    terminal.out(command.usage)
    return 0
  }
  return command.run(args, terminal)
}

if (import.meta.main)
  process.exitCode = await runCommand(process.argv.slice(2), {
    out: (text) => void stdout.write(text),
    error: (text) => void stderr.write(text),
  })
