// Validations (RFC 8555 7.5.1): one at a time for each authorisation, begun in the transaction of the client's answer and done after its commit. The row says
// since when; what a server leaves behind is begun again by the job after a minute.

import type { House } from '#core/server/house.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { problemOf, type Problem } from '#standards/acme/problem.ts'
import { AcmeError } from '#standards/acme/problem.ts'
import { authorizationStatus } from '#standards/acme/states.ts'
import { say } from '#standards/say/say.ts'
import { acme } from '../contract.ts'
import { validationLeaseMilliseconds } from '../rules.ts'
import { findAccount } from './account-store.ts'
import { caaProblem } from './caa.ts'
import { lookAt } from './looks.ts'
import {
  beginChallenge,
  endChallenge,
  findAuthorization,
  findChallenge,
  findChallenges,
  lockAuthorization,
  stepAuthorization,
} from './order-store.ts'
import { ownAuthorization, provenUntil } from './orders.ts'
import { authorizationUrl, challengeUrl, presentChallenge, timed } from './presenter.ts'
import {
  findDirectory,
  type AccountRecord,
  type AuthorizationRecord,
  type ChallengeRecord,
  type DirectoryRecord,
  type Sighting,
} from './store.ts'
import { actorOf, addressOf, idIn, notFound, payloadOf, signedByAccount, type Wire, type WireAnswer } from './wire.ts'

/** A client's answer to a challenge, or its question how it stands. */
export async function challenge(wire: Wire): Promise<WireAnswer> {
  const signed = await signedByAccount(wire)
  const { house, tenantId, base, directory } = wire
  const id = idIn(wire, 'challenge')
  const isAnswer = signed.message.payload.length > 0
  const response = isAnswer ? payloadOf(signed) : {}
  const own = async (tenancy: Parameters<typeof findChallenge>[0]) => {
    const found = await findChallenge(tenancy, id)
    if (found === undefined) throw notFound('There is no such challenge')
    return { found, authorization: await ownAuthorization(tenancy, signed, found.authorization_id) }
  }
  const begun =
    isAnswer &&
    (await house.work(tenantId, actorOf(signed), async ({ tenancy }) => {
      const { found } = await own(tenancy)
      const row = await lockAuthorization(tenancy, found.authorization_id)
      // What is decided stays decided: the client hears how it stands.
      if (row === undefined || authorizationStatus(timed(row), tenancy.now) !== 'pending') return false
      if (row.began_at !== null)
        throw new AcmeError('malformed', say`A challenge of this authorisation is being looked at`, { status: 409 })
      await stepAuthorization(tenancy, row.id, 'pending', { began_at: tenancy.now })
      await beginChallenge(tenancy, id, response)
      return true
    }))
  const { found } = await withTenancy(house, tenantId, own)
  if (begun) validateSoon(house, tenantId, found.authorization_id)
  const accountUrl = `${base}/account/${signed.account.id}`
  return {
    headers: {
      location: challengeUrl(base, id),
      link: `<${authorizationUrl(base, found.authorization_id)}>;rel="up"`,
      ...(found.status === 'processing' ? { 'retry-after': '2' } : {}),
    },
    body: presentChallenge(base, found, { directory, accountUrl }),
  }
}

const running = new WeakMap<House, Set<Promise<void>>>()

/** Validates in the background. What fails of itself is begun again by the job. */
function validateSoon(house: House, tenantId: string, authorizationId: string): void {
  const all = running.get(house) ?? new Set<Promise<void>>()
  running.set(house, all)
  const work = validate(house, tenantId, authorizationId)
    .catch((error: unknown) => house.log.error({ error, authorization: authorizationId }, 'an ACME validation could not be done'))
    .finally(() => all.delete(work))
  all.add(work)
}

/** Waits for what is under way, when the server ends. */
export const validationsEnded = async (house: House): Promise<void> => void (await Promise.all(running.get(house) ?? []))

type Subject = {
  directory: DirectoryRecord
  account: AccountRecord
  authorization: AuthorizationRecord
  challenge: ChallengeRecord
}

