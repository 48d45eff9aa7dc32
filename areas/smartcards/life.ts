// Calls of a card's life that need no reader: whose it is, what it is replaced by, whether its certificates are good. The contract is put together from these.

import * as z from 'zod'
import type { CallShape } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery } from '#core/contract/shapes.ts'
import { clientFaults } from './client-faults.ts'
import { longestTemporaryDays } from './rules.ts'
import { CardId, CardRow, Extensions, StatusName } from './shapes.ts'

const needs = 'smartcardManage'

const PersonCards = z.object({
  smartcards: z.array(
    z.object({
      id: Id,
      serialNumber: z.string(),
      /** In small letters. */
      status: z.string(),
      pinBlocked: z.boolean(),
      cardTemplateId: Id.optional(),
      cardTemplateName: z.string(),
      /** Of those that it has now. */
      certificates: z.number().int(),
      hasPassphrase: z.boolean(),
      expires: Instant.optional(),
      extensions: Extensions.and(z.object({ temporary_card: z.boolean() })),
    }),
  ),
})

export const unregistered = { status: 409, says: 'The card is not registered' } as const
export const beyond = { status: 403, says: 'This person holds more than you do' } as const
export const wrongStatus = { status: 409, says: 'A card that is {status} cannot be changed so' } as const
const unknownPerson = { status: 409, says: 'There is no such person', field: 'user_id' } as const
const unknownTemplate = {
  status: 409,
  says: 'There is no such template of cards, or it is not in use',
  field: 'card_template_id',
} as const
const changed = 'Successfully updated card status'
const unchanged = 'Unable to update card status'

/** A card by its number here, or as other calls name it. */
export const OldCard = z.union([Id, CardId])

/** In days; 0 is without an end. Left out, the setting of the tenancy holds. */
export const Duration = z
  .number()
  .int('Enter a whole number of days')
  .min(0, 'At least 0 days')
  .max(longestTemporaryDays, `At most ${longestTemporaryDays} days`)

const Reason = Line(200)
const Moved = z.object({ status: StatusName, certRevokeError: z.string().optional() })

export const temporaryFaults = {
  noOldCard: { status: 409, says: 'The card that it stands for is not registered', field: 'old_card_id' },
  notReplaceable: {
    status: 409,
    says: 'Only a card that is issued or suspended, and no temporary one, can be stood for',
    field: 'old_card_id',
  },
  replacedAlready: { status: 409, says: 'The card {serial} stands for this one already', field: 'old_card_id' },
  notHeld: { status: 409, says: 'The certificates of the card that it stands for were not put on hold. {reason}' },
} as const

