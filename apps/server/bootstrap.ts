// Set-up without a browser: `npm run bootstrap -- --file F.json` passes the same door as the wizard and prints one JSON answer with the
// code secret and an API token. `--reset-admin NAME` lets one who is locked out in again: a new activation link, password and code void.

import { parseArgs } from 'node:util'
import { reopenFor } from '#areas/sessions/recovery.ts'
import { findViewer } from '#areas/sessions/service.ts'
import { setupLink } from '#areas/setup/service.ts'
import { withRememberedAddress } from '#core/server/address-memory.ts'
import { openHouse, type OpenHouse } from '#core/server/open.ts'
import { readSettings } from '#core/server/settings.ts'
import { startDatabase } from '#core/server/start-database.ts'
import { unknownSettings } from '#core/server/unknown-settings.ts'
import { decodeBase32 } from '#standards/base32/base32.ts'
import { totp } from '#standards/totp/totp.ts'
import { readDraft, type SetupDraft } from './draft-file.ts'
import { rooms } from './rooms.ts'

const usage = 'Usage: npm run -s bootstrap -- --file FILE.json | --reset-admin USERNAME'

async function main(): Promise<unknown> {
  const { values } = parseArgs({ options: { file: { type: 'string' }, 'reset-admin': { type: 'string' } } })
  if ((values.file === undefined) === (values['reset-admin'] === undefined)) throw new Error(usage)
  const say = (sentence: string) => console.error(sentence)
  for (const sentence of unknownSettings(process.env)) say(sentence)
  const quiet = { ...process.env, CHANCERY_LOG: process.env['CHANCERY_LOG'] ?? 'error' }
  const settings = readSettings(await withRememberedAddress(quiet, readSettings(quiet).dataDirectory))
  const draft = values.file === undefined ? undefined : readDraft(values.file)
  const database = await startDatabase(settings, say)
  try {
    const opened = await openHouse({
      settings: { ...settings, host: '127.0.0.1', tls: undefined },
      connection: database.connection,
      rooms,
      identify: findViewer,
      port: 0,
      background: false,
      warn: say,
    })
    try {
      return draft === undefined ? await reopenFor(opened.house, values['reset-admin'] ?? '') : await setUp(opened, draft)
    } finally {
      await opened.close()
    }
  } finally {
    await database.stop()
  }
}

async function setUp({ house, doors }: OpenHouse, draft: SetupDraft): Promise<unknown> {
  const link = await setupLink(house)
  if (link === undefined) throw new Error('This installation is set up already. Use --reset-admin USERNAME where somebody is locked out.')
  const cookies = new Map<string, string>()
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`http://127.0.0.1:${doors.port}/api2/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
        'x-xsrf-token': cookies.get('XSRF-TOKEN') ?? '',
      },
      body: JSON.stringify(body),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const answer: unknown = await response.json()
    if (!response.ok) throw new Error(refusalText(answer))
    return Object(answer)
  }
  const made = await post('IDM-v1/Setup', { ...draft, token: new URL(link).searchParams.get('token') })
  await post('Authentication-v1/TOTPAuth', { passcode: totp(decodeBase32(String(made['secret'])), house.now()) })
  const token = await post('Authentication-v1/Token', { name: 'bootstrap', days: 366, password: draft.administrator.password })
  const { qr: _, ...rest } = made
  return { origin: house.settings.origin, ...rest, apiToken: token['token'], apiTokenExpiresAt: token['expiresAt'] }
}

/** What a refused call answered, as a person reads it. */
function refusalText(answer: unknown): string {
  const { says, message, fields } = Object(answer) as { says?: unknown; message?: unknown; fields?: unknown }
  const lines = Array.isArray(fields) ? fields.map((one) => `${String(Object(one)['field'])}: ${String(Object(one)['says'])}`) : []
  return ['Nothing was set up.', ...(lines.length > 0 ? lines : [String(says ?? message ?? JSON.stringify(answer))])].join('\n')
}

main().then(
  (answer) => {
    console.log(JSON.stringify(answer, undefined, 2))
    process.exit(0)
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error))
    process.exit(1)
  },
)
