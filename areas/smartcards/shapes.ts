// What cards, readers and operations look like on the wire. The contract is put together from these.

import * as z from 'zod'
import { Id, Instant, Line } from '#core/contract/shapes.ts'
import { cardStatuses, operationKinds, operationStates, pinFault, slotAlgorithms, slotNames } from './rules.ts'

export const StatusName = z.enum(cardStatuses)
export const SlotName = z.enum(slotNames)

/** A PIN that is to be set. */
export const NewPin = z
  .string()
  .superRefine((pin, context) => {
    const fault = pinFault(pin)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })
  .meta({ examples: ['471935'] })
/** A PIN that is on a card, whoever made it. */
export const OldPin = z.string().regex(/^[\x20-\x7e]{4,8}$/, 'Enter the PIN of the card')

/** Names the card of a request: by its serial number, or by the reader that it is in. */
export const CardId = z.object({
  serial: z.string().trim().max(64).optional(),
  atr: z.string().trim().max(80).optional(),
  readerName: z.string().max(200).optional(),
  reader_name: z.string().max(200).optional(),
  applet_id: z.string().max(40).optional(),
  /** The older client says the first of them; both mean the same. */
  cardType: z.enum(['SMARTCARD', 'CARD_TYPE_SMARTCARD']).optional(),
  batch_id: z.string().max(64).optional(),
})
export type CardId = z.output<typeof CardId>

/** Notes of other programs about a card. */
export const Extensions = z
  .record(z.string().min(1).max(40), z.union([z.string().max(200), z.number(), z.boolean()]))
  .refine((fields) => Object.keys(fields).length <= 20, 'At most 20 fields')

/** Where security clients reach this server, and by which key they know it. */
export const ClientConfig = z.object({ AgentAddress: z.string(), AgentPort: z.number().int(), ServerKey: z.string() })

export const PinRequirements = z.object({ minLength: z.number().int(), maxLength: z.number().int(), digitsOnly: z.boolean() })

export const ReaderView = z.object({
  name: z.string(),
  isVirtual: z.boolean(),
  /** Of a card that is in it. What is not known is left out. */
  smartcard: z
    .object({
      serialNumber: z.string().optional(),
      atr: z.string(),
      batch_id: z.string().optional(),
      cardType: z.string(),
      status: StatusName.optional(),
      cardId: Id.optional(),
      userName: z.string().optional(),
      /** Why its application was not read. */
      trouble: z.string().optional(),
    })
    .optional(),
  /** The first card printer of the same security client. */
  printer: z.object({ name: z.string(), isCardPrinter: z.boolean() }).optional(),
  pinRequirements: PinRequirements.optional(),
  /** Says to a person what the requirements cannot. */
  pinRequirementDescriptionOverride: z.string().optional(),
})
export type ReaderView = z.output<typeof ReaderView>

export const StepView = z.object({
  n: z.number().int(),
  name: z.string(),
  slot: z.string().optional(),
  /** `waiting`: until somebody else agrees. */
  state: z.enum(['running', 'waiting', 'done', 'failed']),
  says: z.string().optional(),
})

export const OperationView = z.object({
  id: Id,
  kind: z.enum(operationKinds),
  state: z.enum(operationStates),
  error: z.string(),
  by: z.string(),
  startedAt: Instant,
  steps: z.array(StepView),
})

export const CardRow = z.object({
  id: Id,
  serial: z.string(),
  status: StatusName,
  /** As the card said when its PIN was tried last through here. */
  pinBlocked: z.boolean(),
  userId: Id.optional(),
  userName: z.string(),
  cardTemplateName: z.string(),
  firmware: z.string(),
  certificates: z.number().int(),
  label: z.string(),
  custody: z.string(),
  temporary: z.boolean(),
  expires: Instant.optional(),
  readAt: Instant.optional(),
  addedAt: Instant,
})

export const CardSlotView = z.object({
  slot: SlotName,
  algorithm: z.string(),
  /** How it is known that the key was made on the card. */
  origin: z.enum(['proved', 'attested']),
  /** By whose root it is attested, or why nobody attests it. */
  originSays: z.string(),
  certificateId: Id.optional(),
  certificateName: z.string(),
  serialHex: z.string(),
  validTo: Instant.optional(),
  status: z.string(),
})

export const CardTemplateDraft = z.object({
  name: Line(80),
  slots: z
    .array(z.object({ slot: SlotName, algorithm: z.enum(slotAlgorithms), templateId: Id }))
    .min(1, 'Put a key into at least one slot')
    .max(slotNames.length)
    .refine((slots) => new Set(slots.map(({ slot }) => slot)).size === slots.length, 'Use each slot once'),
  /** The card itself is over after so many months. */
  validityMonths: z.number().int('Enter a whole number').min(1, 'At least 1').max(120, 'At most 120').default(36),
  enabled: z.boolean().default(true),
  /** Keys that the card does not attest are refused. */
  attested: z.boolean().default(false),
})
export type CardTemplateDraft = z.output<typeof CardTemplateDraft>

export const AgentRow = z.object({
  id: Id,
  machine: z.string(),
  person: z.string(),
  version: z.string(),
  connected: z.boolean(),
  seenAt: Instant,
})