export const lifeCalls = {
  assign: {
    does: 'Says whose a registered card will be, and by which template it is to be issued.',
    title: 'Assign a smartcard',
    method: 'POST',
    path: '/api2/CMS-v2/AssignCard',
    needs,
    ownTransactions: true,
    input: z.object({ card_id: CardId, user_id: Id, card_template_id: Id, extensions: Extensions.default({}) }),
    output: z.object({ cardId: Id, status: StatusName }),
    done: changed,
    failed: unchanged,
    faults: { ...clientFaults, unregistered, wrongStatus, unknownPerson, unknownTemplate, beyond },
  },
  unassign: {
    does: 'Takes an assigned card back from the person who was to have it.',
    title: 'Take a smartcard back',
    method: 'POST',
    path: '/api2/CMS-v2/UnassignCard',
    needs,
    ownTransactions: true,
    input: z.object({ card_id: CardId }),
    output: z.object({ cardId: Id, status: StatusName }),
    done: changed,
    failed: unchanged,
    faults: { ...clientFaults, unregistered, wrongStatus },
  },
  assignTemporary: {
    does: 'Assigns a registered card to the holder of another one, to stand for that for a while.',
    title: 'Assign a temporary smartcard',
    method: 'POST',
    path: '/api2/CMS-v2/AssignTemporaryCard',
    needs,
    ownTransactions: true,
    input: z.object({
      card_request: z.object({
        card_id: CardId,
        card_template_id: Id,
        validity_duration: Duration.optional(),
        extensions: Extensions.default({}),
      }),
      old_card_id: OldCard,
    }),
    output: z.object({ cardId: Id, status: StatusName }),
    done: changed,
    failed: unchanged,
    faults: { ...clientFaults, unregistered, wrongStatus, unknownPerson, unknownTemplate, beyond, ...temporaryFaults },
  },
  suspend: {
    does: 'Puts the certificates of an issued card on hold. The card counts as suspended when all of them are.',
    title: 'Suspend a smartcard',
    method: 'POST',
    path: '/api2/CMS-v2/SuspendCard',
    needs,
    ownTransactions: true,
    input: z.object({ card_id: CardId, reason: Reason }),
    output: Moved,
    done: changed,
    failed: unchanged,
    faults: { ...clientFaults, unregistered, wrongStatus },
  },
  resume: {
    does: 'Takes a suspended card back into use: a card that stands for it is revoked first, then its own certificates come off hold.',
    title: 'Resume a smartcard',
    method: 'POST',
    path: '/api2/CMS-v2/ResumeCard',
    needs,
    ownTransactions: true,
    input: z.object({ card_id: CardId }),
    output: Moved,
    done: changed,
    failed: unchanged,
    faults: { ...clientFaults, unregistered, wrongStatus, beyond },
  },
  lost: {
    does: 'Reports a card lost, and revokes its certificates as compromised: any card by the card desk, one’s own by its holder.',
    title: 'Report a smartcard lost',
    method: 'POST',
    path: '/api2/CMS-v2/ReportCardLost',
    needs: 'signedIn',
    tokens: [needs],
    ownTransactions: true,
    input: z.object({ card_id: CardId }),
    output: Moved,
    done: changed,
    failed: unchanged,
    faults: { ...clientFaults, unregistered, wrongStatus },
  },
  edit: {
    does: 'Changes what is noted about a card: label, where it lies, the template of its next issue, and an earlier end. The template, and the end of a temporary card, take `smartcardManage`.',
    title: 'Edit a smartcard',
    method: 'PATCH',
    path: '/api2/CMS-v2/Card',
    needs: 'smartcardEdit',
    input: z.object({
      id: Id,
      label: z.string().trim().max(80, 'At most 80 characters').default(''),
      custody: z.string().trim().max(200, 'At most 200 characters').default(''),
      nextTemplateId: Id.optional(),
      expires: Instant.optional(),
    }),
    output: z.object({}),
    done: 'The card was changed',
    failed: 'The card was not changed',
    faults: {
      notManager: { status: 403, says: 'This takes the right to manage smartcards' },
      beyond,
      later: { status: 409, says: 'A card can end earlier, not later', field: 'expires' },
      unknownTemplate: { ...unknownTemplate, field: 'nextTemplateId' },
    },
  },
  temporaryConfiguration: {
    does: 'Answers for how many days a temporary card stands for another one where nobody says otherwise; 0 and unlimited until it is set.',
    method: 'GET',
    path: '/api2/CMS-v2/TemporaryCardConfiguration',
    needs,
    input: z.object({}),
    output: z.object({ defaultDuration: z.number().int(), unlimitedIsDefault: z.boolean() }),
  },
  changeTemporaryConfiguration: {
    does: 'Sets for how many days a temporary card stands for another one where nobody says otherwise.',
    title: 'Change the default of temporary smartcards',
    method: 'PUT',
    path: '/api2/CMS-v2/TemporaryCardConfiguration',
    needs,
    input: z.object({ defaultDuration: Duration, unlimitedIsDefault: z.boolean() }),
    output: z.object({}),
    done: 'The default was changed',
    failed: 'The default was not changed',
  },
  replacedBy: {
    does: 'Answers the temporary card that stands for a card now, where there is one.',
    method: 'GET',
    path: '/api2/CMS-v2/TemporarilyReplacedBy',
    needs: 'smartcardReqView',
    input: z.object({ smartcard_id: Id }),
    output: z.object({ smartcard: CardRow.optional() }),
  },
  replaces: {
    does: 'Answers the card that a temporary card stands for, where it does.',
    method: 'GET',
    path: '/api2/CMS-v2/TemporarilyReplaces',
    needs: 'smartcardReqView',
    input: z.object({ smartcard_id: Id }),
    output: z.object({ smartcard: CardRow.optional() }),
  },
  ofPerson: {
    does: 'Answers the cards of a person; 404 where there is none. One’s own without a permission, those of others with `smartcardReqView`.',
    method: 'GET',
    path: '/smartcards/users/:userId',
    needs: 'signedIn',
    tokens: ['smartcardReqView'],
    input: z.object({ userId: Id }),
    output: PersonCards,
    faults: { none: { status: 404, says: 'This person has no smartcard' } },
  },
  mine: {
    does: 'Answers the caller’s own cards, also where there is none.',
    method: 'GET',
    path: '/api2/CMS-v2/MySmartcards',
    needs: 'signedIn',
    tokens: ['smartcardReqView'],
    input: z.object({}),
    output: PersonCards,
  },
  suspensions: {
    does: 'Lists the cards that are suspended: since when, by whom and why, and which of their certificates are on hold.',
    method: 'POST',
    path: '/api2/CMS-v2/SearchSuspensions',
    needs: 'smartcardSuspendedReport',
    reads: true,
    input: PageQuery,
    output: pageOf(
      CardRow.extend({
        suspendedAt: Instant.optional(),
        suspendedBy: z.string(),
        reason: z.string(),
        held: z.number().int(),
        replacedBy: z.string(),
      }),
    ),
  },
  report: {
    does: 'Counts the cards of the tenancy by status, and those that somebody should look at.',
    method: 'GET',
    path: '/api2/CMS-v2/CardReport',
    needs: 'smartcardSuspendedReport',
    input: z.object({}),
    output: z.object({
      total: z.number().int(),
      byStatus: z.array(z.object({ status: StatusName, cards: z.number().int() })),
      /** Over within 30 days; over already and still issued; temporary and in use; stopped in the middle. */
      expiring: z.number().int(),
      over: z.number().int(),
      temporary: z.number().int(),
      unfinished: z.number().int(),
      weakFirmware: z.number().int(),
    }),
  },
} as const satisfies Record<string, CallShape>
