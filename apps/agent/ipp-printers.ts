// Printers of this machine's network that somebody chose by name and address. Only these are asked, never what announces itself.

import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { PrinterSource } from '#core/agent-link/printers.ts'
import { decodeIpp, encodeIpp } from '#standards/ipp/ipp.ts'
import { say } from '#standards/say/say.ts'

export type ChosenPrinter = { name: string; address: URL }

const milliseconds = 30_000
const mostBytes = 256 * 1024

/** Reads `Name=ipp://host/ipp/print`. Throws what is wrong with it. */
export function readPrinter(text: string): ChosenPrinter {
  const at = text.indexOf('=')
  const [name, written] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  const schemes: Record<string, string> = { 'ipp:': 'http:', 'ipps:': 'https:', 'http:': 'http:', 'https:': 'https:' }
  const url = URL.parse(written)
  const scheme = url === null ? undefined : schemes[url.protocol]
  if (at < 1 || name === '' || url === null || scheme === undefined)
    throw new Error(say`"${text}" is no printer such as Office=ipp://10.0.0.9/ipp/print`)
  const port = url.port !== '' ? url.port : url.protocol.startsWith('ipp') ? '631' : ''
  return { name, address: new URL(`${scheme}//${url.hostname}${port === '' ? '' : `:${port}`}${url.pathname}${url.search}`) }
}

export const ippPrinters = (chosen: readonly ChosenPrinter[]): PrinterSource => ({
  list: () => chosen.map(({ name }) => ({ name, isCardPrinter: true, isVirtual: false })),
  ask(printer, request) {
    const { address } = chosen.find(({ name }) => name === printer) ?? {}
    if (address === undefined) return Promise.reject(new Error(say`There is no such printer`))
    const addressed = readdressed(request, address)
    const send = address.protocol === 'https:' ? requestHttps : requestHttp
    return new Promise((resolve, reject) => {
      const asking = send(
        address,
        {
          method: 'POST',
          headers: { 'content-type': 'application/ipp', 'content-length': addressed.length },
          signal: AbortSignal.timeout(milliseconds),
        },
        (answer) => {
          const parts: Buffer[] = []
          let length = 0
          answer.on('data', (part: Buffer) => {
            length += part.length
            if (length > mostBytes) answer.destroy(new Error(say`The answer of the printer is too long`))
            else parts.push(part)
          })
          answer.on('error', reject)
          answer.on('end', () =>
            answer.statusCode === 200 ? resolve(Buffer.concat(parts)) : reject(new Error(say`The printer answered ${answer.statusCode}`)),
          )
        },
      )
      asking.on('error', (error) => reject(new Error(say`The printer cannot be reached at ${address.host} (${error.message})`)))
      asking.end(addressed)
    })
  },
})

/** Names the printer in the message as its own server knows it, because CUPS finds the queue by that. The server of ours knows printers by name only. */
function readdressed(request: Uint8Array, address: URL): Buffer {
  const { data, groups, ...message } = decodeIpp(request)
  const uri = `${address.protocol === 'https:' ? 'ipps' : 'ipp'}://${address.host}${address.pathname}`
  const named = groups.map(({ kind, attributes }) => ({
    kind,
    attributes: attributes.map((one) => (one.name === 'printer-uri' ? { ...one, values: [uri] } : one)),
  }))
  return Buffer.concat([encodeIpp({ ...message, groups: named }), data])
}

/** Several sources as one. */
export const joinPrinters = (sources: readonly PrinterSource[]): PrinterSource => {
  const of = (printer: string): PrinterSource => {
    const found = sources.find((source) => source.list().some(({ name }) => name === printer))
    if (found === undefined) throw new Error(say`There is no such printer`)
    return found
  }
  return {
    list: () => sources.flatMap((source) => source.list()),
    ask: async (printer, request) => of(printer).ask(printer, request),
    async move(printer, to) {
      const source = of(printer)
      if (source.move === undefined) throw new Error(say`This printer moves its cards by itself`)
      await source.move(printer, to)
    },
  }
}
