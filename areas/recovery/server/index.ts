import { queueMail } from '#areas/mail/service.ts'
import { noVersion } from '#areas/questions/rules.ts'
import { findQuestions, judgeAnswers } from '#areas/questions/service.ts'
import { brandOf } from '#areas/sessions/brand.ts'
import { endAllAccess } from '#areas/sessions/recovery.ts'
import { shortestPassword } from '#areas/users/password-strength.ts'
import { hashPassword, passwordFault, storeHash } from '#areas/users/passwords.ts'
import { emailKey, holdPerson } from '#areas/users/service.ts'
import { offer } from '#core/contract/slots.ts'
import { wakeAfterCommit } from '#core/server/commit.ts'
import { inTenant } from '#core/server/database.ts'
import { serve } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import { message } from '#core/server/texts.ts'
import { recovery } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { findByLink, readLink } from './links.ts'
import { sendLinks } from './send.ts'
import { deleteLinksOf, writeRequest } from './store.ts'

export default serve(
  recovery,
  {
    async request({ emailAddress }, { db, now, missed }) {
      await writeRequest(db, emailKey(emailAddress), now)
      wakeAfterCommit(db, recovery.jobs.send)
      // Counted although it succeeds: each of them can be a mail to somebody.
      missed()
      return {}
    },

    async validateLink({ token }, { db, house, now, enter, missed, request }) {
      const link = await readLink(db, token)
      if (link !== undefined) await enter(link.tenantId)
      const person = link && (await findByLink(house, db, link, now))
      if (person === undefined) {
        missed()
        return { isValid: false as const }
      }
      const brand = await brandOf({ db, tenantId: person.tenantId }, request.host)
      return {
        isValid: true as const,
        username: person.username,
        tenancy: brand.name,
        brand,
        passwordConfig: { shortest: shortestPassword },
        secretQuestions: await findQuestions(db, person.tenantId, person.id),
      }
    },

    async reset({ token, password, secret_answers }, { now, enter, actAs, fault, house, transact }) {
      const link = (await readLink(house.database, token)) ?? fault('linkUsed')
      const { tenantId } = link
      await enter(tenantId)
      const { person, asked } = await inTenant(house.database, tenantId, async (db) => {
        const found = (await findByLink(house, db, link, now)) ?? fault('linkUsed')
        return { person: found, asked: (await findQuestions(db, tenantId, found.id)).version !== noVersion }
      })
      actAs({ userId: person.id, name: person.username })
      const says = passwordFault(password, [person.username, person.givenName, person.familyName])
      if (says !== undefined) fault('invalid', { fields: [{ field: 'password', says }] })
      if (asked) {
        if (secret_answers === undefined) return fault('wrongAnswers')
        const outcome = await judgeAnswers(house, { tenantId, userId: person.id }, secret_answers)
        if (outcome !== 'right') fault(outcome === 'paused' ? 'answersPaused' : 'wrongAnswers')
      }
      const hash = await hashPassword(house, password)
      await transact(async ({ db, emit }) => {
        await holdPerson(db, tenantId, person.id)
        // Judged once more under the lock: of two at once the second finds no link, and what has changed meanwhile makes it void.
        if ((await findByLink(house, db, link, now))?.id !== person.id) fault('linkUsed')
        if (!asked && (await findQuestions(db, tenantId, person.id)).version !== noVersion) fault('linkUsed')
        await deleteLinksOf(db, tenantId, person.id)
        await storeHash(db, tenantId, person.id, hash, now)
        await endAllAccess(db, tenantId, person.id)
        await queueMail(
          { db, tenantId, now },
          {
            to: { userId: person.id, emailAddress: person.emailAddress },
            kind: 'account',
            subject: message(mailWords.done.subject),
            text: message(mailWords.done.text, { name: person.givenName, username: person.username }),
          },
        )
        emit('reset', { userId: person.id, answered: asked }, person.id)
      })
      return {}
    },
  },
  { jobs: { send: { inHouse: sendLinks } }, offers: [offer(personalData, deleteLinksOf)] },
)
