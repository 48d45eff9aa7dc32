// Calls that do something with a card in a reader of the caller, besides registering and issuing it. The contract is put together from these.

import * as z from 'zod'
import { OwnQuestions, SecretAnswers } from '#areas/questions/rules.ts'
import type { CallShape, StreamShape } from '#core/contract/contract.ts'
import { Id } from '#core/contract/shapes.ts'
import { clientFaults, issueFaults, IssueInput, keyFaults, makingFaults, pinBlocked, pukFaults } from './card-faults.ts'
import { beyond, Duration, OldCard, unregistered, wrongStatus } from './life.ts'
import { shortestPassphrase } from './rules.ts'
import { CardId, NewPin, OldPin, SlotName, StatusName, StepView } from './shapes.ts'

const needs = 'smartcardManage'
const Issued = z.object({ cardId: Id, operationId: Id, certificateIds: z.array(Id) })
const NewPassphrase = z
  .string()
  .min(shortestPassphrase, `Use at least ${shortestPassphrase} characters`)
  .max(200, 'Use at most 200 characters')
  .meta({ examples: ['correct horse battery staple'] })
const OldPassphrase = z.string().max(200)

const TemporaryInput = z.object({
  card_request: z.object({ card_id: CardId, cardTemplateId: Id, new_pin: NewPin, validity_duration: Duration.optional() }),
  old_card_id: OldCard,
})
const ReissueInput = z.object({
  card_id: CardId,
  card_pin: OldPin,
  forceRevoke: z.boolean().default(false),
  /** Agrees that keys in use are replaced before anybody has agreed to the certificates of the new ones. */
  replaceNow: z.boolean().default(false),
})
const UnregisterInput = z.object({
  card_id: CardId,
  /** The card is gone or broken: only its record ends. */
  withoutCard: z.boolean().default(false),
})
const Unregistered = z.object({ status: StatusName, pkiError: z.string().optional() })

const reissueFaults = {
  ...makingFaults,
  waitsForApproval: {
    status: 409,
    says: 'The certificate for {slot} waits for approval. Renew the certificates again when it is granted: it goes on from there',
  },
  wrongPin: { status: 403, says: 'Incorrect PIN provided.', expected: true },
  pinBlocked,
  wrongStatus,
  cardOver: { status: 409, says: 'The card itself is over since {day}. Issue another card' },
  notRevoked: { status: 409, says: 'The certificates of before were not revoked. {reason}' },
  replacesNow: {
    status: 409,
    says: 'The keys in {slots} would be replaced now, and the new certificates wait for approval. Send replaceNow where that is wanted',
  },
} as const

export const passphraseFaults = {
  noPassphrase: { status: 403, says: 'This card has no passphrase' },
  wrongPassphrase: { status: 403, says: 'Incorrect passphrase.', expected: true },
  paused: { status: 429, says: 'Too many wrong ones. Try again in a day, or go to the card desk' },
} as const
export const wrongAnswers = { status: 403, says: 'These are not the answers', expected: true } as const
const notYours = { status: 403, says: 'This is not your card' } as const

