// chancery verify: a certificate against the files of a person, by the same rules as the server's.

import { readFileSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readVerification, type TextField } from '#standards/verify/from-text.ts'
import { PURPOSE_NAMES } from '#standards/verify/purposes.ts'
import { formatReport, reportVerification } from '#standards/verify/report.ts'
import { verifyCertificate } from '#standards/verify/verify.ts'
import type { Terminal } from './terminal.ts'

export const verifyUsage = `Usage: chancery verify --roots FILE [options] CERTIFICATE

Verifies a certificate by RFC 5280 section 6. Files are PEM, DER, hexadecimal, base64 or PKCS#7, several items in each.
An option that names a file may be given several times.

  --roots FILE           the certificates that are trusted
  --intermediates FILE   certificates that a path may lead over; those behind the first in CERTIFICATE count as well
  --crls FILE            revocation lists, full, delta or indirect
  --require-crls         refuse certificates of which no list speaks
  --time TIME            the moment, such as 2026-03-01T09:30:00Z; now unless said
  --purpose PURPOSE      ${PURPOSE_NAMES.join(', ')}
  --name NAME            the host, IP address or e-mail address that it must be for
  --policy OID           a certificate policy, one of which is then required
  --json                 print the report as JSON

Exit code: 0 valid, 1 not valid, 2 something could not be read.
`

const options = {
  roots: { type: 'string', multiple: true },
  intermediates: { type: 'string', multiple: true },
  crls: { type: 'string', multiple: true },
  'require-crls': { type: 'boolean' },
  time: { type: 'string' },
  purpose: { type: 'string' },
  name: { type: 'string' },
  policy: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const

/** The option that gives a field. */
const optionOf: Record<TextField, string> = {
  leaf: 'CERTIFICATE',
  roots: '--roots',
  intermediates: '--intermediates',
  crls: '--crls',
  time: '--time',
  purpose: '--purpose',
  name: '--name',
  policies: '--policy',
}

const largestFile = 64 * 1024 * 1024

class Unusable extends Error {}

export function verify(args: readonly string[], terminal: Terminal): number {
  try {
    const { values, positionals } = argsOf(args)
    const [leaf, ...more] = positionals
    if (leaf === undefined || more.length > 0) throw new Unusable(`Name one certificate to verify.\n${verifyUsage}`)
    const reading = readVerification(
      {
        leaf: [fileOf(leaf)],
        intermediates: (values.intermediates ?? []).map(fileOf),
        roots: (values.roots ?? []).map(fileOf),
        crls: (values.crls ?? []).map(fileOf),
        time: values.time ?? '',
        purpose: values.purpose ?? 'any',
        name: values.name ?? '',
        policies: values.policy ?? [],
        requireRevocationLists: values['require-crls'] ?? false,
      },
      new Date(),
    )
    if ('faults' in reading) throw new Unusable(reading.faults.map(({ field, says }) => `${optionOf[field]}: ${says}`).join('\n'))
    const report = reportVerification(verifyCertificate(reading.input), reading.input)
    terminal.out(values.json === true ? `${JSON.stringify(report, undefined, 2)}\n` : formatReport(report))
    return report.verdict === 'valid' ? 0 : 1
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    terminal.error(`${error.message.trimEnd()}\n`)
    return 2
  }
}

function argsOf(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new Unusable(`${error instanceof Error ? error.message : 'The arguments cannot be read.'}\n${verifyUsage}`)
  }
}

function fileOf(path: string): Uint8Array {
  try {
    // "-" is what is piped in.
    const file = path === '-' ? 0 : path
    if (file !== 0 && statSync(file).size > largestFile) throw new Unusable(`${path} is larger than 64 MiB.`)
    return readFileSync(file)
  } catch (error) {
    if (error instanceof Unusable) throw error
    throw new Unusable(`${path} cannot be read: ${error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'}.`)
  }
}
