// Reads people and passkeys from the provider, page by page, and deletes there what was marked. Where it was stopped it goes on.

import { setTimeout as wait } from 'node:timers/promises'
import { unsealForTenant } from '#areas/keys/sealing.ts'
import { emailKey, findByEmail } from '#areas/users/service.ts'
import type { House, TenancyTurn } from '#core/server/house.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { fidosync } from '../contract.ts'
import { batchSize, longestWaitSeconds, mostRetries } from '../rules.ts'
import { deleteMethod, firstPeople, GraphError, readMethods, readPeople, type Graph, type GraphMethod, type GraphPerson } from './graph.ts'
import {
  countCredentials,
  findProvider,
  listDue,
  lockCredential,
  lockUnseen,
  markLeft,
  updateCredential,
  updateProvider,
  upsertSeen,
  type CredentialRecord,
  type ProviderRecord,
} from './store.ts'

const byJob = { name: 'Provider credentials' }
const secretPurpose = (tenantId: string) => `fidosync.secret ${tenantId}`
const dueAtOnce = 50
const syncEveryMilliseconds = 50 * 60_000

export { secretPurpose }

export async function graphOf(house: House, tenancy: Tenancy, provider: ProviderRecord): Promise<Graph> {
  const { db, tenantId } = tenancy
  const secret = await unsealForTenant(db, house, {
    tenantId,
    purpose: secretPurpose(tenantId),
    sealed: provider.secret_sealed,
    tenantKeyId: provider.tenant_key_id,
  })
  return {
    house,
    tenantId,
    loginUrl: provider.login_url,
    graphUrl: provider.graph_url,
    directoryId: provider.directory_id,
    clientId: provider.client_id,
    secret: secret.toString('utf8'),
  }
}

/** The text of the fault, for whoever looks at the state later. */
export const troubleOf = (error: GraphError): string => {
  const { says } = fidosync.calls.testProvider.faults[error.reason]
  return says.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(error.params[name] ?? ''))
}

export async function syncTurn({ house, tenantId, until }: TenancyTurn): Promise<'more' | void> {
  const begun = await withTenancy(house, tenantId, async (tenancy) => {
    const provider = await findProvider(tenancy)
    if (provider === undefined || !provider.enabled) return undefined
    if (provider.wait_until !== null && provider.wait_until > tenancy.now) return undefined
    const isFresh = provider.last_sync_at !== null && tenancy.now.getTime() - provider.last_sync_at.getTime() < syncEveryMilliseconds
    if (provider.run_began_at === null && isFresh) return undefined
    const beganAt = provider.run_began_at ?? tenancy.now
    if (provider.run_began_at === null)
      await updateProvider(tenancy, provider.version, { run_began_at: beganAt, run_link: firstPeople, run_people: 0 })
    const link = provider.run_link === '' ? firstPeople : provider.run_link
    return {
      provider,
      graph: await graphOf(house, tenancy, provider),
      beganAt,
      link,
      people: provider.run_began_at === null ? 0 : provider.run_people,
    }
  })
  if (begun === undefined) return undefined
  const { provider, graph, beganAt } = begun
  let { link, people } = begun
  try {
    while (performance.now() < until) {
      const page = await readPeople(graph, link)
      for (let at = 0; at < page.people.length; at += batchSize) await readBatch(graph, page.people.slice(at, at + batchSize), beganAt)
      people += page.people.length
      link = page.next
      const isOver = link === ''
      const isCurrent = await house.work(tenantId, byJob, async ({ tenancy, emitFor }) => {
        if (!isOver) return updateProvider(tenancy, provider.version, { run_link: link, run_people: people })
        const state = { run_began_at: null, run_link: '', run_people: 0, last_sync_at: tenancy.now, people, trouble: '', wait_until: null }
        if (!(await updateProvider(tenancy, provider.version, state))) return false
        await markLeft(tenancy, beganAt)
        emitFor(fidosync)('synced', { people, credentials: await countCredentials(tenancy) })
        return false
      })
      if (!isCurrent) return undefined
    }
    return 'more'
  } catch (error) {
    if (!(error instanceof GraphError)) throw error
    const seconds = error.reason === 'busy' ? Number(error.params['seconds'] ?? 30) : 300
    await withTenancy(house, tenantId, (tenancy) =>
      updateProvider(tenancy, provider.version, {
        trouble: troubleOf(error),
        wait_until: new Date(tenancy.now.getTime() + seconds * 1000),
      }),
    )
    return undefined
  }
}

