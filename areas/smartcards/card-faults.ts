// What calls that reach for a card may answer besides what they are asked for.

import * as z from 'zod'
import { Id } from '#core/contract/shapes.ts'
import { clientFaults } from './client-faults.ts'
import { beyond, temporaryFaults, unregistered } from './life.ts'
import { CardId, NewPin } from './shapes.ts'

export { clientFaults }

export const wrongPin = { status: 403, says: 'Incorrect PIN. Tries left: {left}', expected: true } as const
export const samePin = { status: 409, says: 'Choose another PIN than before', field: 'new_pin' } as const
export const pinBlocked = {
  status: 403,
  says: 'The PIN is blocked. The card desk can unblock the card, or its holder by secret questions or passphrase',
  expected: true,
} as const

export const keyFaults = {
  notTaken: { status: 409, says: 'The card does not take its management key: neither ours nor that of the factory' },
  pukUnknown: { status: 409, says: 'The PUK of the card is not the one that is known here' },
} as const
export const pukFaults = {
  noPuk: { status: 409, says: 'No PUK is kept for this card, because it was not issued here' },
  ...keyFaults,
} as const

/** Of whatever makes keys and certificates. */
export const makingFaults = {
  ...clientFaults,
  ...keyFaults,
  beyond,
  unregistered,
  refusedRequest: { status: 409, says: 'The certificate for {slot} was refused: {reason}' },
  waitsForApproval: {
    status: 409,
    says: 'The certificate for {slot} waits for approval. Issue the card again when it is granted: it goes on from there',
  },
  notProved: { status: 409, says: 'The key in {slot} does not sign for its certificate' },
  notAttested: {
    status: 409,
    says: 'The template wants keys that the card attests, and for {slot} {reason}',
  },
  unknownPerson: { status: 409, says: 'There is no such person', field: 'user_ids' },
  unknownTemplate: { status: 409, says: 'There is no such template of cards, or it is not in use', field: 'cardTemplateId' },
  notYours: { status: 403, says: 'Without the right to manage smartcards you can do this only with a card of your own' },
} as const

export const issueFaults = {
  ...makingFaults,
  ...temporaryFaults,
  notIssuable: { status: 409, says: 'A card that is {status} is not issued. Revoke it or unregister it first' },
  assignedToOther: { status: 409, says: 'The card is assigned to another person', field: 'user_ids' },
  questionsFirst: { status: 409, says: 'Set your secret questions first: this tenancy asks for them before a card is issued' },
} as const

export const IssueInput = z.object({
  card_id: CardId,
  cardTemplateId: Id,
  /** Whose card it is: one person. */
  user_ids: z.array(Id).length(1, 'Choose one person'),
  new_pin: NewPin,
})
