import { linkTo, queueMail } from '#areas/mail/service.ts'
import { requireFreshProof } from '#areas/sessions/proof.ts'
import { findPerson, holdPerson } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { makeTenantSecret, readTenantSecret } from '#core/server/secrets.ts'
import { serve } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { message } from '#core/server/texts.ts'
import { questions } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { currentVersion, linkMinutes, type Answer } from '../rules.ts'
import { findQuestions, hashAnswers } from '../service.ts'
import { deletePerson, findLink, findRow, replaceLink, takeLink, writeRow } from './store.ts'

const pauseBetweenLinks = 120_000

export default serve(
  questions,
  {
    read: (_input, { db, viewer }) => findQuestions(db, viewer.tenantId, viewer.userId),

    async set({ client_salt, questions: given }, { viewer, house, now, fault, transact }) {
      const { tenantId, userId } = viewer
      const check = async (db: Database) => {
        await requireFreshProof(house, db, viewer, now)
        if ((await findRow(db, tenantId, userId)) !== undefined) fault('setAlready')
      }
      await inTenant(house.database, tenantId, check)
      const hash = await hashAnswers(house, given)
      await transact(async ({ db, emit }) => {
        // Held, so that of two at once the second finds them set.
        const person = (await holdPerson(db, tenantId, userId)) ?? fault('missing')
        await check(db)
        await writeRow(db, rowOf(viewer, client_salt, given, hash, now))
        await tell({ db, tenantId, now }, person, 'set')
        emit('set', { userId }, userId)
      })
      return {}
    },

    async requestReset({ user_id: userId }, { db, viewer, house, now, emit, fault }) {
      const { tenantId } = viewer
      if (userId !== viewer.userId && !viewer.permission.api.includes('userEdit')) fault('denied', { params: { permission: 'userEdit' } })
      const person = (await holdPerson(db, tenantId, userId)) ?? fault('missing')
      const before = await findLink(db, tenantId, userId)
      if (before !== undefined && now.getTime() - before.made_at.getTime() < pauseBetweenLinks) fault('tooSoon')
      const { text, hash } = makeTenantSecret('', tenantId)
      const expiresAt = new Date(now.getTime() + linkMinutes * 60_000)
      await replaceLink(db, { tenant_id: tenantId, user_id: userId, token_hash: hash, made_at: now, expires_at: expiresAt })
      await queueMail(
        { db, tenantId, now },
        {
          to: { userId, emailAddress: person.emailAddress },
          kind: 'account',
          subject: message(mailWords.reset.subject),
          text: message(mailWords.reset.text, { name: person.givenName, minutes: linkMinutes }),
          link: linkTo(house, to(questions.screens.reset, { id: text })),
        },
      )
      emit('linkSent', { userId }, userId)
      return {}
    },

    async validateLink({ link_string }, { db, viewer, now, fault }) {
      const link = await findLink(db, viewer.tenantId, viewer.userId)
      if (link === undefined || link.expires_at <= now || link.token_hash !== hashOf(link_string)) fault('linkUsed')
      return {}
    },

    async reset({ link_string, client_salt, questions: given }, { viewer, house, now, fault, transact }) {
      const { tenantId, userId } = viewer
      const tokenHash = hashOf(link_string) ?? fault('linkUsed')
      await inTenant(house.database, tenantId, (db) => requireFreshProof(house, db, viewer, now))
      const hash = await hashAnswers(house, given)
      await transact(async ({ db, emit }) => {
        await requireFreshProof(house, db, viewer, now)
        const person = (await findPerson(db, tenantId, userId)) ?? fault('missing')
        if (!(await takeLink(db, tenantId, userId, tokenHash, now))) fault('linkUsed')
        await writeRow(db, rowOf(viewer, client_salt, given, hash, now))
        await tell({ db, tenantId, now }, person, 'changed')
        emit('reset', { userId }, userId)
      })
      return {}
    },
  },
  { offers: [offer(personalData, deletePerson)] },
)

const hashOf = (link: string): string | undefined => readTenantSecret('', link)?.hash

const rowOf = (
  { tenantId, userId }: { tenantId: string; userId: string },
  clientSalt: string,
  given: readonly Answer[],
  hash: string,
  now: Date,
) => ({
  tenant_id: tenantId,
  user_id: userId,
  client_salt: clientSalt,
  questions: JSON.stringify(given.map(({ question, customQuestion }) => ({ question, customQuestion }))),
  answers_hash: hash,
  version: currentVersion,
  set_at: now,
})

/** Writes to the owner, because somebody else at an open session would not. */
const tell = (tenancy: Tenancy, person: { id: string; emailAddress: string; givenName: string }, what: 'set' | 'changed'): Promise<void> =>
  queueMail(tenancy, {
    to: { userId: person.id, emailAddress: person.emailAddress },
    kind: 'account',
    subject: message(mailWords[what].subject),
    text: message(mailWords[what].text, { name: person.givenName }),
  })
