// The security client: `npm run agent -- --server https://pki.example.org [--virtual] [--port 8500] [--data FOLDER]`.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { clientPorts } from '#core/contract/client-ports.ts'
import { portSentence, startWithReaders } from './built-in.ts'
import { readPrinter } from './ipp-printers.ts'

const usage = `The security client connects card readers of this machine to a Chancery server.

  npm run agent -- --server https://pki.example.org   the address of the console, as browsers show it
                   --virtual                          two readers of software with a card in each, besides
                   --printer NAME=ADDRESS             a card printer, such as Office=ipp://10.0.0.9/ipp/print; may be repeated
                   --port 8500                        of its page; without it the first of ${clientPorts.join(', ')} that is free, where the console looks for it
                   --data FOLDER                      what it keeps`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      server: { type: 'string', default: 'http://localhost:8080' },
      virtual: { type: 'boolean', default: false },
      printer: { type: 'string', multiple: true, default: [] },
      port: { type: 'string' },
      data: { type: 'string', default: join(homedir(), '.chancery-agent') },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  if (!URL.canParse(values.server)) throw new Error(`"${values.server}" is no address such as https://pki.example.org`)
  const port = values.port === undefined ? undefined : Number(values.port)
  if (port !== undefined && (!Number.isInteger(port) || port < 1 || port > 65_535)) throw new Error(`"${values.port}" is no port`)
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }
  const { origin } = new URL(values.server)
  const agent = await startWithReaders({
    version,
    origin,
    folder: values.data,
    port,
    virtual: values.virtual,
    pcsc: true,
    printers: values.printer.map(readPrinter),
    say: (sentence) => console.log(sentence),
  })
  console.log(`The security client for ${origin} runs. Its page: http://127.0.0.1:${agent.port}/${portSentence(agent.port)}`)
  let closing: Promise<void> | undefined
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void (closing ??= agent.close().then(() => process.exit(0))))
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
})
