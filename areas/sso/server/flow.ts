// The sign-in itself: to the provider, and back with its answer. Whatever is wrong with an answer is refused alike; why stands in the audit log, once.

import { domainOfAddress } from '#areas/domains/rules.ts'
import { tenancyOfDomain } from '#areas/domains/service.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { admit } from '#areas/sessions/first-factor.ts'
import { findPublicAddress, managementTenancy } from '#areas/tenancy/service.ts'
import type { InputOf, OutputOf } from '#core/contract/contract.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { ownPath } from '#core/server/own-path.ts'
import type { CallContext } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import type { sso } from '../contract.ts'
import { ruleMatches, valuesOf, type Claims } from '../rules.ts'
import { carryOut, decide, shutOut, type Decision } from './account.ts'
import { addAttempt, bindBrowser, takeAttempt, targetOf } from './attempt.ts'
import { authorizationUrl, ProviderError, readAnswer, type Known } from './client.ts'
import {
  findProvider,
  findTry,
  insertTry,
  listProviders,
  lockProvider,
  updateTry,
  type ProviderRecord,
  type TriedClaim,
  type TriedJudgement,
} from './store.ts'

type Context<N extends keyof (typeof sso)['calls']> = CallContext<typeof sso, N>
type Finished = OutputOf<(typeof sso)['calls']['finish']>

export const providerKind = 'sso'

/** The providers for the sign-in page: those of the first tenancy, because a page knows no other before somebody is signed in. */
export async function offeredProviders(house: House): Promise<{ id: string; name: string }[]> {
  const tenancyId = (await managementTenancy(house.database))?.id
  if (tenancyId === undefined) return []
  const all = await withTenancy(house, tenancyId, listProviders)
  return all.filter(({ enabled, settings }) => enabled && settings.listed).map(({ public_id: id, name }) => ({ id, name }))
}

/** By the domain alone, so that nothing tells whether somebody has the address. */
export async function providerForAddress(house: House, emailAddress: string): Promise<{ id: string; name: string } | undefined> {
  const domain = domainOfAddress(emailAddress)
  const tenantId = domain === undefined ? undefined : await tenancyOfDomain(house.database, domain)
  if (domain === undefined || tenantId === undefined) return undefined
  const all = await withTenancy(house, tenantId, listProviders)
  const found = all.find(({ enabled, settings }) => enabled && settings.domains.includes(domain))
  return found && { id: found.public_id, name: found.name }
}

async function findByAddress(house: House, publicId: string): Promise<{ tenantId: string; providerId: string } | undefined> {
  const address = await findPublicAddress(house.database, providerKind, publicId)
  return address && { tenantId: address.tenantId, providerId: address.target }
}

export async function begin({ provider, redirect, again }: InputOf<(typeof sso)['calls']['begin']>, context: Context<'begin'>) {
  const { house, fault, enter, request, respond, missed, now } = context
  const path = ownPath(redirect)
  if (path === undefined) throw invalidField('redirect', say`This leads to another site`)
  // Counted although it succeeds: each leaves a row, and most ask the provider.
  missed()
  const found = await findByAddress(house, provider)
  if (found === undefined) return {}
  await enter(found.tenantId)
  const bindingHash = bindBrowser(request, respond)
  const begun = await withTenancy(house, found.tenantId, async (tenancy) => {
    const row = await findProvider(tenancy, found.providerId)
    if (row === undefined || !row.enabled) return undefined
    const state = await addAttempt({ ...tenancy, now }, row, { bindingHash, redirect: path })
    return { row, state, target: await targetOf(tenancy, house, row) }
  })
  if (begun === undefined) return {}
  const { row, state, target } = begun
  try {
    return { begun: { url: await authorizationUrl(house, target, { state, scopes: row.settings.scopes, again }), name: row.name } }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    house.log.warn({ provider: row.id, detail: error.message }, 'a sign-in provider could not be reached')
    return fault('unreachable')
  }
}

export async function beginTry({ id }: { id: string }, { house, viewer, fault, request, respond, transact }: Context<'try'>) {
  const bindingHash = bindBrowser(request, respond)
  const { row, state, target, tryId } = await transact(async ({ tenancy, emit }) => {
    const found = (await findProvider(tenancy, id)) ?? fault('missing')
    const one = timeOrderedId(tenancy.now)
    await insertTry(tenancy, { id: one, provider_id: id, user_id: viewer.userId })
    emit('tried', { providerId: id }, id)
    return {
      row: found,
      tryId: one,
      state: await addAttempt(tenancy, found, { bindingHash, redirect: '', tryId: one }),
      target: await targetOf(tenancy, house, found),
    }
  })
  try {
    return { url: await authorizationUrl(house, target, { state, scopes: row.settings.scopes, again: true }), tryId }
  } catch (error) {
    if (error instanceof ProviderError) return fault('unreachable', { params: { reason: error.message } })
    throw error
  }
}

