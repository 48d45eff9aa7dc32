// A tenancy with a provider that is switched on, and browsers that sign in by it.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach } from 'vitest'
import { domains } from '#areas/domains/contract.ts'
import { openSession } from '#areas/sessions/service.ts'
import type { DraftOf, OutputOf } from '#core/contract/contract.ts'
import { queryText, type Query } from '#core/contract/paths.ts'
import { inTenant } from '#core/server/database.ts'
import { forgeryCookie, forgeryToken, sessionCookie } from '#core/server/steps/forgery.ts'
import { refusal, useHouse, type Caller, type TestPerson } from '#core/testing/house.ts'
import { sso } from '../contract.ts'
import { keepCookies, openProvider, type Jar, type TestProvider } from './provider.fixture.ts'

export type Finished = OutputOf<typeof sso.calls.finish>
export type Browser = Caller & {
  cookies: Jar
  begin(provider: string, redirect?: string): Promise<string>
  finish(back: URL): Promise<Finished>
}

export async function useSso() {
  const idp = await openProvider()
  const house = await useHouse({
    settings: {
      CHANCERY_NAME_SERVERS: idp.nameServer.address,
      CHANCERY_OUTWARD_ALLOW: '127.0.0.1',
      CHANCERY_OUTWARD_PORTS: '1024-65535',
      CHANCERY_OUTWARD_ROOTS: idp.rootsFile,
    },
  })
  afterAll(() => idp.close())
  // Everybody comes from this machine, and many are refused.
  beforeEach(async () => {
    idp.tamper = {}
    await house.asOwner('delete from floor_counts')
  })

  /** A browser: it keeps cookies, of the house and of the provider apart. */
  function browser(): Browser {
    const cookies: Jar = new Map()
    const fetchWith: Caller['fetch'] = async (path, init = {}) => {
      const headers = new Headers(init.headers)
      headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
      const forgery = cookies.get('XSRF-TOKEN')
      if (forgery !== undefined) headers.set('x-xsrf-token', forgery)
      const response = await house.fetch(path, { ...init, headers })
      keepCookies(cookies, response.headers.getSetCookie())
      return response
    }
    const send = async (path: string, body: unknown): Promise<unknown> => {
      const response = await fetchWith(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const answer: unknown = await response.json()
      if (!response.ok) throw Object.assign(new Error(JSON.stringify(answer)), { status: response.status, answer })
      return answer
    }
    return {
      cookies,
      fetch: fetchWith,
      call: async (call, input) => {
        if (call.method !== 'GET') return (await send(call.path, input)) as OutputOf<typeof call>
        const response = await fetchWith(call.path + queryText(input as Query))
        const answer: unknown = await response.json()
        if (!response.ok) throw Object.assign(new Error(JSON.stringify(answer)), { status: response.status })
        return answer as OutputOf<typeof call>
      },
      begin: async (provider, redirect = '') => {
        const { begun } = (await send(sso.calls.begin.path, { provider, redirect })) as OutputOf<typeof sso.calls.begin>
        if (begun === undefined) throw new Error('Nothing began')
        return begun.url
      },
      finish: async (back) =>
        (await send(sso.calls.finish.path, { provider: back.pathname.split('/').at(-1), response: back.search.slice(1) })) as Finished,
    }
  }

  /** The same, where somebody is signed in already. */
  async function browserOf({ tenantId, id }: TestPerson): Promise<Browser> {
    const { secret } = await inTenant(house.house.database, tenantId, (db) =>
      openSession(db, { tenantId, userId: id, stage: 'open', strong: true, address: '', userAgent: '' }, house.clock.now()),
    )
    const one = browser()
    one.cookies.set(sessionCookie, secret).set(forgeryCookie, forgeryToken(secret))
    return one
  }

  const draft = (more: Partial<DraftOf<typeof sso.calls.add>> = {}): DraftOf<typeof sso.calls.add> => ({
    name: `Provider ${randomUUID()}`,
    issuer: idp.issuer,
    clientId: idp.client.id,
    clientSecret: idp.client.secret,
    scopes: ['openid', 'profile', 'email', 'groups'],
    secondFactor: 'waive',
    ...more,
  })

  /** Accounts are made in proved domains alone: the first tenancy that asks has the one of most addresses here. */
  let proved: Promise<unknown> | undefined
  async function prove(by: TestPerson): Promise<void> {
    const { id } = await by.call(domains.calls.add, { name: 'example.org' })
    const { recordName, proofText } = await by.call(domains.calls.read, { id })
    idp.nameServer.names.set(recordName, [{ type: 'TXT', value: proofText }])
    await by.call(domains.calls.check, { id })
  }

  async function addProvider(by: TestPerson, more: Partial<DraftOf<typeof sso.calls.add>> = {}, on: TestProvider = idp) {
    const page = await by.session()
    if (more.createAccounts === true) await (proved ??= prove(by))
    const { id } = await page.call(sso.calls.add, {
      ...draft({ issuer: on.issuer, clientId: on.client.id, clientSecret: on.client.secret }),
      ...(more.createAccounts === true ? { domains: ['example.org'] } : {}),
      ...more,
    })
    await page.call(sso.calls.setEnabled, { id, enabled: true })
    const { publicId } = await by.call(sso.calls.provider, { id })
    return { id, publicId, page }
  }

  /** The whole way. */
  async function signIn(
    publicId: string,
    who: { sub: string; claims?: Record<string, unknown> },
    with_: Browser = browser(),
  ): Promise<{ browser: Browser; answer: Finished }> {
    idp.account = { accountId: who.sub, claims: who.claims ?? {} }
    const back = await idp.visit(await with_.begin(publicId), new Map())
    return { browser: with_, answer: await with_.finish(back) }
  }

  return { house, idp, browser, browserOf, addProvider, signIn, draft, refusal }
}
