// `npm run demo`: a house to look at. The first start makes three tenancies with their past and prints who may sign in, once. Later starts
// only say where that was printed. A file in the data folder says how far it came, so that half an estate is never taken for a whole one.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { revocation } from '#areas/revocation/contract.ts'
import { managementTenancy } from '#areas/tenancy/service.ts'
import type { House } from '#core/server/house.ts'
import { runNow } from '#core/server/jobs.ts'
import type { OpenHouse } from '#core/server/open.ts'
import { writeArrivals } from './demo/arrivals.ts'
import { writeCards } from './demo/cards.ts'
import { chanceFrom } from './demo/chance.ts'
import { writeDevices } from './demo/devices.ts'
import { tenancyPlans } from './demo/estate.ts'
import { writeFidoCredentials } from './demo/fido.ts'
import { writeFindings } from './demo/findings.ts'
import { foundTenancies, retire } from './demo/found.ts'
import { askToRevoke, writeHistory, writeRequests } from './demo/history.ts'
import { makeSubjectKeys } from './demo/keys.ts'
import { openLogins, type Login } from './demo/logins.ts'
import { writeOrders } from './demo/ordering.ts'
import { writePasses } from './demo/passes.ts'
import { planHistory } from './demo/plan.ts'
import { writeEnrolments } from './demo/protocols.ts'
import { writeRegistrations } from './demo/registrations.ts'
import { writeScim } from './demo/scim.ts'
import { writeSponsors } from './demo/sponsors.ts'
import { writeStock } from './demo/stock.ts'
import { writeTickets } from './demo/tickets.ts'
import { writeTimesheets } from './demo/timesheets.ts'
import { writeVisits } from './demo/visits.ts'

export type DemoSize = { people: number; certificates: number }

const fullSize: DemoSize = { people: 200, certificates: 5_000 }

const Note = z.object({ state: z.enum(['making', 'made']), at: z.iso.datetime(), usernames: z.array(z.string()) })

/** Makes the demonstration where there is none yet. Returns the logins when they were made now. */
export async function ensureDemo(
  { house }: Pick<OpenHouse, 'house'>,
  say: (sentence: string) => void,
  size: DemoSize = fullSize,
): Promise<Login[]> {
  const file = join(house.settings.dataDirectory, 'demonstration.json')
  const write = (state: 'making' | 'made', usernames: string[]) =>
    writeFileSync(file, `${JSON.stringify({ state, at: house.now().toISOString(), usernames })}\n`, { mode: 0o600 })
  const note = existsSync(file) ? Note.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined
  const folder = house.settings.dataDirectory
  if (note?.state === 'made') {
    say(
      `The passwords of this demonstration were printed on the terminal at its first start, ${note.at.slice(0, 16).replace('T', ' ')} UTC, and are kept nowhere. Who may sign in: ${note.usernames.join(', ')}.`,
    )
    say(
      `To begin anew, stop and delete ${folder}. To let one of them in again: CHANCERY_DATA=${folder} npm run -s bootstrap -- --reset-admin USERNAME`,
    )
    return []
  }
  if (note?.state === 'making') throw new Error(`Making the demonstration was interrupted. Delete ${folder} and start again.`)
  if ((await managementTenancy(house.database)) !== undefined)
    throw new Error(
      `${folder} holds an installation that is not a demonstration. Start it with npm start, or choose another folder with CHANCERY_DATA.`,
    )

  const began = performance.now()
  say(
    `Making the demonstration: ${tenancyPlans.length} tenancies, ${size.people} people, ${size.certificates.toLocaleString('en-GB')} certificates. This takes a minute at most.`,
  )
  write('making', [])
  const logins = await makeEstate(house, size)
  write(
    'made',
    logins.map(({ username }) => username),
  )
  say(announce(house, logins, (performance.now() - began) / 1000))
  return logins
}

const day = 86_400_000
const yearsOfHistory = 3.2
const quietStart = 31 * day

async function makeEstate(house: House, { people, certificates }: DemoSize): Promise<Login[]> {
  const chance = chanceFrom(20_260_401)
  const now = house.now()
  const began = new Date(now.getTime() - yearsOfHistory * 365 * day)
  const [tenancies, keys] = await Promise.all([
    foundTenancies(house, tenancyPlans, people, began, chance),
    makeSubjectKeys(certificates, chanceFrom(1)),
  ])
  const scribe = { house, keys, chance }
  const history = planHistory(tenancies, certificates, new Date(began.getTime() + quietStart), now, chance)
  const written = await writeHistory(scribe, tenancies, history.certificates)
  for (const tenancy of tenancies) await retire(house, tenancy, history.retiredAt)
  await writeRequests(scribe, history.requests)
  await askToRevoke(scribe, written, 6)
  await writeArrivals(house, tenancies)
  await writeTickets(house, tenancies, chance)
  await writeTimesheets(house, tenancies, chance)
  await writeSponsors(house, tenancies, chance)
  await writeVisits(house, tenancies, chance)
  await writeScim(house, tenancies)
  await writePasses(house, tenancies, chance)
  await writeCards(house, tenancies, chance)
  await writeStock(house, tenancies)
  await writeDevices(house, tenancies, chance)
  await writeFindings(house, tenancies, written, chance)
  await writeFidoCredentials(house, tenancies, chance)
  await writeRegistrations(house, tenancies)
  await writeEnrolments(house, tenancies, keys)
  await writeOrders(house, tenancies)
  await runNow(house, revocation.jobs.lists)
  return openLogins(house, tenancies)
}

function announce(house: House, logins: readonly Login[], seconds: number): string {
  const columns = [
    ['Who', ...logins.map(({ who }) => who)],
    ['Tenancy', ...logins.map(({ tenancy }) => tenancy)],
    ['Username', ...logins.map(({ username }) => username)],
    ['Password', ...logins.map(({ password }) => password)],
    ['Code secret', ...logins.map(({ codeSecret }) => codeSecret)],
  ]
  const widths = columns.map((column) => Math.max(...column.map((cell) => cell.length)))
  const rows = Array.from({ length: logins.length + 1 }, (_, row) =>
    `  ${columns.map((column, at) => (column[row] ?? '').padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd(),
  )
  return [
    `The demonstration was made in ${Math.round(seconds)} s. Sign in at ${house.settings.origin} as one of these. This is shown once: the passwords are random and kept nowhere.`,
    '',
    ...rows,
    '',
    'The six-digit code comes from an authenticator app with that secret, or from: oathtool --totp -b SECRET',
    '',
    ...logins.map(({ otpauth }) => `  ${otpauth}`),
    '',
  ].join('\n')
}
