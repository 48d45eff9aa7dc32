// A forgotten PIN: the holder sets a new one by the passphrase of the card, or by the answers to their secret questions. The card is the other proof: it must be
// in a reader of the caller, and the PUK never leaves for another one.

import { linkTo, queueMail } from '#areas/mail/service.ts'
import { noVersion } from '#areas/questions/rules.ts'
import { findQuestions, judgeAnswers } from '#areas/questions/service.ts'
import { requireFreshProof } from '#areas/sessions/proof.ts'
import { fits, hashPassword, passwordFault } from '#areas/users/passwords.ts'
import { findPerson, fullName } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import { faultOfCall } from '#core/server/fault.ts'
import type { Handlers } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { message } from '#core/server/texts.ts'
import { smartcards } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { mostPassphraseTries, passphrasePauseMilliseconds } from '../rules.ts'
import { findCard } from './agents/readers.ts'
import { unblockCard } from './engine/unblock.ts'
import { guarded } from './guarded.ts'
import { findNamed } from './life.ts'
import { actorOf, isBeyond, isHolder, mayHandle, type Acting, type ActingAtCard } from './policy.ts'
import { findBySerial, lockCard, updateCard, type CardRecord } from './store.ts'

const { calls } = smartcards
type PassphraseCall = typeof calls.checkPassphrase | typeof calls.changePassphrase | typeof calls.resetPinByPassphrase

async function ownCard({ house, viewer }: Acting, call: PassphraseCall, cardId: { serial?: string | undefined }): Promise<CardRecord> {
  const card = await withTenancy(house, viewer.tenantId, (tenancy) => findNamed(tenancy, cardId))
  if (card === undefined) throw faultOfCall(call, 'unregistered')
  if (!isHolder(viewer, card)) throw faultOfCall(call, 'notYours')
  return card
}

/** A try is counted before the work, so that guesses side by side cannot pass. */
export async function checkPassphrase(
  { house, viewer }: ActingAtCard,
  call: PassphraseCall | typeof calls.anonymousResetByPassphrase,
  cardId: string,
  given: string,
): Promise<void> {
  const stored = await withTenancy(house, viewer.tenantId, async (tenancy) => {
    const card = await lockCard(tenancy, cardId)
    if (card?.passphrase_hash == null) throw faultOfCall(call, 'noPassphrase')
    const since = card.passphrase_tried_at === null ? Infinity : tenancy.now.getTime() - card.passphrase_tried_at.getTime()
    const tries = since >= passphrasePauseMilliseconds ? 0 : card.passphrase_tries
    if (tries >= mostPassphraseTries) throw faultOfCall(call, 'paused')
    await updateCard(tenancy, cardId, { passphrase_tries: tries + 1, passphrase_tried_at: tenancy.now })
    return card.passphrase_hash
  })
  if (!(await fits(house, given, stored))) throw faultOfCall(call, 'wrongPassphrase')
  await withTenancy(house, viewer.tenantId, (tenancy) => updateCard(tenancy, cardId, { passphrase_tries: 0, passphrase_tried_at: null }))
}

/** The holder hears of it, whoever did it. */
export async function tellUnblocked(
  acting: ActingAtCard,
  card: CardRecord,
  event: 'unblockedByPassphrase' | 'unblockedByAnswers',
): Promise<void> {
  const { house, viewer } = acting
  await house.work(viewer.tenantId, actorOf(acting), async ({ tenancy, emitFor }) => {
    emitFor(smartcards)(event, { cardId: card.id, serial: card.serial }, card.id)
    const person = card.holder_id === null ? undefined : await findPerson(tenancy.db, tenancy.tenantId, card.holder_id)
    const words = event === 'unblockedByAnswers' ? mailWords.byAnswers : mailWords.byPassphrase
    if (person !== undefined)
      await queueMail(tenancy, {
        to: { userId: person.id, emailAddress: person.emailAddress },
        kind: 'account',
        subject: message(words.subject),
        text: message(words.text, { name: person.givenName, serial: card.serial }),
        link: linkTo(house, to(smartcards.screens.own)),
      })
  })
}