export async function finish(
  { provider, response }: InputOf<(typeof sso)['calls']['finish']>,
  context: Context<'finish'>,
): Promise<Finished> {
  const { house, fault, enter, actAs, request, respond, transact, missed, viewer, now } = context
  const found = (await findByAddress(house, provider)) ?? fault('missing')
  const { tenantId, providerId } = found
  await enter(tenantId)
  const answer = new URLSearchParams(response)
  const state = answer.get('state') ?? ''
  const { row, attempt, target } = await withTenancy(house, tenantId, async (plain) => {
    const tenancy = { ...plain, now }
    const one = (await findProvider(tenancy, providerId)) ?? fault('missing')
    return {
      row: one,
      attempt: await takeAttempt(tenancy, { state, providerId, cookies: request.cookies }),
      target: await targetOf(tenancy, house, one),
    }
  })

  const refuse = (error: ProviderError, known?: Known): Promise<Finished> => {
    missed()
    const name = known === undefined ? '' : (valuesOf(known.claims['email'])[0] ?? known.subject).slice(0, 254)
    return transact(async ({ emit }) => {
      emit('refused', { providerId, reason: error.reason, detail: error.message, name, reference: request.id }, providerId)
      return { outcome: 'refused', provider: row.name, reference: request.id }
    })
  }
  if (attempt instanceof ProviderError) return refuse(attempt)
  const tryId = attempt.try_id ?? undefined
  const known = await knownBy()
  if (tryId !== undefined) return showTry(tryId)
  if (known instanceof ProviderError) return refuse(known)

  const admitted = await transact(async ({ db, emit, emitFor }) => {
    const tenancy = { db, tenantId, now }
    // Read again, and held: who switches the provider off meanwhile is waited for, or waits.
    const still = await lockProvider(tenancy, providerId)
    if (still === undefined || !still.enabled) return new ProviderError('off', '')
    if (still.version !== attempt.provider_version) return new ProviderError('changed', '')
    const decision = await decide(house, tenancy, still, known)
    if (decision.refusal !== undefined) {
      await shutOut(house, tenancy, { emitFor }, still, known, decision)
      return new ProviderError(decision.refusal, '')
    }
    const person = await carryOut(tenancy, { emit, emitFor }, still, known, decision)
    if (!person.enabled) throw new TypeError('The account was disabled meanwhile')
    actAs({ userId: person.id, name: person.username })
    emit('accepted', { userId: person.id, providerId }, person.id)
    return admit(
      { db, house, now, request, respond, emit: emitFor(sessions) },
      {
        person,
        method: 'provider',
        openedBy: openedBy(providerId),
        strong: decision.strong,
        codeWaived: still.settings.secondFactor === 'waive',
      },
    )
  })
  if (admitted === 'passkeyNeeded') return fault('passkeyNeeded')
  return admitted instanceof ProviderError ? refuse(admitted, known) : { ...admitted, redirect: attempt.redirect }

  async function knownBy(): Promise<Known | ProviderError> {
    try {
      // What was begun with other settings is not finished with these.
      if (tryId === undefined && !row.enabled) return new ProviderError('off', '')
      return await readAnswer(house, target, state, answer)
    } catch (error) {
      if (error instanceof ProviderError) return error
      throw error
    }
  }

  /** Only who began the try, and may still configure providers, finishes it. Nothing but its result is written. */
  async function showTry(id: string): Promise<Finished> {
    const may = viewer?.tenantId === tenantId && viewer.permission.api.includes('ssoConfig')
    return transact(async ({ db, emit }) => {
      const tenancy = { db, tenantId, now }
      const begun = await findTry(tenancy, id)
      if (!may || begun === undefined || begun.user_id !== viewer.userId) {
        emit('refused', { providerId, reason: 'binding', detail: '', name: '', reference: request.id }, providerId)
        return { outcome: 'refused', provider: row.name, reference: request.id }
      }
      actAs({ userId: viewer.userId, name: viewer.username })
      await updateTry(tenancy, id, await tried(house, tenancy, row, known))
      emit('tried', { providerId }, providerId)
      return { outcome: 'tried', providerId, tryId: id }
    })
  }
}

export const openedBy = (providerId: string): string => `sso:${providerId}`

async function tried(
  house: House,
  tenancy: Tenancy,
  provider: ProviderRecord,
  known: Known | ProviderError,
): Promise<{ claims: TriedClaim[]; judgement: TriedJudgement }> {
  const claims: Claims = known instanceof ProviderError ? {} : known.claims
  const decision: Decision =
    known instanceof ProviderError
      ? { account: undefined, roles: [], strong: false, refusal: known.reason }
      : await decide(house, tenancy, provider, known)
  const { account } = decision
  return {
    claims: Object.entries(claims)
      .slice(0, 200)
      .map(([name, value]) => ({
        name: name.slice(0, 200),
        value: (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 4000),
      })),
    judgement: {
      ...(account === undefined
        ? {}
        : {
            account:
              account.outcome === 'create'
                ? { outcome: account.outcome, username: account.draft.username }
                : { outcome: account.outcome, userId: account.person.id, username: account.person.username },
          }),
      rules: provider.settings.rules.map(({ claim, operator, value, ...rest }) => ({
        claim,
        operator,
        value,
        matched: ruleMatches({ claim, operator, value, ...rest }, claims),
      })),
      roles: decision.roles.map(({ name }) => name),
      strong: decision.strong,
      ...(decision.refusal === undefined ? {} : { refusal: decision.refusal }),
      detail: known instanceof ProviderError ? known.message : '',
    },
  }
}
