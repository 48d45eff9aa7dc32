// What both sides know of cards: states, kinds of operations and their steps by name, what a PIN is.

export const cardStatuses = [
  'REGISTERED',
  'ASSIGNED',
  'ISSUED',
  'SUSPENDED',
  'LOST',
  'REVOKED',
  'UNREGISTERED',
  'DESTROYED',
  'UNKNOWN',
] as const
export type CardStatus = (typeof cardStatuses)[number]

/** From these a card may be issued; REVOKED is issued anew. */
export const issuableStatuses: readonly CardStatus[] = ['REGISTERED', 'ASSIGNED', 'REVOKED', 'UNKNOWN']

/** What a card that is in nobody's hands yet may be. */
export const assignableStatuses: readonly CardStatus[] = ['REGISTERED', 'REVOKED', 'UNKNOWN']
/** From these its certificates may go on hold, come back from it, or go for good. */
export const suspendable: readonly CardStatus[] = ['ISSUED']
/** Of an UNKNOWN one some certificates may be good. */
export const losable: readonly CardStatus[] = ['ISSUED', 'SUSPENDED', 'UNKNOWN']
/** Not a lost card, nor one that is not registered: REVOKED could be issued anew. */
export const revocable: readonly CardStatus[] = ['REGISTERED', 'ASSIGNED', 'ISSUED', 'SUSPENDED', 'REVOKED', 'UNKNOWN']
/** A card whose keys are good, so that they may not be wiped by mistake. */
export const inUseStatuses: readonly CardStatus[] = ['ISSUED', 'SUSPENDED']

/** What a person can use: theirs, and no temporary one. */
export const isUsable = ({ status, temporary }: { status: CardStatus; temporary: boolean }): boolean =>
  (status === 'ASSIGNED' || status === 'ISSUED') && !temporary

/** A passphrase is taken so often in a row, then not before the pause is over. */
export const mostPassphraseTries = 5
export const passphrasePauseMilliseconds = 24 * 3_600_000
export const shortestPassphrase = 12

export const longestTemporaryDays = 366

export const operationKinds = ['issue', 'reissue', 'clean', 'unregister'] as const
export type OperationKind = (typeof operationKinds)[number]
export const operationStates = ['running', 'waiting', 'done', 'failed', 'abandoned'] as const
export type OperationState = (typeof operationStates)[number]

/** The steps of an issue, as they are shown. Those of a slot name it. */
export const issueSteps = {
  read: 'Read the card',
  plan: 'Plan keys and certificates',
  managementKey: 'Replace the management key',
  puk: 'Set the PUK',
  pin: 'Set the PIN',
  key: 'Make the key',
  certificate: 'Issue the certificate',
  write: 'Write the certificate',
  objects: 'Write the data objects',
  prove: 'Prove the keys',
  finish: 'Finish',
} as const
export type IssueStep = keyof typeof issueSteps

/** Those of a reissue and of wiping besides. */
export const moreSteps = {
  checkPin: 'Check the PIN',
  revoke: 'Revoke the certificates',
  clear: 'Delete keys and data objects',
  reset: 'Give the card back as from the factory',
} as const

export const slotNames = ['9A', '9C', '9D', '9E'] as const
export type CardSlot = (typeof slotNames)[number]
export const slotLabels: Readonly<Record<CardSlot, string>> = {
  '9A': 'Authentication (9A)',
  '9C': 'Digital signature (9C)',
  '9D': 'Key management (9D)',
  '9E': 'Card authentication (9E)',
}

export const slotAlgorithms = ['RSA-2048', 'RSA-3072', 'P-256', 'P-384'] as const
export type SlotAlgorithm = (typeof slotAlgorithms)[number]

/** How cards are known on the wire; the older client says SMARTCARD. */
export const cardType = 'CARD_TYPE_SMARTCARD'
/** The fixed value by which requests name the application: that of PIV. */
export const appletId = 'A000000308000010000100'

export const pinLengthText = 'PIN must be between 6-8 numbers'
/** All that a PIN must be: it begins with what is said where only the length is wrong. */
export const pinDescription = 'PIN must be between 6-8 numbers, with no run of four equal or consecutive ones'
const longestRun = 3

/** Why digits are no PIN; undefined where they are one. */
export function pinFault(pin: string): string | undefined {
  if (!/^\d{6,8}$/.test(pin)) return pinLengthText
  for (const step of [0, 1, -1]) {
    let run = 1
    for (let at = 1; at < pin.length; at += 1) {
      run = Number(pin[at]) - Number(pin[at - 1]) === step ? run + 1 : 1
      if (run > longestRun) return 'Use no run of four equal or consecutive digits'
    }
  }
  return undefined
}

/** How often the console asks whether its client is there, and how long it waits for one: ticks of 50 ms. */
export const pingMilliseconds = 60_000
export const clientTicks = 200
export const tickMilliseconds = 50
/** Why a card is suspended while another one stands for it. */
export const standInReason = 'A temporary card stands for it'

/** What the client calls its readers of software: two, so that a temporary card can stand for another one. */
export const virtualReaders: readonly string[] = ['Virtual reader', 'Virtual reader 2']

export const noClientText = 'No CMS Client connected'
