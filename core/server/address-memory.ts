// Where the server was last reached, kept in the data folder: a command at the terminal that is given no address prints links to the server that
// runs, and not to where one would be by default.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Settings } from './settings.ts'

const Address = z.object({ origin: z.url({ protocol: /^https?$/ }), pkiUrl: z.url({ protocol: /^http$/ }) })

const fileOf = (dataDirectory: string) => join(dataDirectory, 'address.json')

/** A failure is only a comfort lost. */
export async function rememberAddress({
  dataDirectory,
  origin,
  pkiUrl,
}: Pick<Settings, 'dataDirectory' | 'origin' | 'pkiUrl'>): Promise<void> {
  await mkdir(dataDirectory, { recursive: true })
    .then(() => writeFile(fileOf(dataDirectory), `${JSON.stringify({ origin, pkiUrl })}\n`))
    .catch(() => {})
}

type Environment = Record<string, string | undefined>
const given = (environment: Environment, name: string) => (environment[name]?.trim() ?? '') !== ''

/** The environment with the remembered addresses in place of those that it does not give. */
export async function withRememberedAddress(environment: Environment, dataDirectory: string): Promise<Environment> {
  const read = Address.safeParse(
    await readFile(fileOf(dataDirectory), 'utf8')
      .then((text): unknown => JSON.parse(text))
      .catch(() => undefined),
  )
  if (!read.success || ['CHANCERY_ORIGIN', 'CHANCERY_PORT', 'CHANCERY_TLS_CERT'].some((name) => given(environment, name)))
    return environment
  return {
    ...environment,
    CHANCERY_ORIGIN: read.data.origin,
    ...(given(environment, 'CHANCERY_PKI_URL') ? {} : { CHANCERY_PKI_URL: read.data.pkiUrl }),
  }
}
