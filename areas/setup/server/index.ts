import { readDomain } from '#areas/domains/rules.ts'
import { claimDomain } from '#areas/domains/service.ts'
import { linkTo, queueMail } from '#areas/mail/service.ts'
import { offerCode } from '#areas/sessions/codes.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { openSession, pendingCookie } from '#areas/sessions/service.ts'
import { isManagement } from '#areas/tenancy/rules.ts'
import { disguiseOf, findTenancy, managedBy, managementTenancy, nameIsTaken, refuseDisguised } from '#areas/tenancy/service.ts'
import { activationPath } from '#areas/users/activation-path.ts'
import { hashPassword, passwordFault, storeHash } from '#areas/users/passwords.ts'
import { activateDirectly, findPerson, findUsername, makeActivation } from '#areas/users/service.ts'
import { fillPath } from '#core/contract/paths.ts'
import { enterTenant } from '#core/server/database.ts'
import { countAttempt, giveBack } from '#core/server/limits.ts'
import { on, serve } from '#core/server/serve.ts'
import { message } from '#core/server/texts.ts'
import { actorOf } from '#core/server/visiting.ts'
import { setup } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { makeTenancy } from '../service.ts'
import { makeAuthorities } from './authorities.ts'
import { findSetupToken, useSetupToken } from './store.ts'
import { beginLog, recordVisit } from './visits.ts'

export default serve(
  setup,
  {
    async check({ token }, { db, now, missed, house }) {
      const expiresAt = await findSetupToken(db, token, now)
      if (expiresAt !== undefined) return { usable: true as const, pkiUrl: house.settings.pkiUrl, expiresAt: expiresAt.toISOString() }
      missed()
      return { usable: false as const }
    },

    async judgePassword({ token, password, own }, { db, now, fault }) {
      if ((await findSetupToken(db, token, now)) === undefined) fault('linkUsed')
      return { says: passwordFault(password, own) ?? '' }
    },

    async run(
      { token, administrator: { password, ...administrator }, authority, ...tenancy },
      { now, fault, house, request, respond, transact, enter, actAs },
    ) {
      if ((await findSetupToken(house.database, token, now)) === undefined) fault('linkUsed')
      refuseDisguised('tenancyName', tenancy.tenancyName)
      const says = passwordFault(password, [administrator.username, administrator.givenName, administrator.familyName])
      if (says !== undefined) fault('invalid', { fields: [{ field: 'administrator.password', says }] })
      const hash = await hashPassword(house, password)
      const made = await transact(async ({ db, emit }) => {
        if (!(await useSetupToken(db, token, now)) || (await managementTenancy(db)) !== undefined) return fault('linkUsed')
        const draft = {
          name: tenancy.tenancyName,
          kind: 'management' as const,
          managedBy: undefined,
          bannerColour: tenancy.bannerColour,
          supportEmail: tenancy.supportEmail,
        }
        const ids = (await makeTenancy(db, draft, administrator, now)) ?? fault('usernameTaken')
        await enter(ids.tenancyId)
        actAs({ userId: ids.userId, name: administrator.username })
        await storeHash(db, ids.tenancyId, ids.userId, hash, now)
        await activateDirectly(db, ids.tenancyId, ids.userId, now)
        const person = (await findPerson(db, ids.tenancyId, ids.userId)) ?? fault('unexpected')
        const code = await offerCode(db, house, person)
        const { secret } = await openSession(
          db,
          {
            tenantId: ids.tenancyId,
            userId: ids.userId,
            stage: 'pending',
            strong: false,
            address: request.address,
            userAgent: request.userAgent,
          },
          now,
        )
        respond.cookie(pendingCookie, secret, { maxAgeSeconds: 300 })
        emit('done', { tenancyId: ids.tenancyId }, ids.tenancyId)
        return { ...ids, code }
      })
      const { authorities, problem } =
        authority === undefined
          ? { authorities: [], problem: '' }
          : await makeAuthorities(house, { tenantId: made.tenancyId, userId: made.userId, name: administrator.username }, authority)
      const { qr, otpauth, secret, recovery_codes } = made.code
      return { tenancyId: made.tenancyId, userId: made.userId, authorities, problem, qr, otpauth, secret, recovery_codes }
    },

    async addTenancy({ administrator, domain, ...draft }, { db, viewer, now, emit, fault, house, request, afterCommit }) {
      const home = await findTenancy(db, viewer.homeTenantId)
      if (home?.kind !== 'management' && !isManagement(await managedBy(db, viewer.homeTenantId))) fault('notManagement')
      const firstDomain = domain === '' ? undefined : readDomain(domain)
      const named = await countAttempt(
        house.database,
        'name',
        { account: viewer.userId, from: viewer.credentialId, address: request.address },
        now,
      )
      // All that is wrong is said at once, so that nobody mends one field after the other.
      const disguised = disguiseOf(draft.name)
      const wrong = [
        ...(domain !== '' && firstDomain === undefined ? (['notADomain'] as const) : []),
        ...((await nameIsTaken(db, draft.name)) ? (['nameTaken'] as const) : []),
        ...((await findUsername(db, administrator.username)) === undefined ? [] : (['usernameTaken'] as const)),
      ]
      const [only] = wrong
      if (only !== undefined && wrong.length === 1 && disguised === undefined) fault(only)
      const said = wrong.map((code) => setup.calls.addTenancy.faults[code]).map(({ field, says }) => ({ field, says }))
      const fields = disguised === undefined ? said : [{ field: 'name', says: disguised }, ...said]
      if (fields.length > 0) fault('invalid', { fields })
      const ids = await makeTenancy(db, { ...draft, kind: 'tenant', managedBy: viewer.homeTenantId }, administrator, now)
      if (ids === undefined) return fault('usernameTaken')
      if (firstDomain !== undefined) await claimDomain({ db, tenantId: ids.tenancyId, now }, firstDomain)
      const { token, expiresAt } = await makeActivation(house, { db, tenantId: ids.tenancyId, now }, ids.userId)
      const activationLink = linkTo(house, fillPath(activationPath, { token }))
      await queueMail(
        { db, tenantId: ids.tenancyId, now },
        {
          to: { userId: ids.userId, emailAddress: administrator.emailAddress },
          kind: 'account',
          subject: message(mailWords.administrator.subject, { name: draft.name }),
          text: message(mailWords.administrator.text, {
            person: `${administrator.givenName} ${administrator.familyName}`,
            name: draft.name,
          }),
          link: activationLink,
        },
      )
      await beginLog(
        db,
        ids,
        {
          userId: viewer.userId,
          name: actorOf({ username: viewer.username, homeName: home?.name ?? '' }),
          address: request.address,
          requestId: request.id,
        },
        now,
      )
      await enterTenant(db, viewer.tenantId)
      emit(
        'tenancyAdded',
        { tenancyId: ids.tenancyId, userId: ids.userId, ...(firstDomain === undefined ? {} : { domain: firstDomain }) },
        ids.tenancyId,
      )
      afterCommit(() => giveBack(house.database, named))
      return {
        oid: ids.tenancyId,
        userId: ids.userId,
        activationLink,
        expiresAt: expiresAt.toISOString(),
        postCompletionAction: 'HANDOVER',
      }
    },
  },
  {
    subscriptions: [on(sessions.events.switched, recordVisit)],
  },
)