type RecoveryCalls = 'checkPassphrase' | 'changePassphrase' | 'resetPinByPassphrase' | 'secretQuestions' | 'resetPinByAnswers'

export const recoveryHandlers: Pick<Handlers<typeof smartcards>, RecoveryCalls> = {
  async checkPassphrase({ card_id: cardId, passphrase }, { house, viewer, request: { address } }) {
    const acting = { house, viewer, address }
    const card = await ownCard(acting, calls.checkPassphrase, cardId)
    await checkPassphrase(acting, calls.checkPassphrase, card.id, passphrase)
    return {}
  },

  async changePassphrase({ card_id: cardId, old_passphrase: before, new_passphrase: after }, { house, viewer, now, request: { address } }) {
    const call = calls.changePassphrase
    const acting = { house, viewer, address }
    const card = await ownCard(acting, call, cardId)
    if (card.passphrase_hash === null) await withTenancy(house, viewer.tenantId, ({ db }) => requireFreshProof(house, db, viewer, now))
    else await checkPassphrase(acting, call, card.id, before)
    const person = await withTenancy(house, viewer.tenantId, ({ db, tenantId }) => findPerson(db, tenantId, viewer.userId))
    const reason = passwordFault(after, person === undefined ? [] : [person.username, fullName(person)])
    if (reason !== undefined) throw faultOfCall(call, 'weak', { params: { reason } })
    const hash = await hashPassword(house, after)
    await house.work(viewer.tenantId, actorOf(acting), async ({ tenancy, emitFor }) => {
      const row = await lockCard(tenancy, card.id)
      // Of two at once the second finds another one than it was asked for.
      if (row === undefined || row.passphrase_hash !== card.passphrase_hash || !isHolder(viewer, row)) throw faultOfCall(call, 'notYours')
      await updateCard(tenancy, card.id, { passphrase_hash: hash, passphrase_tries: 0, passphrase_tried_at: null })
      emitFor(smartcards)('passphraseChanged', { cardId: card.id, serial: card.serial }, card.id)
    })
    return {}
  },

  async resetPinByPassphrase({ card_id: cardId, pin, passphrase }, { house, viewer, request: { address } }) {
    const call = calls.resetPinByPassphrase
    const acting = { house, viewer, address }
    return guarded(call, async () => {
      const found = await findCard(house, viewer.userId, cardId)
      const card = await ownCard(acting, call, { serial: found.identity.serial })
      await checkPassphrase(acting, call, card.id, passphrase)
      await unblockCard(acting, found, card, pin)
      await tellUnblocked(acting, card, 'unblockedByPassphrase')
      return {}
    })
  },

  async secretQuestions({ card_serial: serial }, { tenancy, viewer, fault }) {
    const card = await findBySerial(tenancy, serial)
    // A card that is not theirs is like one that is not there.
    if (card?.holder_id == null || !mayHandle(viewer, card)) fault('none')
    const found = await findQuestions(tenancy.db, tenancy.tenantId, card?.holder_id ?? '')
    if (found.version === noVersion) fault('none')
    return found
  },

  async resetPinByAnswers({ card_id: cardId, new_pin: pin, secret_answers: given }, { house, viewer, request: { address } }) {
    const call = calls.resetPinByAnswers
    const acting = { house, viewer, address }
    return guarded(call, async () => {
      const found = await findCard(house, viewer.userId, cardId)
      const { card, holderId } = await withTenancy(house, viewer.tenantId, async (tenancy) => {
        const row = await findBySerial(tenancy, found.identity.serial)
        if (row === undefined) throw faultOfCall(call, 'unregistered')
        if (row.holder_id === null || !mayHandle(viewer, row)) throw faultOfCall(call, 'notYours')
        if (await isBeyond(house, tenancy, viewer, row.holder_id)) throw faultOfCall(call, 'beyond')
        return { card: row, holderId: row.holder_id }
      })
      const judged = await judgeAnswers(house, { tenantId: viewer.tenantId, userId: holderId }, given)
      if (judged !== 'right') throw faultOfCall(call, judged === 'wrong' ? 'wrongAnswers' : 'paused')
      await unblockCard(acting, found, card, pin)
      await tellUnblocked(acting, card, 'unblockedByAnswers')
      return {}
    })
  },
}