/** At most 20 people. Whom the provider is too busy for is asked for again, as late as it says. */
async function readBatch(graph: Graph, people: readonly GraphPerson[], beganAt: Date): Promise<void> {
  const found = new Map<string, GraphMethod[]>()
  let open = people
  for (let tries = 0; open.length > 0; tries += 1) {
    const answer = await readMethods(graph, open)
    for (const [id, methods] of answer.found) found.set(id, methods)
    open = answer.busy
    if (open.length === 0) break
    if (tries >= mostRetries || answer.seconds > longestWaitSeconds) throw new GraphError('busy', { seconds: answer.seconds })
    await wait(answer.seconds * 1000)
  }
  await graph.house.work(graph.tenantId, byJob, async ({ tenancy, emitFor }) => {
    const addresses = people.flatMap(({ account, mail }) => [account, mail]).filter((one) => one !== '')
    const known = new Map(
      (await findByEmail(tenancy.db, tenancy.tenantId, [...new Set(addresses.map(emailKey))])).map((person) => [
        emailKey(person.emailAddress),
        person.id,
      ]),
    )
    const seen = people.flatMap((person) =>
      (found.get(person.id) ?? []).map((method) => ({
        credential_id: method.id,
        provider_user_id: person.id,
        account: person.account,
        user_id: known.get(emailKey(person.mail)) ?? known.get(emailKey(person.account)) ?? null,
        provider_name: method.name,
        model: method.model,
        aaguid: method.aaguid,
        attestation: method.attestation,
        created_at: method.createdAt ?? null,
      })),
    )
    // One statement takes each id once.
    await upsertSeen(tenancy, beganAt, [...new Map(seen.map((one) => [one.credential_id, one])).values()])
    for (const row of await lockUnseen(tenancy, [...found.keys()], beganAt)) {
      await updateCredential(tenancy, row.id, { state: 'gone', trouble: '', try_at: null })
      emitFor(fidosync)(row.state === 'deleting' ? 'deleted' : 'vanished', factsOf(row), row.id)
    }
  })
}

export const factsOf = (row: CredentialRecord) => ({
  credentialId: row.credential_id,
  ...(row.user_id === null ? {} : { userId: row.user_id }),
})

/** Asks the provider to delete what is on record as being deleted. What it does not answer is unknown, and looked at again. Answers why it was not done. */
export async function deleteAtProvider(
  graph: Graph,
  row: CredentialRecord,
  actor: { userId?: string; name: string; address?: string },
): Promise<GraphError | undefined> {
  const { house, tenantId } = graph
  try {
    await deleteMethod(graph, row.provider_user_id, row.credential_id)
  } catch (error) {
    if (!(error instanceof GraphError)) throw error
    await house.work(tenantId, actor, async ({ tenancy }) => {
      const current = await lockCredential(tenancy, row.credential_id)
      if (current === undefined || current.state !== 'deleting') return
      // What the provider will refuse again as well goes back to the person, who can do something about it.
      const isFinal = error.reason === 'permission' || error.reason === 'signIn'
      const pause = error.reason === 'busy' ? Number(error.params['seconds'] ?? 30) : Math.min(3600, 30 * 2 ** Math.min(current.tries, 7))
      await updateCredential(tenancy, current.id, {
        trouble: troubleOf(error),
        tries: current.tries + 1,
        ...(isFinal ? { state: 'marked' as const, try_at: null } : { try_at: new Date(tenancy.now.getTime() + pause * 1000) }),
      })
    })
    return error
  }
  await house.work(tenantId, actor, async ({ tenancy, emitFor }) => {
    const current = await lockCredential(tenancy, row.credential_id)
    if (current === undefined || current.state !== 'deleting') return
    await updateCredential(tenancy, current.id, { state: 'gone', trouble: '', try_at: null })
    emitFor(fidosync)('deleted', factsOf(current), current.id)
  })
  return undefined
}

export async function deletionsTurn({ house, tenantId, until }: TenancyTurn): Promise<'more' | void> {
  const due = await withTenancy(house, tenantId, async (tenancy) => {
    const rows = await listDue(tenancy, dueAtOnce)
    const provider = rows.length === 0 ? undefined : await findProvider(tenancy)
    return provider === undefined || !provider.enabled ? undefined : { rows, graph: await graphOf(house, tenancy, provider) }
  })
  if (due === undefined) return undefined
  for (const row of due.rows) {
    if (performance.now() >= until) return 'more'
    const error = await deleteAtProvider(due.graph, row, byJob)
    // The others would hear the same.
    if (error?.reason === 'busy' || error?.reason === 'unreachable') return undefined
  }
  return due.rows.length === dueAtOnce ? 'more' : undefined
}