export const atCardCalls = {
  issueTemporary: {
    does: 'Issues the card in a reader of the caller to the holder of another one, whose certificates go on hold first.',
    title: 'Issue a temporary smartcard',
    method: 'POST',
    path: '/api2/CMS-v2/IssueTemporaryCard',
    olderPath: '/api2/CMS-v1/IssueTemporaryCard',
    needs,
    ownTransactions: true,
    input: TemporaryInput,
    output: Issued,
    done: 'Smartcard issued successfully!',
    failed: 'Smartcard could not be issued',
    faults: issueFaults,
  },
  issueVirtual: {
    does: 'Issues the card of software that is in a virtual reader of the caller, and registers it first where it is not.',
    title: 'Issue a virtual smartcard',
    method: 'POST',
    path: '/api2/CMS-v2/IssueVSC',
    needs,
    ownTransactions: true,
    input: IssueInput.extend({ card_id: CardId.default({}) }),
    output: Issued,
    done: 'VSC issued successfully!',
    failed: 'VSC could not be issued',
    faults: { ...issueFaults, noVirtual: { status: 409, says: 'There is no virtual reader with a card in it' } },
  },
  reissue: {
    does: 'Makes new keys and certificates on the card in a reader of the caller, by its PIN; those of before are revoked afterwards, or before with `forceRevoke`.',
    title: 'Reissue a smartcard',
    method: 'POST',
    path: '/api2/CMS-v2/ReissueCard',
    olderPath: '/api2/CMS-v1/ReissueCard',
    needs: 'signedIn',
    tokens: [needs],
    ownTransactions: true,
    limit: 'code',
    input: ReissueInput,
    output: Issued,
    done: 'Certificate renewed successfully!',
    failed: 'Could not renew card certificates.',
    faults: reissueFaults,
  },
  beforeReissue: {
    does: 'Answers the slots whose keys a reissue by the caller would replace although their new certificates wait for approval: until then the card cannot sign in with them.',
    method: 'GET',
    path: '/api2/CMS-v2/BeforeReissue',
    needs: 'signedIn',
    tokens: [needs],
    input: z.object({ serial: z.string().max(64) }),
    output: z.object({ waiting: z.array(SlotName) }),
    faults: { unregistered, notYours },
  },
  beforeIssue: {
    does: 'Answers the slots of a template whose certificates others must agree to before a card is issued to this person by the caller, and how many must.',
    method: 'GET',
    path: '/api2/CMS-v2/BeforeIssue',
    needs: 'signedIn',
    tokens: [needs],
    input: z.object({ cardTemplateId: Id, userId: Id }),
    output: z.object({ waiting: z.array(z.object({ slot: SlotName, approvers: z.number().int() })) }),
    faults: { notYours },
  },
  pinTries: {
    does: 'Answers how many tries the PIN of the card in a reader of the caller has left; asking costs none. 0 is blocked.',
    method: 'POST',
    path: '/api2/CMS-v2/PinTries',
    needs: 'signedIn',
    tokens: [needs],
    reads: true,
    ownTransactions: true,
    input: z.object({ card_id: CardId }),
    output: z.object({ left: z.number().int().optional() }),
    faults: clientFaults,
  },
  unfinished: {
    does: 'Answers the issue or reissue of a card that stopped on its way: for whom, by which template, and where its certificates stand. Nothing while somebody drives the card.',
    method: 'GET',
    path: '/api2/CMS-v2/UnfinishedOperation',
    needs: 'signedIn',
    tokens: [needs],
    input: z.object({ serial: z.string().max(64) }),
    output: z.object({
      operation: z
        .object({
          kind: z.enum(['issue', 'reissue']),
          /** Why it stopped. */
          error: z.string(),
          userId: Id,
          userName: z.string(),
          cardTemplateId: Id,
          cardTemplateName: z.string(),
          /** The card that a temporary one is to stand for, and for how many days. */
          standsFor: Id.optional(),
          days: z.number().int().optional(),
          requests: z.array(z.object({ slot: SlotName, requestId: Id, stands: z.enum(['waiting', 'granted', 'denied']) })),
        })
        .optional(),
    }),
    faults: { unregistered, notYours },
  },
  unregister: {
    does: 'Revokes the certificates of a card, deletes what is on it and gives it back as from the factory. What was not revoked is answered, and the card stays.',
    title: 'Unregister a smartcard',
    method: 'POST',
    path: '/api2/CMS-v2/UnregisterCard',
    olderPath: '/api2/CMS-v1/UnregisterCard',
    needs,
    ownTransactions: true,
    input: UnregisterInput,
    output: Unregistered,
    done: 'Smartcard unregistered successfully',
    failed: 'Smartcard could not be unregistered',
    faults: { ...clientFaults, ...keyFaults, unregistered, wrongStatus },
  },
  clean: {
    does: 'Deletes what is on a card that nobody uses, and gives it back as from the factory. It stays registered.',
    title: 'Clean a smartcard',
    method: 'POST',
    path: '/api2/CMS-v2/CleanCard',
    needs,
    ownTransactions: true,
    input: z.object({ card_id: CardId }),
    output: Unregistered,
    done: 'Successfully updated card status',
    failed: 'Unable to update card status',
    faults: { ...clientFaults, ...keyFaults, unregistered, wrongStatus },
  },
  checkPassphrase: {
    does: 'Says whether this is the passphrase of the caller’s card. A wrong one counts.',
    title: 'Check the passphrase of a smartcard',
    method: 'POST',
    path: '/api2/Authentication-v1/AuthSmartcardPassphrase',
    needs: 'signedIn',
    tokens: [needs],
    reads: true,
    watched: true,
    ownTransactions: true,
    limit: 'code',
    input: z.object({ card_id: CardId, passphrase: OldPassphrase }),
    output: z.object({}),
    failed: 'The passphrase was not checked',
    faults: { unregistered, notYours, ...passphraseFaults },
  },
  changePassphrase: {
    does: 'Sets the passphrase of the caller’s own card, by the one before; the first one by a session that has proved in the last five minutes who asks.',
    title: 'Change the passphrase of a smartcard',
    method: 'POST',
    path: '/api2/CMS-v2/ChangePassphrase',
    olderPath: '/api2/CMS-v1/ChangePassphrase',
    needs: 'signedIn',
    tokens: 'never',
    ownTransactions: true,
    limit: 'code',
    input: z.object({ card_id: CardId, old_passphrase: OldPassphrase.default(''), new_passphrase: NewPassphrase }),
    output: z.object({}),
    done: 'The passphrase was changed',
    failed: 'The passphrase was not changed',
    faults: {
      unregistered,
      notYours,
      ...passphraseFaults,
      weak: { status: 409, says: '{reason}', field: 'new_passphrase' },
    },
  },
  resetPinByPassphrase: {
    does: 'Sets a new PIN on the caller’s card in a reader of theirs, by its passphrase.',
    title: 'Unblock a smartcard by its passphrase',
    method: 'POST',
    path: '/api2/CMS-v2/ResetPinPassphrase',
    olderPath: '/api2/CMS-v1/ResetPinPassphrase',
    needs: 'signedIn',
    tokens: [needs],
    ownTransactions: true,
    limit: 'code',
    input: z.object({ card_id: CardId, pin: NewPin, passphrase: OldPassphrase }),
    output: z.object({}),
    done: 'Successfully reset card PIN',
    failed: 'Could not reset card PIN',
    faults: { ...clientFaults, ...pukFaults, unregistered, notYours, ...passphraseFaults },
  },
  secretQuestions: {
    does: 'Answers the secret questions of the holder of a card, without the answers: to the holder, and to the card desk. 404 where none are set.',
    method: 'GET',
    path: '/api2/CMS-v2/CardSecretQuestions',
    olderPath: '/api2/CMS-v1/CardSecretQuestions',
    needs: 'signedIn',
    tokens: [needs],
    input: z.object({ card_serial: z.string().trim().max(64) }),
    output: OwnQuestions,
    faults: { none: { status: 404, says: 'The holder of this card has set no secret questions' } },
  },
  resetPinByAnswers: {
    does: 'Sets a new PIN on a card in a reader of the caller, by the answers of its holder to their secret questions; the holder is told by mail.',
    title: 'Unblock a smartcard by secret questions',
    method: 'POST',
    path: '/api2/CMS-v2/ResetPinQA',
    olderPath: '/api2/CMS-v1/ResetPinQA',
    needs: 'signedIn',
    tokens: [needs],
    ownTransactions: true,
    limit: 'code',
    input: z.object({ card_id: CardId, new_pin: NewPin, secret_answers: SecretAnswers }),
    output: z.object({}),
    done: 'Successfully reset card PIN',
    failed: 'Could not reset card PIN',
    faults: {
      ...clientFaults,
      ...pukFaults,
      unregistered,
      notYours,
      beyond,
      wrongAnswers,
      paused: passphraseFaults.paused,
    },
  },
} as const satisfies Record<string, CallShape>

const Step = StepView.optional()
export const atCardStreams = {
  reissue: {
    path: '/api2/CMS-v2/ReissueCardStream',
    olderPath: '/api2/CMS-v1/ReissueCardStream',
    needs: 'signedIn',
    tokens: [needs],
    input: ReissueInput,
    event: z.object({ step: Step, done: Issued.optional() }),
    failed: 'Could not renew card certificates.',
  },
  issueTemporary: {
    path: '/api2/CMS-v2/IssueTemporaryCardStream',
    needs,
    input: TemporaryInput,
    event: z.object({ step: Step, done: Issued.optional() }),
    failed: 'Smartcard could not be issued',
  },
  unregister: {
    path: '/api2/CMS-v2/UnregisterCardStream',
    olderPath: '/api2/CMS-v1/UnregisterCardStream',
    needs,
    input: UnregisterInput,
    event: z.object({ step: Step, done: Unregistered.optional() }),
    failed: 'Smartcard could not be unregistered',
  },
} as const satisfies Record<string, StreamShape>