async function subjectOf(house: House, tenantId: string, authorizationId: string): Promise<Subject | undefined> {
  return withTenancy(house, tenantId, async (tenancy) => {
    const authorization = await findAuthorization(tenancy, authorizationId)
    const challenges = authorization === undefined ? [] : await findChallenges(tenancy, [authorizationId])
    const at = challenges.find(({ status }) => status === 'processing')
    const account = authorization && (await findAccount(tenancy, authorization.account_id))
    const directory = account && (await findDirectory(tenancy, account.directory_id))
    if (authorization === undefined || at === undefined || account === undefined || directory === undefined) return undefined
    return { directory, account, authorization, challenge: at }
  })
}

/** Looks at the challenge that was begun and writes down what came of it. Not inside a transaction. */
export async function validate(house: House, tenantId: string, authorizationId: string): Promise<void> {
  const subject = await subjectOf(house, tenantId, authorizationId)
  if (subject === undefined || subject.authorization.began_at === null) return
  const evidence = await lookFromEverywhere(house, tenantId, subject)
  const problem = evidence.find((one) => one.problem !== undefined)?.problem
  await conclude(house, tenantId, subject, { evidence, problem })
}

/** From the directory's own name servers and then from each vantage point; all must see the same. */
async function lookFromEverywhere(house: House, tenantId: string, subject: Subject): Promise<Sighting[]> {
  const { nameServers, vantagePoints } = subject.directory.settings
  const points = [{ name: 'here', nameServers }, ...vantagePoints]
  return Promise.all(
    points.map(async ({ name, nameServers: servers }) => {
      const steps: string[] = []
      const problem = await lookFrom(house, tenantId, subject, {
        servers: servers.length === 0 ? undefined : servers,
        note: (step) => void steps.push(step),
      })
      return { from: name, at: house.now().toISOString(), steps, ...(problem === undefined ? {} : { problem }) }
    }),
  )
}

async function lookFrom(
  house: House,
  tenantId: string,
  { directory, account, authorization: { type, value, wildcard }, challenge: { type: method, token } }: Subject,
  { servers, note }: { servers: readonly string[] | undefined; note(step: string): void },
): Promise<Problem | undefined> {
  if (method === 'device-attest-01') return problemOf('malformed', 'Statements of devices are not read here')
  const accountUrl = `${addressOf(house, directory.public_id)}/account/${account.id}`
  const { settings } = directory
  const look = { house, tenantId, settings, identifier: { type, value }, wildcard, token, thumbprint: account.thumbprint, accountUrl }
  return (
    (await lookAt(method, { ...look, servers, note })) ??
    (type === 'dns'
      ? await caaProblem(
          house,
          tenantId,
          settings,
          { name: value, wildcard, method, accountUrl, ...(servers === undefined ? {} : { servers }) },
          note,
        )
      : undefined)
  )
}

async function conclude(
  house: House,
  tenantId: string,
  { directory, account, authorization, challenge: { id: challengeId, type: method } }: Subject,
  { evidence, problem }: { evidence: Sighting[]; problem: Problem | undefined },
): Promise<void> {
  const { id, value: name } = authorization
  await house.work(tenantId, { name: `ACME (${directory.name})` }, async ({ tenancy, emitFor }) => {
    const row = await lockAuthorization(tenancy, id)
    // Another server did it, or the client gave it up meanwhile.
    if (row?.status !== 'pending' || row.began_at?.getTime() !== authorization.began_at?.getTime()) return
    await endChallenge(tenancy, challengeId, { error: problem ?? null, evidence })
    const about = { authorizationId: id, accountId: account.id, name, method }
    if (problem !== undefined) {
      await stepAuthorization(tenancy, id, 'pending', { status: 'invalid', began_at: null })
      emitFor(acme)('notProven', { ...about, problem: problem.type, detail: problem.detail }, id)
      return
    }
    const { authorizationDays, caaIdentities } = directory.settings
    await stepAuthorization(tenancy, id, 'pending', {
      status: 'valid',
      began_at: null,
      method,
      expires_at: provenUntil(row, authorizationDays, tenancy.now),
      ...(caaIdentities.length === 0 ? {} : { caa_checked_at: tenancy.now }),
    })
    emitFor(acme)('proven', about, id)
  })
}

/** Those that a server began before this moment and did not end. */
export const leftBefore = (now: Date): Date => new Date(now.getTime() - validationLeaseMilliseconds)
