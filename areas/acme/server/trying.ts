// "Try a name": what a validation would see of it now. It asks what an order would ask, for a token that nobody was given.

import { findTemplate } from '#areas/templates/service.ts'
import type { Handlers } from '#core/server/serve.ts'
import type { ChallengeType } from '#standards/acme/challenge-types.ts'
import { makeToken } from '#standards/acme/challenges.ts'
import { bareValue, canonicalAddress, isWildcard, readIdentifier, type Identifier } from '#standards/acme/identifiers.ts'
import { AcmeError, type Problem } from '#standards/acme/problem.ts'
import type { acme } from '../contract.ts'
import { caaProblem } from './caa.ts'
import { lookAt } from './looks.ts'
import { judgeIdentifiers } from './orders.ts'
import { findDirectory } from './store.ts'
import { addressOf } from './wire.ts'

const tried = ['http-01', 'tls-alpn-01', 'dns-01'] as const satisfies ChallengeType[]

export const tryName: Handlers<typeof acme>['tryName'] = async ({ directoryId, name }, { transact, house, viewer, fault }) => {
  const directory = (await transact(({ tenancy }) => findDirectory(tenancy, directoryId))) ?? fault('missing')
  const { settings } = directory
  const identifier = read(name.trim(), (says) => fault('invalid', { fields: [{ field: 'name', says }] }))
  const template = await transact(async ({ tenancy }) => {
    const found = await findTemplate(tenancy.db, tenancy.tenantId, settings.profiles[0]?.templateId ?? '', tenancy.now)
    if (found === undefined) return 'The template of the first profile is gone'
    try {
      judgeIdentifiers([identifier], { template: found, names: [], offered: settings.challenges })
      return undefined
    } catch (error) {
      if (error instanceof AcmeError) return error.message
      throw error
    }
  })
  const points = [{ name: 'here', nameServers: settings.nameServers }, ...settings.vantagePoints]
  const see = async (
    what: string,
    look: (servers: readonly string[] | undefined, note: (step: string) => void) => Promise<Problem | undefined>,
  ) => {
    const sightings = await Promise.all(
      points.map(async ({ name: from, nameServers }) => {
        const steps: string[] = []
        const problem = await look(nameServers.length === 0 ? undefined : nameServers, (step) => void steps.push(step))
        return { from, at: house.now().toISOString(), steps, problem: problem && { type: problem.type, detail: problem.detail } }
      }),
    )
    return { what, ok: sightings.every(({ problem }) => problem === undefined || isAnswer(problem)), sightings }
  }
  const bare: Identifier = { ...identifier, value: bareValue(identifier) }
  const look = {
    house,
    tenantId: viewer.tenantId,
    settings,
    identifier: bare,
    wildcard: isWildcard(identifier),
    token: makeToken(),
    thumbprint: 'try',
    accountUrl: `${addressOf(house, directory.public_id)}/account/try`,
  }
  const results = await Promise.all([
    ...tried
      .filter((type) => settings.challenges.includes(type) && (type === 'dns-01' ? identifier.type === 'dns' : !look.wildcard))
      .map((type) => see(type, (servers, note) => lookAt(type, { ...look, servers, note }))),
    ...(identifier.type === 'dns' && settings.caaIdentities.length > 0
      ? [
          see('CAA', (servers, note) =>
            caaProblem(
              house,
              viewer.tenantId,
              settings,
              {
                name: bare.value,
                wildcard: look.wildcard,
                method: 'http-01',
                accountUrl: look.accountUrl,
                ...(servers === undefined ? {} : { servers }),
              },
              note,
            ),
          ),
        ]
      : []),
  ])
  return { template, results }
}

/** Whatever answered was reached: that it knows nothing of this token is as it should be. */
const isAnswer = ({ type }: Pick<Problem, 'type'>): boolean => type === 'unauthorized'

function read(name: string, refuse: (says: string) => never): Identifier {
  try {
    const address = canonicalAddress(name)
    return readIdentifier(address === undefined ? { type: 'dns', value: name } : { type: 'ip', value: address })
  } catch (error) {
    if (error instanceof AcmeError) return refuse(error.message)
    throw error
  }
}
